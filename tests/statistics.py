"""Chi-square tests that state their power: seeds are fixed, so a pass is a pass."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

ALPHA = 1e-4
"""Chance of a false alarm for one choice of seeds."""

EFFECT = 0.1
"""Cohen's w of the deviation that must be found: one position in ten 30 % too frequent is already more than this."""

POWER = 0.999
"""Chance to find a deviation of that size, asserted by every test."""


def draws_for(law: Mapping[object, float]) -> int:
    """Return how many draws, in thousands, give `assert_law` its power."""
    draws, power = 0, 0.0
    while power < POWER:
        draws += 1000
        cells = len(pooled([share * draws for share in law.values()], [0] * len(law))[0])
        if cells == 1:
            return draws
        power = _power(draws, cells - 1)
    return draws


def _power(draws: int, freedom: int) -> float:
    return float(stats.ncx2.sf(stats.chi2.isf(ALPHA, freedom), freedom, draws * EFFECT**2))


def assert_law(counts: Mapping[object, int], law: Mapping[object, float]) -> None:
    """Assert that counts follow a law, that nothing falls outside of it, and that the test had the power to tell.

    More draws than `draws_for` only take longer.
    """
    total = sum(counts.values())
    outside = {key: count for key, count in counts.items() if law.get(key, 0) <= 0}
    assert not outside, f"drawn, but impossible under the law: {outside}"
    assert abs(sum(law.values()) - 1) < 1e-9
    expected, observed = pooled([law[key] * total for key in law], [counts.get(key, 0) for key in law])
    freedom = len(expected) - 1
    if freedom == 0:
        return
    critical = stats.chi2.isf(ALPHA, freedom)
    power = _power(total, freedom)
    assert power >= POWER, f"{total} draws over {freedom + 1} cells find an effect of {EFFECT} with power {power:.4f}"
    statistic = float(((observed - expected) ** 2 / expected).sum())
    assert statistic < critical, f"chi-square {statistic:.1f} of {freedom} degrees of freedom, critical {critical:.1f}"


def pooled(expected: Sequence[float], observed: Sequence[int], least: float = 5.0):
    """Pool the rarest cells until each expects at least five draws."""
    order = np.argsort(expected)
    wanted, seen = np.asarray(expected)[order], np.asarray(observed, dtype=float)[order]
    upto = np.cumsum(wanted)
    cut = int(np.searchsorted(upto, least)) if wanted[0] < least else 0
    if cut:
        wanted = np.concatenate([[upto[min(cut, len(upto) - 1)]], wanted[cut + 1 :]])
        seen = np.concatenate([[seen[: cut + 1].sum()], seen[cut + 1 :]])
        while len(wanted) > 1 and wanted[1] < least:
            wanted = np.concatenate([[wanted[0] + wanted[1]], wanted[2:]])
            seen = np.concatenate([[seen[0] + seen[1]], seen[2:]])
    return wanted, seen
