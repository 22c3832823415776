"""Where in their own files an error of somebody else's program comes from: its traceback, without the libraries'."""

import os
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path

from safeaug.data.remarks import LONGEST, place, printable, said

_STANDARD = os.path.join(sysconfig.get_path("stdlib"), "")
_PACKAGES = tuple({os.path.join(sysconfig.get_path(name), "") for name in ("purelib", "platlib")})
_OWN = os.path.join(Path(__file__).resolve().parent.parent, "")
MOST = 8
"""Frames that are told; of a deeper recursion the last."""


def their_frames(error: BaseException) -> list[str]:
    r"""Return the frames of an error that lie neither in a library nor in safeaug, the outermost first.

    Parameters
    ----------
    error : BaseException
        As it was raised.

    Returns
    -------
    list of str
        Each as ``file:line in function: what stands there``, in which nothing acts on a terminal. Where none is theirs,
        the last that lies in an installed package, which may well be: theirs may be installed, too.

    Examples
    --------
    >>> try:
    ...     exec(compile("def half():\n    return 1 / 0\nhalf()", "made_up.py", "exec"), {})
    ... except ZeroDivisionError as error:
    ...     their_frames(error)[-2:]
    ['made_up.py:3 in <module>', 'made_up.py:2 in half']
    """
    return told_frames(traceback.extract_tb(error.__traceback__))


def told_frames(frames: Sequence[traceback.FrameSummary]) -> list[str]:
    """Return those of some frames that `their_frames` tells, as it does."""
    theirs = [frame for frame in frames if not frame.filename.startswith(("<frozen ", _OWN, _STANDARD, *_PACKAGES))]
    installed = [frame for frame in frames if frame.filename.startswith(_PACKAGES)]
    return [_told(frame) for frame in (theirs or installed[-1:])[-MOST:]]


def raised(error: BaseException) -> str:
    r"""Return what was raised, as text of one short line: its class, and what it says.

    Examples
    --------
    >>> raised(KeyError("bboxes")), raised(ValueError("a\n  b"))
    ("KeyError: 'bboxes'", 'ValueError: a b')
    """
    text = said(Exception(" ".join(str(error).split())))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _told(frame: traceback.FrameSummary) -> str:
    path = os.path.relpath(frame.filename) if os.path.isfile(frame.filename) else frame.filename
    if path.startswith(os.pardir):
        path = frame.filename
    line = printable((frame.line or "").strip())[:LONGEST]
    return f"{place(path, frame.lineno)} in {frame.name}" + (f": {line}" if line else "")
