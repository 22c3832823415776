"""A batch and its pictures in words: the title, what stands below a picture, and what is wrong."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from safeaug.data.remarks import printable
from safeaug.showing.marks import Marks
from safeaug.showing.masked import classes_in
from safeaug.showing.pixels import Pixels
from safeaug.showing.scale import Scale, is_dim
from safeaug.showing.sheet import About, objects_text, values_text
from safeaug.showing.text import short

LONGEST = 80
"""Characters of a label below a picture."""


class _Kind(NamedTuple):
    size: tuple[int, int]
    channels: int
    dtype: str


def _kind(about: About) -> _Kind:
    return _Kind(about.size, about.channels, about.dtype)


def _kind_text(kind: _Kind) -> str:
    channels = f"{kind.channels} channel{'' if kind.channels == 1 else 's'}"
    return f"{kind.size[0]} x {kind.size[1]}, {channels}, {kind.dtype}"


def _alike(abouts: Sequence[About]) -> bool:
    return len({_kind(about) for about in abouts}) == 1


def title_of(abouts: Sequence[About], total: int) -> str:
    """Return what pictures there are; of all the same size and kind, this too."""
    what = f"{total} picture{'' if total == 1 else 's'}"
    text = f"{what} of {_kind_text(_kind(abouts[0]))}" if _alike(abouts) else what
    return text if total == len(abouts) else f"{text}: the first {len(abouts)}"


def about_of(pixels: Pixels, scale: Scale, marks: Marks) -> About:
    """Return what one picture is, and what is wrong with it."""
    faults = [
        *([_pixels_text(pixels.nan, "NaN")] if pixels.nan else []),
        *([_pixels_text(pixels.infinite, "infinite")] if pixels.infinite else []),
        *(["flat: one value throughout"] if pixels.flat else []),
        *(["all but black: scaled twice?"] if is_dim(pixels, scale) else []),
        *marks.notes,
    ]
    return About(
        size=pixels.size,
        channels=pixels.values.shape[2],
        dtype=pixels.dtype,
        low=pixels.low,
        high=pixels.high,
        nan=pixels.nan,
        infinite=pixels.infinite,
        label=printable(marks.label),
        objects=marks.objects if marks.asked else None,
        faults=tuple(map(printable, faults)),
    )


def _pixels_text(count: int, what: str) -> str:
    return f"{count} pixel{'' if count == 1 else 's'} {what}"


def below_of(abouts: Sequence[About], marks: Sequence[Marks]) -> Iterator[list[str]]:
    """Yield what stands below each picture."""
    alike = _alike(abouts)
    for number, (about, mark) in enumerate(zip(abouts, marks, strict=True)):
        says = [short(about.label, LONGEST)] if about.label else []
        says += [] if about.objects is None else [objects_text(about.objects)]
        yield [
            f"{number}: {', '.join(says)}" if says else str(number),
            values_text(about.low, about.high),
            *([classes_in(mark.classes)] if mark.classes is not None else []),
            *([] if alike else [_kind_text(_kind(about))]),
        ]


def counted(abouts: Sequence[About]) -> list[str]:
    """Return how many pictures of several have something wrong with their pixels."""
    found = {
        "hold pixels that are not finite, in magenta": sum(bool(each.nan or each.infinite) for each in abouts),
        "are flat": sum(each.low == each.high for each in abouts),
    }
    return [f"{count} of {len(abouts)} {what}" for what, count in found.items() if count and len(abouts) > 1]
