"""What counts say about rates: bounds against their definitions, scipy and published values; and how often they err."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from safeaug import PolicyError
from safeaug.auditing.bounds import chance, checked_limit, draws_needed, holm, interval, lower, missed, upper

ALPHAS = st.sampled_from([0.05, 0.01, 0.2]) | st.floats(1e-6, 0.5)


@st.composite
def counts(draw, most: int = 2000):
    draws = draw(st.integers(0, most))
    return draw(st.integers(0, draws)), draws


@given(counts(), ALPHAS)
@settings(max_examples=100)
def test_bounds_are_scipys(count, alpha):
    k, n = count
    if n == 0:
        assert (lower(k, n, alpha), upper(k, n, alpha)) == (0, 1)
        return
    for side, bound, end in (("greater", lower, 0), ("less", upper, 1)):
        expected = stats.binomtest(k, n, alternative=side).proportion_ci(1 - alpha, method="exact")[end]
        assert bound(k, n, alpha) == pytest.approx(expected, rel=1e-6, abs=1e-12)
    both = stats.binomtest(k, n).proportion_ci(1 - alpha, method="exact")
    assert interval(k, n, alpha) == (pytest.approx(both.low, abs=1e-9), pytest.approx(both.high, abs=1e-9))


@given(counts(), st.floats(0, 1))
@settings(max_examples=100)
def test_the_chance_of_as_many_is_the_binomial_one(count, limit):
    k, n = count
    assert chance(k, n, limit) == pytest.approx(stats.binom.sf(k - 1, n, limit) if n else 1.0, abs=1e-9)


def test_published_values():
    assert round(float(upper(0, 300)), 5) == 0.00994  # the rule of three, 3 / 300, is a little more
    low, high = interval(10, 100)
    assert (round(float(low), 4), round(float(high), 4)) == (0.0490, 0.1762)
    low, high = interval(1, 10)
    assert (round(float(low), 4), round(float(high), 4)) == (0.0025, 0.4450)


def test_many_at_once():
    found = lower([0, 1, 10], [10, 10, 10])
    assert found.tolist() == [float(lower(k, 10)) for k in (0, 1, 10)]
    assert upper([0, 10], 10).tolist() == [float(upper(0, 10)), 1.0]


@given(counts(most=60), st.floats(0.001, 0.999), ALPHAS)
@settings(max_examples=100)
def test_a_bound_lies_beyond_a_limit_where_its_test_falls(count, limit, alpha):
    k, n = count
    p = float(chance(k, n, limit))
    if abs(p - alpha) > 1e-9:
        assert (p < alpha) == (lower(k, n, alpha) > limit)


# How often they err.


@pytest.mark.parametrize("draws", [1, 2, 10, 50, 300])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_a_bound_errs_no_more_often_than_it_says(draws, alpha):
    """Exactly: over all counts there may be."""
    every = np.arange(draws + 1)
    low, high = lower(every, draws, alpha), upper(every, draws, alpha)
    for rate in np.linspace(0, 1, 401):
        law = stats.binom.pmf(every, draws, rate)
        assert law[low > rate].sum() <= alpha + 1e-9
        assert law[high < rate].sum() <= alpha + 1e-9


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.01, 0.05]), min_size=1, max_size=40), ALPHAS)
@settings(max_examples=200)
def test_draws_of_unlike_chances(chances, alpha):
    """Exactly: the law of their sum is made by adding one draw after another."""
    law = np.ones(1)
    for each in chances:
        law = np.convolve(law, [1 - each, each])
    every, mean = np.arange(len(law)), float(np.mean(chances))
    allowed = -np.log1p(-alpha) + 1e-9
    assert law[lower(every, len(chances), alpha) > mean + 1e-12].sum() <= allowed
    assert law[upper(every, len(chances), alpha) < mean - 1e-12].sum() <= allowed


def test_simulated_audits():
    """Half of the samples are damaged often, half seldom; the test would tell an error of 0.06 from one of 0.05."""
    audits, samples, draws = 40_000, 50, 8
    random = np.random.default_rng(5)
    chances = np.where(np.arange(samples) % 2, 0.001, 0.1)
    counts = random.binomial(draws, chances, (audits, samples)).sum(axis=1)
    most = stats.binom.isf(1e-4, audits, 0.0513)
    assert stats.binom.sf(most, audits, 0.06) > 0.999
    assert (lower(counts, samples * draws) > chances.mean()).sum() <= most
    assert (upper(counts, samples * draws) < chances.mean()).sum() <= most


# Many hypotheses.


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.0125, 0.05, 1.0]), max_size=8), ALPHAS)
@settings(max_examples=200)
def test_holm_is_as_he_defined_it(p, alpha):
    """The least p-value against alpha / M, the next against alpha / (M - 1), until one does not fall."""
    fallen, left = set(), sorted(range(len(p)), key=lambda i: (p[i], i))
    while left and p[left[0]] <= alpha / len(left):
        fallen.add(left.pop(0))
    found, at = holm(p, alpha)
    assert {i for i, each in enumerate(found.tolist()) if each} == fallen
    for i, level in enumerate(at.tolist()):
        others = sum(each >= p[i] for each in p) if i in fallen else len(left)
        assert level == pytest.approx(alpha / others)
        assert (p[i] <= level) == (i in fallen)


def test_holm_errs_no_more_often_than_he_said():
    """Of thirty dependent strata that all keep to the limit, one falls in at most alpha of the audits."""
    audits, strata, draws, alpha, limit = 20_000, 30, 200, 0.05, 0.1
    random = np.random.default_rng(7)
    shared = random.binomial(draws // 2, limit, (audits, 1))
    counts = shared + random.binomial(draws - draws // 2, limit, (audits, strata))
    p = chance(counts, draws, limit)
    most = stats.binom.isf(1e-4, audits, alpha)
    assert stats.binom.sf(most, audits, 0.065) > 0.999
    assert sum(holm(row, alpha)[0].any() for row in p[:5000]) <= stats.binom.isf(1e-4, 5000, alpha)
    assert (p.min(axis=1) <= alpha / strata).sum() <= most  # the same: one falls where the least does


# How many draws.


@given(st.floats(0.001, 0.9), st.integers(0, 20), ALPHAS)
@settings(max_examples=100)
def test_draws_needed_are_the_fewest(limit, count, alpha):
    needed = draws_needed(limit, count, alpha)
    assert upper(count, needed, alpha) <= limit
    assert needed - 1 <= count or upper(count, needed - 1, alpha) > limit


def test_draws_needed():
    assert draws_needed(0.01) == 299
    assert draws_needed(0.001) == 2995
    assert draws_needed(0.0) is None
    assert draws_needed(1.0, 3) == 4


def test_uniform_samples_miss_what_is_rare():
    assert missed(0.005, 200) == pytest.approx(0.3670, abs=1e-4)
    assert missed(0.002, 200) == pytest.approx(0.6701, abs=1e-4)
    assert missed(0.005, 598) < 0.05 < missed(0.005, 597)
    assert missed([0.0, 1.0], 10).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("limit", [-0.1, 1.5, float("nan"), "1%", True, float("inf")])
def test_what_is_no_limit_is_told(limit):
    with pytest.raises(PolicyError, match=r"max_damaged must be a share of draws in \[0, 1\], got"):
        checked_limit("max_damaged", limit)


def test_limits():
    assert checked_limit("max_damaged", np.float32(0.5)) == 0.5
    assert checked_limit("max_damaged", None) is None
