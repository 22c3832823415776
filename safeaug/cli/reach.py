"""Where the modules that a command names are looked for."""

import os
import sys


def reach(*specs: str) -> None:
    """Let modules be found as a script would find them: in the working directory, and beside a file that is named.

    The command itself is a script elsewhere, so that ``pkg.mod:attr`` would not be found where one stands.

    Parameters
    ----------
    specs : str
        ``pkg.mod:attr``, ``file.py:attr``, or anything else, which is passed over.
    """
    places = [os.getcwd()]
    for spec in specs:
        home = spec.rpartition(":")[0]
        if home.endswith(".py"):
            places.append(os.path.dirname(os.path.abspath(home)))
    sys.path[:0] = [place for place in dict.fromkeys(places) if place not in sys.path]
