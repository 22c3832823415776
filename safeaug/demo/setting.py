"""What makes one kind of content a demonstration of its own: its pictures, its transforms, its words."""

from collections.abc import Callable
from typing import Any, NamedTuple

from safeaug.demo.caption import Caption
from safeaug.demo.column import Column
from safeaug.demo.draw import Draw
from safeaug.demo.made import Calling
from safeaug.demo.scenes import Scene
from safeaug.policy import Policy


class Words(NamedTuple):
    """What the table and the sheet say.

    Parameters
    ----------
    title : str
        Of the sheet.
    lines : tuple of str
        Below it; ``{seed}`` stands for the seed of the draws.
    bad, good : str
        What a crop in the one frame and in the other means.
    headline : str
        What became of the first picture; see `safeaug.cli.demo` for what may stand in braces.
    legend : str
        What the columns mean.
    unmet : str
        When the promise cannot be met, and what is done then.
    hint : (str, str)
        The line to change, as it was and as it is.
    """

    title: str
    lines: tuple[str, ...]
    bad: str
    good: str
    headline: str
    legend: str
    unmet: str
    hint: tuple[str, str]


class Setting(NamedTuple):
    """A demonstration.

    Parameters
    ----------
    scenes : callable
        Returns its pictures.
    policy : Policy
        By which both are judged, and to which the guard holds.
    plain, guarded : callable
        Return the host's transform, and the guarded one, which can ``report()``.
    calling : callable
        How the host's transforms are called.
    headline : callable
        Asks of a draw what the headline tells of.
    columns : tuple of Column
        Of the table. The first three stand on the sheet too.
    caption : callable
        Gives what stands below a crop.
    cuts : bool
        Whether windows are cut, which are then outlined on the picture. Where a picture is only scaled, no crop but a
        close-up of the object with the fewest pixels is shown.
    words : Words
        What is said of it.
    """

    scenes: Callable[[], list[Scene]]
    policy: Policy
    plain: Callable[[], Any]
    guarded: Callable[[], Any]
    calling: Calling
    headline: Callable[[Draw], bool]
    columns: tuple[Column, ...]
    caption: Callable[[Scene, Draw], Caption]
    cuts: bool
    words: Words
