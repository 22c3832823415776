"""Guarded parameters of the host's own crops: what it applies keeps the promise, and what passes is its own."""

import copy
import random
from collections import Counter

import pytest

torch = pytest.importorskip("torch")
K = pytest.importorskip("kornia.augmentation")

from kornia.augmentation.container.params import ParamItem  # noqa: E402

from safeaug import Policy, RetentionError, Status  # noqa: E402
from safeaug.kornia import guarded_params  # noqa: E402
from tests.kornia_worlds import (  # noqa: E402
    CENTRED,
    CROPS,
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
from tests.statistics import assert_law  # noqa: E402

ALL = CROPS | CENTRED
COUNT = 12
HALF = Policy(min_retention=0.5)


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def scenes_of(seed=0, count=COUNT, most=3):
    rng = random.Random(seed)
    return [scene(rng, most=most) for _ in range(count)]


def both(aug, images, content, policy, seed=0, **more):
    """The host's own draw of a seed, and the guarded one, with the state in which each leaves the generator."""
    torch.manual_seed(seed)
    plain = aug.forward_parameters(images.shape)
    after = torch.get_rng_state()
    torch.manual_seed(seed)
    params, outcome = guarded_params(aug, images, content, policy, **more)
    assert torch.equal(torch.get_rng_state(), after)  # the host's stream is consumed as without the guard
    return plain, params, outcome


@pytest.mark.parametrize("crop", ALL.values(), ids=ALL)
@pytest.mark.parametrize("p", [1.0, 0.5])
def test_a_limit_of_0_is_the_host_to_the_bit(crop, p):
    aug, images = crop(p=p), torch.rand(COUNT, 3, *SIZE)
    boxes = padded("bbox_xyxy", scenes_of())
    for seed in range(4):
        plain, params, outcome = both(aug, images, {"bbox_xyxy": boxes}, Policy(min_retention=0.0), seed)
        assert params.keys() == plain.keys()
        assert all(torch.equal(params[name], plain[name]) for name in plain)
        assert {*statuses(outcome)} <= {Status.FIRST, Status.EMPTY, Status.NOT_APPLIED}
        torch.manual_seed(seed)
        assert torch.equal(aug(images), aug(images, params=params))


@pytest.mark.parametrize("name", ALL)
def test_what_the_host_applies_keeps_the_promise(name):
    """Told from the pixels of what it cut out: of each image the window is read in the picture."""
    aug, images, seen = ALL[name](), places(COUNT), Counter()
    exact = "resized" not in name or name in {"resized", "resized, resample"}  # half pixels show no corner
    for seed in range(6):
        scenes = scenes_of(seed)
        boxes = padded("bbox_xywh", scenes)
        plain, params, outcome = both(aug, images, {"bbox_xywh": boxes}, HALF, seed)
        pictures, windows = aug(images, params=params), outcome.view.window.tolist()
        assert outcome.view.size == tuple(pictures.shape[-2:])
        for i, (status, objects, window) in enumerate(zip(statuses(outcome), scenes, windows, strict=True)):
            seen[status] += 1
            if exact:
                assert window_in(pictures[i]) == clipped(window)
            kept = [share(box, window) for box in objects]
            assert outcome.retention[i, : len(kept)].tolist() == pytest.approx(kept)
            assert outcome.retention[i, len(kept) :].isnan().all()
            assert status is Status.UNMET or min(kept, default=1) >= 0.5 - 1e-6
            untouched = torch.equal(params["src"][i], plain["src"][i])
            assert untouched or status not in {Status.FIRST, Status.EMPTY}
    assert seen[Status.UNMET] <= 0.35 * seen.total()
    assert {Status.EMPTY, Status.FIRST, Status.MOVED} <= {*seen} or name == "crop, pad if needed"


@pytest.mark.parametrize("name", ["crop", "crop, padded", "crop, pad if needed", "centre, resample"])
def test_unmet_is_said_only_where_no_position_will_do(name):
    aug, images = ALL[name](), places(COUNT)
    height, width = aug.flags["size"]
    left, right, top, bottom = aug.compute_padding((1, 1, *SIZE)) if "crop" in name else (0, 0, 0, 0)
    columns = range(-left, SIZE[1] + right - width + 1)
    rows = range(-top, SIZE[0] + bottom - height + 1)
    for seed in range(4):
        scenes = scenes_of(seed)
        _, _, outcome = both(aug, images, {"bbox": padded("bbox", scenes)}, Policy(min_retention=0.8), seed)
        for status, boxes, window in zip(statuses(outcome), scenes, outcome.view.window.tolist(), strict=True):
            feasible = [
                (x, y)
                for x in columns
                for y in rows
                if all(share(box, (x, y, x + width, y + height)) >= 0.8 - 1e-9 for box in boxes)
            ]
            assert (status is Status.UNMET) == (not feasible)
            if name == "centre, resample" and feasible:
                centre = (SIZE[1] - width) // 2, (SIZE[0] - height) // 2
                away = [(x - centre[0]) ** 2 + (y - centre[1]) ** 2 for x, y in feasible]
                assert (window[0] - centre[0]) ** 2 + (window[1] - centre[1]) ** 2 == min(away)


@pytest.mark.parametrize("key", ["bbox", "bbox_xyxy", "bbox_xywh"])
@pytest.mark.parametrize("given", [listed, padded], ids=["list", "tensor"])
@pytest.mark.parametrize("name", ["crop, padded", "resized", "resized, resample"])
def test_the_hosts_containers_apply_it_to_everything(key, given, name):
    """What follows draws as ever, and boxes, masks and keypoints go where the pixels go."""
    images, scenes = places(COUNT), scenes_of(3, most=2)
    boxes = given(key, scenes)
    centres = torch.tensor(
        [[[(box[0] + box[2] - 1) / 2, (box[1] + box[3] - 1) / 2] for box in [*b, (4, 4, 8, 8)][:1]] for b in scenes]
    )
    chain = K.AugmentationSequential(
        CROPS[name](), K.RandomHorizontalFlip(p=0.5), data_keys=["input", "mask", key, "keypoints"]
    )
    torch.manual_seed(5)
    plain = chain.forward_parameters(images.shape)
    guarded, outcome = guarded_params(chain[0], images, {key: boxes}, HALF, params=plain[0].data)
    params = [ParamItem(plain[0].name, guarded), *plain[1:]]
    pictures, masks, moved, points = chain(images, images, boxes, centres, params=params)
    assert {Status.FIRST, Status.MOVED} <= {*statuses(outcome)}
    flips = plain[1].data["batch_prob"] > 0.5
    for i, (window, objects) in enumerate(zip(outcome.view.window.tolist(), scenes, strict=True)):
        shown = [pictures[i], masks[i]] if "crop" in name else [pictures[i]]  # of a resized mask, no corner is sure
        for picture in shown:
            assert window_in(picture.flip(-1) if flips[i] else picture) == clipped(window)
        if "crop" in name and not flips[i]:
            for place, box in enumerate(objects):
                corner = edges_of(key, moved[i][place].tolist())
                assert corner == pytest.approx(
                    [box[0] - window[0], box[1] - window[1], box[2] - window[0], box[3] - window[1]]
                )
            assert points[i, 0].tolist() == pytest.approx((centres[i, 0] - torch.tensor(window[:2])).tolist())


@pytest.mark.parametrize("name", ["crop", "resized", "centre, resample"])
def test_keypoints_and_masks_are_kept(name):
    rng, images = random.Random(1), places(COUNT)
    aug = ALL[name]()
    points = torch.tensor(
        [[[float(rng.randint(3, 15)), float(rng.randint(9, 20))] for _ in range(3)] for _ in range(COUNT)]
    )
    torch.manual_seed(0)
    params, outcome = guarded_params(aug, images, {"keypoints": points}, Policy.keypoints())
    for i, picture in enumerate(aug(images, params=params)):
        x0, y0, x1, y1 = window_in(picture)
        seen = [x0 <= x < x1 and y0 <= y < y1 for x, y in points[i].tolist()]
        assert outcome.retention[i].tolist() == pytest.approx([sum(seen) / 3])
        assert all(seen) or statuses(outcome)[i] is Status.UNMET
    assert statuses(outcome).count(Status.UNMET) <= 2
    assert Status.MOVED in statuses(outcome) or Status.RESIZED in statuses(outcome)
    masks = torch.zeros(COUNT, 2, *SIZE)
    masks[:, 0, 5:12, 3:20], masks[:, 1, 20:28, 8:14], masks[:, 1, 0, 0] = 3, 7, 255  # which says nothing
    _, outcome = guarded_params(aug, images, {"mask": masks}, Policy(min_retention=0.3), protect="mask")
    for i, window in enumerate(outcome.view.window.tolist()):
        kept = [share((3, 5, 20, 12), window), share((8, 20, 14, 28), window)]
        assert outcome.retention[i].tolist() == pytest.approx(kept)
        assert min(kept) >= 0.3 - 1e-6 or statuses(outcome)[i] is Status.UNMET
    assert statuses(outcome).count(Status.UNMET) <= 3
    only = guarded_params(aug, images, {"mask": masks}, HALF, protect="mask", foreground=[7])[1]
    assert only.retention[:, 0].isnan().all()
    assert not only.retention[:, 1].isnan().any()


@pytest.mark.parametrize("name", ["crop", "crop, padded, resample", "resized"])
def test_one_window_for_all_images_keeps_the_objects_of_all(name):
    aug, images, seen = CROPS[name](same_on_batch=True), places(4), Counter()
    for seed in range(40):
        rng = random.Random(seed)
        scenes = [[(x, y, x + 6, y + 5)] for x, y in ((rng.randint(8, 24), rng.randint(5, 16)) for _ in range(3))]
        boxes = listed("bbox_xyxy", [*scenes, []])
        _, params, outcome = both(aug, images, {"bbox_xyxy": boxes}, HALF, seed)
        pictures = aug(images, params=params)
        assert all(torch.equal(picture, pictures[0]) for picture in pictures)
        assert len({*map(tuple, outcome.view.window.tolist())}) == len({*statuses(outcome)}) == 1
        kept = [share(boxes[0], outcome.view.window[0].tolist()) for boxes in scenes]
        assert outcome.retention[:3, 0].tolist() == pytest.approx(kept)
        assert outcome.retention[3].isnan().all()
        assert statuses(outcome)[0] is Status.UNMET or min(kept) >= 0.5 - 1e-6
        seen[statuses(outcome)[0]] += 1
    assert seen[Status.UNMET] <= 12
    assert {Status.FIRST, Status.MOVED} <= {*seen}
    _, params, outcome = both(aug, images, {}, HALF)
    assert {*statuses(outcome)} == {Status.EMPTY}
    assert outcome.retention.shape == (4, 0)


@pytest.mark.parametrize("name", ALL)
def test_a_batch_that_the_host_leaves_alone_stays_whole(name):
    aug, images, scenes = ALL[name](p=0.5), places(COUNT), scenes_of(2)
    applied = Counter()
    for seed in range(8):
        _, params, outcome = both(aug, images, {"bbox": padded("bbox", scenes)}, HALF, seed)
        out = aug(images, params=params)
        assert outcome.view.size == tuple(out.shape[-2:])
        left_alone = out.shape == images.shape
        applied[left_alone] += 1
        if left_alone:
            assert torch.equal(out, images)
            assert {*statuses(outcome)} == {Status.NOT_APPLIED}
            assert outcome.view.window.tolist() == [[0, 0, SIZE[1], SIZE[0]]] * COUNT
            assert outcome.retention[~outcome.retention.isnan()].unique().tolist() == [1.0]
        else:
            assert Status.NOT_APPLIED not in statuses(outcome)
    assert len(applied) == 2


def test_rows_that_the_host_leaves_alone_one_by_one_are_said_so():
    """The host takes a gate of each row where crop and image are of one size."""
    aug, images = K.RandomCrop((30, 41), padding=8, p=0.5), places(3)
    params = K.RandomCrop((30, 41), padding=8).forward_parameters(images.shape)
    params["batch_prob"] = torch.tensor([1.0, 0.0, 1.0])
    boxes = padded("bbox_xyxy", [[(0, 0, 3, 3), (38, 27, 41, 30)]] * 3)
    guarded, outcome = guarded_params(aug, images, {"bbox_xyxy": boxes}, Policy(min_retention=1.0), params=params)
    assert statuses(outcome)[1] is Status.NOT_APPLIED
    assert outcome.view.window[1].tolist() == [0, 0, 41, 30]
    assert {*statuses(outcome)} == {Status.NOT_APPLIED, Status.MOVED}
    assert torch.equal(aug(images, params=guarded), images)  # the only window that holds both


def test_parameters_may_be_of_the_applied_rows_only():
    """As kornia draws them before 0.9."""
    aug, images = K.RandomCrop((16, 20), p=0.5), places(4)
    params = K.RandomCrop((16, 20)).forward_parameters((2, 2, *SIZE))
    params["batch_prob"] = torch.tensor([0.0, 1.0, 0.0, 1.0])
    boxes = padded("bbox_xyxy", [[(0, 0, 3, 3)]] * 4)
    guarded, outcome = guarded_params(aug, images, {"bbox_xyxy": boxes}, Policy.strict(), params=params)
    kinds = [Status.NOT_APPLIED, Status.MOVED]
    assert statuses(outcome) == kinds * 2
    assert guarded["src"][:, 0].tolist() == outcome.view.window[1::2, :2].tolist() == [[0, 0]] * 2
    params |= {"src": params["src"][:0], "batch_prob": torch.zeros(4)}
    assert {*statuses(guarded_params(aug, images, {"bbox_xyxy": boxes}, params=params)[1])} == {Status.NOT_APPLIED}


def test_positions_are_uniform_on_what_keeps_the_promise():
    """Of all draws, and of those that had to move; the host's own are uniform on all positions."""
    count, box = 12000, (7, 3, 9, 5)
    images, aug = torch.empty(1, 1, 7, 9).expand(count, -1, -1, -1), K.RandomCrop((4, 5))
    feasible = [(x, y) for x in range(5) for y in range(4) if share(box, (x, y, x + 5, y + 4)) >= 0.5]
    assert 4 < len(feasible) < 12
    torch.manual_seed(3)
    _, outcome = guarded_params(aug, images, {"bbox": padded("bbox", [[box]]).expand(count, -1, -1, -1)}, HALF)
    law = dict.fromkeys(feasible, 1 / len(feasible))
    drawn = [tuple(window[:2]) for window in outcome.view.window.tolist()]
    assert_law(Counter(drawn), law)
    moved = [place for place, status in zip(drawn, statuses(outcome), strict=True) if status is Status.MOVED]
    assert_law(Counter(moved), law)


def test_positions_of_a_resized_window_are_uniform_given_its_size():
    count, box = 12000, (5, 1, 7, 3)
    images = torch.empty(1, 1, 8, 8).expand(count, -1, -1, -1)
    aug = K.RandomResizedCrop((4, 4), scale=(0.25, 0.25), ratio=(1.0, 1.0))
    feasible = [(x, y) for x in range(5) for y in range(5) if share(box, (x, y, x + 4, y + 4)) >= 0.5]
    boxes = padded("bbox_xywh", [[box]]).expand(count, -1, -1)
    torch.manual_seed(4)
    _, outcome = guarded_params(aug, images, {"bbox_xywh": boxes}, HALF)
    moved = outcome.view.window[outcome.status == int(Status.MOVED)].tolist()
    assert all(window[2] - window[0] == window[3] - window[1] == 4 for window in moved)
    assert_law(Counter((x, y) for x, y, _, _ in moved), dict.fromkeys(feasible, 1 / len(feasible)))
    assert not (outcome.status == int(Status.UNMET)).any()


def test_another_size_is_taken_where_the_drawn_one_cannot_succeed():
    aug, images = K.RandomResizedCrop((8, 8), scale=(0.05, 1.0)), places(60)
    boxes = padded("bbox_xyxy", [[(2, 2, 38, 28)]]).expand(60, -1, -1)
    _, params, outcome = both(aug, images, {"bbox_xyxy": boxes}, HALF)
    assert Status.RESIZED in statuses(outcome)
    assert statuses(outcome).count(Status.UNMET) == 0
    for picture in aug(images, params=params):
        assert share((2, 2, 38, 28), window_in(picture)) >= 0.5 - 1e-6
    most = Policy(min_retention=1.0, max_stretch=1.01, on_fail="enlarge")
    small = K.RandomResizedCrop((30, 41), scale=(0.05, 0.1), ratio=(1.3, 1.4))
    _, params, outcome = both(small, images, {"bbox_xyxy": boxes}, most)
    assert {*statuses(outcome)} == {Status.RESIZED}
    with pytest.raises(RetentionError, match="sample 0 of the batch"):
        guarded_params(small, images, {"bbox_xyxy": boxes}, Policy(on_fail="raise"))


def test_the_guards_numbers_come_from_the_seed_and_the_hosts_draw():
    aug, images, content = CROPS["crop"](), places(COUNT), {"bbox_xyxy": padded("bbox_xyxy", scenes_of(6))}
    params = aug.forward_parameters(images.shape)
    kept = copy.deepcopy(params)

    def windows(given=params, **more):
        return guarded_params(aug, images, content, HALF, params=given, **more)[1].view.window

    assert torch.equal(windows(seed=1), windows(seed=1))
    assert not torch.equal(windows(seed=1), windows(seed=2))
    torch.manual_seed(1)
    first = windows()
    assert torch.equal(first, windows())  # nothing is consumed
    torch.rand(1)
    assert not torch.equal(first, windows())
    assert all(torch.equal(params[name], kept[name]) for name in kept)


def test_nothing_given_is_touched_and_outcomes_stand_where_the_images_do():
    aug, images, scenes = CROPS["resized"](), places(2), scenes_of(8, 2)
    content = {
        "image": images,
        "bbox_xyxy_0": padded("bbox_xyxy", scenes),
        "bbox": padded("bbox", scenes),
        "names": "ab",
    }
    before = copy.deepcopy(content)
    _, outcome = guarded_params(aug, images, content, HALF, weights=torch.ones(2, 2 * content["bbox"].shape[1]))
    assert content["names"] == "ab"
    assert all(torch.equal(content[name], before[name]) for name in ("image", "bbox_xyxy_0", "bbox"))
    assert outcome.retention.shape[1] == 2 * content["bbox"].shape[1]  # the boxes of both keys, one after the other
    assert torch.equal(*outcome.retention.nan_to_num(-1).chunk(2, dim=1))
    one, single = guarded_params(aug, images[0], {"bbox_xyxy": content["bbox_xyxy_0"][0]}, HALF)
    assert aug(images[0], params=one).shape == (1, 2, 18, 22)
    assert single.status.shape == (1,)


def test_tiny_images_and_doubles():
    tiny = torch.rand(2, 3, 1, 1, dtype=torch.float64)
    for aug in (K.RandomCrop((1, 1)), K.RandomResizedCrop((3, 4)), K.RandomCrop((3, 3), pad_if_needed=True)):
        content = {"bbox_xywh": torch.tensor([[[0.0, 0.0, 1.0, 1.0]]] * 2)}
        params, outcome = guarded_params(aug, tiny, content, HALF, valid=torch.ones(2, 1, dtype=torch.bool))
        assert {*statuses(outcome)} == {Status.FIRST}
        assert aug(tiny, params=params).dtype == torch.float64
    unsaid = guarded_params(aug, tiny, content, HALF)[1]  # a row that fills up is the first pixel, too
    assert {*statuses(unsaid)} == {Status.EMPTY}


def test_coordinates_that_the_host_keeps_in_halves_do_not_round():
    aug = K.RandomCrop((100, 100))
    params = aug.forward_parameters((4, 1, 900, 900))
    params["src"] = params["src"].to(torch.bfloat16)
    boxes = torch.tensor([[[801.0, 811, 899, 899]]]).expand(4, -1, -1)
    guarded, outcome = guarded_params(
        aug, torch.empty(4, 1, 900, 900), {"bbox_xyxy": boxes}, Policy.strict(), params=params
    )
    assert guarded["src"].dtype == torch.float32
    assert guarded["src"][:, 0].tolist() == outcome.view.window[:, :2].tolist()
