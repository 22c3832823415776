"""Ids of samples, as a page shows them that leaves out in whose folders they lie."""

import os
from collections.abc import Iterable

from safeaug.data.remarks import shown
from safeaug.errors import DataError


def full_names(ids: Iterable[str | None], asked: set[str], where: str) -> dict[str, str]:
    """Return the ids of samples by how somebody names them: the same, or from some folder on if they are absolute.

    Parameters
    ----------
    ids : iterable of str or None
        Of all samples; None of one that cannot be read.
    asked : set of str
        What is named. What stands for no sample is not in the result.
    where : str
        In which file.

    Raises
    ------
    DataError
        Where a name may stand for several samples.

    Examples
    --------
    >>> full_names(["/a/b/c.jpg", "d.jpg"], {"b/c.jpg", "d.jpg", "e.jpg"}, "decisions.json")["b/c.jpg"]
    '/a/b/c.jpg'
    """
    known = {name for name in ids if name is not None}
    full = {name: name for name in asked & known}
    lost = asked - known
    for name in known if lost else ():
        for short in _tails(name) & lost if os.path.isabs(name) else ():
            if short in full:
                raise DataError(
                    f"{shown(short)} may be {shown(full[short])} or {shown(name)}; give the whole id, or make the "
                    "gallery with full names (--names full)",
                    where,
                )
            full[short] = name
    return full


def _tails(name: str) -> set[str]:
    """Return a path from each of its folders on.

    Examples
    --------
    >>> sorted(_tails("/a/b/c.jpg"))
    ['a/b/c.jpg', 'b/c.jpg', 'c.jpg']
    """
    parts = name.strip("/\\").replace("\\", "/").split("/")
    return {"/".join(parts[start:]) for start in range(len(parts))}
