"""What fails in a worker of a loader: it comes as text, in which what it was and where it was raised must be found."""

import re
import traceback
from typing import NamedTuple

from safeaug.data.frames import raised, their_frames, told_frames
from safeaug.data.remarks import LONGEST, printable

_HEAD = re.compile(r"^Caught (\w+) in (.+)\.\n(Original )?Traceback \(most recent call last\):\n")
_FRAME = re.compile(r'^  File "(.+)", line (\d+), in (.+)\n(?:    (\S.*)\n)?', re.MULTILINE)
_LAST = re.compile(r"^(\S.*)$", re.MULTILINE)
_BLOCK = "Traceback (most recent call last):\n"


class Failed(NamedTuple):
    """An error of somebody else's program, in words.

    Parameters
    ----------
    what : str
        Its class and what it says, in a line; and in which process it was raised, where it was in another.
    frames : list of str
        Where in their files, the outermost first.
    """

    what: str
    frames: list[str]


def failed(error: BaseException) -> Failed:
    r"""Return what an error tells, be it raised here or, as torch hands it on, in a worker.

    Examples
    --------
    >>> text = '''Caught ValueError in DataLoader worker process 0.
    ... Original Traceback (most recent call last):
    ...   File "data.py", line 7, in __getitem__
    ...     raise ValueError("no picture")
    ... ValueError: no picture
    ... '''
    >>> failed(ValueError(text))
    Failed(what='ValueError: no picture, in DataLoader worker process 0', frames=['data.py:7 in __getitem__: ...'])
    """
    text = _text_of(error)
    head = _HEAD.match(text)
    if head is None:
        return Failed(raised(error), their_frames(error))
    last = text.split(_BLOCK)[-1]
    frames = [
        traceback.FrameSummary(name, int(line), function, lookup_line=False, line=code or "")
        for name, line, function, code in _FRAME.findall(last)
    ]
    says = _LAST.search(_FRAME.sub("", last))
    what = printable(says.group(1))[:LONGEST] if says else head.group(1)
    return Failed(f"{what}, in {head.group(2)}", told_frames(frames))


def _text_of(error: BaseException) -> str:
    # A KeyError's own text is the repr of its argument.
    return str(error.args[0]) if len(error.args) == 1 else str(error)
