"""A data set that hands content to guarded transforms, map-style or a stream."""

import logging
import operator
from collections.abc import Iterator
from itertools import count
from typing import Any

from safeaug.errors import ContentError
from safeaug.handing.given import Given
from safeaug.handing.handed import HANDED, Handed

ENOUGH = 32
"""After how many samples of which nobody took the content this is said."""

_OWN = {"dataset", "_safeaug_given", "_safeaug_untaken"}


class Handing:
    """What a wrapped data set is, map-style or not: whatever it does not have itself is the wrapped one's.

    Parameters
    ----------
    dataset : object
        The wrapped data set.
    given : Given
        The content of its samples.
    """

    dataset: Any
    _safeaug_given: Given
    _safeaug_untaken: int | None
    """Samples of which nobody took the content; None once somebody did, or it was said."""

    def __init__(self, dataset: Any, given: Given) -> None:
        self.dataset, self._safeaug_given, self._safeaug_untaken = dataset, given, 0

    def __getattr__(self, name: str) -> Any:
        # No special method: those of copying and pickling are asked for before there is a data set, and __getitems__,
        # by which torch reads a whole batch at once, would leave nobody knowing which sample is being made.
        if name in _OWN or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.dataset, name)

    def __setattr__(self, name: str, value: Any) -> None:
        # What a loader's worker_init_fn sets (its share of a stream), or ``dataset.transform = ...``, is meant for it.
        if name in _OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self.dataset, name, value)

    def __repr__(self) -> str:
        return f"<{type(self.dataset).__name__} with content: {', '.join(self._safeaug_given.entries)}>"

    def _safeaug_handed(self, index: Any) -> Handed:
        return Handed(self._safeaug_given, index, type(self.dataset).__name__)

    def _safeaug_look(self, record: Handed) -> None:
        """Say, once in a process, that nobody takes what is handed over; a transform may leave some samples alone."""
        if self._safeaug_untaken is None:
            return
        self._safeaug_untaken += 1
        if record.taken:
            self._safeaug_untaken = None
        elif self._safeaug_untaken >= ENOUGH:
            self._safeaug_untaken = None
            logging.getLogger("safeaug").warning(
                "with_content: of the first %d samples of %s no guarded pipeline took the content; the transform must "
                "be safeaug.guard(pipeline), called in the same thread, with samples without objects of their own",
                ENOUGH,
                record.source,
            )


class Mapped(Handing):
    """A map-style data set, each of whose samples has content."""

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: Any) -> Any:
        record = self._safeaug_handed(_number(index, len(self)))
        if not isinstance(record.index, int):
            _refuse_sequences(record)
        token = HANDED.set(record)
        try:
            sample = self.dataset[index]
        finally:
            HANDED.reset(token)
        self._safeaug_look(record)
        return sample

    def __iter__(self) -> Iterator[Any]:
        # Not by asking until IndexError, as sequences are: one from a function of the index would end it in silence.
        return (self[i] for i in range(len(self)))


class Streamed(Handing):
    """A stream of samples, each of which has content, found by its number."""

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Iterator[Any]:
        stream = iter(self.dataset)
        for number in count():
            record = self._safeaug_handed(number)
            token = HANDED.set(record)
            try:
                sample = next(stream)
            except StopIteration:
                return
            finally:
                HANDED.reset(token)
            self._safeaug_look(record)
            yield sample


def _number(index: Any, length: int) -> Any:
    """Return an index as a whole number from 0, whatever type it is of; what is no number as it is."""
    if isinstance(index, slice | list) or getattr(index, "ndim", None):
        raise ContentError(
            f"a data set with content gives one sample at a time, since each has content of its own; got {index!r} as "
            "the index. Write [dataset[i] for i in indices]; what needs no content, ask of dataset.dataset"
        )
    try:
        number = operator.index(index)
    except TypeError:
        return index
    if not -length <= number < length:
        raise IndexError(f"index {number} is out of range: there are {length} samples")
    return number % length


def _refuse_sequences(record: Handed) -> None:
    named = [name for name, source in record.given.entries.items() if not callable(source)]
    if named:
        raise ContentError(
            f"{named[0]} is a sequence, which needs a whole number as the index, got {record.index!r}; give a function "
            f"of what the samples are asked by"
        )
