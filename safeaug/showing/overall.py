"""What a model will see, in one call."""

import sys
from collections.abc import Sequence
from os import PathLike
from typing import Any, get_args

import numpy as np

from safeaug.data.remarks import printable
from safeaug.errors import PolicyError
from safeaug.geometry import BoxFormat
from safeaug.showing.boxes import Format, Rows, format_of, rows_of
from safeaug.showing.cell import View
from safeaug.showing.labels import Names
from safeaug.showing.laid import laid
from safeaug.showing.marks import Marks, marks_of
from safeaug.showing.pixels import Layout, Pixels, pixels_of
from safeaug.showing.scale import Levels, Numbers, Scale, levels_of, numbers_of, scale_of
from safeaug.showing.sheet import Sheet, in_notebook
from safeaug.showing.structure import Part, parts_of
from safeaug.showing.text import short
from safeaug.showing.words import about_of, below_of, counted, title_of
from safeaug.showing.written import written

MOST = 64
"""Pictures on one sheet."""

LONGEST = 200
"""Characters of a title."""

CUT = 0.001
"""Share of values outside of 0 and 1 above which that is told, where mean and std were given."""


def show(
    batch: Any,
    *,
    out: str | PathLike[str] | None = None,
    mean: Numbers | None = None,
    std: Numbers | None = None,
    names: Names | None = None,
    box_format: BoxFormat | None = None,
    layout: Layout | None = None,
    most: int = MOST,
    title: str = "",
) -> Sheet:
    """Show a batch as it comes from a loader: what a model will see, just before it does.

    Parameters
    ----------
    batch : Any
        A tensor or array of shape (B, C, H, W) or (B, H, W, C), of any kind of numbers; a list of pictures; a pair
        (images, targets); a mapping with ``image``, ``images`` or ``pixel_values``, and ``boxes``, ``bboxes``,
        ``masks``, ``mask``, ``keypoints`` or ``labels``; a list of such pairs or mappings; one picture or one sample.
        Of any library: tensors are known by what they can do.
    out : path, optional
        The file to write, or the folder; its ending says the format. Left out, a notebook shows what is returned, and
        elsewhere a file in the current folder is written, and named on standard error.
    mean, std : float or sequence of float, optional
        What pixels were normalised by, which is undone. Left out, it is guessed, and the sheet says how.
    names : sequence of str, or mapping, optional
        Of classes, by their numbers.
    box_format : {"xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn", "cxcywhr"}, optional
        The format of boxes that do not say theirs; left out, corners, where they can be that.
    layout : {"CHW", "HWC"}, optional
        Where the channels are; left out, where there are 1, 3 or 4.
    most : int, default 64
        How many pictures are shown, the first; 64 at most.
    title : str, optional
        What stands above all.

    Returns
    -------
    Sheet
        The picture, and what was found: ``.path``, ``.pictures``, ``.faults``; ``print`` tells it.

    Raises
    ------
    DataError
        Where the batch holds no pictures in a structure that is known: it says what was given, and what is taken.
    PolicyError
        On an argument that is out of range.
    OutputError
        Where ``out`` cannot be written.

    Notes
    -----
    Each picture is marked with what is wrong: pixels that are NaN or infinite, in magenta and counted; values that are
    all the same; boxes outside of it, without area, or with swapped corners; empty masks. ``batch`` is left as it is.

    Examples
    --------
    >>> import numpy as np, safeaug, tempfile
    >>> images = np.linspace(-2, 2.2, 2 * 3 * 32 * 48, dtype=np.float32).reshape(2, 3, 32, 48)
    >>> images[1, 0, 3, 4] = np.nan
    >>> targets = [{"boxes": [[4, 4, 20, 30]], "labels": [0]}, {"boxes": [[40, 40, 60, 60]], "labels": [1]}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sheet = safeaug.show((images, targets), names=["cat", "dog"], out=folder)
    >>> print(sheet)
    2 pictures of 32 x 48, 3 channels, float32
    normalisation undone by a guess: mean and std of ImageNet, which bring all values between 0 and 1
    1 of 2 hold pixels that are not finite, in magenta
    0; values -2 to 0.0998; 1 object
    1; values 0.1 to 2.2; 1 object; 1 pixel NaN; 1 box outside
    >>> sheet.path.name
    'safeaug_batch.png'
    """
    _check(box_format, layout, most)
    middle, spread = numbers_of("mean", mean), numbers_of("std", std)
    found = parts_of(batch, most)
    pixels = [pixels_of(part.picture, layout, f"image {number}") for number, part in enumerate(found.parts)]
    scales = _scales(pixels, middle, spread)
    levels = [levels_of(each, scales[each.dtype]) for each in pixels]
    marks, said = _marks(found.parts, pixels, box_format, names)
    abouts = [about_of(each, scales[each.dtype], mark) for each, mark in zip(pixels, marks, strict=True)]
    heading = short(title, LONGEST) or title_of(abouts, found.total)
    lines = [*([title_of(abouts, found.total)] if title else []), *_said(scales), *said, *found.said]
    faults = [*_outside(levels, pixels, scales), *counted(abouts)]
    order, below = _order(marks), below_of(abouts, marks)
    views = [
        View(level.pixels, each.bad, mark, order, lines_of, about.faults)
        for level, each, mark, lines_of, about in zip(levels, pixels, marks, below, abouts, strict=True)
    ]
    heading, lines, faults = printable(heading), [*map(printable, lines)], [*map(printable, faults)]
    image = laid(heading, lines, faults, views)
    path = None
    if out is not None or not in_notebook():
        path = written(image, out)
        if out is None:
            sys.stderr.write(f"safeaug: {heading}, shown in {path}\n")
    return Sheet(image, heading, tuple(lines), tuple(faults), tuple(abouts), path)


def _check(box_format: Any, layout: Any, most: Any) -> None:
    if box_format is not None and box_format not in get_args(BoxFormat):
        raise PolicyError(f"box_format must be one of {', '.join(get_args(BoxFormat))}, got {box_format!r}")
    if layout is not None and layout not in get_args(Layout):
        raise PolicyError(f"layout must be one of {', '.join(get_args(Layout))}, got {layout!r}")
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST:
        raise PolicyError(f"most must be a whole number from 1 to {MOST}, got {most!r}")


# Values.


def _scales(pixels: Sequence[Pixels], mean: Any, std: Any) -> dict[str, Scale]:
    """Return how values are shown, by what they are: one way for all pictures, so that these can be compared."""
    kinds: dict[str, list[Pixels]] = {}
    for each in pixels:
        kinds.setdefault(each.dtype, []).append(each)
    return {dtype: scale_of(group, mean, std) for dtype, group in kinds.items()}


def _said(scales: dict[str, Scale]) -> list[str]:
    several = len(scales) > 1
    return [f"{dtype}: {scale.said}" if several else scale.said for dtype, scale in scales.items() if scale.said]


def _outside(levels: Sequence[Levels], pixels: Sequence[Pixels], scales: dict[str, Scale]) -> list[str]:
    """Return how many values a mean and std that were given do not bring between 0 and 1."""
    shares = [level.outside for level, each in zip(levels, pixels, strict=True) if not scales[each.dtype].guess]
    share = sum(shares) / len(shares) if shares else 0.0
    if share <= CUT:
        return []
    return [f"{100 * share:.2g} % of the values are not between 0 and 1 then: is it another mean and std?"]


# Marks.


def _marks(
    parts: Sequence[Part], pixels: Sequence[Pixels], box_format: BoxFormat | None, names: Names | None
) -> tuple[list[Marks], list[str]]:
    sizes = [each.size for each in pixels]
    turned = box_format == "cxcywhr"
    rows = [rows_of(part.says, size, turned) for part, size in zip(parts, sizes, strict=True)]
    form = Format(box_format, "") if box_format else _guessed(rows, pixels)
    marks = [
        marks_of(part.says, each, form.name, size, names) for part, each, size in zip(parts, rows, sizes, strict=True)
    ]
    return marks, [form.said] if form.said else []


def _guessed(rows: Sequence[Rows], pixels: Sequence[Pixels]) -> Format:
    silent = [(each.numbers, of.size) for each, of in zip(rows, pixels, strict=True) if each.told is None]
    return format_of([numbers for numbers, _ in silent], [size for _, size in silent])


def _order(marks: Sequence[Marks]) -> list[int]:
    """Return the classes of all semantic masks, but for the background."""
    held = [np.unique(mark.classes) for mark in marks if mark.classes is not None]
    return [value for value in np.unique(np.concatenate(held)).tolist() if value] if held else []
