"""``watch``: which kind of thing is watched, and how."""

import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from safeaug.data.torch_boxes import is_a
from safeaug.errors import PolicyError
from safeaug.trace.carried import Looking, carried
from safeaug.trace.collating import Collate
from safeaug.trace.expect import Expect
from safeaug.trace.hugging import HuggingMap, HuggingStream, is_hugging
from safeaug.trace.loaders import WatchedLoader, watched_loader
from safeaug.trace.pipelines import host_of, watched_pipeline
from safeaug.trace.sets import Watched, WatchedMap, WatchedStream
from safeaug.trace.settings import OnFault, Settings
from safeaug.trace.watcher import Watcher

W = TypeVar("W")
SWITCH = "SAFEAUG_WATCH"
"""Environment variable that turns watching off: 0."""

_ABSENT: Any = object()


@overload
def watch(
    thing: W,
    *,
    on_fault: OnFault = ...,
    first: int = ...,
    every: int = ...,
    expect: Mapping[str, Expect] | None = ...,
    optional: Iterable[str] = ...,
    name: str = ...,
) -> W: ...


@overload
def watch(
    *,
    on_fault: OnFault = ...,
    first: int = ...,
    every: int = ...,
    expect: Mapping[str, Expect] | None = ...,
    optional: Iterable[str] = ...,
    name: str = ...,
) -> Callable[[W], W]: ...


def watch(
    thing: Any = _ABSENT,
    *,
    on_fault: OnFault = "raise",
    first: int = 32,
    every: int = 8,
    expect: Mapping[str, Expect] | None = None,
    optional: Iterable[str] = (),
    name: str = "",
) -> Any:
    """Return something that does what a thing does, and raises a `Fault` where a sample first goes wrong.

    Parameters
    ----------
    thing : function, pipeline, data set, collate function or DataLoader
        What is watched; it is left as it is. Left out, ``watch(...)`` is a decorator. Of a pipeline of albumentations,
        torchvision or kornia every step is watched; of a data set its pipelines too, where they are attributes of it;
        of a loader the data set and the collate function. Of a data set of Hugging Face ``datasets`` the functions of
        ``map``, ``filter`` and ``with_transform`` are watched, and what these return is a watched data set.
    on_fault : {"raise", "record", "drop"}, default "raise"
        Raise a fault; note it, and hand the sample on; leave the sample out of its batch, which loaders alone can do,
        and count it.
    first, every : int, default 32 and 8
        Values are looked at in the first 32 samples of each process and in one of 8 after them; ``every=1`` for all.
        None, and errors, are told of every sample.
    expect : mapping of str to Expect, optional
        What parts of what it returns must be, by their paths, such as ``{"image": Expect(dtype="float32")}``.
    optional : iterable of str, optional
        Paths of parts that may be None; ``""`` is the whole. Of a column of a batch its rows are meant, too.
    name : str, optional
        ``pkg.mod:attr`` or ``file.py:attr``: by which a fault's replay line finds the data set. Left out, it is looked
        for among the globals of the program.

    Returns
    -------
    thing of the same kind
        It has a method ``report()``: a dict of ``faults``, ``dropped`` and ``suspects``, of all processes.

    Raises
    ------
    PolicyError
        Where it cannot be watched, or what is asked for contradicts itself.
    Fault
        Later, of a sample that breaks a rule.
    PipelineError
        Later, where a data set raises on a sample: says which, and where.

    Notes
    -----
    Nothing is drawn from any generator, so what comes out is what would have come out. ``SAFEAUG_WATCH=0`` in the
    environment makes ``watch`` return the thing itself.

    Of a sample whose values are looked at, all are asked whether they are finite, behind every step. Ranges are taken
    from 16 pixels first, and from all where those raise a suspicion; labels of masks from what comes out, and then from
    behind each step. Whether a target stays behind, and whether a step writes into what it is handed, is looked at with
    the first samples and one in 32 after them.

    Rules are listed in ``safeaug/rules``. What one sample cannot prove is *suspect*: reported, and never raised.

    Examples
    --------
    >>> import numpy as np, safeaug
    >>> @safeaug.watch
    ... def embed(subset):
    ...     if len(subset):
    ...         return np.ones(3)
    >>> embed([1]).shape
    (3,)
    >>> try:
    ...     embed([])
    ... except safeaug.Fault as fault:
    ...     print(fault.rule, fault.step, fault.text)
    SA2.none embed the sample is None
    """
    settings = Settings(
        on_fault=on_fault, first=first, every=every, expect=dict(expect or {}), optional=frozenset(optional), name=name
    )
    if thing is _ABSENT:
        return functools.partial(_watched, settings=settings)
    return _watched(thing, settings)


def _watched(thing: Any, settings: Settings) -> Any:
    if os.environ.get(SWITCH) == "0":
        return thing
    if isinstance(thing, Watched | Collate | WatchedLoader):
        raise PolicyError(f"{thing!r} is watched already; watch it once, at the outermost place")
    if is_a(thing, "DataLoader", "torch"):
        return _loader(thing, settings)
    if settings.on_fault == "drop":
        raise PolicyError(
            'on_fault="drop" is for loaders, which can leave a sample out of its batch; a data set would have to give '
            f'another in its place, unasked. Watch the loader, or use "record". Got {type(thing).__name__}'
        )
    watcher = Watcher(getattr(thing, "__name__", None) or type(thing).__name__, settings)
    if host_of(thing):
        return watched_pipeline(thing, watcher)
    if _is_set(thing):
        return _set(thing, watcher)
    if callable(thing) and not inspect.isclass(thing):
        collates = "collate" in watcher.name
        return Collate(thing, watcher) if collates else carried(Looking(thing, settings, watcher.book))
    if is_a(thing, "DatasetDict", "datasets") or is_a(thing, "IterableDatasetDict", "datasets"):
        raise PolicyError(f"watch one split of the {type(thing).__name__}, of {', '.join(thing)}; it takes a data set")
    raise PolicyError(
        "watch takes a function, a pipeline of albumentations, torchvision or kornia, a data set, a collate function "
        f"or a DataLoader, got {type(thing).__name__}"
    )


def _is_set(thing: Any) -> bool:
    """Return whether something gives samples: by an index, or one after the other."""
    kind = type(thing)
    if isinstance(thing, str | bytes | Mapping) or hasattr(thing, "dtype"):
        return False
    return hasattr(kind, "__getitem__") or hasattr(kind, "__iter__")


def _set(thing: Any, watcher: Watcher) -> Any:
    stream = not (hasattr(type(thing), "__getitem__") and hasattr(type(thing), "__len__"))
    stream = stream or is_a(thing, "IterableDataset", "torch")
    kinds: tuple[Any, Any] = (HuggingMap, HuggingStream) if is_hugging(thing) else (WatchedMap, WatchedStream)
    kind = kinds[stream]
    if "torch" in sys.modules:
        kind = getattr(importlib.import_module("safeaug.trace.torch_sets"), f"Torch{kind.__name__}")
    return kind(thing, watcher)


def _loader(loader: Any, settings: Settings) -> Any:
    watcher = Watcher(type(loader).__name__, settings)
    inner = Watcher(type(loader.dataset).__name__, settings, watcher.book)
    return watched_loader(loader, watcher, _set(loader.dataset, inner))
