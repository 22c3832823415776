"""What stands before the classes of a host's transforms while they are watched, and what stands for functions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from safeaug.errors import Fault
from safeaug.guarding import Guise
from safeaug.rules.agreement import unknown
from safeaug.trace.apart import look_apart
from safeaug.trace.glance import Glance
from safeaug.trace.making import AGAIN, MAKING
from safeaug.trace.place import Place
from safeaug.trace.states import own_states, put_back, taken
from safeaug.trace.trail import TRAIL, Call, Trail, sample_of
from safeaug.trace.watcher import Watcher


class Pipeline(NamedTuple):
    """What is known of a watched pipeline.

    Parameters
    ----------
    watcher : Watcher
        Of it.
    place : Place
        Of its root.
    parts : tuple
        What has generators of its own.
    first : bool or None
        Whether its host takes channels first.
    known : frozenset of str or None
        Names of its targets; None where the host asks for none.
    form : str or None
        In which format boxes come and go; None where their type says so.
    """

    watcher: Watcher
    place: Place
    parts: tuple[Any, ...]
    first: bool | None
    known: frozenset[str] | None
    form: str | None


class WatchedStep(Guise):
    """What stands before the class of a step."""

    _watch_place: Place

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Transform as the host does, and let the trail look at what comes out."""
        call: Callable[..., Any] = super().__call__  # type: ignore[misc]  # the host's
        trail = TRAIL.get()
        return call(*args, **named) if trail is None else stepped(self, self._watch_place, trail, call, args, named)


class WatchedRoot(Guise):
    """What stands before the class of a whole pipeline."""

    _watch_pipeline: Pipeline

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Transform as the host does, with every step watched."""
        call: Callable[..., Any] = super().__call__  # type: ignore[misc]  # the host's
        return call(*args, **named) if TRAIL.get() is not None else through(self._watch_pipeline, call, args, named)

    def report(self) -> Any:
        """Return what was recorded: see `safeaug.watch`. Of a guarded pipeline, its own report is beside it."""
        told = self._watch_pipeline.watcher.report()
        guards = getattr(super(), "report", None)
        return told if guards is None else {**guards(), **told}


class Called:
    """What stands for a function among steps, or for anything else whose class nothing can stand before.

    Parameters
    ----------
    function : callable
        What is called.
    place : Place
        Of the step.
    """

    def __init__(self, function: Callable[..., Any], place: Place) -> None:
        self.function, self._watch_place = function, place

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function, and let the trail look at what comes out."""
        trail = TRAIL.get()
        if trail is None:
            return self.function(*args, **named)
        return stepped(self.function, self._watch_place, trail, self.function, args, named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "function" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.function, name)

    def __repr__(self) -> str:
        return repr(self.function)


def stepped(
    node: Any, place: Place, trail: Trail | Glance, call: Call, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Let a sample go through a step on a trail; say of an error where it comes from."""
    try:
        if trail.full and (place.here or place.moving.due()):
            return trail.here(node, place, call, args, named)
        result = call(*args, **named)
    except Fault:
        raise
    except Exception as error:
        trail.fail(error, place)
        raise
    # One list, and no call: this runs behind every step of every sample.
    trail.went.append(
        (node, place, args or named, dict(result) if type(result) is dict else result) if trail.full else place
    )
    if result is None or (type(result) is dict and result.get("image", place) is None):
        trail.none(node, place, result)
    return result


def through(pipeline: Pipeline, call: Call, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Let a sample go through a watched pipeline."""
    if not pipeline.watcher.turn():
        return _glanced(pipeline, call, args, named)
    states = _begin(pipeline)
    sample = sample_of(args, {key: value for key, value in named.items() if key != "force_apply"})
    trail = Trail(pipeline.watcher, sample, pipeline.first)
    if pipeline.known is not None and not pipeline.known.issuperset(named):
        trail.refuse(unknown(trail.closely(sample), pipeline.known))
    token = TRAIL.set(trail)
    try:
        result = call(*args, **named)
    finally:
        TRAIL.reset(token)
    trail.end(result, pipeline.place, pipeline.form)
    making = MAKING.get()
    if making is not None:
        if states is not None:
            look_apart(making, trail, pipeline, states, call, args, named, result)
        making.crumbs += trail.crumbs
    return result


def _glanced(pipeline: Pipeline, call: Call, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Let a sample go through whose values are not looked at."""
    if AGAIN.get():
        _begin(pipeline)
    trail = Glance(pipeline.watcher, sample_of(args, named))
    token = TRAIL.set(trail)
    try:
        result = call(*args, **named)
    finally:
        TRAIL.reset(token)
    trail.end(result, pipeline.place)
    return result


def _begin(pipeline: Pipeline) -> Any:
    """Note from which states a pipeline draws for a data set's sample; put it into others where it is made again.

    All states are returned where calls of the pipeline are to be compared, which is seldom: they are dear to take.
    """
    again, making = AGAIN.get(), MAKING.get()
    if again and pipeline.parts:
        put_back(taken()._replace(own=again.pop(0)), pipeline.parts)
    if making is None or not making.full:
        return None
    own = own_states(pipeline.parts)
    if own:
        making.own.append(own)
    return taken()._replace(own=own) if making.close else None
