"""Watched data sets of Hugging Face ``datasets``: their functions are watched, and what is derived from them is too.

Their ``map`` takes None for a function that is called for its side effects alone, and says nothing.
"""

import copy
import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any

from safeaug.data.torch_boxes import is_a
from safeaug.records import Finding
from safeaug.trace.carried import Looking, carried, empty, is_optional
from safeaug.trace.making import Crumb, Making
from safeaug.trace.sets import Watched, WatchedMap, WatchedStream
from safeaug.trace.watcher import Watcher

FUNCTIONS = {"map": "function", "filter": "function", "with_transform": "transform", "set_transform": "transform"}
"""Methods that take a function first, and what they call it."""


def is_hugging(thing: Any) -> bool:
    """Return whether something is a data set of ``datasets``, map-style or streamed."""
    return is_a(thing, "Dataset", "datasets") or is_a(thing, "IterableDataset", "datasets")


class Hugging(Watched):
    """What a watched data set of ``datasets`` is, map-style or not."""

    def __init__(self, dataset: Any, watcher: Watcher) -> None:
        super().__init__(dataset, watcher)
        self._safeaug_inner = _with_watched_transform(copy.copy(dataset), watcher)

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if not inspect.ismethod(value) or value.__self__ is not self._safeaug_inner:
            return value

        @functools.wraps(value)
        def called(*args: Any, **named: Any) -> Any:
            args, named = _with_watched_functions(name, args, named, self._safeaug_watcher)
            return self._safeaug_derived(value(*args, **named))

        return called

    def _safeaug_derived(self, made: Any) -> Any:
        """Return a data set that a method has made, watched as this one is; anything else as it is."""
        if is_hugging(made) and made is not self._safeaug_inner:
            watcher = self._safeaug_watcher
            return type(self)(made, Watcher(watcher.name, watcher.settings, watcher.book))
        if is_a(made, "DatasetDict", "datasets"):  # its own class takes data sets of its own alone
            return {name: self._safeaug_derived(each) for name, each in made.items()}
        return made


class HuggingMap(Hugging, WatchedMap):
    """A watched ``datasets.Dataset``."""

    def __getitem__(self, index: Any) -> Any:
        # By a name it is a column, which is no sample.
        return self._safeaug_inner[index] if isinstance(index, str) else super().__getitem__(index)

    def _safeaug_look(self, sample: Any, making: Making) -> None:
        if _is_number(making.index):
            super()._safeaug_look(sample, making)
            return
        # By a slice or a list it is a mapping of columns. One sample is compared with others, this is not.
        watcher = self._safeaug_watcher
        paths = [path for path in empty(sample) if not is_optional(path, watcher.optional)]
        if paths:
            making.crumbs.append(Crumb(watcher.name, sample))
            watcher.judge([Finding("SA2.none", "is None", path) for path in paths], making.crumbs, step=watcher.name)


class HuggingStream(Hugging, WatchedStream):
    """A watched ``datasets.IterableDataset``."""


def _with_watched_transform(dataset: Any, watcher: Watcher) -> Any:
    """Return a data set of which the function that makes its samples is watched, if one was set."""
    form: dict[str, Any] = getattr(dataset, "format", {})  # a stream has none
    function = form.get("format_kwargs", {}).get("transform")
    if not callable(function):
        return dataset
    names = None if form["columns"] == dataset.column_names else form["columns"]
    return dataset.with_transform(
        _watched(function, watcher, set_on=True), columns=names, output_all_columns=form["output_all_columns"]
    )


def _with_watched_functions(
    name: str, args: tuple[Any, ...], named: Mapping[str, Any], watcher: Watcher
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what a method is called with, its function watched."""
    key, named = FUNCTIONS.get(name), dict(named)
    if key is None:
        return args, named
    set_on = key == "transform"
    if args:
        args = (_watched(args[0], watcher, set_on=set_on), *args[1:])
    elif key in named:
        named[key] = _watched(named[key], watcher, set_on=set_on)
    return args, named


def _watched(function: Any, watcher: Watcher, *, set_on: bool) -> Any:
    """Return a function, watched; as it is if it is watched already, or none."""
    owner = getattr(getattr(function, "report", None), "__self__", None)
    if not callable(function) or isinstance(owner, Watcher) or _is_through(function):
        return function
    looking = Looking(function, watcher.settings, watcher.book)
    # What is set on a data set goes with it to a loader's workers, by pickle.
    return functools.partial(through, looking) if set_on else carried(looking)


def through(looking: Looking, *args: Any, **named: Any) -> Any:
    """Call a watched function."""
    before = looking.before(args)
    value = looking.function(*args, **named)
    looking.look(value, before, named)
    return value


def _is_through(function: Callable[..., Any]) -> bool:
    return isinstance(function, functools.partial) and function.func is through


def _is_number(index: Any) -> bool:
    try:
        operator.index(index)
    except TypeError:
        return False
    return True
