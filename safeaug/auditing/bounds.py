"""What a count of draws says about a rate: exact bounds, and how many draws it takes.

Draws of one sample are independent, each with that sample's own chance of damage. What is bounded is the mean of these
chances. Among all sums of such draws the binomial one of that mean is the most spread (Hoeffding 1956), so its bounds
hold; but for the lower one of a single draw, which may be wrong with a chance of -log(1 - alpha): 0.0513 for 0.05.

References
----------
.. [1] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
   Biometrika 26, 1934.
.. [2] W. Hoeffding, "On the distribution of the number of successes in independent trials", Annals of Mathematical
   Statistics 27, 1956.
.. [3] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.errors import PolicyError

Floats = NDArray[np.float64]

ALPHA = 0.05
"""The chance of a bound to be wrong, where none is said."""


def lower(count: ArrayLike, draws: ArrayLike, alpha: ArrayLike = ALPHA) -> Floats:
    """Return the exact one-sided lower bound of a rate: it lies above that rate with a chance of at most alpha.

    Parameters
    ----------
    count, draws : array_like of int
        How many of how many draws. They are broadcast against each other. Of no draws the bound is 0.
    alpha : array_like of float
        In (0, 1).

    Examples
    --------
    >>> round(float(lower(10, 100)), 4)
    0.0553
    """
    from scipy.special import betaincinv

    count, draws = np.asarray(count, np.float64), np.asarray(draws, np.float64)
    bound = betaincinv(np.maximum(count, 1.0), np.maximum(draws - count, 0.0) + 1.0, alpha)
    return np.where(count > 0, bound, 0.0)


def upper(count: ArrayLike, draws: ArrayLike, alpha: ArrayLike = ALPHA) -> Floats:
    """Return the exact one-sided upper bound of a rate: it lies below that rate with a chance of at most alpha.

    Parameters
    ----------
    count, draws, alpha
        As in `lower`. Of no draws the bound is 1.

    Examples
    --------
    None of 300 draws damaged says that fewer than one in a hundred are:

    >>> round(float(upper(0, 300)), 5)
    0.00994
    """
    from scipy.special import betaincinv

    count, draws = np.asarray(count, np.float64), np.asarray(draws, np.float64)
    bound = betaincinv(count + 1.0, np.maximum(draws - count, 1.0), 1.0 - np.asarray(alpha))
    return np.where(count < draws, bound, 1.0)


def interval(count: ArrayLike, draws: ArrayLike, alpha: float = ALPHA) -> tuple[Floats, Floats]:
    """Return the exact two-sided bounds of a rate: both hold with a chance of at least 1 - alpha.

    Examples
    --------
    >>> [round(float(bound), 4) for bound in interval(10, 100)]
    [0.049, 0.1762]
    """
    return lower(count, draws, alpha / 2), upper(count, draws, alpha / 2)


def chance(count: ArrayLike, draws: ArrayLike, limit: ArrayLike) -> Floats:
    """Return the chance of as many draws or more, if the rate were at its limit: the p-value of "it is beyond".

    Examples
    --------
    >>> round(float(chance(2, 3, 0.5)), 3), float(chance(0, 3, 0.5))
    (0.5, 1.0)
    """
    from scipy.special import betainc

    count, draws = np.asarray(count, np.float64), np.asarray(draws, np.float64)
    p = betainc(np.maximum(count, 1.0), np.maximum(draws - count, 0.0) + 1.0, limit)
    return np.where(count > 0, p, 1.0)


def holm(p: ArrayLike, alpha: float = ALPHA) -> tuple[NDArray[np.bool_], Floats]:
    """Return which of many hypotheses fall, when all may be wrong together with a chance of at most alpha.

    Parameters
    ----------
    p : array_like of shape (M,)
        The p-value of each, dependent or not.
    alpha : float
        In (0, 1).

    Returns
    -------
    ndarray of shape (M,), bool
        Which fall.
    ndarray of shape (M,), float64
        The level at which each is looked at: alpha over the number of those that are no more certain; of those that
        are not reached, the level at which it ends.

    Examples
    --------
    >>> fallen, levels = holm([0.01, 0.04, 0.03, 0.005])
    >>> fallen.tolist(), levels.round(4).tolist()
    ([True, False, False, True], [0.0167, 0.025, 0.025, 0.0125])
    """
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")
    ranked = p[order]
    levels = alpha / (len(p) - np.searchsorted(ranked, ranked))  # those that are alike stand at one level
    fallen = np.logical_and.accumulate(ranked <= levels)
    number = int(fallen.sum())
    if number < len(p):
        levels[number:] = alpha / (len(p) - number)
    out, at = np.zeros(len(p), np.bool_), np.zeros(len(p))
    out[order], at[order] = fallen, levels
    return out, at


def draws_needed(limit: float, count: int = 0, alpha: float = ALPHA) -> int | None:
    """Return how many draws must be made in all, for a limit to hold, if no more than `count` of them are damaged.

    Parameters
    ----------
    limit : float
        In [0, 1].
    count : int
        Damaged draws.
    alpha : float
        In (0, 1).

    Returns
    -------
    int or None
        None where no number suffices: no number of draws shows that a rate is 0.

    Examples
    --------
    >>> draws_needed(0.01), draws_needed(0.01, 3), draws_needed(0.0)
    (299, 773, None)
    """
    if limit <= 0:
        return None
    low, high = count, count + 1  # at `low` too few, as then all are damaged, unless anything will do
    if limit >= 1:
        return high
    while upper(count, high, alpha) > limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if upper(count, middle, alpha) > limit else (low, middle)
    return high


def missed(share: ArrayLike, images: ArrayLike) -> Floats:
    """Return how likely a uniform sample holds none of a sub-population.

    Parameters
    ----------
    share : array_like of float
        Of the sub-population, in [0, 1].
    images : array_like of int
        Of the sample, drawn with replacement.

    Examples
    --------
    >>> missed(0.005, [200, 2000]).round(5).tolist()
    [0.36696, 4e-05]
    """
    return (1.0 - np.asarray(share, np.float64)) ** np.asarray(images, np.float64)


def checked_limit(name: str, limit: Any) -> float | None:
    """Return a limit on a rate, or None where there is none.

    Raises
    ------
    PolicyError
        Where it is no share of draws.

    Examples
    --------
    >>> checked_limit("max_damaged", 1)
    1.0
    >>> checked_limit("max_damaged", 5)
    Traceback (most recent call last):
    safeaug.errors.PolicyError: max_damaged must be a share of draws in [0, 1], got 5 (write 0.05 for 5 %)
    """
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int | float | np.number) or not 0 <= limit <= 1:
        number = isinstance(limit, int | float) and math.isfinite(limit) and 1 < limit <= 100
        hint = f" (write {limit / 100:g} for {limit:g} %)" if number else ""
        raise PolicyError(f"{name} must be a share of draws in [0, 1], got {limit!r}{hint}")
    return float(limit)
