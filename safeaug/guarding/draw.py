"""One draw of a guarded transform, as the search sees it: where the host could have drawn, and chance of its own."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from safeaug.candidates import Law
from safeaug.geometry import Domain, Size, Window
from safeaug.guarding.fork import Stream

if TYPE_CHECKING:
    from safeaug.guarding.kind import Kind


class Guard(Protocol):
    """What a draw asks of its guarded transform."""

    kind: "Kind"

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments."""
        ...

    def fork(self, first: Window) -> Stream:
        """Return the guard's generator, set for this call and this drawn window."""
        ...

    def again(self, fork: Any) -> Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]:
        """Return the host's own sampler, drawing from a fork."""
        ...


class Draw:
    """The host of one draw, and its streams of uniform numbers: a `safeaug.candidates.Host`.

    Parameters
    ----------
    guard : Guard
        The guarded transform.
    params, data : dict
        What the transform was asked to draw for.
    drawn : dict
        The host's draw. A kind that changes more than the window changes it here; one that draws anew replaces it.
    frame : (x0, y0, x1, y1)
        The rectangle, in the image frame, inside which the host places windows.
    first : (x0, y0, x1, y1)
        The window that the host drew, in the image frame.
    fork : Fork, optional
        The guard's generator, where numbers of this draw have been taken from it already.
    """

    __slots__ = (
        "_again",
        "_fork",
        "_guard",
        "_kind",
        "data",
        "drawn",
        "first",
        "frame",
        "hopeless",
        "image_size",
        "only_drawn",
        "params",
    )

    def __init__(
        self,
        guard: Guard,
        params: dict[str, Any],
        data: dict[str, Any],
        drawn: dict[str, Any],
        frame: Window,
        first: Window,
        fork: Stream | None = None,
    ) -> None:
        self._guard, self._kind = guard, guard.kind
        self.params, self.data, self.drawn = params, data, drawn
        self.image_size: Size = params["shape"][:2]
        self.frame, self.first = frame, first
        self._fork = fork
        self._again: Any = None
        self.hopeless = False
        """Whether a kind has found that no further draw of the host can do."""
        self.only_drawn = False
        """Whether no other size is looked at than the drawn one."""

    @property
    def transform(self) -> Any:
        """The transform that holds the host's arguments."""
        return self._guard.host

    @property
    def law(self) -> Law:
        """How the host comes to its windows."""
        return self._kind.law

    @property
    def redraws(self) -> bool:
        """Whether another draw of the host may do."""
        return self._kind.redraws and not self.hopeless and not self.only_drawn

    @property
    def whole(self) -> Size | None:
        """The image's size where the host resizes what it cuts."""
        return self.image_size if self._kind.enlarges and not self.only_drawn else None

    def output(self, size: Size) -> Size:
        """Return the output size of a window of this size."""
        return self._kind.output(self._guard.host, size, self.drawn, self.image_size)

    def domain(self, size: Size) -> Domain:
        """Return the positions that the host can draw for a window of this size."""
        return self._kind.domain(self, size)

    def within(self, size: Size) -> NDArray[np.bool_] | None:
        """Return which of them the host's own promise allows; None for all."""
        return self._kind.within(self, size)

    def lattice(self) -> Iterable[Size]:
        """Return the sizes inside the host's own range."""
        return () if self.only_drawn else self._kind.lattice(self)

    def redraw(self, _number: int) -> Window:
        """Return a further draw of the host's own sampler."""
        window = self._kind.window(self._guard.host, self.redrawn(), self.image_size)
        return self.first if window is None else window  # one that the host refuses stands for none

    def redrawn(self) -> dict[str, Any]:
        """Return the parameters of a further draw of the host's own sampler."""
        if self._again is None:
            self._fork = self._fork or self._guard.fork(self.first)
            self._again = self._guard.again(self._fork)
        drawn: dict[str, Any] = self._again(self.params, self.data)
        return drawn

    def stream(self, _purpose: int) -> Callable[[], float]:
        """Return the fork's numbers. They are asked for in a fixed order, so one sequence serves all purposes."""
        if self._fork is None:
            self._fork = self._guard.fork(self.first)
        return self._fork.random


def stand_in(transform: Any, **generators: Any) -> Any:
    """Return a twin of a transform with other generators: the host's sampler runs on it and leaves the other alone."""
    twin = object.__new__(type(transform))
    twin.__dict__.update(transform.__dict__, **generators)
    return twin
