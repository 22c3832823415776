"""What a draw breaks of SA1, the rule about content: by codes that stay the same."""

from collections.abc import Iterable

from safeaug.auditing.fates import DAMAGE

PADDED = 0.5
"""From this share of the output on, what shows nothing of the picture is a finding."""

STRETCHED = 2.0
"""Beyond this scale along one axis over that along the other, where the policy sets none, it is a finding."""

CODES: tuple[str, ...] = (
    "SA1.sliver",
    "SA1.ghost",
    "SA1.orphan",
    "SA1.emptied",
    "SA1.padded",
    "SA1.stretched",
)
"""All codes, in the order in which a row bears them."""


def findings_of(
    fates: Iterable[int], emptied: bool, padded: float | None, stretch: float | None, most: float | None = None
) -> tuple[str, ...]:
    """Return the codes of what a draw breaks.

    Parameters
    ----------
    fates : iterable of int
        Of the objects that count.
    emptied : bool
        Whether none of them is kept.
    padded, stretch : float or None
        Share of the output that shows nothing of the picture, and the scale along one axis over the other.
    most : float, optional
        The policy's ``max_stretch``.

    Examples
    --------
    >>> from safeaug.auditing.fates import Fate
    >>> findings_of([Fate.SLIVER, Fate.GONE], True, 0.6, 1.0)
    ('SA1.sliver', 'SA1.emptied', 'SA1.padded')
    """
    met = set(fates)
    found = {f"SA1.{fate.name.lower()}" for fate in DAMAGE if fate in met}
    if emptied:
        found.add("SA1.emptied")
    if padded is not None and padded >= PADDED:
        found.add("SA1.padded")
    if stretch is not None and stretch > (STRETCHED if most is None else most) * (1 + 1e-6):
        found.add("SA1.stretched")
    return tuple(code for code in CODES if code in found)
