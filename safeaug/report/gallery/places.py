"""Where in a data set the samples stand that are to be shown."""

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from safeaug.auditing.text import as_text
from safeaug.data import Data, Sample
from safeaug.errors import DataError


def places_of(data: Sequence[Sample], ids: Collection[str]) -> dict[str, int]:
    """Return where the samples of some ids stand; those that there are none of are left out.

    A reader often calls its samples by their ids, so these places are tried first; else the data are gone through until
    all are found. No picture is opened by that, but for its header where an annotation does not tell its size. One that
    cannot be read is taken for the sample that its reader calls so: being asked for it, the reader says why.

    Examples
    --------
    >>> data = Data("three", ("a", "b", "c"), lambda key: Sample(key.upper(), (480, 640)))
    >>> places_of(data, {"C", "D"})
    {'C': 2}
    """
    wanted, found = set(ids), dict[str, int]()
    keys: Sequence[Any] = data.keys if isinstance(data, Data) else ()
    for place, key in enumerate(keys):
        name = as_text(str(key))
        if name in wanted and _id_at(data, place) == name:
            found.setdefault(name, place)
    wanted -= found.keys()
    unread: list[int] = []
    for place in range(len(data)) if wanted else ():
        known = _id_at(data, place)
        if known is None:
            unread.append(place)
        elif known in wanted:
            found[known] = place
            wanted.discard(known)
            if not wanted:
                break
    for place in unread if keys else ():
        for name in _names(as_text(str(keys[place]))) & wanted:
            found.setdefault(name, place)
    return found


def _id_at(data: Sequence[Sample], place: int) -> str | None:
    """Return the id of the sample at a place; None of one that cannot be read."""
    try:
        return as_text(data[place].id)
    except DataError:
        return None


def _names(key: str) -> set[str]:
    """Return the ids that a sample may have which its reader calls by a file: a path, from any folder on, or a stem.

    Examples
    --------
    >>> sorted(_names("root/cats/a.xml"))
    ['a', 'a.xml', 'cats/a', 'cats/a.xml', 'root/cats/a', 'root/cats/a.xml']
    """
    parts = PurePosixPath(key.replace("\\", "/")).parts
    paths = [PurePosixPath(*parts[start:]) for start in range(len(parts))]
    return {text for path in paths for text in (path.as_posix(), path.with_suffix("").as_posix()) if path.name} | {key}
