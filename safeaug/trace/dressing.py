"""Steps that stand in their watched classes only while a sample's values are looked at."""

from threading import Lock
from typing import Any

from safeaug.guarding import put_on
from safeaug.trace.place import Place


class Dressing:
    """The steps of a pipeline that are a host's own.

    What they do is known, so that of a sample that is but glanced at nothing is asked behind them, and whatever would
    stand before their classes costs more than it tells. Should one of them raise, the traceback says which.

    Parameters
    ----------
    steps : list
        Of the pipeline, with the place of each in ``_watch_place``.
    before : tuple of type
        What stands before the class of each, while a sample is looked at.
    """

    def __init__(self, steps: list[Any], before: tuple[Any, ...]) -> None:
        self.__setstate__((steps, before))

    def __getstate__(self) -> tuple[list[Any], tuple[Any, ...]]:
        return self.steps, self.before

    def __setstate__(self, state: tuple[list[Any], tuple[Any, ...]]) -> None:
        self.steps, self.before = state
        self._lock, self._looking = Lock(), 0
        self._classes: list[tuple[Any, Any, Any]] | None = None

    def __enter__(self) -> None:
        with self._lock:  # threads may share a pipeline: the last that looks undresses
            self._looking += 1
            if self._looking == 1:
                if self._classes is None:
                    self._classes = [(step, *self._classes_of(step)) for step in self.steps]
                for step, watched, _ in self._classes:
                    _dress(step, watched)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._looking -= 1
            if not self._looking:
                for step, _, plain in self._classes or ():
                    _dress(step, plain)

    def _classes_of(self, step: Any) -> tuple[Any, Any]:
        plain = type(step)
        put_on(step, *(each for each in self.before if not isinstance(step, each)))
        return type(step), plain

    def raised(self, error: Exception) -> Place | None:
        """Return the place of the step in which an error was raised; None where it is none of these."""
        places = {id(step): step._watch_place for step in self.steps}
        found, traceback = None, error.__traceback__
        while traceback is not None:
            found = places.get(id(traceback.tb_frame.f_locals.get("self")), found)
            traceback = traceback.tb_next
        return found


def _dress(step: Any, kind: Any) -> None:
    object.__setattr__(step, "__class__", kind)  # torch's modules take long over what is set
