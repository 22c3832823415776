"""SA4: a crop that is larger than its picture, which is padded or scaled up in silence."""

from typing import Any

from safeaug.records import Finding
from safeaug.rules.fact import Fact

CROPS = frozenset({"RandomCrop", "CenterCrop"})
"""Classes of all hosts that cut a window of a fixed size, without scaling it."""


def declared(node: Any) -> tuple[int, int] | None:
    """Return the height and width that a crop is to cut out; None of what is no crop, or is told to pad.

    Parameters
    ----------
    node : Any
        A step of any host: it is told by its class's name, and read by its attributes.

    Examples
    --------
    >>> class CenterCrop:
    ...     size = (224, 224)
    >>> declared(CenterCrop()), declared(print)
    ((224, 224), None)
    """
    names = {base.__name__ for base in type(node).__mro__}
    flags = getattr(node, "flags", None)  # where kornia has them
    said = {**(flags if isinstance(flags, dict) else {}), **getattr(node, "__dict__", {})}
    if not names & CROPS or said.get("pad_if_needed") or said.get("padding"):
        return None
    size = said.get("size", getattr(node, "size", None))
    if size is None:
        size = said.get("height"), said.get("width")
    if isinstance(size, int):
        size = size, size
    if not isinstance(size, tuple | list) or len(size) != 2 or not all(isinstance(side, int) for side in size):
        return None
    return int(size[0]), int(size[1])


def oversized(before: Fact, after: Fact, crop: tuple[int, int] | None) -> list[Finding]:
    """Return a finding where a crop is larger than its picture, and hands on one of its own size all the same.

    Parameters
    ----------
    before, after : Fact
        Of the picture, on both sides of the step.
    crop : (int, int) or None
        What it is to cut out: see `declared`.

    Examples
    --------
    >>> small, large = (Fact("image", "image", "Tensor", (1, *size), "float32", size) for size in ((6, 8), (10, 10)))
    >>> [str(each) for each in oversized(small, large, (10, 10))]  # doctest: +ELLIPSIS
    ['SA4.crop: image is 6 x 8, less than the crop of 10 x 10, which pads or scales it up in silence. ...']
    >>> oversized(large, small, (6, 8)), oversized(small, small, None)
    ([], [])
    """
    if crop is None or before.role != "image" or before.size is None or after.size != crop:
        return []
    (height, width), (high, wide) = before.size, crop
    if high <= height and wide <= width:
        return []
    text = (
        f"is {height} x {width}, less than the crop of {high} x {wide}, which pads or scales it up in silence. Resize "
        "before it, or ask for padding (pad_if_needed=True)"
    )
    return [Finding("SA4.crop", text, after.path)]
