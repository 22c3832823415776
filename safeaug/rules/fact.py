"""What is noted of one part of a sample."""

from typing import Literal, NamedTuple

Role = Literal["none", "image", "mask", "boxes", "points", "other"]
"""What a part is to the rules. Of ``other`` nothing is known, so little is asked."""

Row = tuple[float, ...]


class Fact(NamedTuple):
    """What is noted of one part of a sample, once.

    Parameters
    ----------
    path : str
        Where it stands: ``"image"``, ``"[1].boxes"``; empty where the sample is this part alone.
    role : {"none", "image", "mask", "boxes", "points", "other"}
        What it is.
    type : str
        Name of its class; of a picture of Pillow with its mode, ``"Image(RGB)"``.
    shape : tuple of int or None
        Of an array; ``(height, width)`` of a picture of Pillow; ``(length,)`` of a list.
    dtype : str or None
        As numpy names it.
    size : (int, int) or None
        Height and width of a picture.
    channels : int or None
        Of a picture.
    layout : {"HWC", "CHW", "HW"} or None
        Of a picture.
    low, high : float or None
        The smallest and greatest finite value; None where values were not looked at, or there are none.
    finite : float
        Share of values that are neither NaN nor infinite.
    nans : int
        How many are NaN.
    probe : tuple of float
        Values of 16 pixels in a grid, row by row, all channels of each: two pictures of one size whose pixels have not
        moved can be compared by them.
    labels : frozenset of int or None
        Of a mask of whole numbers, all that occur.
    rows : tuple of rows or None
        Of boxes, as they are given.
    form : str or None
        In which format boxes are, where their type says so.
    orientation : int
        Of a picture of Pillow: its EXIF orientation; 1 for upright.
    """

    path: str
    role: Role
    type: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    size: tuple[int, int] | None = None
    channels: int | None = None
    layout: Literal["HWC", "CHW", "HW"] | None = None
    low: float | None = None
    high: float | None = None
    finite: float = 1.0
    nans: int = 0
    probe: Row = ()
    labels: frozenset[int] | None = None
    rows: tuple[Row, ...] | None = None
    form: str | None = None
    orientation: int = 1

    @property
    def floats(self) -> bool:
        """Whether its values are floating point numbers."""
        return self.dtype is not None and "float" in self.dtype

    def __str__(self) -> str:
        """Return it as a crumb of a trail tells it."""
        told = [self.type]
        if self.dtype is not None:
            told.append(self.dtype)
        if self.shape is not None:
            told.append("x".join(map(str, self.shape)) or "scalar")
        if self.low is not None and self.high is not None:
            told.append(f"{self.low:.4g}..{self.high:.4g}")
        if self.finite < 1:
            told.append(f"finite {self.finite:.4g}")
        return f"{self.path or 'sample'}: {' '.join(told)}"


Facts = tuple[Fact, ...]
"""Of all parts of a sample, in order."""
