"""What guarding by maps is worth: the parts against loops, bounds that hold, and verdicts on maps that are known."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from safeaug import Policy
from safeaug.auditing.objects import objects_of
from safeaug.calibrating import Crops, calibrate
from safeaug.calibrating.agreement import auc, covered_by
from safeaug.calibrating.gain import FEW, gain_of
from safeaug.calibrating.trial import Asked, tried
from safeaug.data import Sample
from safeaug.errors import ContentError, DataError, PolicyError
from safeaug.saliency import ByKey, box_map
from tests.saliency_worlds import noise

SIZE = (60, 80)


def sample(name="a", boxes=((10, 10, 40, 40),), labels=None, **more):
    boxes = np.array(boxes, np.float64).reshape(-1, 4)
    labels = labels or ("thing",) * len(boxes)
    given = {"ignore": np.zeros(len(boxes), bool), "image": noise((*SIZE, 3), 1), **more}
    return Sample(name, SIZE, boxes=boxes, labels=tuple(labels), **given)


def placed(count=40, seed=0):
    """Return pictures with one box each, somewhere."""
    rng = np.random.default_rng(seed)
    return [
        sample(str(i), [(x, y, x + 20, y + 16)])
        for i, (x, y) in enumerate(rng.integers(0, (60, 44), (count, 2)).tolist())
    ]


def seen_by(data):
    """Return providers by key: of the true boxes, of all else, and of nothing."""
    boxes = {each.id: each.boxes for each in data}
    return {
        "oracle": lambda key: box_map(boxes[key], SIZE, size=48),
        "inverse": lambda key: 1 - box_map(boxes[key], SIZE, size=48),
        "flat": lambda key: np.ones((48, 48)),
    }


def asked(**more):
    return Asked(**{"draws": 5, "min_retention": 0.5, "policy": Policy(), "crops": Crops(), "seed": 3, **more})


# How well a map agrees with objects.


@given(st.integers(1, 5), st.integers(1, 5), st.randoms(use_true_random=False))
def test_auc_is_the_share_of_pairs_in_order(height, width, random):
    cells = np.array([[random.choice((0, 3, 3, 200, 255)) for _ in range(width)] for _ in range(height)], np.uint8)
    covered = np.array([[random.choice((0.0, 0.25, 1.0)) for _ in range(width)] for _ in range(height)])
    pairs = won = 0.0
    for one, share in zip(cells.ravel().tolist(), covered.ravel().tolist(), strict=True):
        for other, another in zip(cells.ravel().tolist(), covered.ravel().tolist(), strict=True):
            pairs += share * (1 - another)
            won += share * (1 - another) * (1.0 if one > other else 0.5 if one == other else 0.0)
    found = auc(cells, covered)
    if pairs == 0:
        assert found is None
    else:
        assert found == pytest.approx(won / pairs)
        assert auc(255 - cells, covered) == pytest.approx(1 - found)


def test_what_covers_a_cell_is_the_same_of_boxes_and_of_masks():
    boxes = np.array([[3, 5, 31, 20], [50, 41, 80, 60]])
    masks = np.zeros((2, *SIZE), np.uint8)
    for mask, (x0, y0, x1, y1) in zip(masks, boxes.tolist(), strict=True):
        mask[y0:y1, x0:x1] = 1
    by_boxes, by_masks = (
        objects_of([each], kind).given.content(0)
        for each, kind in ((sample(boxes=boxes), "boxes"), (sample(boxes=[], masks=masks), "masks"))
    )
    for cells in (8, 48):
        assert covered_by(by_masks, SIZE, cells) == pytest.approx(covered_by(by_boxes, SIZE, cells), abs=1e-6)


# The crops.


@pytest.mark.parametrize("size", [(60, 80), (20, 400), (400, 20), (3, 3), (1, 50)])
def test_windows_lie_in_the_picture_and_are_of_the_areas_that_are_asked_for(size):
    rng, crops = np.random.default_rng(0), Crops((0.2, 0.7), (0.5, 2.0))
    for _ in range(200):
        x0, y0, x1, y1 = crops.window(size, rng.random)
        assert 0 <= x0 < x1 <= size[1]
        assert 0 <= y0 < y1 <= size[0]
        if 0.5 <= size[1] / size[0] <= 2 and min(size) > 10:
            assert 0.18 <= (x1 - x0) * (y1 - y0) / (size[0] * size[1]) <= 0.72
    if size == (20, 400):  # no area of a fifth has such a ratio: the largest one in the middle
        assert crops.window(size, rng.random) == (180, 0, 220, 20)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"scale": (0.5, 0.2)}, "scale must be two numbers above 0"),
        ({"scale": (0.5, 1.5)}, "at most 1"),
        ({"ratio": (0, 1)}, "ratio must be two numbers above 0"),
        ({"ratio": 1.0}, "ratio must be two numbers above 0"),
        ({"scale": (0.1, math.nan)}, "scale must be two numbers above 0"),
    ],
)
def test_crops_that_are_none_are_refused(given, said):
    with pytest.raises(PolicyError, match=said):
        Crops(**given)


# The draws of one picture.


def test_unguarded_draws_are_the_crops_and_damage_what_they_cut():
    one, crops = sample(boxes=[(10, 10, 40, 40), (70, 0, 80, 60), (-30, -30, -1, -1)]), Crops((0.3, 0.6))
    trial = tried(one, "boxes", {}, asked(crops=crops, draws=50))
    assert trial.areas == pytest.approx([900 / 4800, 600 / 4800])
    assert 0.28 < trial.plain.area < 0.62
    assert (trial.plain.damaged > 0).all()
    assert trial.truth.damaged.tolist()[0] < trial.plain.damaged.tolist()[0]


def test_a_map_that_knows_keeps_all_it_can_and_a_flat_one_changes_nothing():
    data = placed(12)
    makers = seen_by(data)
    for one in data:
        maps = {name: (maker(one.id) * 255).astype(np.uint8) for name, maker in makers.items()}
        maps["blank"] = np.zeros((48, 48), np.uint8)
        trial = tried(one, "boxes", maps, asked(policy=Policy(min_rank=1.0), crops=Crops((0.3, 0.6))))
        assert trial.guarded["oracle"].auc > 0.99
        assert trial.guarded["oracle"].way.damaged.sum() == 0
        assert trial.truth.damaged.sum() == 0
        for name, evidence in (("flat", True), ("blank", False)):
            assert trial.guarded[name].way.damaged.tolist() == trial.plain.damaged.tolist()
            assert trial.guarded[name].evidence is evidence
            assert trial.guarded[name].auc == 0.5
        # Ranks keep sizes, so the control is the draw itself.
        assert trial.guarded["oracle"].matched.tolist() == trial.plain.damaged.tolist()
        assert trial.guarded["oracle"].way.area == trial.plain.area


def test_no_result_hangs_on_which_other_maps_are_looked_at():
    one, maps = sample(), {name: noise((8, 8), i) for i, name in enumerate("abc")}
    alone = tried(one, "boxes", {"b": maps["b"]}, asked()).guarded["b"]
    among = tried(one, "boxes", maps, asked()).guarded["b"]
    assert (alone.way.damaged == among.way.damaged).all()
    assert alone.way.area == among.way.area
    assert (alone.matched == among.matched).all()


def test_a_share_of_the_map_takes_larger_windows_and_so_does_the_control():
    dot = np.zeros((8, 8), np.uint8)
    dot[::7, ::7] = 255  # in the corners: only a large window holds three of four
    policy = Policy(min_mass=0.75, on_fail="enlarge")
    found = tried(sample(boxes=[(30, 20, 50, 40)]), "boxes", {"dot": dot}, asked(policy=policy, draws=40))
    assert found.guarded["dot"].way.area > 0.85
    assert found.plain.area < 0.7
    assert found.guarded["dot"].matched.sum() < found.plain.damaged.sum()


# What is gained.


def test_the_bound_is_wrong_as_seldom_as_it_says():
    rng, tries, truth = np.random.default_rng(0), 4000, 0.1
    wrong = 0
    for _ in range(tries):
        of = rng.integers(1, 9, 60) * 8
        fewer = rng.binomial(of, 0.3) - rng.binomial(of, 0.3 - truth)
        wrong += gain_of(fewer, of).lower > truth
    # 60 pictures: near enough to 5 %; a bound of no use, or one at 2.5 %, would be told with a power above 0.999.
    assert stats.binom.cdf(wrong, tries, 0.035) > 1e-4
    assert stats.binom.sf(wrong, tries, 0.065) > 1e-4


def test_few_pictures_say_nothing():
    assert gain_of(np.array([8]), np.array([8])) == (1.0, -1.0, "too few")
    assert gain_of(np.full(FEW - 1, 8), np.full(FEW - 1, 8)).verdict == "too few"
    assert gain_of(np.full(FEW, 8), np.full(FEW, 8)).verdict == "use"
    assert gain_of(np.zeros(FEW), np.full(FEW, 8)).verdict == "do not use"
    assert gain_of(np.full(FEW, 8), np.full(FEW, 8), 1.0).verdict == "do not use"


# A data set.


def test_maps_that_are_known_get_the_verdict_that_they_earn():
    data = placed(60)
    makers = {name: ByKey(maker) for name, maker in seen_by(data).items()}
    others = {one.id: other.boxes for one, other in zip(data, [*data[1:], data[0]], strict=True)}
    makers["another's"] = ByKey(lambda key: box_map(others[key], SIZE))
    found = calibrate(data, makers, policy=Policy(min_rank=0.9), crops=Crops((0.2, 0.6)))
    (whole, *_), verdicts = found.strata, {}
    for name, score in whole.scores.items():
        verdicts[name] = score.gain.verdict
        assert score.gain.value == pytest.approx(score.matched - score.damaged)
        assert score.matched == whole.plain
        assert found.areas[name] == found.areas["plain"]
    assert verdicts == {"oracle": "use", "inverse": "do not use", "flat": "do not use", "another's": "do not use"}
    assert whole.truth == 0
    assert whole.scores["oracle"].damaged < 0.01  # cells are no pixels
    assert whole.scores["inverse"].gain.value < -0.1
    assert found.auc["inverse"] < 0.01
    assert (found.pictures, whole.objects, found.no_evidence["oracle"], found.no_evidence["flat"]) == (60, 60, 0, 60)
    assert json.loads(found.to_json())["strata"][0]["scores"]["oracle"]["gain"][2] == "use"


def test_a_gain_that_is_sure_but_small_is_of_no_use():
    """A map that finds the object in one picture of fifteen: no chance, and not worth a guard."""
    data = placed(600)
    boxes = {each.id: each.boxes for each in data if int(each.id) % 15 == 0}
    maker = ByKey(lambda key: box_map(boxes[key], SIZE) if key in boxes else np.ones((48, 48)))
    found = calibrate(data, {"seldom": maker}, policy=Policy(min_rank=0.9), draws=4, pictures=None)
    gain = found.strata[0].scores["seldom"].gain
    assert gain.lower > 0.01
    assert gain.verdict == "do not use"


def test_strata_part_the_objects():
    data = [sample(str(i), [(1, 1, 3, 3), (5, 5, 75, 55), (20, 20, 40, 40)], ["dot", "wall", "dot"]) for i in range(4)]
    data[0] = sample("0", [(1, 1, 3, 3)], ["dot"], ignore=np.array([True]))
    data.append(sample("none", []))
    found = calibrate(data, {"center": "center"}, draws=4)
    whole, *parts = found.strata
    assert (found.pictures, found.without, whole.objects) == (3, 2, 9)
    for kind in ("area", "class"):
        some = [part for part in parts if part.kind == kind]
        assert sum(part.objects for part in some) == whole.objects
        for share in (lambda part: part.plain, lambda part: part.truth, lambda part: part.scores["center"].damaged):
            assert sum(part.objects * share(part) for part in some) / 9 == pytest.approx(share(whole))
    assert [part.name for part in parts if part.kind == "class"] == ["dot", "wall"]
    assert [part.name for part in parts if part.kind == "area"] == ["under 0.1 %", "5 % to 20 %", "50 % and more"]


def test_pictures_are_chosen_by_the_seed_alone():
    data, told = placed(30), []
    one, same, other = (
        calibrate(data, {"center": "center"}, pictures=7, draws=1, seed=seed, progress=told.append)
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other
    assert (one.pictures, told) == (7, [1] * 21)


def test_masks_are_judged_by_their_pixels():
    masks = np.zeros((2, *SIZE), np.uint8)
    masks[0, 10:30, 10:30] = masks[1, 40:50, 60:80] = 1
    data = [sample(str(i), [], masks=masks)._replace(labels=("a", "b")) for i in range(3)]
    found = calibrate(data, {"auto": "auto"}, draws=3)
    assert {part.name for part in found.strata if part.kind == "class"} == {"a", "b"}
    assert found.strata[0].truth < 1


def test_a_picture_that_cannot_be_read_stops_or_is_passed_over(tmp_path):
    data = [*placed(3), sample("gone", image=None, path=tmp_path / "gone.png")]
    with pytest.raises(DataError, match=r"gone\.png"):
        calibrate(data, {"center": "center"})
    found = calibrate(data, {"center": "center"}, keep_going=True)
    assert found.pictures == 3
    assert "gone.png" in found.passed_over[0]


@pytest.mark.parametrize(
    "bad, said", [(None, "got None"), (np.full((4, 4), np.nan), "finite"), (-np.eye(4), "negative")]
)
def test_a_provider_that_returns_no_map_is_named_with_the_sample(bad, said):
    def provider(image):
        return bad

    with pytest.raises(ContentError, match=said) as caught:
        calibrate(placed(2), {"mine": provider})
    assert "provider for sample '0'" in str(caught.value)


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(PolicyError, match="at least one method"):
        calibrate(placed(2), {})
    with pytest.raises(PolicyError, match="draws and pictures must be at least 1"):
        calibrate(placed(2), {"center": "center"}, draws=0)
    with pytest.raises(PolicyError, match="draws and pictures must be at least 1"):
        calibrate(placed(2), {"center": "center"}, pictures=0)
    with pytest.raises(DataError, match="expected objects to judge by"):
        calibrate([sample(boxes=[])], {"center": "center"})
    with pytest.raises(DataError, match="objects that count, got none in 1 pictures"):
        calibrate([sample(ignore=np.array([True]))], {"center": "center"})
    with pytest.raises(DataError, match="masks"):
        calibrate(placed(2), {"center": "center"}, protect="masks")
