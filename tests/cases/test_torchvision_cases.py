"""Public bug reports on transforms of torchvision: true of the plain transform, never of the guarded one."""

import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from tests.vision_scenes import boxes

T = sa.torchvision


def share(box, window):
    wide = min(box[2], window[2]) - max(box[0], window[0])
    high = min(box[3], window[3]) - max(box[1], window[1])
    return max(wide, 0) * max(high, 0) / ((box[2] - box[0]) * (box[3] - box[1]))


def window_of(drawn):
    return drawn["left"], drawn["top"], drawn["left"] + drawn["width"], drawn["top"] + drawn["height"]


def test_c1_a_panorama_loses_its_object():
    """The host falls back to one window in the middle; with an object near one end it is gone in 98 % of draws."""
    size, box = (200, 2000), [20.0, 50.0, 120.0, 150.0]
    leaves = [tv_tensors.Image(torch.zeros(3, *size, dtype=torch.uint8)), boxes(given=[box], size=size)]
    plain, guarded = v2.RandomResizedCrop(224), T.RandomResizedCrop(224, min_retention=0.5)
    torch.manual_seed(0)
    draws = [window_of(plain.make_params(leaves)) for _ in range(1000)]
    assert 0.96 < sum(share(box, window) == 0 for window in draws) / 1000 < 1
    assert 0.7 < sum(window[2] - window[0] == 267 and window[0] == 866 for window in draws) / 1000 < 0.88
    torch.manual_seed(0)
    draws = [window_of(guarded.make_params(leaves)) for _ in range(1000)]
    assert all(share(box, window) >= 0.5 - 1e-6 for window in draws)
    assert guarded.report().keys() == {"FIRST", "MOVED"}


def test_c7_boxes_in_the_corners_are_clipped_to_nothing():
    """yolov5#8673: what is left is a box without width or height, and it keeps its label."""
    image, given = torch.zeros(3, 100, 100, dtype=torch.uint8), [[0.0, 0, 10, 10], [90.0, 90, 100, 100]]
    _, found = v2.CenterCrop(40)(image, boxes(given=given, size=(100, 100)))
    assert found.tolist() == [[0, 0, 0, 0], [40, 40, 40, 40]]
    one = T.CenterCrop(40, min_retention=1.0, keep="any")
    _, found = one(image, boxes(given=given, size=(100, 100)))
    assert [10, 10] in (found[:, 2:] - found[:, :2]).tolist()
    assert one.report() == {"MOVED": 1}
    both = T.CenterCrop(40, min_retention=0.5)
    both(image, boxes(given=given, size=(100, 100)))
    assert both.report() == {"UNMET": 1}  # and it says so


def test_c13_a_crop_larger_than_its_image_pads():
    """vision#3297: more than half of the picture is padding. The object is whole, so there is nothing to move."""
    image = torch.full((3, 100, 300), 7, dtype=torch.uint8)
    given = boxes(given=[[120.0, 20, 180, 80]], size=(100, 300))
    crop = T.CenterCrop(224, min_retention=1.0)
    out, found = crop(image, given)
    host, theirs = v2.CenterCrop(224)(image, given)
    assert 0.5 < float((host == 0).float().mean()) < 0.6
    assert torch.equal(out, host)
    assert torch.equal(found, theirs)
    assert crop.report() == {"FIRST": 1}
    aside = T.CenterCrop(224, min_retention=1.0)
    out, found = aside(image, boxes(given=[[0.0, 20, 30, 80]], size=(100, 300)))
    assert (found[0, 2:] - found[0, :2]).tolist() == [30, 60]
    assert tuple(out.shape[-2:]) == (224, 224)
    assert aside.report() == {"MOVED": 1}


def test_c15_an_iou_crop_ends():
    """Plain it never returns: without boxes, or with one of 4 × 4 pixels and ``sampler_options=[0.9]``."""
    image = torch.zeros(3, 100, 100, dtype=torch.uint8)
    crop = T.RandomIoUCrop(sampler_options=[0.9], trials=4)
    none = crop(image, boxes(given=[], size=(100, 100)))
    assert none[0] is image
    assert crop.report() == {"EMPTY": 1}
    small = crop(image, boxes(given=[[50.0, 50, 54, 54]], size=(100, 100)))
    assert small[1].tolist() == [[50, 50, 54, 54]]
    assert crop.report() == {"EMPTY": 1, "UNMET": 1}
