"""What guarding by a map gains over draws of the same area, and how sure that is.

Draws of one picture, and objects of one picture, go together. So pictures are what is counted: the gain is a ratio of
two sums over pictures, and its bounds are those of the ratio estimate [1]_.

References
----------
.. [1] W. G. Cochran, "Sampling Techniques", third edition, Wiley 1977, section 6.4.
"""

import math
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

from safeaug.auditing.bounds import ALPHA

Verdict = Literal["use", "do not use", "too few"]
"""Whether a map keeps objects better than windows of the same area do anywhere; too few pictures cannot say."""

WORTH = 0.1
"""The share of what such windows damage that a map must save to be of use. Of many pictures a smaller one is no chance
either, but it is not worth a guard."""

FEW = 30
"""Pictures below which nothing is said: of so few, a ratio's bounds do not hold."""


class Gain(NamedTuple):
    """A difference of two shares of objects that are damaged.

    Parameters
    ----------
    value : float
        Area-matched less guarded: above 0 where the map helps.
    lower : float
        One-sided bound: it lies above the true value with a chance of about 5 %; -1 where there is only one picture.
    verdict : {"use", "do not use", "too few"}
        "use" where the bound lies above what it must.
    """

    value: float
    lower: float
    verdict: Verdict


def gain_of(fewer: NDArray[Any], of: NDArray[Any], least: float = 0.0, alpha: float = ALPHA) -> Gain:
    """Return what is gained.

    Parameters
    ----------
    fewer : ndarray of shape (P,)
        Of each picture how many fewer objects are damaged, over all draws.
    of : ndarray of shape (P,)
        Of how many, at least 1.
    least : float, default 0.0
        What the bound must lie above for a map to be of use.
    alpha : float
        The chance of the bound to be wrong.

    Examples
    --------
    >>> import numpy as np
    >>> gain_of(np.full(100, 1), np.full(100, 8))
    Gain(value=0.125, lower=0.125, verdict='use')
    >>> gain_of(np.array([1, -1] * 50), np.full(100, 8)).verdict, gain_of(np.full(100, 1), np.full(100, 8), 0.2).verdict
    ('do not use', 'do not use')
    """
    from scipy.special import stdtrit

    pictures = len(of)
    value = float(fewer.sum() / of.sum())
    if pictures < 2:
        return Gain(value, -1.0, "too few")
    spread = float(((fewer - value * of) ** 2).sum()) * pictures / (pictures - 1)
    lower = value - float(stdtrit(pictures - 1, 1 - alpha)) * math.sqrt(spread) / float(of.sum())
    verdict: Verdict = "too few" if pictures < FEW else "use" if lower > least else "do not use"
    return Gain(value, max(lower, -1.0), verdict)
