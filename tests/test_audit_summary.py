"""What is counted of draws, and what can be judged of that: against loops over draws and objects."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug import PolicyError
from safeaug.auditing.assess import Limits, assess, class_fates
from safeaug.auditing.bins import AREAS, ASPECTS, LIMITS, area_of, aspect_of, bin_of, limit_index
from safeaug.auditing.blame import TAKEN
from safeaug.auditing.blamed import blame_list, emptiers_by_stratum
from safeaug.auditing.cut import cut_at
from safeaug.auditing.fates import UNTOLD, Fate, fates_of
from safeaug.auditing.rates import tried
from safeaug.auditing.strata import STRATA
from safeaug.auditing.summary import summary_of
from safeaug.auditing.table import digits_of
from safeaug.auditing.terms import terms_of
from safeaug.policy import Policy
from tests import audit_oracle as oracle
from tests.audit_worlds import NAMES, SHARES, block_of, blocks

POLICIES = (
    Policy(),
    Policy(min_retention=0),
    Policy(min_retention=1),
    Policy(min_retention=0.285),
    Policy(min_retention=1 / 3),
    Policy(min_retention={"cat": 0.7, "dog": 0.1, "*": 1 / 3}),
)
BOTH = pytest.mark.parametrize("labels", ["object", "image"])


# Bins.


@given(st.lists(st.sampled_from([*SHARES[:-1], *LIMITS.tolist()]) | st.floats(0, 1), min_size=1, max_size=4))
def test_a_bin_says_exactly_which_limits_are_reached(shares):
    neighbours = [np.nextafter(share, way) for share in shares for way in (0.0, 1.0)]
    for share, found in zip([*shares, *neighbours], bin_of(np.array([*shares, *neighbours])).tolist(), strict=True):
        assert [share >= limit for limit in LIMITS] == [found >= j for j in range(201)]


def test_limits_are_their_own_names():
    assert [limit_index(j / 200) for j in range(201)] == list(range(201))
    assert [limit_index(float(f"{j / 200:.3f}")) for j in range(201)] == list(range(201))
    assert limit_index(0.3333) is None


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_aspects_are_symmetrical(height, width):
    index, turned = aspect_of(np.array([[height, width], [width, height]])).tolist()
    assert ASPECTS[index] == oracle.aspect_name(height, width)
    assert index + turned == len(ASPECTS) - 1


@given(st.sampled_from([0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 1.0]) | st.floats(0, 1))
def test_areas(area):
    assert AREAS[area_of(np.array([area]))[0]] == oracle.area_name(area)


# Fates.


@BOTH
@given(block=blocks(), limit=st.sampled_from(LIMITS.tolist()) | st.floats(0, 1))
@settings(max_examples=60)
def test_fates(labels, block, limit):
    left, drawn = block.drawn.final, block.drawn
    limits = np.full(len(left), limit)
    found = fates_of(left, block.tolerance, drawn.labelled, limits, labels)
    for o in range(len(left)):
        for j in range(left.shape[1]):
            share = float(left[o, j])
            thing = oracle.Thing("", "", True, [share], share + block.tolerance[o], bool(drawn.labelled[o, j]))
            expected = UNTOLD if math.isnan(share) else Fate[thing.fate(lambda label: limit, labels)]
            assert found[o, j] == expected


def test_at_a_limit_of_zero_nothing_is_too_little():
    left, labelled = np.array([[0.0, 0.0, 0.1]]), np.array([[True, False, False]])
    found = fates_of(left, np.zeros(1), labelled, np.zeros(1))
    assert found.tolist() == [[Fate.KEPT, Fate.GONE, Fate.ORPHAN]]


# Strata at every limit.


@BOTH
@given(block=blocks())
@settings(max_examples=25)
def test_strata_at_every_limit(labels, block):
    summary = summary_of(block, terms_of())
    draws = [*oracle.draws_of([block])]
    for j, limit in enumerate(LIMITS.tolist()):
        expected = oracle.rates(draws, lambda label, limit=limit: limit, labels)
        cut = cut_at(j, summary.labels)
        assert by_stratum(tried(summary.counts.damage, cut, labels), summary) == {
            stratum: row[:2] for stratum, row in expected.items()
        }
        assert by_stratum(tried(summary.counts.emptied, cut, labels), summary) == {
            stratum: row[::2] for stratum, row in expected.items() if stratum[1:] == (None, None)
        }


def by_stratum(found, summary):
    out = {}
    for label, aspect, area, draws, struck in zip(
        *digits_of(STRATA, found.stratum), found.draws.tolist(), found.struck.tolist(), strict=True
    ):
        names = ((ASPECTS, aspect), (AREAS, area), (summary.labels, label))
        if draws:
            out[tuple(each[i - 1] if i else None for each, i in names)] = (draws, struck)
    return out


# All that is judged.


@BOTH
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: str(policy.min_retention))
@given(block=blocks(), judged=st.none() | st.sampled_from(LIMITS.tolist()))
@settings(max_examples=20)
def test_an_assessment_is_what_the_loops_say(labels, policy, block, judged):
    summary = summary_of(block, terms_of(policy, labels=labels))
    other = None if judged is None else Policy(min_retention=judged)
    found, draws = assess(summary, other), [*oracle.draws_of([block])]
    limit = (other or policy).limit_of
    check_totals(found, block, draws)
    check_rates(found, oracle.rates(draws, limit, labels))
    check_fates(found, draws, limit, labels)
    check_blame(found, block, draws, limit, labels)
    check_emptiers(found, oracle.emptiers(draws, limit, labels))
    check_curve(found, draws, labels)


def check_totals(found, block, draws):
    here = block.first == 0 and block.valid.shape[1] > 0
    assert found.counted.samples == len(block.samples) * here
    assert found.counted.objects == len(block.labels) * here
    assert found.counted.counted == int(block.counted.sum()) * here
    assert found.counted.draws == len(draws)
    assert found.counted.failed == sum(not draw.valid for draw in draws)
    assert found.counted.unknown == sum(draw.unknown for draw in draws)
    assert found.counted.judged == sum(draw.judged for draw in draws)
    assert found.counted.empty == sum(draw.valid and not draw.asked for draw in draws)
    assert found.statuses == dict(Counter(draw.status for draw in draws if draw.valid))
    assert found.failed == dict(Counter(failure.step for failure in block.failures))


def check_rates(found, expected):
    told = {(rate.aspect, rate.area, rate.label): rate for rate in found.rates if rate.draws}
    assert set(told) == set(expected)
    for stratum, (draws, damaged, emptied) in expected.items():
        rate = told[stratum]
        assert (rate.draws, rate.damaged.count, rate.damaged.rate) == (draws, damaged, damaged / draws)
        if rate.kind in {"all", "aspect"}:
            assert rate.emptied.count == emptied
        else:
            assert rate.emptied is None
    assert found.rates[0].kind == "all"
    assert found.whole is found.rates[0]


def check_fates(found, draws, limit, labels):
    for by, of in {
        "class": lambda draw, thing: thing.label,
        "aspect": lambda draw, thing: draw.aspect,
        "area": lambda draw, thing: thing.area,
    }.items():
        expected = oracle.fates(draws, limit, labels, of)
        assert {name: +Counter(row) for name, row in found.fates_by[by].items()} == expected
    assert +Counter(found.fates) == sum(oracle.fates(draws, limit, labels, lambda *_: "").values(), Counter())


def check_blame(found, block, draws, limit, labels):
    expected, taken = oracle.blame(draws, limit, labels), oracle.takings(draws)
    told = {None if each.step is None else block.names.index(each.step): each for each in found.blame}
    steps = {key[0] for key in expected} | {step for draw in draws if draw.judged for step in draw.steps}
    assert set(told) == steps
    emptied = oracle.emptiers(draws, limit, labels).get(None, Counter())
    assert {step: each.emptied for step, each in told.items() if each.emptied} == emptied
    assert [*found.blame] == sorted(found.blame, key=lambda each: (-each.damaged, -each.emptied))
    for step, each in told.items():
        own = {key[1:]: count for key, count in expected.items() if key[0] == step}
        assert each.damaged == sum(own.values())
        assert each.share == pytest.approx(each.damaged / max(1, sum(expected.values())))
        assert each.dropped == sum(count for (*_, took), count in own.items() if not took)
        assert each.applied == sum(step in draw.steps for draw in draws if draw.judged)
        mean = np.mean(taken[step]) if step in taken else None
        assert each.taken == (None if mean is None else pytest.approx(mean, abs=1e-6))
        assert dict(each.classes) == summed(own, 0)
        assert dict(each.aspects) == dict(Counter(summed(own, 1)).most_common(5)) or len(summed(own, 1)) > 5


def summed(own, place):
    sums: Counter[str] = Counter()
    for key, count in own.items():
        sums[key[place]] += count
    return dict(sums)


def check_emptiers(found, expected):
    for rate in found.rates:
        own = expected.get(rate.aspect) if rate.kind in {"all", "aspect"} else None
        assert rate.emptier == (name_of(oracle.first_of_most(own)) if own else None)


def name_of(step):
    return "the pipeline itself" if step is None else str(NAMES[step])


def check_curve(found, draws, labels):
    judged = [draw for draw in draws if draw.judged]
    for j in (0, 1, 57, 100, 199, 200):
        point = found.curve[j]

        def limit(label, j=j):
            return j / 200

        assert point.limit == j / 200
        assert point.damaged == sum(draw.damaged(limit, labels) for draw in judged)
        assert point.emptied == sum(draw.emptied(limit, labels) for draw in judged)
        shown = [draw.area for draw in judged if not draw.damaged(limit, labels)]
        mean = sum(0 if math.isnan(area) else area for area in shown) / len(shown) if shown else None
        assert point.area == (None if mean is None else pytest.approx(mean, abs=1e-6))
    assert len(found.curve) == 201


@given(block=blocks())
@settings(max_examples=40)
def test_pictures(block):
    found = assess(summary_of(block, terms_of())).pictures
    draws = [draw for draw in oracle.draws_of([block]) if draw.valid]
    shapes = {draw.aspect for draw in draws}
    assert {each.aspect for each in found} == ({None} | shapes if draws else set())
    for each in found:
        own = [draw for draw in draws if each.aspect in {None, draw.aspect}]
        areas = [draw.area for draw in own if not math.isnan(draw.area)]
        assert each.draws == len(own)
        assert each.padded == sum(draw.padded >= 0.5 for draw in own)
        assert each.blank == sum(draw.padded == 1 for draw in own)
        assert each.stretched == sum(draw.stretch >= 2 for draw in own)
        assert each.padding == pytest.approx(np.mean([draw.padded for draw in own]), abs=1e-6)
        if not areas:
            assert (each.area, each.median, each.low) == (None, None, None)
            continue
        assert each.area == pytest.approx(np.mean(areas), abs=1e-6)
        for limit, share in ((each.median, 0.5), (each.low, 0.95)):
            assert sum(area >= limit for area in areas) >= share * len(areas)
            assert limit == 1 or sum(area >= limit + 0.005 for area in areas) < share * len(areas)


@BOTH
@given(block=blocks(), j=st.integers(0, 200))
@settings(max_examples=30)
def test_the_step_of_a_stratum_is_the_one_with_most_of_its_damage(labels, block, j):
    policy = Policy(min_retention=j / 200)
    found = assess(summary_of(block, terms_of(policy, labels=labels)))
    blamed = oracle.blame(oracle.draws_of([block]), policy.limit_of, labels)
    for rate in found.rates:
        # Of a cell, the step that does most damage to its class in images of its shape.
        area = None if rate.kind == "cell" else rate.area
        own: Counter[int | None] = Counter()
        for (step, label, aspect, size, _), count in blamed.items():
            if rate.label in {None, label} and rate.aspect in {None, aspect} and area in {None, size}:
                own[step] += count
        if not own:
            assert rate.step is None
            continue
        assert rate.step in {name_of(step) for step in own if own[step] == max(own.values())}


@BOTH
@given(block=blocks())
@settings(max_examples=10)
def test_emptied_draws_are_laid_at_a_step_at_every_limit(labels, block):
    summary = summary_of(block, terms_of(labels=labels))
    draws = [*oracle.draws_of([block])]
    for j, limit in enumerate(LIMITS.tolist()):
        expected = oracle.emptiers(draws, lambda label, limit=limit: limit, labels)
        cut = cut_at(j, summary.labels)
        found = emptiers_by_stratum(summary.counts, cut, labels, summary.steps)
        names = {stratum // STRATA.sizes[1]: name for stratum, name in found.items()}  # all, and shapes
        assert {ASPECTS[i - 1] if i else None: name for i, name in names.items()} == {
            aspect: name_of(oracle.first_of_most(counts)) for aspect, counts in expected.items()
        }
        listed = blame_list(summary.counts, cut, labels, summary.labels, summary.steps)
        sums = {name_of(each.step and NAMES.index(each.step)): each.emptied for each in listed if each.emptied}
        assert sums == {name_of(step): count for step, count in expected.get(None, Counter()).items()}


def emptied_by(left, **more):
    """Return to whom one emptied draw of one image is laid, by all that tell it."""
    left = np.array(left)[:, None]
    found = assess(summary_of(block_of(left, owner=[0] * len(left), **more), terms_of()))
    assert (found.whole.draws, found.whole.emptied.count) == (1, 1)
    (name,) = [None if each.step is None else each.step.name for each in found.blame if each.emptied]
    assert {rate.emptier for rate in found.rates if rate.kind in {"all", "aspect"}} == {found.whole.emptier}
    assert found.whole.emptier.split()[-1] == (name or "itself")
    return name


def test_an_image_is_emptied_by_the_step_that_took_the_most_of_all_objects_together():
    """The affine takes the most of two objects of three; the crop, which takes all of the third, more in all."""
    objects = [[0.0, 0.0, 0.0], [0.7, 0.3, 0.0], [0.7, 0.3, 0.0]]
    assert emptied_by(objects, steps=[0, 1, 2], labelled=False) == "RandomResizedCrop"
    assert emptied_by(objects[1:], steps=[0, 1, 2], labelled=False) == "Affine"


@pytest.mark.parametrize("steps", [[0, 1], [1, 0]])
def test_of_steps_that_took_the_same_the_first_emptied(steps):
    """Both steps take as much as one object, though not of the same ones."""
    assert emptied_by([[0.25, 0.0], [0.75, 0.0]], steps=steps) == NAMES[steps[0]].name
    assert emptied_by([[0.26, 0.0], [0.75, 0.0]], steps=steps) == NAMES[steps[1]].name


def test_an_image_of_whole_objects_without_labels_is_emptied_by_the_last_step():
    assert emptied_by([[1.0, 1.0]] * 2, steps=[0, 1], labelled=False) == "Affine"
    assert emptied_by([[1.0, 1.0]] * 2, steps=[2, -1], labelled=False) == "CoarseDropout"
    assert emptied_by([[1.0]] * 2, steps=-1, labelled=False) is None
    assert emptied_by([[0.0]], steps=-1, labelled=False) is None


def test_what_does_not_count_empties_nothing():
    """The affine takes all of an object that nobody asks for; what is asked for, the dropout takes."""
    objects = [[1.0, 0.0, 0.0], [1.0, 0.9, 0.0]]
    assert emptied_by(objects, steps=[0, 1, 2], counted=[False, True]) == "CoarseDropout"


@given(block=blocks())
@settings(max_examples=40)
def test_what_steps_take_when_they_are_drawn(block):
    table = summary_of(block, terms_of()).counts.taken
    found = {
        (int(step) - 1, int(bin_)): int(count)
        for step, bin_, count in zip(*digits_of(TAKEN, table.keys), table.counts, strict=True)
    }
    expected = Counter(
        (step, int(bin_of(np.array([share]))[0]))
        for step, shares in oracle.takings(oracle.draws_of([block])).items()
        for share in shares
    )
    assert found == dict(expected)


# Other policies than the measured one.


def test_limits_by_label_are_judged_as_measured_only():
    policy = Policy(min_retention={"cat": 0.7, "*": 0.5})
    block = block_of([0.6, 0.6, 0.4], labels=["cat", "dog", "bird"])
    summary = summary_of(block, terms_of(policy))
    assert assess(summary, policy).whole.damaged.count == 2
    assert assess(summary, Policy(min_retention={"dog": 0.5, "bird": 0.5, "cat": 0.7})).whole.damaged.count == 2
    assert assess(summary, Policy(min_retention={"*": 0.3})).whole.damaged.count == 0
    other = Policy(min_retention={"cat": 0.5, "*": 0.7})
    with pytest.raises(PolicyError, match="limits by label"):
        assess(summary, other)
    assert {name: row["KEPT"] for name, row in class_fates(summary, other).items()} == {"cat": 1, "dog": 0, "bird": 0}


def test_other_limits_must_be_multiples_of_half_a_percent():
    summary = summary_of(block_of([0.3, 0.4]), terms_of(Policy(min_retention=1 / 3)))
    assert assess(summary).whole.damaged.count == 1
    assert assess(summary, Policy(min_retention=1 / 3)).whole.damaged.count == 1
    assert assess(summary, Policy(min_retention=0.305)).whole.damaged.count == 1
    with pytest.raises(PolicyError, match=r"multiples of 0.005, got 0\.4567"):
        assess(summary, Policy(min_retention=0.4567))


def test_what_was_not_counted_cannot_be_judged():
    summary = summary_of(block_of([0.3]), terms_of(Policy(ignore_smaller_than=16)))
    with pytest.raises(PolicyError, match=r"ignore_smaller_than=16\.0, got None"):
        assess(summary, Policy(min_retention=0.5))
    assert assess(summary, Policy(min_retention=0.2, ignore_smaller_than=16)).whole.damaged.count == 0


def test_a_label_without_a_limit_stops_the_measuring():
    with pytest.raises(PolicyError, match="names no limit for label 'dog'"):
        summary_of(block_of([0.3], labels="dog"), terms_of(Policy(min_retention={"cat": 0.5})))
    summary_of(block_of([0.3], labels="dog", counted=False), terms_of(Policy(min_retention={"cat": 0.5})))


def test_terms():
    with pytest.raises(PolicyError, match='labels must be "object" or "image", got \'box\''):
        terms_of(labels="box")
    with pytest.raises(PolicyError, match="worst must be at least 0, got -1"):
        terms_of(worst=-1)
    assert terms_of(Policy(min_retention={3: 0.5})).retention == {"3": 0.5}
    with pytest.raises(PolicyError, match="alpha must lie between 0 and 1"):
        assess(summary_of(block_of([1.0]), terms_of()), None, Limits(0.1, None, 1.0))
