"""What `safeaug.show` hands back: a picture that a notebook shows, and what was found about the batch."""

import math
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from safeaug.geometry import Size
from safeaug.showing.written import encoded, written


class About(NamedTuple):
    """What one picture of a batch is.

    Parameters
    ----------
    size : (int, int)
        Height and width.
    channels : int
        Numbers a pixel.
    dtype : str
        What the numbers are.
    low, high : float
        The least and the greatest finite value; NaN where none is finite.
    nan, infinite : int
        Pixels that hold a NaN, and an infinity.
    label : str
        The class of the picture.
    objects : int or None
        Boxes, or masks where there are none; None where nothing is said of objects.
    faults : tuple of str
        What is wrong.
    """

    size: Size
    channels: int
    dtype: str
    low: float
    high: float
    nan: int
    infinite: int
    label: str
    objects: int | None
    faults: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A batch as it was shown. A notebook shows it; anywhere else ``print`` tells what stands on it.

    Parameters
    ----------
    image : Image
        The sheet, of Pillow's.
    title : str
        What it shows.
    said : tuple of str
        What was done to the values, and what was guessed or left out.
    faults : tuple of str
        What is wrong with the batch as a whole.
    pictures : tuple of About
        Each picture that is shown.
    path : Path or None
        The file that it was written to; None where it was not.
    """

    image: Image.Image
    title: str
    said: tuple[str, ...]
    faults: tuple[str, ...]
    pictures: tuple[About, ...]
    path: Path | None = None

    def save(self, out: str | PathLike[str]) -> Path:
        """Write the sheet to a file, and return where; raises `OutputError` where that cannot be."""
        return written(self.image, out)

    def __str__(self) -> str:
        return "\n".join([self.title, *self.said, *self.faults, *map(_line, range(len(self.pictures)), self.pictures)])

    def __repr__(self) -> str:
        where = "" if self.path is None else f" in {str(self.path)!r}"
        return f"<Sheet of {self.title}{where}>"

    def _repr_png_(self) -> bytes:
        return encoded(self.image, "PNG")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"image/png": self._repr_png_(), "text/plain": str(self)}


def _line(number: int, about: About) -> str:
    """Return what is said of one picture."""
    values = values_text(about.low, about.high)
    parts = [f"{number}: {about.label}" if about.label else str(number), values]
    if about.objects is not None:
        parts.append(objects_text(about.objects))
    return "; ".join([*parts, *about.faults])


def values_text(low: float, high: float) -> str:
    """Return the range of values in words.

    Examples
    --------
    >>> values_text(-2.1179, 2.64), values_text(0.0, 0.0), values_text(float("nan"), float("nan"))
    ('values -2.12 to 2.64', 'all values 0', 'no value finite')
    """
    if math.isnan(low):
        return "no value finite"
    return f"all values {low:.3g}" if low == high else f"values {low:.3g} to {high:.3g}"


def objects_text(count: int) -> str:
    """Return how many objects there are, in words."""
    return f"{count or 'no'} object{'' if count == 1 else 's'}"


def in_notebook() -> bool:
    """Return whether what a cell comes to is shown as a picture: in Jupyter and its like, and in marimo."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    marimo = getattr(sys.modules.get("marimo"), "running_in_notebook", lambda: False)
    return hasattr(shell, "kernel") or bool(marimo())
