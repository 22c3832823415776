"""Verdicts: whether limits hold, which stratum breaks them, and the sentence that says why."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug import PolicyError
from safeaug.auditing.assess import Limits, assess
from safeaug.auditing.bounds import chance, draws_needed, holm, lower, upper
from safeaug.auditing.summary import merged, nothing, summary_of
from safeaug.auditing.terms import terms_of
from safeaug.auditing.why import percent
from safeaug.data import Sample
from safeaug.policy import Policy
from tests.audit_worlds import AFFINE, CROP, NAMES, block_of

TERMS = terms_of(Policy())


def world(draws: int, damaged: int, *, size=(480, 640), name="cat", gone: int = 0, steps=0):
    """Return the summary of draws of one sample each, some with a sliver, some whose object is gone with its label."""
    left = np.ones(draws)
    left[:damaged], left[damaged : damaged + gone] = 0.2, 0.0
    labelled = left[:, None] > 0
    samples = [Sample(f"{name}{i}", size) for i in range(draws)]
    block = block_of(left, samples=samples, labels=name, labelled=labelled, steps=steps, areas=0.1)
    return summary_of(block, TERMS)


# One limit, all draws.


@given(
    st.lists(st.tuples(st.integers(1, 400), st.floats(0, 1)), min_size=1, max_size=3),
    st.none() | st.sampled_from([0.0, 0.01, 0.2, 1.0]),
    st.none() | st.sampled_from([0.0, 0.01, 0.3]),
    st.sampled_from([0.05, 0.2]),
)
@settings(max_examples=40)
def test_verdicts_are_what_they_are_defined_as(strata, max_damaged, max_emptied, alpha):
    sizes = [(480, 640), (200, 2000), (2000, 200)]
    parts = [
        world(draws, int(share * draws), size=size, name=f"class {i}")
        for i, ((draws, share), size) in enumerate(zip(strata, sizes, strict=False))
    ]
    found = assess(merged(parts), None, Limits(max_damaged, max_emptied, alpha))
    verdicts = [
        check_verdicts(found.rates, [rate.damaged for rate in found.rates], max_damaged, alpha),
        check_verdicts(*shares_of_emptied(found.rates), max_emptied, alpha),
    ]
    told = [verdict for verdict in verdicts if verdict != "no limit"]
    expected = "no limit" if not told else next(each for each in ("fail", "too few", "pass") if each in told)
    assert found.verdict == expected
    assert found.failing == tuple(rate for rate in found.rates if "fail" in rate.verdicts)


def shares_of_emptied(rates):
    some = [rate for rate in rates if rate.emptied is not None]
    return some, [rate.emptied for rate in some]


def check_verdicts(rates, shares, limit, alpha):
    """Assert that each share has the bounds and the verdict that are due to it, and return that of the limit."""
    n, k = [rate.draws for rate in rates], [share.count for share in shares]
    assert [share.upper for share in shares] == pytest.approx(upper(k, n, alpha).tolist())
    if limit is None:
        assert {share.verdict for share in shares} == {"no limit"}
        assert [share.lower for share in shares] == pytest.approx(lower(k, n, alpha).tolist())
        return "no limit"
    fallen, levels = holm(chance(k[1:], n[1:], limit), alpha)
    fails = [float(chance(k[0], n[0], limit)) <= alpha, *fallen.tolist()]
    assert [share.lower for share in shares] == pytest.approx(lower(k, n, [alpha, *levels]).tolist())
    holds = [share.upper <= limit or (limit == 0 and share.count == 0) for share in shares]
    expected = ["fail" if f else "pass" if h else "too few" for f, h in zip(fails, holds, strict=True)]
    assert [share.verdict for share in shares] == expected
    assert all((share.lower > limit) == (share.verdict == "fail") for share in shares)
    return "fail" if any(fails) else expected[0]


def test_all_draws_fail():
    found = assess(world(1000, 30), None, Limits(max_damaged=0.01))
    assert found.verdict == "fail"
    assert found.failing[0] is found.whole
    assert found.why == (
        "All draws: 30 of 1000 draws (3 %) are damaged, at least 2.16 %, beyond the limit of 1 %; the step to blame is "
        "0 RandomResizedCrop."
    )


def test_only_a_stratum_fails():
    """Ten panoramas among twenty thousand ordinary images: what a rate of all draws does not show."""
    ordinary = [world(4000, 2, name=f"ordinary {i}") for i in range(40)]
    panoramas = world(80, 75, size=(200, 2000), name="panorama")
    found = assess(merged([*ordinary, panoramas]), None, Limits(max_damaged=0.01))
    assert found.verdict == "fail"
    assert found.whole.damaged.verdict == "pass"
    assert found.failing[0].name == "4:1 and wider"
    assert found.failing[0].step == str(CROP)
    assert found.why.startswith("Images 4:1 and wider: 75 of 80 draws (93.8 %) are damaged, at least 8")
    assert found.why.endswith("beyond the limit of 1 %; the step to blame is 0 RandomResizedCrop.")
    assert assess(merged(ordinary), None, Limits(max_damaged=0.01)).verdict == "pass"


def test_many_strata_do_not_fail_by_chance():
    """A stratum that would fail on its own holds among a hundred."""
    parts = [world(100, 4 if i == 0 else 0, name=f"class {i:03d}") for i in range(100)]
    alone, among = assess(parts[0], None, Limits(0.01)), assess(merged(parts), None, Limits(0.01))
    assert alone.verdict == "fail"
    assert among.verdict == "pass"
    rate = next(rate for rate in among.rates if rate.label == "class 000" and rate.kind == "class")
    assert rate.damaged.lower < 0.01 < lower(4, 100)


def test_too_few_draws():
    found = assess(world(100, 0), None, Limits(max_damaged=0.01))
    assert found.verdict == "too few"
    assert found.why == (
        "Too few draws to say: 0 of 100 are damaged, at most 2.96 %, against a limit of 1 %; 299 draws would do, if no "
        "more of them are."
    )
    assert assess(world(299, 0), None, Limits(max_damaged=0.01)).verdict == "pass"
    assert assess(world(298, 0), None, Limits(max_damaged=0.01)).verdict == "too few"
    assert str(draws_needed(0.01, 2)) in assess(world(100, 2), None, Limits(max_damaged=0.01)).why


def test_a_limit_holds():
    found = assess(world(1000, 2), None, Limits(max_damaged=0.01, max_emptied=0.02))
    assert found.verdict == "pass"
    assert found.why == (
        "All draws: 2 of 1000 draws are damaged, at most 0.629 %, within the limit of 1 %; 2 of 1000 draws are "
        "emptied, at most 0.629 %, within the limit of 2 %; no stratum is beyond it."
    )


def test_a_limit_of_nothing():
    """No number of draws shows that a rate is 0, so it speaks of the draws that were made."""
    clean, one = assess(world(10, 0), None, Limits(0.0)), assess(world(10_000, 1), None, Limits(0.0))
    assert (clean.verdict, one.verdict) == ("pass", "fail")
    assert clean.why == "All draws: none of 10 draws is damaged, and none may be; no stratum is beyond it."


def test_emptied_is_a_limit_of_its_own():
    """Objects that are gone with their labels damage nothing; the image that has lost them all is empty."""
    summary = world(1000, 0, gone=100)
    assert assess(summary, None, Limits(max_damaged=0.01)).verdict == "pass"
    found = assess(summary, None, Limits(max_emptied=0.01))
    assert found.verdict == "fail"
    assert found.why == (
        "All draws: 100 of 1000 draws (10 %) are emptied, at least 8.47 %, beyond the limit of 1 %; the step to blame "
        "is 0 RandomResizedCrop."
    )
    assert (found.whole.step, found.whole.emptier) == (None, str(CROP))
    assert [(each.step, each.damaged, each.emptied) for each in found.blame] == [(CROP, 0, 100)]
    assert assess(summary, None, Limits(max_damaged=0.01), labels="image").verdict == "fail"


def test_of_a_stratum_its_own_emptier_is_named():
    """What empties panoramas is not what empties most draws."""
    ordinary = [world(4000, 0, gone=4, name=f"ordinary {i}", steps=0) for i in range(40)]
    panoramas = world(80, 0, gone=75, size=(200, 2000), name="panorama", steps=1)
    found = assess(merged([*ordinary, panoramas]), None, Limits(max_emptied=0.01))
    assert (found.verdict, found.whole.emptied.verdict) == ("fail", "pass")
    assert found.whole.emptier == str(CROP)
    assert found.why.startswith("Images 4:1 and wider: 75 of 80 draws (93.8 %) are emptied, at least 8")
    assert found.why.endswith(f"beyond the limit of 1 %; the step to blame is {AFFINE}.")
    assert [(each.step, each.emptied) for each in found.blame] == [(CROP, 160), (AFFINE, 75)]
    assert {rate.emptier for rate in found.rates if rate.kind not in {"all", "aspect"}} == {None}


def test_each_limit_that_fails_names_its_own_step():
    """The crop leaves slivers, the affine empties."""
    summary = merged([world(1000, 100, gone=0, name="a", steps=0), world(1000, 0, gone=300, name="b", steps=1)])
    for limits, step in ((Limits(max_damaged=0.01), CROP), (Limits(max_emptied=0.01), AFFINE)):
        assert assess(summary, None, limits).why.endswith(f"the step to blame is {step}.")


def test_damage_is_told_before_emptiness():
    found = assess(world(1000, 100), None, Limits(0.01, 0.01))
    assert "are damaged" in found.why


def test_no_limit():
    found = assess(world(1000, 30, gone=5))
    assert found.verdict == "no limit"
    assert found.why == "30 of 1000 draws (3 %) are damaged, 35 (3.5 %) emptied; no limit is set."


@pytest.mark.parametrize(
    "limits, verdict", [(Limits(), "no limit"), (Limits(0.0), "too few"), (Limits(1.0), "too few")]
)
def test_nothing_to_judge(limits, verdict):
    empty = block_of(np.zeros((0, 3)), samples=[Sample("0", (9, 9))])
    found = assess(summary_of(empty, TERMS), None, limits)
    assert found.verdict == verdict
    assert found.whole.damaged.rate is None
    assert found.why == (
        "Nothing can be judged: of 3 draws 0 failed, of 0 nobody can tell what is left, and 3 are of samples without "
        "an object that counts."
    )
    assert assess(nothing(TERMS), None, limits).verdict == verdict


def test_labels_of_somebody_elses_do_not_act():
    evil = "<b>\x1b[31mcat\n\u202e"
    parts = [world(5000, 0, name=f"{i}") for i in range(8)] + [world(40, 40, name=evil), world(40, 40, name="x\ud800")]
    found = assess(merged(parts), None, Limits(max_damaged=0.01))
    assert found.whole.damaged.verdict == "pass"
    rate = found.failing[0]
    assert rate.kind == "class"
    assert rate.label in {evil, "x\\ud800"}
    assert found.why.isprintable()
    cells = [rate.name for rate in found.rates if rate.kind == "cell"]
    assert all(name.isprintable() for name in cells)


def test_the_class_that_fails_is_named():
    parts = [world(5000, 0, name="dog"), world(40, 40, name="cat")]
    found = assess(merged(parts), None, Limits(max_damaged=0.05))
    assert found.why.startswith("Class 'cat': 40 of 40 draws (100 %) are damaged, at least 8")


def test_strata_are_in_order():
    parts = [
        world(50, i, name=f"class {i}", size=size) for i, size in enumerate([(480, 640), (200, 2000), (2000, 200)])
    ]
    rates = assess(merged(parts)).rates
    assert [rate.kind for rate in rates] == ["all"] + 3 * ["aspect"] + ["area"] + 3 * ["class"] + 3 * ["cell"]
    assert [rate.name for rate in rates[1:4]] == ["1:4 and taller", "5:4 to 2:1", "4:1 and wider"]
    assert [rate.name for rate in rates[5:8]] == ["class 2", "class 1", "class 0"]
    assert rates[8].name == "'class 2', 1:4 and taller, 5 % to 20 %"


def test_a_step_that_only_drops_labels():
    block = block_of([[[1.0, 1.0]]] * 4, labelled=False, steps=[0, 1], names=NAMES)
    (blamed, *others) = assess(summary_of(block, TERMS)).blame
    assert (blamed.step, blamed.damaged, blamed.dropped, blamed.taken) == (NAMES[1], 4, 4, 0.0)
    assert [(each.step, each.damaged) for each in others] == [(NAMES[0], 0)]
    alone = block_of([[1.0]] * 4, labelled=False, steps=-1)
    (blamed,) = assess(summary_of(alone, TERMS)).blame
    assert (blamed.step, blamed.damaged, blamed.dropped, blamed.taken) == (None, 4, 4, None)


@pytest.mark.parametrize("limits", [Limits(max_damaged=5), Limits(max_emptied=-1)])
def test_what_is_no_limit_is_told(limits):
    with pytest.raises(PolicyError, match=r"must be a share of draws in \[0, 1\]"):
        assess(world(1, 0), None, limits)


@given(st.floats(1e-9, 1), st.sampled_from([-1, 0, 1]))
def test_percents_of_bounds_are_rounded_to_their_side(share, toward):
    number = float(percent(share, toward).removesuffix(" %")) / 100
    assert number == pytest.approx(share, rel=0.01)
    assert (number - share) * toward >= -share * 1e-7
