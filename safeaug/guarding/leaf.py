"""What is known of one step of a pipeline, whatever its host."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from safeaug.counts import Counts
from safeaug.geometry import Size, Window
from safeaug.guarding.fork import Stream
from safeaug.guarding.way import Params, Way
from safeaug.ledger.changes import Change

if TYPE_CHECKING:
    pass


class Leaf(Protocol):
    """What a passage asks of a step; it is a `safeaug.guarding.draw.Guard` too, where its windows can be moved.

    Parameters of a draw hold ``"shape"``, the shape of the picture before the step, beside the host's own.
    """

    inner: Any
    """The transform, as the host made it."""

    counts: Counts
    """How its draws ended."""

    way: Way
    """In which way it changes the picture."""

    kind: Any
    """The `Kind` of its windows; None where it has none that are moved."""

    fixed: bool
    """Whether its windows stay as the host has them."""

    guards: bool
    """Whether its draws can be changed."""

    eases: bool
    """Whether a weaker draw never takes more from any object than a stronger one."""

    varies: bool
    """Whether another draw of it may take more or less from an object."""

    last: bool
    """Whether the picture may end as this step leaves it."""

    followed: bool
    """Whether another guarded step may come behind it."""

    chosen: bool
    """Whether chance decides if this step, or one before it, is applied."""

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments."""
        ...

    def change(self, params: Params, image_size: Size) -> Change | None:
        """Return what a draw does to the picture; None for nothing.

        Raises
        ------
        UntoldError
            Where nobody can tell.
        RefusedError
            Where the host itself will refuse to apply the draw.
        """
        ...

    def soften(self, params: Params, image_size: Size, strength: float) -> Params | None:
        """Return the same draw, scaled toward the one that changes nothing; None where there is no such thing."""
        ...

    def fork(self, first: Window) -> Stream:
        """Return the guard's generator, set for this call and this drawn window."""
        ...

    def again(self, fork: Any) -> Callable[[Params, Params], Params]:
        """Return the host's own sampler, drawing from a fork."""
        ...

    def left_out(self, params: Params, window: Window) -> Exception:
        """Return what leaves a draw out."""
        ...
