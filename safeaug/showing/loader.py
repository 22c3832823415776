"""The first batch of a loader that is known by name, as a sheet."""

import functools
import inspect
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from safeaug.data.named import named
from safeaug.data.remarks import printable
from safeaug.errors import DataError
from safeaug.showing.overall import show
from safeaug.showing.sheet import Sheet
from safeaug.showing.told import told
from safeaug.showing.worker import failed
from safeaug.showing.written import SUFFIX

ITEMS = 16
"""Of a data set, which makes no batches, how many items are shown."""

NAME = f"loader{SUFFIX}"
"""What the sheet is called in a folder."""


def shown_loader(spec: str, out: str | PathLike[str] | None = None, **options: Any) -> Sheet:
    """Show the first batch of a loader.

    Parameters
    ----------
    spec : str
        ``pkg.mod:attr`` or ``file.py:attr``: a loader, or anything that can be iterated over; a data set, of which the
        first items are shown; or a function without arguments that returns one of these. This runs the module.
    out : path, optional
        The file to write, or the folder, which is made, and in which the sheet is ``loader.png``. Left out, a file in
        the current folder.
    **options
        As `safeaug.show` takes them.

    Raises
    ------
    DataError
        Where there is no loader under that name, making it or its first batch raises, or that is of a structure that is
        not known. Notes say where in the user's files.

    Examples
    --------
    >>> shown_loader("math:pi")
    Traceback (most recent call last):
    safeaug.errors.DataError: math:pi: expected a loader, ..., got float 3.141592653589793
    """
    where = printable(spec)
    batch = _first(_loader(spec, where), where)
    try:
        return show(batch, out=_file(out), **options)
    except DataError as error:
        if error.where:
            raise
        raise DataError(f"its first batch: {error.message}", where, error.kind) from error


def _file(out: str | PathLike[str] | None) -> Path | None:
    if out is None or Path(out).suffix:
        return None if out is None else Path(out)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / NAME


def _loader(spec: str, where: str) -> Any:
    try:
        found = named(spec)
    except DataError as error:
        if error.__cause__ is None:
            raise
        raise _stopped("importing it", where, error.__cause__) from error.__cause__
    if isinstance(found, type | functools.partial) or inspect.isroutine(found):
        found = _made(found, where)
    if isinstance(found, Mapping | str | bytes) or not (_iterates(found) or _is_data_set(found)):
        hint = "; write a function that returns one of its values" if isinstance(found, Mapping) else ""
        hint = "; does its function return it?" if found is None else hint
        raise DataError(
            f"expected a loader, a data set, or a function without arguments that returns one, got {told(found)}{hint}",
            where,
        )
    return found


def _made(maker: Any, where: str) -> Any:
    try:
        inspect.signature(maker).bind()
    except TypeError as error:
        raise DataError(
            f"expected a function that takes no arguments, but calling it says: {error}; wrap it in one that does",
            where,
        ) from None
    except ValueError:  # built-in: it does not say what it takes
        pass
    try:
        return maker()
    except (Exception, SystemExit) as error:  # somebody else's program may raise anything
        raise _stopped("calling it", where, error) from error


def _iterates(found: Any) -> bool:
    return isinstance(found, Iterable)


def _is_data_set(found: Any) -> bool:
    """Return whether something is indexed by numbers but makes no batches: a data set."""
    return hasattr(type(found), "__getitem__") and hasattr(type(found), "__len__")


def _first(loader: Any, where: str) -> Any:
    """Return the first batch of a loader, or the first items of a data set."""
    try:
        if not _iterates(loader):
            return [loader[i] for i in range(min(len(loader), ITEMS))]
        batches = iter(loader)
        try:
            batch = next(batches)
        finally:
            # Workers end with what they feed, and a generator where it is closed.
            close = getattr(batches, "close", None)
            if close is not None:
                close()
    except StopIteration:
        raise DataError("expected a loader with at least one batch, got none", where) from None
    except (Exception, SystemExit) as error:  # as above
        raise _stopped("its first batch", where, error) from error
    if _iterates(batch) and hasattr(batch, "dataset"):
        raise DataError(f"expected one loader, got {told(loader)}; write a function that returns one of them", where)
    return batch


def _stopped(doing: str, where: str, cause: BaseException) -> DataError:
    what, frames = failed(cause)
    error = DataError(f"{doing} raises {what}", where)
    for frame in frames:
        error.add_note(f"  {frame}")
    return error
