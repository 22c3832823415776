"""What was given for a data set: of each kind of content, where its entry of a sample comes from."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from safeaug.errors import ContentError
from safeaug.geometry import BoxFormat


class Rows(Protocol):
    """What has one entry per sample: a list, an array, a tensor."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def __getitem__(self, index: int, /) -> Any:
        """Return the entry of a sample."""
        ...


Entries = Callable[[Any], Any] | Rows
"""A function of the index, or one entry per sample."""

OBJECTS = ("boxes", "polygons", "masks", "mask", "maps", "keypoints")
"""What can be an object."""

ALONE = ("mask", "maps")
"""What comes alone: its pixels are all that is said."""


class Given(NamedTuple):
    """Where the content of each sample comes from.

    Parameters
    ----------
    entries : mapping of str to callable or sequence
        Of each kind of content that is given: a function of the index, or one entry per sample.
    box_format : str
        Format of boxes.
    """

    entries: Mapping[str, Entries]
    box_format: BoxFormat

    def of(self, index: Any, where: str) -> dict[str, Any]:
        """Return the entries of a sample.

        What a function raises gets a note that says of which sample and by which argument.
        """
        found = {}
        for name, source in self.entries.items():
            try:
                entry = source(index) if callable(source) else source[index]
                found[name] = list(entry) if hasattr(entry, "__next__") else entry  # it may be read more than once
            except StopIteration as error:  # which would end a stream in silence
                raise ContentError(f"{name} of {where}: it raised StopIteration; return None for no objects") from error
            except Exception as error:
                error.add_note(f"raised by {name}, which safeaug.with_content was given, of {where}")
                raise
        return found


def checked(entries: Mapping[str, Any], count: int | None) -> dict[str, Entries]:
    """Return what is given, without what is not.

    Parameters
    ----------
    entries : mapping of str to callable, sequence or None
        The arguments of `with_content`.
    count : int or None
        How many samples there are; None for a stream, which has no index.

    Raises
    ------
    ContentError
        Where nothing is given, something is neither a function nor a sequence, lengths differ, or a mask comes with
        something else.
    """
    given = {name: value for name, value in entries.items() if value is not None}
    if not given.keys() & set(OBJECTS):
        raise ContentError(
            f"with_content needs objects, one or more of {', '.join(OBJECTS)}, got {', '.join(given) or 'none'}; "
            "write for example boxes=lambda i: boxes[i]"
        )
    alone = [name for name in ALONE if name in given]
    if alone and len(given) > 1:
        raise ContentError(f"{alone[0]} comes alone: its pixels are all that is said; got {', '.join(given)} as well")
    for name, value in given.items():
        if not callable(value):
            _check_sequence(name, value, count)
    return given


def _check_sequence(name: str, value: Any, count: int | None) -> None:
    refused = (
        f"{name} must be a function of the index, such as lambda i: {name}[i], or a sequence of one entry per sample, "
        f"got {type(value).__name__}"
    )
    if isinstance(value, Mapping):
        raise ContentError(f"{refused}; write {name}=mapping.get, if its keys are the indices")
    if hasattr(value, "iloc"):  # of pandas: what stands in [i] is what bears that name, not what is in that place
        raise ContentError(f"{refused}, which is indexed by labels of its own; write list({name})")
    if isinstance(value, str | bytes) or not (hasattr(value, "__getitem__") and hasattr(value, "__len__")):
        raise ContentError(refused)
    if count is None:
        raise ContentError(
            f"{name} of a stream must be a function: a stream has no index that a sequence could be read by. It is "
            f"called with the running number of the sample, in this iteration and in this worker; write lambda n: "
            f"{name}[n], if the stream always comes in one order, and see get_worker_info if workers share it"
        )
    if len(value) != count:
        raise ContentError(
            f"{name} must have one entry per sample: there are {count} samples, and {len(value)} entries; a sample "
            "without objects has None"
        )
