"""A fault made again in a fresh process: ``python -m safeaug.trace.replay FILE``, as a fault's replay line says."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from safeaug.data.named import named
from safeaug.errors import Fault, PipelineError
from safeaug.trace.making import AGAIN
from safeaug.trace.overall import watch
from safeaug.trace.sets import Watched
from safeaug.trace.states import States, put_back, taken

TRIES = 200
"""How often a sample is made where nobody looked from which numbers it was drawn."""


def replay(path: str | os.PathLike[str]) -> Fault | PipelineError | None:
    """Return the fault that a file tells of, made again; None where it does not come again.

    Parameters
    ----------
    path : path
        What the fault wrote down: which sample of which data set, and from which states it was drawn.

    Raises
    ------
    DataError
        Where the data set is not found.
    """
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    dataset = _set_of(named(told["data"]))
    exact = told["states"] is not None
    for _ in range(1 if exact else TRIES):
        fault = _made(dataset, told)
        if fault is not None and getattr(fault, "rule", told["rule"]) == told["rule"]:
            return fault
    return None


def _set_of(found: Any) -> Any:
    """Return a data set, watched, in which every value is looked at."""
    if hasattr(found, "dataset") and hasattr(found, "collate_fn"):
        found = found.dataset
    return found if isinstance(found, Watched) else watch(found, every=1)


def _made(dataset: Any, told: dict[str, Any]) -> Fault | PipelineError | None:
    if told["states"] is not None:
        put_back(_states(told["states"]))
    own = [tuple((_tuple(python), numpy) for python, numpy in each) for each in told["own"]]
    token = AGAIN.set(own)
    inner = dataset._safeaug_inner
    try:
        dataset._safeaug_made(told["sample"], lambda: _sample(inner, told["sample"]), full=True)
    except (Fault, PipelineError) as error:
        return error
    finally:
        AGAIN.reset(token)
    return None


def _sample(inner: Any, index: Any) -> Any:
    if hasattr(type(inner), "__getitem__"):
        return inner[index]
    for number, sample in enumerate(inner):
        if number == index:
            return sample
    return None


def _states(told: dict[str, Any]) -> States:
    kind, keys, *rest = told["numpy"]
    numpy = (kind, np.array(keys, dtype=np.uint32), *rest)
    torch: Any = None
    if told["torch"] is not None:
        import importlib

        library = importlib.import_module("torch")
        torch = library.frombuffer(bytearray.fromhex(told["torch"]), dtype=library.uint8)
    return taken()._replace(python=_tuple(told["python"]), numpy=numpy, torch=torch)


def _tuple(listed: Any) -> Any:
    return tuple(map(_tuple, listed)) if isinstance(listed, list) else listed


def main() -> int:
    """Make a fault again, and say whether it came."""
    if len(sys.argv) != 2:
        print("usage: python -m safeaug.trace.replay FILE", file=sys.stderr)  # noqa: T201  # it is a program
        return 2
    sys.path.insert(0, "")
    fault = replay(sys.argv[1])
    print("it does not come again" if fault is None else fault)  # noqa: T201  # as above
    return 0 if fault is not None else 1


if __name__ == "__main__":
    sys.exit(main())
