"""A data set: samples that are read one by one, each when it is asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, overload

from safeaug.data.remarks import Kind, Remark
from safeaug.data.sample import Sample
from safeaug.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class Data(Sequence[Sample]):
    """The samples of a data set.

    A sample is read when it is asked for, so that processes may share the work; a slice is a part of the same data. It
    can be pickled, unless a data set of somebody else's stands behind it that cannot.

    Parameters
    ----------
    source : str
        What was read, for people.
    keys : sequence
        What names each sample to ``read``.
    read : callable
        Returns the sample of a key, or raises `DataError`.
    classes : tuple of str
        The classes that the data set lists; empty where it lists none.
    remarks : tuple of Remark
        What was met when it was opened; of each kind the first hundred.
    counts : mapping of Kind to int
        How many there were of each kind.
    given : optional
        The data set of somebody else's that stands behind it, or the loader of one.

    Examples
    --------
    >>> data = Data("two", ("a", "b"), lambda key: Sample(key, (480, 640)))
    >>> len(data), data[1].id, [sample.id for sample in data[:1]]
    (2, 'b', ['a'])
    """

    source: str
    keys: Sequence[Any]
    read: Callable[[Any], Sample]
    classes: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    counts: Mapping[Kind, int] = field(default_factory=dict)
    given: Any = None

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> "Data": ...
    def __getitem__(self, index: int | slice) -> "Sample | Data":
        if isinstance(index, slice):
            return replace(self, keys=self.keys[index])
        return self.read(self.keys[index])

    def __iter__(self) -> Iterator[Sample]:
        # Not by asking until IndexError, as Sequence does it: one from within a reader would end the data in silence.
        return map(self.read, self.keys)

    def __repr__(self) -> str:
        return f"<{self.source}: {len(self)} samples>"


def readings(data: Sequence[Sample]) -> Iterator[Sample | Remark]:
    """Yield each sample, and a remark for each that cannot be read.

    Examples
    --------
    >>> from safeaug.errors import DataError
    >>> def read(key):
    ...     if key == "b":
    ...         raise DataError("expected a picture, got none", "b.jpg", "missing")
    ...     return Sample(key, (480, 640))
    >>> [each.id if isinstance(each, Sample) else each.kind for each in readings(Data("three", "abc", read))]
    ['a', 'missing', 'c']
    """
    for i in range(len(data)):
        try:
            reading: Sample | Remark = data[i]
        except DataError as error:
            reading = Remark(cast("Kind", error.kind), error.where, error.message)
        yield reading
