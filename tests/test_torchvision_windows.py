"""The promise of torchvision's drop-ins on pixels: what a window shows is read off images of their own coordinates."""

import numpy as np
import pytest
import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from tests.vision_scenes import (
    CARRIERS,
    HEIGHT,
    SIZE,
    THINGS,
    UPRIGHT,
    WIDTH,
    boxes,
    coordinates,
    discs,
    left,
    shown,
    zoomed,
)

T = sa.torchvision
LIMIT = 0.7
ROUGH = 0.03
"""What counting fine points of an outline may be off by."""


def kept(points, window, limit=LIMIT):
    return all(left(each, window) >= limit - ROUGH for each in points)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_random_crop(carrier, thing):
    """The plain crop loses some object in most draws; the guarded one in none, and gives up in none."""
    leaf, points, protect = THINGS[thing]()
    image = CARRIERS[carrier]()
    guarded, plain = T.RandomCrop((40, 58), min_retention=LIMIT, protect=protect), v2.RandomCrop((40, 58))
    torch.manual_seed(0)
    lost = sum(not kept(points, shown(plain(image, leaf)[0]), LIMIT + 2 * ROUGH) for _ in range(40))
    for _ in range(40):
        assert kept(points, shown(guarded(image, leaf)[0]))
    assert lost > 2
    assert guarded.report().keys() <= {"FIRST", "MOVED"}
    assert guarded.report()["MOVED"] >= 2


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("carrier", ["float32", "float64 Image"])
def test_random_resized_crop(carrier, thing):
    leaf, points, protect = THINGS[thing]()
    image = CARRIERS[carrier]()
    given = {"size": (192, 224), "scale": (0.2, 0.9), "antialias": False}
    guarded, plain = T.RandomResizedCrop(**given, min_retention=LIMIT, protect=protect), v2.RandomResizedCrop(**given)
    torch.manual_seed(1)
    lost = sum(not kept(points, zoomed(plain(image, leaf)[0]), LIMIT + 2 * ROUGH) for _ in range(40))
    for _ in range(40):
        assert kept(points, zoomed(guarded(image, leaf)[0]))
    assert lost > 5
    assert guarded.report().keys() <= {"FIRST", "MOVED", "RESIZED"}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_every_target_shows_the_same_window(carrier):
    """The host's own code applies what the guard chose: boxes, masks and keypoints move with the pixels."""
    crop = T.RandomCrop((30, 44), min_retention=0.9)
    mask, found = tv_tensors.Mask(discs()), boxes(given=[[3, 4, 15, 20]])
    sample = {"image": CARRIERS[carrier](), "target": [{"boxes": found, "masks": mask}, "name"]}
    if hasattr(tv_tensors, "KeyPoints"):
        sample["points"] = tv_tensors.KeyPoints(torch.tensor([[[5.0, 6.0]]]), canvas_size=SIZE)
    torch.manual_seed(2)
    for _ in range(30):
        out = crop(sample)
        x0, y0, x1, y1 = shown(out["image"])
        moved, name = out["target"]
        assert name == "name"
        torch.testing.assert_close(moved["masks"].as_subclass(torch.Tensor), discs()[:, y0:y1, x0:x1])
        expected = np.clip(np.array([[3, 4, 15, 20]]) - [x0, y0] * 2, 0, [44, 30] * 2)
        np.testing.assert_array_equal(moved["boxes"].numpy(), expected)
        assert moved["boxes"].canvas_size == (30, 44)
        if "points" in out:
            assert out["points"].flatten().tolist() == [5 - x0, 6 - y0]
    assert crop.report()["MOVED"] > 5


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_padded_crop_is_cut_where_it_says(carrier):
    """What lies outside of the image is the host's fill; the window may reach into it."""
    crop = T.RandomCrop((50, 70), padding=[5, 9, 7, 3], min_retention=0.95)
    assert_reaches_outside(crop, CARRIERS[carrier](), (-5, -9, WIDTH + 7, HEIGHT + 3))
    larger = T.RandomCrop((64, 90), pad_if_needed=True, min_retention=0.95)
    assert_reaches_outside(larger, CARRIERS[carrier](), (-10, -4, WIDTH + 10, HEIGHT + 4))


def assert_reaches_outside(crop, image, frame):
    torch.manual_seed(3)
    outside = 0
    for _ in range(60):
        window = shown(crop(image, boxes(given=[[3, 4, 15, 20]]))[0])
        assert frame[0] <= window[0]
        assert frame[1] <= window[1]
        assert window[2] <= frame[2]
        assert window[3] <= frame[3]
        assert left(UPRIGHT[0], window) >= 0.95 - ROUGH
        outside += window[0] < 0 or window[1] < 0
    assert outside
    assert "UNMET" not in crop.report()


@pytest.mark.parametrize("make", [T.CenterCrop, lambda size, **more: T.Safe(v2.CenterCrop(size), **more)])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_center_crop_is_cut_where_it_was_moved_to(carrier, make):
    image = CARRIERS[carrier]()
    for size in ((20, 24), (70, 24), (20, 90)):
        crop = make(size, min_retention=0.8)
        out, mask, found = crop(image, tv_tensors.Mask(discs()), boxes(given=[[3, 4, 15, 20]]))
        x0, y0, x1, y1 = window = shown(out)
        assert (y1 - y0, x1 - x0) == size
        assert left(UPRIGHT[0], window) >= 0.8 - ROUGH
        assert crop.report() == {"MOVED": 1}
        wide, high = slice(max(x0, 0), min(x1, WIDTH)), slice(max(y0, 0), min(y1, HEIGHT))
        assert int(mask.sum()) == int(discs()[:, high, wide].sum())
        np.testing.assert_array_equal(
            found.numpy()[0], np.clip(np.array([3, 4, 15, 20]) - [x0, y0] * 2, 0, [*size[::-1]] * 2)
        )
        middle = make(size, min_retention=0.8)
        same = middle(image, boxes(given=[[38, 28, 42, 32]]))
        host = v2.CenterCrop(size)(image, boxes(given=[[38, 28, 42, 32]]))
        assert middle.report() == {"FIRST": 1}
        assert all(torch.equal(v2.functional.to_image(a), v2.functional.to_image(b)) for a, b in [(same[0], host[0])])
        assert torch.equal(same[1], host[1])


@pytest.mark.parametrize("limit", [0.3, 0.9])
@pytest.mark.parametrize("carrier", ["PIL", "uint8", "Image"])
def test_random_iou_crop_keeps_boxes_and_their_labels(carrier, limit):
    """What the promise keeps is not marked as degenerate, wherever its centre is; all else is as the host has it."""
    image, given = CARRIERS[carrier](), [[3.0, 4.0, 15.0, 20.0], [50.0, 30.0, 62.0, 47.0], [20.0, 40.0, 70.0, 55.0]]
    crop = T.RandomIoUCrop(sampler_options=[0.0, 0.1, 0.3], min_retention=limit, keep="any")
    torch.manual_seed(4)
    off_centre = 0
    for _ in range(150):
        out, found = crop(image, boxes(given=given))
        x0, y0, x1, y1 = window = shown(out)
        whole = [oracle_share(box, window) for box in given]
        assert max(whole) >= limit - 1e-6
        for box, share, after in zip(given, whole, found.tolist(), strict=True):
            centre = x0 < (box[0] + box[2]) / 2 < x1 and y0 < (box[1] + box[3]) / 2 < y1
            is_marked = after == [0.0] * 4
            assert is_marked == (not centre and share < limit)
            off_centre += share >= limit and not centre
    assert crop.report().keys() <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}
    assert (off_centre > 0) == (limit < 0.5)


def oracle_share(box, window):
    wide = min(box[2], window[2]) - max(box[0], window[0])
    high = min(box[3], window[3]) - max(box[1], window[1])
    return max(wide, 0) * max(high, 0) / ((box[2] - box[0]) * (box[3] - box[1]))


def test_a_zoom_out_is_the_hosts():
    crop = T.RandomZoomOut(p=1.0, side_range=(1.0, 2.0), min_visible_pixels=100, min_retention=1.0)
    torch.manual_seed(5)
    for _ in range(20):
        out, found = crop(coordinates(), boxes())
        window = shown(out)
        np.testing.assert_allclose(found.numpy(), boxes().numpy() - [window[0], window[1]] * 2)
    assert crop.report() == {"FIRST": 20}
    small = T.RandomZoomOut(p=1.0, min_visible_pixels=1000)
    small(coordinates(), boxes())
    assert small.report() == {"UNMET": 1}


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: T.ScaleJitter((80, 60), (0.1, 2.0), **more),
        lambda **more: T.RandomResize(8, 70, **more),
        lambda **more: T.RandomShortestSize([8, 20, 30, 50], 75, **more),
        lambda **more: T.Safe(v2.RandomResize(8, 70), **more),
    ],
)
def test_a_resize_shows_enough_pixels(make):
    """Counted in a mask that goes along; the plain host shows too few in some draws."""
    guarded, plain = make(min_visible_pixels=60, protect="masks"), make(min_retention=0, protect="masks")
    mask = torch.zeros(1, HEIGHT, WIDTH, dtype=torch.uint8)
    mask[0, 20:36, 12:28] = 1
    counted = {}
    for crop in (guarded, plain):
        torch.manual_seed(6)
        counted[crop] = [int((crop(coordinates(), tv_tensors.Mask(mask))[1] > 0).sum()) for _ in range(60)]
    assert min(counted[plain]) < 40
    assert min(counted[guarded]) >= 45  # 60, but for whole pixels along the edge
    assert guarded.report().keys() == {"FIRST", "RESIZED"}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_on_fail_skip_shows_the_whole_picture(carrier):
    """In a promised size it is letterboxed, boxes and masks with it; where none is promised it is left as it is."""
    impossible = {"min_visible_pixels": 1e6, "on_fail": "skip"}
    image, mask, found = CARRIERS[carrier](), tv_tensors.Mask(discs()), boxes()
    for crop in (
        T.RandomResizedCrop((90, 100), **impossible),
        T.RandomCrop((30, 40), **impossible),
        T.CenterCrop((30, 40), **impossible),
        T.Safe(v2.RandomCrop((30, 40)), **impossible),
    ):
        out, masked, moved = crop(image, mask, found)
        height, width = v2.functional.get_size(out)
        scale = min(height / HEIGHT, width / WIDTH)
        pad = (width - WIDTH * scale) / 2, (height - HEIGHT * scale) / 2
        np.testing.assert_allclose(moved.numpy(), found.numpy() * scale + [*pad, *pad], atol=0.51)
        assert int(masked.sum()) == pytest.approx(int(discs().sum()) * scale**2, rel=0.1)
        assert tuple(masked.shape[-2:]) == (height, width)
        assert crop.report() == {"SKIPPED": 1}
    for crop in (
        T.RandomIoUCrop(**impossible),
        T.RandomZoomOut(p=1.0, **impossible),
        T.RandomResize(8, 70, **impossible),
        T.ScaleJitter((80, 60), **impossible),
        T.RandomShortestSize(20, **impossible),
        T.Safe(TheirCrop(20, 30), **impossible),
    ):
        if carrier == "Video" and isinstance(crop, T.RandomIoUCrop):
            continue  # the host wants an image
        out, masked, moved = crop(image, mask, found)
        assert out is image
        assert masked is mask
        assert moved is found
        assert crop.report() == {"SKIPPED": 1}


class TheirCrop(v2.Transform):
    """Somebody else's random crop. It draws a rectangle and nothing else."""

    def __init__(self, height, width):
        super().__init__()
        self.height, self.width = height, width

    def make_params(self, flat_inputs):
        height, width = v2.query_size(flat_inputs) if hasattr(v2, "query_size") else SIZE
        top = int(torch.randint(0, height - self.height + 1, ()))
        left = int(torch.randint(0, width - self.width + 1, ()))
        return {"top": top, "left": left, "height": self.height, "width": self.width}

    def transform(self, inpt, params):
        return self._call_kernel(v2.functional.crop, inpt, **params)


class TheirFlip(TheirCrop):
    """The same, which draws whether it mirrors, too: so its window cannot be replaced."""

    def make_params(self, flat_inputs):
        return {**super().make_params(flat_inputs), "flip": bool(torch.rand(()) < 0.5)}

    def transform(self, inpt, params):
        flip = params["flip"]
        cut = super().transform(inpt, {name: value for name, value in params.items() if name != "flip"})
        return self._call_kernel(v2.functional.horizontal_flip, cut) if flip else cut


class Halved(v2.RandomCrop):
    """A class derived from the host's, which makes something else of its windows."""

    def transform(self, inpt, params):
        height, width = self.size
        return self._call_kernel(v2.functional.resize, super().transform(inpt, params), [height // 2, width // 2])


@pytest.mark.parametrize("carrier", CARRIERS)
def test_somebody_elses_crop_is_moved(carrier):
    crop = T.Safe(TheirCrop(24, 30), min_retention=0.9)
    torch.manual_seed(7)
    for _ in range(40):
        out, _ = crop(CARRIERS[carrier](), boxes(given=[[3, 4, 15, 20]]))
        assert left(UPRIGHT[0], shown(out)) >= 0.9 - ROUGH
    assert crop.report().keys() <= {"FIRST", "MOVED"}


def test_somebody_elses_crop_that_draws_more_is_drawn_anew():
    crop = T.Safe(TheirFlip(40, 50), min_retention=0.9, tries=300)
    torch.manual_seed(8)
    for _ in range(40):
        out, _ = crop(coordinates(), boxes(given=[[3, 4, 15, 20]]))
        window = shown(out if out[0, 0, 0] < out[0, 0, -1] else out.flip(-1))
        assert left(UPRIGHT[0], window) >= 0.9 - ROUGH
    assert crop.report().keys() == {"FIRST", "REDRAWN"}
    few = T.Safe(TheirFlip(10, 10), min_retention=0.9, tries=2)
    few(coordinates(), boxes(given=[[3, 4, 15, 20]]))
    assert few.report() == {"UNMET": 1}
    with pytest.raises(sa.RetentionError, match="none of 3 draws of TheirFlip"):
        T.Safe(TheirFlip(10, 10), min_retention=0.9, tries=2, on_fail="raise")(coordinates(), boxes())


def test_a_derived_class_is_rendered_in_its_own_way():
    """Its output size is that of what it makes, so visible pixels are counted there."""
    given = boxes(given=[[3, 4, 15, 20]])
    crop = T.Safe(Halved((24, 30)), min_visible_pixels=40, tries=400)
    torch.manual_seed(9)
    for _ in range(8):
        out, found = crop(coordinates(), given)
        assert tuple(out.shape[-2:]) == (12, 15)
        assert float((found[0, 2:] - found[0, :2]).prod()) >= 40 - 0.1
    assert crop.report().keys() <= {"FIRST", "REDRAWN"}
    never = T.Safe(Halved((24, 30)), min_visible_pixels=60)
    never(coordinates(), given)
    assert never.report() == {"UNMET": 1}


def test_the_first_kind_of_object_that_a_sample_carries_is_protected():
    """Boxes before masks; a mask of shape (H, W) only when asked for."""
    mask, semantic = tv_tensors.Mask(discs()[1:]), tv_tensors.Mask(discs()[1])
    first = boxes(given=[[3, 4, 15, 20]])

    def windows(crop, *leaves):
        torch.manual_seed(10)
        return [shown(crop(coordinates(), *leaves)[0]) for _ in range(40)]

    def all_kept(windows_, points):
        return all(left(points, window) >= 0.9 - ROUGH for window in windows_)

    disc = np.argwhere(discs()[1].numpy())[:, ::-1] + 0.5
    assert all_kept(windows(T.RandomCrop(30, min_retention=0.9), mask, first), UPRIGHT[0])
    assert all_kept(windows(T.RandomCrop(30, min_retention=0.9), mask), disc)
    assert all_kept(windows(T.RandomCrop(30, min_retention=0.9, protect="masks"), first, mask), disc)
    assert all_kept(windows(T.RandomCrop(30, min_retention=0.9, protect="mask"), first, semantic), disc)
    alone = T.RandomCrop(30, min_retention=0.9)
    assert not all_kept(windows(alone, semantic), disc)
    assert alone.report() == {"EMPTY": 40}


def test_what_fields_say():
    """Labels give limits, an ignored object is never asked for, a weight says which of two is saved."""
    given = boxes(given=[[0, 0, 10, 10], [70, 50, 80, 60]])
    sample = {"image": coordinates(), "boxes": given, "labels": torch.tensor([1, 2])}
    sample |= {"iscrowd": np.array([0, 1]), "worth": [1.0, 5.0], "seen": [1.0, 0.3]}

    def kept_of(crop, **more):
        torch.manual_seed(11)
        windows = [shown(crop({**sample, **more})["image"]) for _ in range(40)]
        return [np.mean([oracle_share(box, window) >= 0.9 - 1e-6 for window in windows]) for box in given.tolist()]

    assert kept_of(T.RandomCrop(30, min_retention={1: 0.9, 2: 0.0}, labels="labels"))[0] == 1
    assert kept_of(T.RandomCrop(30, min_retention={1: 0.0, 2: 0.9}, labels="labels"))[1] == 1
    crowd = T.RandomCrop(30, min_retention=0.9, ignore="iscrowd")
    assert kept_of(crowd)[0] == 1
    assert "UNMET" not in crowd.report()
    heavy = T.RandomCrop(30, min_retention=0.9, weights="worth")
    assert kept_of(heavy) == [0, 1]
    assert heavy.report() == {"UNMET": 40}
    lost_before = T.RandomCrop(30, min_retention=0.9, prior_visibility="seen")
    assert kept_of(lost_before)[0] == 1
    assert "UNMET" not in lost_before.report()
    nested = T.RandomCrop(30, min_retention={"cat": 0.9, "*": 0.0}, labels="labels")
    torch.manual_seed(12)
    for _ in range(20):
        out, _ = nested(sample["image"], {"deep": [{"labels": ("dog", "cat"), "boxes": given}]})
        assert oracle_share([70, 50, 80, 60], shown(out)) >= 0.9 - 1e-6


def test_a_callable_says_what_is_protected():
    crop = T.RandomCrop(30, protect=lambda leaves: {"boxes": [[70, 50, 10, 10]], "box_format": "xywh"}, min_retention=1)
    torch.manual_seed(13)
    for _ in range(20):
        assert oracle_share([70, 50, 80, 60], shown(crop(coordinates()))) == 1


def test_objects_of_a_batch_are_all_asked_for():
    """One window for all images of a batch, as the host has it: so the boxes of all."""
    batched = torch.tensor([[[3.0, 4, 15, 20]], [[30.0, 20, 45, 40]]])
    found = tv_tensors.BoundingBoxes(batched.reshape(-1, 4), format="XYXY", canvas_size=SIZE)
    found = tv_tensors.wrap(found.as_subclass(torch.Tensor), like=found)
    crop = T.RandomCrop((45, 50), min_retention=0.9)
    torch.manual_seed(14)
    for _ in range(30):
        window = shown(crop(CARRIERS["batch"](), found)[0])
        assert oracle_share(batched[0, 0].tolist(), window) >= 0.9 - 1e-6
        assert oracle_share(batched[1, 0].tolist(), window) >= 0.9 - 1e-6
