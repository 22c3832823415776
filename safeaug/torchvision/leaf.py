"""What is known of one transform whose draws are guarded, alone or as a step of a pipeline, and its chance."""

from collections.abc import Callable
from typing import Any

from torchvision.transforms import transforms as v1
from torchvision.transforms import v2

from safeaug.counts import Counts
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding import Params, Stream, Way, can_act
from safeaug.ledger.changes import Change
from safeaug.torchvision.chance import apart, fork_of
from safeaug.torchvision.changes import change_of, eases, softened, softens, theirs, way_of
from safeaug.torchvision.guarded import Guarded
from safeaug.torchvision.leaving import LeftOut
from safeaug.torchvision.windows import kind_of
from safeaug.torchvision.windows.kind import ASKED
from safeaug.torchvision.windows.known import is_timms

FIXED = v2.CenterCrop, v2.Resize, v2.Pad, v1.CenterCrop, v1.Resize, v1.Pad
"""Windows that the host does not draw. They are measured: who moves them lets labels into what is evaluated."""

OURS = "safeaug."
"""Modules whose classes stand before the host's."""


def made(twin: Any, params: Params, data: Params) -> Params:
    """Return a further draw of a transform of v2: what its ``make_params`` draws for the leaves of a sample."""
    drawn: Params
    if way_of(twin) is Way.WINDOW:  # one of these may draw for ever, and its kind knows how to stop it
        drawn = kind_of(twin).sample(twin, data["leaves"], anew=True)
    else:
        drawn = twin.make_params(data["leaves"])
    return drawn


class Leaf:
    """What is known of a step, and its chance: a `safeaug.guarding.Leaf`, and a `safeaug.guarding.draw.Guard`.

    Parameters
    ----------
    inner : torch.nn.Module or callable
        The transform, as the host made it.
    path : tuple of int
        Where it stands in the pipeline; empty for one that stands alone.
    move_fixed : bool
        Whether a window that the host does not draw is moved too.
    sample : callable, optional
        From the plain transform, the parameters and the data of a call to a draw of the host's own sampler. Left out:
        `made`, which is that of v2.
    """

    def __init__(
        self,
        inner: Any,
        path: tuple[int, ...],
        move_fixed: bool,
        sample: Callable[[Any, Params, Params], Params] = made,
    ) -> None:
        self.inner, self.path, self.called = inner, path, type(inner).__name__
        self.name = f"{'.'.join(map(str, path))} {self.called}".strip()
        self.way = way_of(inner)
        self.opaque = self.way in {Way.UNKNOWN, Way.MIXING}
        """Whether nobody sees its draws."""
        keeps_its_own = isinstance(inner, Guarded)  # a promise of its own, which this one only measures
        self.kind = kind_of(inner) if self.way is Way.WINDOW and not keeps_its_own else None
        # A resize shows the whole picture: in a pipeline that is left to a crop.
        self.fixed = self.kind is None or (isinstance(inner, FIXED) and not move_fixed)
        self.guards = not keeps_its_own and can_act(self.way, fixed=self.fixed, softens=softens(inner))
        """Whether its draws can be changed."""
        self.eases = eases(inner)
        """Whether a weaker draw never takes more from any object than a stronger one."""
        self.varies = self.way not in {Way.STILL, Way.RIGID} and not isinstance(inner, FIXED)
        """Whether another draw of it may take more or less from an object."""
        self.theirs = bool(theirs(type(getattr(inner, "inner", inner)).__mro__))
        """Whether somebody else wrote it."""
        self.last, self.followed = True, False
        """Whether the picture may end as this step leaves it; whether another guarded step may come behind it."""
        self.chosen = False
        """Whether chance decides if this step, or one before it, is applied."""
        self.counts = Counts(self.called, quiet=True)
        self._sample = sample
        self._pythons = is_timms(type(inner))
        """Whether the host draws from Python's generator as well."""
        self._place = _place_of(path)

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments."""
        return self.inner

    def change(self, params: Params, image_size: Size) -> Change | None:
        """Return what a draw does to the picture."""
        return change_of(self.inner, params, image_size)

    def soften(self, params: Params, image_size: Size, strength: float) -> Params | None:
        """Return the same draw, weaker, as the host's own parameters: it takes no others."""
        weaker = softened(self.inner, params, image_size, strength)
        return None if weaker is None else {name: value for name, value in weaker.items() if name not in ASKED}

    def left_out(self, params: Params, window: Window) -> LeftOut:
        """Return what leaves a draw out."""
        assert self.kind is not None
        size = params["shape"][:2]
        promised = self.kind.output(self.inner, size_of(window), params, size) if self.kind.promises else None
        return LeftOut(size, promised)

    def fork(self, first: Window) -> Stream:
        """Return a generator for this call: it derives from the host's, as its draw has left it, and from the path."""
        return fork_of(first, self._place, python=self._pythons)

    def again(self, fork: Stream) -> Callable[[Params, Params], Params]:
        """Return the host's own sampler, drawing from a fork: the host's stream is not consumed."""
        twin, sample = plain_of(self.inner), self._sample

        def draw(params: Params, data: Params) -> Params:
            drawn = None if self.kind is None else self.kind.drawn_by(twin, params["shape"], fork.random)
            if drawn is not None:
                return drawn
            with apart(fork.getrandbits(64), python=self._pythons):
                return sample(twin, params, data)

        return draw


def plain_of(transform: Any) -> Any:
    """Return a twin of a transform without what this library put before the host's class.

    It shares all that the transform holds. The class is the one behind the last of ours, so that a class that somebody
    else derived from the host's stays what it is.

    Examples
    --------
    >>> from torchvision.transforms import v2
    >>> type(plain_of(v2.RandomAffine(10))).__name__
    'RandomAffine'
    """
    given = type(transform).__mro__
    ours = [i for i, each in enumerate(given) if each.__module__.startswith(OURS)]
    plain: Any = object.__new__(given[ours[-1] + 1 if ours else 0])
    plain.__dict__.update(transform.__dict__)
    return plain


def _place_of(path: tuple[int, ...]) -> int:
    """Return a number that stands for a path: steps that draw nothing between them see the same state of torch's."""
    place = 0
    for number in path:
        place = place * 1009 + number + 1
    return place
