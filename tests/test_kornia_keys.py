"""The modules for kornia's data keys: what they return has the host's forms, and shows where the pixels went."""

import copy
import logging
import pickle
import random
from collections import Counter

import pytest

torch = pytest.importorskip("torch")
K = pytest.importorskip("kornia.augmentation")

from kornia.constants import DataKey  # noqa: E402
from kornia.geometry.boxes import Boxes  # noqa: E402
from kornia.geometry.keypoints import Keypoints  # noqa: E402

from safeaug import Policy, Status  # noqa: E402
from safeaug import batch as batches  # noqa: E402
from safeaug.kornia import RandomCrop, RandomResizedCrop, guarded_params  # noqa: E402
from tests.kornia_worlds import (  # noqa: E402
    SIZE,
    clipped,
    edges_of,
    listed,
    padded,
    places,
    scene,
    share,
    statuses,
    window_in,
)

COUNT = 12


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


KEYS = "bbox", "bbox_xyxy", "bbox_xywh"
HALF = Policy(min_retention=0.5)


def scenes_of(seed=0, count=COUNT, most=3):
    rng = random.Random(seed)
    return [scene(rng, most=most) for _ in range(count)]


def described(value):
    """The form of a value: what it is, of which shape and dtype."""
    if isinstance(value, dict):
        return {name: described(each) for name, each in value.items()}
    if isinstance(value, list):
        return [described(each) for each in value]
    if isinstance(value, Boxes):
        return Boxes, value.mode, tuple(value.shape), value.dtype, described(value.to_tensor())
    return (type(value), tuple(value.shape), value.dtype) if hasattr(value, "dtype") else value


FORMS = {
    "one image key": {"input": places(3)},
    "one image": {"image": places(1)[0], "bbox_xyxy": torch.ones(2, 4), "keypoints": torch.ones(3, 2)},
    "a batch of one": {"input": places(1), "bbox_xywh": torch.ones(2, 4), "bbox": torch.ones(2, 4, 2)},
    "whole numbers": {
        "input": places(3),
        "bbox_xywh": torch.ones(3, 2, 4).long(),
        "keypoints": torch.ones(3, 2, 2).int(),
    },
    "doubles": {
        "input": places(3).double(),
        "bbox_xyxy": torch.ones(3, 2, 4).double(),
        "mask": torch.ones(3, 1, *SIZE),
    },
    "lists": {
        "input": places(3),
        "bbox_xyxy": [torch.ones(2, 4), torch.ones(0, 4), torch.ones(1, 4)],
        "bbox_xywh": [torch.ones(1, 4)] * 3,
    },
    "the host's own": {
        "input": places(3),
        "bbox": Boxes.from_tensor(torch.ones(3, 2, 4), mode="xywh"),
        "keypoints": Keypoints(torch.ones(3, 4, 2)),
    },
    "no objects": {"input": places(3), "bbox_xyxy": torch.ones(3, 0, 4), "keypoints": torch.ones(3, 0, 2)},
    "masks": {
        "image": places(3),
        "mask": torch.ones(3, 2, *SIZE).to(torch.uint8),
        "mask_of_one_channel": torch.ones(3, *SIZE).long(),
        "mask_for_all": torch.ones(1, 4, *SIZE),
        "mask_for_all_too": torch.ones(4, *SIZE).bool(),
        "mask-plain": torch.ones(*SIZE),
        "mask_list": [torch.ones(*SIZE), torch.ones(2, *SIZE), torch.ones(1, 3, *SIZE)],
    },
    "labels and others": {"image": places(3), "label": torch.arange(3), "class_id": ["a", "b", "c"], "name": 7},
    "two images": {"image": places(3), "bbox": torch.ones(3, 1, 4, 2), "image_too": places(3)[:, :1]},
}


@pytest.mark.parametrize("sample", FORMS.values(), ids=FORMS)
def test_forms_are_those_of_the_host(sample):
    host = K.AugmentationSequential(K.RandomResizedCrop((18, 22)), data_keys=None)
    before = copy.deepcopy(sample)
    ours = RandomResizedCrop((18, 22), seed=0)(sample)
    assert described(ours) == described(host(dict(sample)))
    assert described(sample) == described(before)
    assert all(torch.equal(sample[name], each) for name, each in before.items() if isinstance(each, torch.Tensor))


def test_values_in_order_come_back_as_the_host_hands_them_on():
    images, boxes, labels = places(2), torch.ones(2, 1, 4), torch.arange(2)
    crop = RandomResizedCrop(18, data_keys=["bbox_xyxy", "INPUT", DataKey.CLASS], seed=0)
    out = crop(boxes, images, labels)
    assert type(out) is list
    assert [tuple(each.shape) for each in out] == [(2, 1, 4), (2, 2, 18, 18), (2,)]
    assert out[2] is labels
    assert type(crop(images, boxes, data_keys=["image", "bbox_xywh"])) is list
    assert type(crop(images, data_keys=["input"])) is torch.Tensor
    outputs, outcome = crop(boxes, images, labels, with_outcome=True)
    assert type(outputs) is list
    assert isinstance(outcome, batches.BatchOutcome)


@pytest.mark.parametrize("more", [{}, {"padding": (1, 2, 3, 4)}], ids=["inside", "padded"])
def test_targets_go_where_the_host_would_take_them(more):
    """The host applies the windows that were drawn here: the same pixels, masks and keypoints; boxes, but clipped."""
    images, scenes = places(COUNT), scenes_of()
    keys = ["input", "mask", *KEYS, "keypoints"]
    values = [images, images[:, 1:], *(padded(key, scenes) for key in KEYS), torch.rand(COUNT, 5, 2) * 30]
    for seed in range(3):
        crop = RandomCrop((16, 20), data_keys=keys, policy=HALF, seed=seed, **more)
        ours, outcome = crop(*values, with_outcome=True, labels=None)
        aug = K.RandomCrop((16, 20), **more)
        params = aug.forward_parameters(images.shape)
        corner = params["padding_size"][:, [0, 2]].float()
        first = outcome.view.window[:, :2] + corner
        params["src"] = first[:, None] + torch.tensor([[0.0, 0], [19, 0], [19, 15], [0, 15]])
        chain = K.AugmentationSequential(aug, data_keys=keys)
        theirs = chain(*values, params=[chain.forward_parameters(images.shape)[0]._replace(data=params)])
        for place in (0, 1, 5):
            torch.testing.assert_close(ours[place], theirs[place], rtol=0, atol=1e-5)
        for key, mine, other in zip(KEYS, ours[2:5], theirs[2:5], strict=True):
            compare_boxes(key, mine, other, values[keys.index(key)], outcome)


def compare_boxes(key, mine, theirs, given, outcome):
    """Boxes that are clipped, against those that are not."""
    for i, window in enumerate(outcome.view.window.tolist()):
        inside = clipped(window)
        low, high = (inside[0] - window[0], inside[1] - window[1]), (inside[2] - window[0], inside[3] - window[1])
        for place in range(mine.shape[1]):
            box = edges_of(key, theirs[i, place].tolist())
            cut = [min(max(value, low[n % 2]), high[n % 2]) for n, value in enumerate(box)]
            objected = edges_of(key, given[i, place].tolist()) != (0, 0, 1, 1)
            left = cut[0] < cut[2] and cut[1] < cut[3] and objected
            assert edges_of(key, mine[i, place].tolist()) == pytest.approx(cut if left else (0, 0, 1, 1), abs=1e-4)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [(18, 22), (60, 50)], ids=["smaller", "larger"])
def test_a_resized_box_is_where_its_pixels_are(key, size):
    """Each image shows its only box, painted; the outline of what is bright is the box that comes back, to a pixel."""
    rng = random.Random(0)
    corners = [(rng.randint(0, 29), rng.randint(0, 20)) for _ in range(40)]
    scenes = [[(x, y, x + 12, y + 10)] for x, y in corners]
    images = torch.zeros(40, 1, *SIZE, dtype=torch.uint8)
    for image, [(x0, y0, x1, y1)] in zip(images, scenes, strict=True):
        image[:, y0:y1, x0:x1] = 255
    crop = RandomResizedCrop(size, data_keys=["input", key, "mask"], policy=HALF, antialias=False, seed=1)
    (pictures, boxes, masks), outcome = crop(images, padded(key, scenes), images, with_outcome=True)
    assert pictures.dtype == torch.float32
    assert pictures.max() == 1
    seen = Counter(statuses(outcome))
    assert seen[Status.UNMET] == 0
    assert min(seen[Status.FIRST], seen[Status.MOVED]) > 0
    for i, window in enumerate(outcome.view.window.tolist()):
        assert float(outcome.retention[i, 0]) == pytest.approx(share(scenes[i][0], window))
        assert share(scenes[i][0], window) >= 0.5 - 1e-6
        box = edges_of(key, boxes[i, 0].tolist())
        assert 0 <= box[0] <= box[2] <= size[1] + 1e-4
        assert 0 <= box[1] <= box[3] <= size[0] + 1e-4
        for picture in (pictures[i, 0] > 0.5, masks[i, 0] > 0):
            rows, columns = picture.any(1).nonzero()[:, 0], picture.any(0).nonzero()[:, 0]
            outline = [int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1]
            assert outline == pytest.approx(list(box), abs=1)


def test_keypoints_follow_the_hosts_half_pixels():
    images, points = places(COUNT), torch.rand(COUNT, 4, 2) * torch.tensor([40.0, 29.0])
    crop = RandomResizedCrop((18, 22), data_keys=["input", "keypoints"], min_retention=0.5, seed=2)
    (_, moved), outcome = crop(images, points, with_outcome=True)
    aug = K.RandomResizedCrop((18, 22), align_corners=False)
    params = aug.forward_parameters(images.shape)
    x0, y0, x1, y1 = (side.float() for side in outcome.view.window.unbind(-1))
    corners = [[x0, y0], [x1 - 1, y0], [x1 - 1, y1 - 1], [x0, y1 - 1]]
    params["src"] = torch.stack([torch.stack(corner, -1) for corner in corners], 1)
    chain = K.AugmentationSequential(aug, data_keys=["input", "keypoints"])
    theirs = chain(images, points, params=[chain.forward_parameters(images.shape)[0]._replace(data=params)])[1]
    torch.testing.assert_close(moved, theirs, rtol=0, atol=1e-3)
    inside = [
        [x0 <= x + 0.5 < x1 and y0 <= y + 0.5 < y1 for x, y in row]
        for row, (x0, y0, x1, y1) in zip(points.tolist(), outcome.view.window.tolist(), strict=True)
    ]
    assert outcome.retention[:, 0].tolist() == pytest.approx([sum(row) / 4 for row in inside])
    assert outcome.keypoints_shown[:, 0].tolist() == inside
    assert Counter(statuses(outcome))[Status.UNMET] == 0
    seen = torch.tensor([[[0.0, 0.0], [20.0, 15.0]]])
    assert crop(images[:1], seen)[1][0, 0].tolist() == [0, 0]  # a row of zeros is none, and stays one
    shown = crop(images[:1], seen, valid=torch.ones(1, 2, dtype=torch.bool), with_outcome=True)[1]
    assert float(shown.retention[0, 0]) in {0.5, 1.0}


def test_the_foreground_of_masks_is_kept_where_that_is_asked_for():
    masks = torch.zeros(COUNT, 1, *SIZE, dtype=torch.long)
    masks[:, :, 3:9, 2:12], masks[:, :, 0, :] = 4, 255
    crop = RandomCrop((16, 20), data_keys=["input", "mask"], protect="mask", min_retention=0.7, seed=0)
    (pictures, cut), outcome = crop(places(COUNT), masks, with_outcome=True)
    assert (cut == 4).flatten(1).sum(1).tolist() == pytest.approx((outcome.retention[:, 0] * 60).tolist())
    assert (outcome.retention >= 0.7 - 1e-6).all()
    assert cut.dtype == torch.long
    assert [window_in(picture) for picture in pictures] == [tuple(window) for window in outcome.view.window.tolist()]
    lists = [masks[i, 0] for i in range(COUNT)]
    again = RandomCrop((16, 20), data_keys=["input", "mask"], protect="mask", min_retention=0.7, seed=0)
    assert torch.equal(torch.cat(again(places(COUNT), lists)[1]), cut)
    counted = RandomCrop((16, 20), data_keys=["input", "mask"], protect="mask", ignore_index=None, seed=0)
    whole = counted(places(COUNT), masks, with_outcome=True)[1]
    assert not torch.equal(whole.retention, outcome.retention)  # 255 is an object, too
    unasked = RandomCrop((16, 20), data_keys=["input", "mask"], seed=0)
    unasked(places(COUNT), masks)
    assert unasked.report() == {"EMPTY": COUNT}


def test_what_the_module_returns_goes_into_the_hosts_pipeline():
    """Also where boxes are gone: the host takes no box without a width under "bbox_xywh"."""
    images, keys = places(COUNT), ["input", *KEYS, "mask", "keypoints", "label"]
    scenes = [[(2, 3, 8, 9), (33, 20, 40, 29)] for _ in range(COUNT)]
    values = [*(padded(key, scenes) for key in KEYS), images[:, :1], torch.rand(COUNT, 3, 2), torch.arange(COUNT)]
    crop = RandomCrop((12, 12), data_keys=keys, keep="any", seed=0)
    chain = K.AugmentationSequential(K.RandomHorizontalFlip(p=1.0), K.ColorJiggle(0.1, p=1.0), data_keys=keys)
    cut, outcome = crop(images / 50, *values, with_outcome=True)
    assert not outcome.valid.all()
    assert outcome.valid.any(-1).all()
    out = chain(*cut)
    assert [described(each) for each in out] == [described(each) for each in cut]
    flips = K.AugmentationSequential(K.RandomVerticalFlip(p=1.0), data_keys=None)
    rest = torch.nn.Sequential(RandomResizedCrop(16, seed=0), flips)
    assert rest({"image": images, "bbox_xyxy": values[1]})["bbox_xyxy"].shape == (COUNT, 2, 4)
    again = RandomCrop((6, 6), data_keys=keys, keep="any", seed=0)(*cut, with_outcome=True)[1]
    assert torch.equal(again.retention.isnan(), ~outcome.valid)  # what is gone is no object for who comes after


def test_rows_that_are_not_cropped_are_resized_whole_with_all_that_belongs_to_them():
    images, scenes = places(40), scenes_of(1, 40)
    crop = RandomResizedCrop((18, 22), data_keys=["input", "bbox_xyxy", "keypoints", "mask"], p=0.5, seed=0)
    points, boxes = torch.full((40, 1, 2), 7.0), listed("bbox_xyxy", scenes)
    (pictures, boxes, moved, masks), outcome = crop(images, boxes, points, images, with_outcome=True)
    left = [i for i, status in enumerate(statuses(outcome)) if status is Status.NOT_APPLIED]
    assert 10 < len(left) < 30
    for i in left:
        assert outcome.view.window[i].tolist() == [0, 0, SIZE[1], SIZE[0]]
        for box, row in zip(scenes[i], boxes[i], strict=True):
            x0, y0, x1, y1 = (value * (22 / 41, 18 / 30)[n % 2] for n, value in enumerate(box))
            whole = x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)  # the host counts no less than a pixel
            assert edges_of("bbox_xyxy", row.tolist()) == pytest.approx(whole, abs=1e-4)
        assert moved[i, 0].tolist() == pytest.approx([7.5 * 22 / 41 - 0.5, 7.5 * 18 / 30 - 0.5])
        assert torch.equal(pictures[i], pictures[left[0]])
        assert torch.equal(masks[i], masks[left[0]])


@pytest.mark.parametrize("kind, size", [(RandomCrop, (16, 20)), (RandomResizedCrop, 16)])
def test_one_window_for_all_images(kind, size):
    seen = Counter()
    crop = kind(size, data_keys=["input", "bbox_xyxy", "mask"], same_on_batch=True, policy=HALF, seed=3)
    for seed in range(30):
        rng = random.Random(seed)
        scenes = [[(x, y, x + 6, y + 5)] for x, y in ((rng.randint(8, 24), rng.randint(5, 16)) for _ in range(3))]
        boxes, images = listed("bbox_xyxy", [*scenes, []]), places(4)
        (pictures, _, masks), outcome = crop(images, boxes, images, with_outcome=True)
        assert all(torch.equal(each[i], each[0]) for each in (pictures, masks) for i in range(4))
        kept = [share(boxes[0], outcome.view.window[0].tolist()) for boxes in scenes]
        assert outcome.retention[:3, 0].tolist() == pytest.approx(kept)
        assert statuses(outcome)[0] is Status.UNMET or min(kept) >= 0.5 - 1e-6
        seen.update({status.name for status in statuses(outcome)})
    assert crop.report() == dict(seen)  # one draw a batch
    assert seen["UNMET"] <= 9
    masked = kind(size, data_keys=["input", "mask"], same_on_batch=True, protect="mask", seed=3)
    cover = torch.zeros(3, 2, *SIZE)
    cover[0, 0, 4:9, 4:9] = cover[1, 1, 10:14, 9:15] = 1
    outcome = masked(places(3), cover, with_outcome=True)[1]
    assert outcome.retention.isnan().tolist() == [[False, True], [True, False], [True, True]]
    assert (outcome.retention.nan_to_num(1) >= 0.5 - 1e-6).all()


def test_a_module_is_copied_pickled_and_restored_as_any_other():
    images, boxes = places(COUNT), padded("bbox_xyxy", scenes_of())
    crop = RandomResizedCrop(16, data_keys=["input", "bbox_xyxy"], min_retention=0.7, seed=5)
    crop(images, boxes)
    others = [copy.deepcopy(crop), pickle.loads(pickle.dumps(crop))]
    others.append(RandomResizedCrop(16, data_keys=crop.data_keys, seed=9, min_retention=0.7))
    others[2].load_state_dict(crop.state_dict())
    want = crop(images, boxes)
    for other in others:
        assert all(torch.equal(mine, theirs) for mine, theirs in zip(other(images, boxes), want, strict=True))
    assert "data_keys=['image', 'bbox_xyxy']" in repr(crop)
    ids = {"sample_ids": range(COUNT)}
    assert torch.equal(crop(images, boxes, **ids)[1], others[0](images, boxes, **ids)[1])
    plain = batches.RandomResizedCrop(16, min_retention=0.7, seed=5)
    edges = boxes + torch.tensor([0, 0, 1, 1])
    there = boxes.any(-1)
    assert torch.equal(crop(images, boxes, **ids)[0], plain(images, boxes=edges, valid=there, **ids)[0])


def test_in_evaluation_labels_pick_no_window(caplog):
    crop = RandomCrop((16, 20), data_keys=["input", "bbox_xyxy"], min_retention=1.0, seed=0).eval()
    with caplog.at_level(logging.WARNING, logger="safeaug"):
        for _ in range(2):
            outcome = crop(places(4), padded("bbox_xyxy", [[(0, 0, 3, 3)]] * 4), with_outcome=True)[1]
    assert {*statuses(outcome)} == {Status.UNGUARDED}
    assert len(caplog.records) == 1
    assert (outcome.retention < 1).any()


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_images_keep_their_dtype_and_bytes_become_what_the_host_takes(dtype):
    images = places(2).to(dtype)
    crop = RandomCrop((16, 20), data_keys=["input", "bbox"], seed=0)
    boxes = torch.ones(2, 1, 4, 2)
    out = crop(images, boxes)[0]
    assert out.dtype == (torch.float32 if dtype is torch.uint8 else dtype)
    asked = RandomCrop((16, 20), data_keys=["input", "bbox"], seed=0, dtype=torch.float16)
    assert asked(images, boxes)[0].dtype == torch.float16
    assert out.max() <= 1 or dtype is not torch.uint8


def test_tiny_images_and_crops_larger_than_the_image():
    boxes = torch.tensor([[[0.0, 0.0, 1.0, 1.0]]])
    tiny = {"input": torch.rand(1, 3, 1, 1), "bbox_xywh": boxes}
    out = RandomResizedCrop((5, 4), seed=0)(tiny)
    assert torch.equal(out["input"], tiny["input"].expand(1, 3, 5, 4))
    crop = RandomCrop((5, 4), pad_if_needed=True, seed=0, min_retention=1.0)
    out, outcome = crop(tiny, valid=torch.ones(1, 1, dtype=torch.bool), with_outcome=True)
    assert int((out["input"] != 0).any(1).sum()) == 1
    x, y, wide, high = out["bbox_xywh"][0, 0].tolist()
    assert (wide, high) == (1, 1)
    assert bool(out["input"][0, :, int(y), int(x)].any())
    assert {*statuses(outcome)} == {Status.FIRST}


def test_objects_of_several_keys_are_kept_together_and_the_unasked_come_along():
    images = places(COUNT)
    one, other = padded("bbox_xyxy", [[(2, 2, 8, 8)]] * COUNT), padded("bbox_xywh", [[(20, 12, 28, 20)]] * COUNT)
    keys = ["input", "bbox_xyxy", "bbox_xywh", "keypoints"]
    crop = RandomResizedCrop(16, scale=(0.5, 1.0), seed=0, data_keys=keys, min_retention=0.9)
    (_, first, second, _), outcome = crop(images, one, other, torch.ones(COUNT, 1, 2), with_outcome=True)
    assert outcome.retention.shape == (COUNT, 2)
    assert (outcome.retention >= 0.9 - 1e-6).all()
    assert (first[..., 2] > first[..., 0]).all()
    assert (second[..., 2] > 0).all()
    keys = ["input", "bbox_xyxy", "keypoints"]
    crop = RandomCrop((8, 8), seed=0, data_keys=keys, protect="keypoints", min_retention=1.0)
    (_, boxes, _), outcome = crop(images, one, torch.full((COUNT, 1, 2), 25.0), with_outcome=True)
    assert {*statuses(outcome)} <= {Status.FIRST, Status.MOVED}
    assert not boxes.any()  # no window of 8 × 8 holds both
    assert outcome.valid.shape == (COUNT, 1)


def test_parameters_and_modules_keep_the_same_objects():
    """The same content, read once for the host's parameters and once for a module."""
    images, boxes = places(COUNT), padded("bbox_xywh", scenes_of(4))
    _, theirs = guarded_params(K.RandomCrop((16, 20)), images, {"bbox_xywh": boxes}, HALF)
    ours = RandomCrop((16, 20), policy=HALF, seed=0)({"image": images, "bbox_xywh": boxes}, with_outcome=True)[1]
    assert torch.equal(theirs.retention.isnan(), ours.retention.isnan())
