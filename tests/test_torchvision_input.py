"""What torchvision's drop-ins refuse, and how they say it; and that no draw runs for ever."""

import numpy as np
import pytest
import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from tests.vision_scenes import boxes, coordinates, discs, pil

T = sa.torchvision

CROPS = [
    lambda **more: T.RandomResizedCrop(24, **more),
    lambda **more: T.RandomCrop(24, **more),
    lambda **more: T.CenterCrop(24, **more),
    lambda **more: T.Safe(v2.RandomCrop(24), **more),
]


@pytest.fixture(params=CROPS, ids=["resized", "crop", "center", "safe"])
def make(request):
    return request.param


def refused(message, crop, *sample, error=sa.ContentError):
    with pytest.raises(error, match=message):
        crop(*sample)


@pytest.mark.parametrize("loose", [torch.zeros(3, 4), torch.zeros(1, 4, dtype=torch.int64), np.zeros((2, 4))])
def test_plain_boxes_beside_an_image(make, loose):
    """The host would move the picture without them."""
    message = r"plain (Tensor|ndarray) of shape \(\d, 4\) beside the image.*tv_tensors.BoundingBoxes\(.*protect=lambda"
    for image in (pil(), coordinates(), tv_tensors.Image(coordinates())):
        refused(message, make(), image, loose)
        refused(message, make(), {"image": image, "target": [{"boxes": loose}]})
    make()(coordinates(), loose[:0])
    make()(coordinates(), loose, boxes())  # objects that are told: the rest is something else
    make(protect=lambda leaves: {})(coordinates(), loose)
    make()(coordinates(), torch.zeros(4))


def test_images_of_different_sizes(make):
    other = tv_tensors.Image(torch.zeros(3, 20, 30))
    refused(
        r"share a size, got a Image of \(60, 80\), a Image of \(20, 30\)",
        make(),
        tv_tensors.Image(coordinates()),
        other,
    )
    refused(r"share a size.*PIL|share a size, got a Image of \(60, 80\)", make(), pil(), other)


def test_no_image(make):
    refused(r"no image, video, mask or boxes in the sample.*it holds nothing", make(), {"label": 3, "name": "cat"})


def test_boxes_masks_and_keypoints_on_another_canvas(make):
    message = r"must stand on a canvas of the size of the image, \(60, 80\) \(height, width\), got \(80, 60\)"
    refused(f"a BoundingBoxes {message}", make(), coordinates(), boxes(size=(80, 60)))
    refused(f"a Mask {message}", make(), coordinates(), tv_tensors.Mask(torch.zeros(1, 80, 60)))
    if hasattr(tv_tensors, "KeyPoints"):
        points = tv_tensors.KeyPoints(torch.zeros(1, 2), canvas_size=(80, 60))
        refused(f"a KeyPoints {message}", make(), coordinates(), points)


@pytest.mark.parametrize(
    "rows, message",
    [
        ([[float("nan"), 1, 2, 3]], "box 0 must be of finite numbers"),
        ([[1, 1, 5, 5], [0, 0, float("inf"), 3]], "box 1 must be of finite numbers"),
        ([[9, 1, 2, 3]], "box 0 must have x0 <= x1"),
    ],
)
def test_boxes_that_are_none(make, rows, message):
    refused(message, make(), coordinates(), boxes(given=rows))


def test_fields(make):
    sample = {"image": coordinates(), "boxes": boxes(), "labels": ["cat"], "name": "x", "count": 3}
    refused("must be as many as objects, got 1 labels and 2", make(min_retention={"cat": 0.5}, labels="labels"), sample)
    refused("'lables' is not in the sample: its keys are 'image', 'boxes', 'labels'", make(labels="lables"), sample)
    refused("it holds no mapping", make(weights="w"), (coordinates(), boxes()))
    refused("'count' must hold one value per object, got 3", make(weights="count"), sample)
    refused("'name' must hold one value per object, got 'x'", make(weights="name"), sample)
    refused("came without labels", make(min_retention={"cat": 0.5}), sample)
    named = {**sample, "labels": ["cat", "dog"]}
    refused("names no limit for label 'dog'", make(min_retention={"cat": 0.5}, labels="labels"), named)
    refused("weights must be", make(weights="w"), {**sample, "w": [1.0, -1.0]})
    refused("one number per object", make(ignore="w"), {**sample, "w": [True]})
    refused(r"prior_visibility must be in \[0, 1\]", make(prior_visibility="w"), {**sample, "w": [0.5, 2.0]})


def test_what_is_to_be_protected_is_not_there(make):
    refused("protect='masks' needs a tv_tensors.Mask in the sample, which holds", make(protect="masks"), coordinates())
    refused("protect='masks' needs", make(protect="masks"), coordinates(), tv_tensors.Mask(discs()[0]))
    refused("protect='keypoints' needs", make(protect="keypoints"), coordinates(), boxes())
    refused("must return a dict", make(protect=lambda leaves: [[1, 2, 3, 4]]), coordinates())
    refused("must return keywords of safeaug.place", make(protect=lambda leaves: {"bboxes": []}), coordinates())
    refused("there is nothing to protect", make(on_empty="raise"), coordinates(), boxes(given=[]))


def test_a_promise_that_cannot_be_made(make):
    for more, message in (
        ({"protect": "cats"}, "protect must be one of"),
        ({"labels": ["a", "b"]}, "labels must be the name of a key"),
        ({"min_retention": 2}, r"min_retention must be in \[0, 1\]"),
        ({"policy": 0.5}, "policy must be a safeaug.Policy"),
        ({"policy": sa.Policy(), "tries": 3}, "give either policy or its fields"),
        ({"generator": 3}, "generator must be a torch.Generator of the CPU"),
    ):
        with pytest.raises(sa.PolicyError, match=message):
            make(**more)


def test_a_promise_that_cannot_be_kept(make):
    crop = make(min_visible_pixels=1e6, on_fail="raise")
    with pytest.raises(sa.RetentionError, match="the promise cannot be met") as caught:
        crop(coordinates(), boxes())
    assert caught.value.outcome.status is sa.Status.UNMET
    assert crop.report() == {"UNMET": 1}


def test_what_safe_refuses():
    for inner, message in (
        (v2.ColorJitter(), "ColorJitter is none. Leave it unguarded"),
        (v2.RandomRotation(10), "RandomRotation is none"),
        (v2.FiveCrop(10), "cuts several windows"),
        (v2.Compose([v2.RandomCrop(10)]), "got Compose; of a pipeline guard the crops inside of it"),
        (torch.nn.ReLU(), "got ReLU"),
        (T.RandomCrop(10), "is guarded already"),
        (Forwards(), "has a forward of its own"),
    ):
        with pytest.raises(sa.PolicyError, match=message):
            T.Safe(inner)
    with pytest.raises(sa.PolicyError, match=r"make_params must return top, left, height, width.*returns corner"):
        T.Safe(Cornered())(coordinates(), boxes())


class Forwards(v2.Transform):
    def forward(self, *inputs):
        return inputs


class Cornered(v2.Transform):
    def make_params(self, flat_inputs):
        return {"corner": 3}

    def transform(self, inpt, params):
        return inpt


def test_the_hosts_own_errors_are_the_hosts():
    """A crop larger than the image; arguments that it refuses; an IoU crop without boxes."""
    for guarded, plain in ((T.RandomCrop(100), v2.RandomCrop(100)), (T.RandomCrop(9), v2.RandomCrop(9))):
        image = torch.zeros(3, 60, 8)
        with pytest.raises(ValueError, match="larger than input image size") as theirs:
            plain(image)
        with pytest.raises(ValueError, match="larger than input image size") as ours:
            guarded(image)
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(ValueError, match="two dimensions"):
        T.RandomCrop((1, 2, 3))
    with pytest.raises(TypeError, match="Scale should be a sequence"):
        T.RandomResizedCrop(8, scale=0.5)
    with pytest.raises(TypeError, match="requires input sample to contain"):
        T.RandomIoUCrop()(coordinates())
    with pytest.raises(ValueError, match="Invalid side range"):
        T.RandomZoomOut(side_range=(0.5, 2))


def test_torchscript_would_drop_the_guard(make):
    with pytest.raises(sa.PolicyError, match=r"cannot be scripted: torch.jit would take the host's transform"):
        make().__prepare_scriptable__()


# RandomIoUCrop ends. Plain it does not, on any of these.


@pytest.mark.parametrize("options", [[0.9], [0.3, 0.5], [0.0]])
def test_an_iou_crop_without_boxes_ends(options):
    crop = T.RandomIoUCrop(sampler_options=options)
    before = torch.get_rng_state()
    image = coordinates()
    out, found = crop(image, boxes(given=[]))
    assert out is image
    assert len(found) == 0
    assert crop.report() == {"EMPTY": 1}
    assert torch.equal(torch.get_rng_state(), before)
    with pytest.raises(sa.ContentError, match="there is nothing to protect"):
        T.RandomIoUCrop(sampler_options=options, on_empty="raise")(image, found)


def test_an_iou_crop_of_a_small_box_ends():
    """No window in the host's range overlaps a 4 × 4 box by 0.9: the picture stays, and says so."""
    sample = (coordinates(), boxes(given=[[20, 20, 24, 24]]))
    crop = T.RandomIoUCrop(sampler_options=[0.9], trials=3)
    out, found = crop(*sample)
    assert out is sample[0]
    assert torch.equal(found, sample[1])
    assert crop.report() == {"UNMET": 1}
    skipped = T.RandomIoUCrop(sampler_options=[0.9], trials=3, on_fail="skip")
    assert skipped(*sample)[0] is sample[0]
    assert skipped.report() == {"SKIPPED": 1}
    with pytest.raises(sa.RetentionError, match="the promise cannot be met"):
        T.RandomIoUCrop(sampler_options=[0.9], trials=3, on_fail="raise")(*sample)


def test_an_iou_crop_that_gives_up_takes_what_there_is():
    """One trial in a hundred rounds misses a box that is hard to meet; the search does not."""
    crop = T.RandomIoUCrop(min_scale=0.3, max_scale=0.32, sampler_options=[0.88], trials=1, min_retention=0.9)
    box = [10.0, 10.0, 34.0, 28.0]
    torch.manual_seed(0)
    for _ in range(5):
        out, found = crop(coordinates(), boxes(given=[box]))
        height, width = out.shape[-2:]
        shared = float((found[0, 2:] - found[0, :2]).prod())
        assert shared / (height * width + 24 * 18 - shared) >= 0.88
        assert shared >= 0.9 * 24 * 18
    assert crop.report().keys() <= {"FIRST", "RESIZED"}
    assert crop.report()["RESIZED"] > 0


def test_an_iou_crop_of_a_pixel_ends():
    """The host divides by a height of 0 there."""
    image = torch.zeros(3, 1, 1)
    crop = T.RandomIoUCrop(sampler_options=[0.1])
    out, _ = crop(image, boxes(given=[[0, 0, 1, 1]], size=(1, 1)))
    assert tuple(out.shape) == (3, 1, 1)
    assert sum(crop.report().values()) == 1


def test_an_iou_crop_that_ends_is_the_hosts_to_the_bit():
    """With the option to leave a picture as it is the host ends even without boxes, and its numbers are taken."""
    for given in ([], [[20, 20, 24, 24]], [[3, 4, 50, 40]]):
        for seed in range(12):
            states, drawn = [], []
            for crop in (v2.RandomIoUCrop(trials=5), T.RandomIoUCrop(trials=5, min_retention=0)):
                torch.manual_seed(seed)
                drawn.append(crop(coordinates(), boxes(given=given)))
                states.append(torch.get_rng_state())
            assert torch.equal(*states)
            assert torch.equal(drawn[0][0], drawn[1][0])
            assert torch.equal(drawn[0][1], drawn[1][1])
