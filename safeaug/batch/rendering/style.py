"""How pictures are drawn: by which filter, and by which renderer."""

from typing import Literal, NamedTuple

Interpolation = Literal["bilinear", "bicubic"]
"""The filter: a triangle, or Keys' cubic with a = -1/2. Bicubic is always antialiased."""

Renderer = Literal["slices", "dense", "kernel"]
"""Picture by picture, by matrices of weights, or by the kernel of a GPU."""


class Style(NamedTuple):
    """How pictures are drawn.

    Parameters
    ----------
    interpolation : {"bilinear", "bicubic"}
        The filter.
    antialias : bool
        Whether it widens where the picture shrinks; True for bicubic.
    renderer : {"slices", "dense", "kernel"}, or None
        What draws; None for the quickest that a batch's device has.
    threads : int, or None
        Threads that draw on the CPU; None for as many as torch uses for one operation.
    """

    interpolation: Interpolation = "bilinear"
    antialias: bool = True
    renderer: Renderer | None = None
    threads: int | None = None


STYLE = Style()
"""Antialiased bilinear, by what is quickest."""
