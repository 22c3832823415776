"""Errors, as the command line tells them: what is wrong and where in the user's files, never a traceback of ours."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from safeaug.errors import PipelineError, SafeAugError

USAGE, RAISED, TOO_FEW = 2, 3, 4
"""Exit codes: the command cannot be carried out as given; the pipeline raised; too little was audited to say."""


@contextmanager
def told() -> Iterator[None]:
    """Tell an error of safeaug, and a file that cannot be written, and exit."""
    try:
        yield
    except PipelineError as error:
        tell(error, RAISED)
    except SafeAugError as error:
        tell(error, USAGE)
    except OSError as error:
        tell(unusable(error), USAGE)


def unusable(error: OSError) -> SafeAugError:
    """Return the error that tells of a file which the system did not let us open, read or write.

    Examples
    --------
    >>> print(unusable(FileExistsError(17, "File exists", "out.txt")))
    'out.txt' cannot be read or written: File exists; check the path, its rights and the room left, or name another
    >>> print(unusable(OSError(28, "No space left on device")))
    a file cannot be read or written: No space left on device; check the path, its rights and the room left, or name ...
    """
    what = "a file" if error.filename is None else repr(str(error.filename))
    why = error.strerror or str(error) or type(error).__name__
    return SafeAugError(
        f"{what} cannot be read or written: {why}; check the path, its rights and the room left, or name another"
    )


def tell(error: Exception, code: int) -> NoReturn:
    """Print what an error says, and where in the user's files it comes from; exit with a code."""
    from safeaug.data.frames import their_frames
    from safeaug.data.remarks import printable

    lines = [f"Error: {error}", *getattr(error, "__notes__", ())]
    if isinstance(error, PipelineError) and error.__cause__ is not None:
        lines += [f"  {frame}" for frame in their_frames(error.__cause__)]
    for line in lines:
        typer.echo(_encodable(printable(line)), err=True)
    raise typer.Exit(code)


def stop(message: str, code: int = USAGE) -> NoReturn:
    """Print a message, and exit."""
    typer.echo(_encodable(f"Error: {message}"), err=True)
    raise typer.Exit(code)


def _encodable(text: str) -> str:
    """Return a text in which what standard error cannot write is escaped."""
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
