"""What is known of one step of a pipeline."""

from typing import Any, NamedTuple

from safeaug.trace.moving import Moving

INPUT = "input"
"""Step of what a pipeline is called with."""


class Place(NamedTuple):
    """What is known of one step of a pipeline.

    Parameters
    ----------
    name : str
        Index path and class.
    where : str
        ``file:line`` of its class, where it is somebody's own.
    fills : frozenset of int
        With what it fills masks.
    moving : Moving
        Whether it may move a picture and leave a target, and how often that was looked at.
    here : bool
        Whether it is looked at where it stands: it is no host's own, or works in place.
    keeps : bool
        Whether it hands on the values that it is given, in another carrier.
    crop : (int, int) or None
        Height and width of the window that it is to cut out, if it is a crop of a fixed size.
    """

    name: str
    where: str
    fills: frozenset[int]
    moving: Moving
    here: bool
    keeps: bool
    crop: tuple[int, int] | None = None


def params_of(node: Any) -> dict[str, Any]:
    """Return what a step has drawn last, where it keeps that."""
    for name in ("params", "_params"):
        params = getattr(node, name, None)
        if isinstance(params, dict):
            return {str(key): value for key, value in params.items() if key not in {"shape", "shapes"}}
    return {}
