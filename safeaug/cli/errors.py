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
    except (SafeAugError, OSError) as error:
        tell(error, USAGE)


def tell(error: Exception, code: int) -> NoReturn:
    """Print what an error says, and where in the user's files it comes from; exit with a code."""
    from safeaug.auditing.frames import their_frames
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
