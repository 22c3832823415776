"""A pipeline by its name: ``pkg.mod:attr``, ``file.py:attr``, or a file that albumentations has saved."""

import functools
import importlib
import inspect
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from safeaug.data.frames import raised, their_frames
from safeaug.data.named import named
from safeaug.data.remarks import place, printable, said, shown
from safeaug.dispatch import AUDITED
from safeaug.errors import DataError, MissingHostImportError

SAVED: Mapping[str, str] = MappingProxyType({".json": "json", ".yaml": "yaml", ".yml": "yaml"})
"""How the name of a file ends that albumentations has saved, and what is in it."""

ALLOWED = "pkg.mod:attr, file.py:attr, or a .json or .yaml file that albumentations has saved"
TRUSTED = frozenset({"albumentations", "safeaug"})
"""The packages whose classes a saved file may name."""

CLASS = "__class_fullname__"
"""The key by which albumentations names the class of a transform."""


def pipeline_of(text: str) -> Any:
    """Return the pipeline that a text names.

    Parameters
    ----------
    text : str
        ``pkg.mod:attr`` or ``file.py:attr``: a pipeline, or a function or class without arguments that returns one.
        This runs the module. Or the path of a ``.json``, ``.yaml`` or ``.yml`` file of ``albumentations.save``: of
        this only classes of albumentations and safeaug are made. Nothing is ever unpickled.

    Raises
    ------
    DataError
        Where it cannot be had. What somebody else's program raised is the cause, and notes say where in their files.
    MissingHostError
        Where a library that it needs is not installed.

    Examples
    --------
    >>> pipeline_of("albumentations:HorizontalFlip")
    HorizontalFlip(p=0.5)
    >>> pipeline_of("math:pi")
    Traceback (most recent call last):
    safeaug.errors.DataError: math:pi: expected a pipeline of albumentations, ..., got float
    """
    found = _loaded(text) if _ending(text) in SAVED else _named(text)
    if not is_pipeline(found):
        hint = "; put its transforms into one Compose" if isinstance(found, list | tuple) else ""
        hint = "; does its function return it?" if found is None else hint
        raise DataError(
            f"expected a pipeline of {', '.join(AUDITED)}, or one transform, got {_kind(found)}{hint}", printable(text)
        )
    return found


def is_pipeline(found: Any) -> bool:
    """Return whether something is an instance of a host's class, or of one derived from it.

    Examples
    --------
    >>> is_pipeline(print)
    False
    """
    return any(base.__module__.partition(".")[0] in AUDITED for base in type(found).__mro__) and not _is_maker(found)


def _is_maker(found: Any) -> bool:
    """Return whether something is to be called: a class, a function, a partial. Pipelines can be called as well."""
    return isinstance(found, type | functools.partial) or inspect.isroutine(found)


def _kind(found: Any) -> str:
    return "None" if found is None else type(found).__name__


def _ending(text: str) -> str:
    return os.path.splitext(text)[1].lower()


# By the name of a Python object.


def _named(text: str) -> Any:
    try:
        found = named(text)
    except DataError as error:
        if error.__cause__ is not None:
            raise _stopped("importing", error.where, error.__cause__) from error.__cause__
        text = f"{error.message}; a pipeline must be {ALLOWED}"
        raise DataError(text, error.where, error.kind) from None
    return _made(found, text) if _is_maker(found) else found


def _made(maker: Any, text: str) -> Any:
    _check_takes_nothing(maker, text)
    try:
        return maker()
    except (Exception, SystemExit) as error:  # it is somebody else's program, and may raise anything
        raise _stopped("calling", printable(text), error) from error


def _check_takes_nothing(maker: Any, text: str) -> None:
    try:
        inspect.signature(maker).bind()
    except TypeError as error:
        told = f"expected a function that takes no arguments, but calling it says: {said(error)}"
        raise DataError(f"{told}; wrap it in one that does", printable(text)) from None
    except ValueError:  # built-in: it does not say what it takes
        return


def _stopped(doing: str, where: str, cause: BaseException) -> DataError:
    error = DataError(f"{doing} it raises {raised(cause)}", where)
    for line in their_frames(cause):
        error.add_note(f"  {line}")
    return error


# Of a file.


def _loaded(text: str) -> Any:
    path, where = Path(text), place(text)
    importlib.import_module("safeaug.albumentations")  # says what is missing; and guarded pipelines are saved, too
    host = importlib.import_module("albumentations")
    says = _parsed(path, where)
    if not isinstance(says, dict) or not isinstance(says.get("transform"), dict):
        raise DataError(
            f"expected what albumentations.save writes, a mapping with a transform, got {shown(says)}", where
        )
    known = importlib.import_module("albumentations.core.serialization")
    for name in _classes(says["transform"]):
        _check_class(name, known, where)
    try:
        return host.from_dict(says)
    except Exception as error:  # values are checked by the classes, each in its own way
        raise DataError(f"expected a saved pipeline, but making it raises {raised(error)}", where) from error


def _parsed(path: Path, where: str) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError("expected a saved pipeline, which is not there; check the path", where, "missing") from None
    except (OSError, ValueError) as error:
        raise DataError(f"expected a saved pipeline, which cannot be read: {said(error)}", where) from error
    if SAVED[path.suffix.lower()] == "json":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"expected JSON: {raised(error)}", where) from None
    return _yaml(text, where)


def _yaml(text: str, where: str) -> Any:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise MissingHostImportError(
            f'{where} is read with PyYAML, which cannot be imported ({said(error)}): pip install "safeaug[yolo]"'
        ) from error
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=yaml.SafeLoader)):
            # Nested, a few lines of them stand for more transforms than memory holds.
            raise DataError("a saved pipeline must be written without YAML aliases (*name)", where)
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"expected YAML: {raised(error)}", where) from None


def _classes(says: Any) -> Iterator[Any]:
    """Yield the name of every class in a saved pipeline, wherever it stands."""
    waiting = [says]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if CLASS in each:
                yield each[CLASS]
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _check_class(name: Any, known: Any, where: str) -> None:
    classes = known.SERIALIZABLE_REGISTRY
    found = classes.get(known.shorten_class_name(name)) if isinstance(name, str) else None
    if found is None or found.__module__.partition(".")[0] not in TRUSTED:
        raise DataError(
            f"a saved pipeline may name classes of {' and '.join(sorted(TRUSTED))} that can be saved, got "
            f"{shown(name)}; hand over anything else as pkg.mod:attr",
            where,
        )
