"""One draw of a guarded crop, as the search sees it: where the host could have drawn, and chance of its own."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from safeaug.albumentations.fork import Fork
from safeaug.geometry import Domain, Size, Window


class Crop(Protocol):
    """What a draw asks of its transform."""

    redraws: bool

    def fork(self, first: Window) -> Fork:
        """Return the guard's generator, set for this call and this drawn window."""
        ...

    def output(self, size: Size) -> Size:
        """Return the output size of a window of this size."""
        ...

    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return the sizes inside the host's own range."""
        ...

    @property
    def sampler(self) -> Callable[..., dict[str, Any]]:
        """The host's own sampler, unbound."""
        ...


class Draw:
    """The host of one draw, and its streams of uniform numbers.

    Parameters
    ----------
    crop : Crop
        The transform.
    params, data : dict
        What the transform was asked to draw for.
    frame : (x0, y0, x1, y1)
        The image and its padding, inside which the host places windows, in the image frame.
    first : (x0, y0, x1, y1)
        The window that the host drew.
    """

    __slots__ = ("_asked", "_crop", "_first", "_fork", "_frame", "_sampler", "_stand_in", "output")

    def __init__(self, crop: Crop, params: dict[str, Any], data: dict[str, Any], frame: Window, first: Window) -> None:
        self._crop = crop
        self.output = crop.output
        self._asked = params, data
        self._frame = frame
        self._first = first
        self._fork: Fork | None = None
        self._stand_in: Any = None

    @property
    def redraws(self) -> bool:
        """Whether the host draws sizes."""
        return self._crop.redraws

    @property
    def whole(self) -> Size | None:
        """The image's size where the host resizes what it cuts."""
        size: Size = self._asked[0]["shape"][:2]
        return size if self._crop.redraws else None

    def domain(self, size: Size) -> Domain:
        """Return the positions that the host can draw for a window of this size: all inside the frame."""
        x0, y0, x1, y1 = self._frame
        return Domain(x0, x1 - size[1], y0, y1 - size[0])

    def lattice(self) -> Iterable[Size]:
        """Return the sizes inside the host's own range."""
        return self._crop.lattice(self._asked[0]["shape"][:2])

    def redraw(self, _number: int) -> Window:
        """Return a further draw of the host's own sampler."""
        if self._stand_in is None:
            self._fork = self._fork or self._crop.fork(self._first)
            self._stand_in, self._sampler = stand_in(self._crop, self._fork), self._crop.sampler
        window: Window = self._sampler(self._stand_in, *self._asked)["crop_coords"]
        return window

    def stream(self, _purpose: int) -> Callable[[], float]:
        """Return the fork's numbers. They are asked for in a fixed order, so one sequence serves all purposes."""
        if self._fork is None:
            self._fork = self._crop.fork(self._first)
        return self._fork.random


def stand_in(transform: Any, py_random: Fork) -> Any:
    """Return a twin of a transform with another generator: the host's sampler runs on it and leaves the other alone."""
    twin = object.__new__(type(transform))
    twin.__dict__.update(transform.__dict__, py_random=py_random)
    return twin
