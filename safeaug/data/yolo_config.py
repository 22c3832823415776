"""The ``data.yaml`` of a YOLO data set: where its pictures are, and what its classes are called."""

import importlib
import os
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from safeaug.data.remarks import place, said, shown
from safeaug.errors import DataError, MissingHostImportError

PARENT = "../"
MOST_CLASSES = 1_000_000
"""Beyond any list of classes: where only their number is given, it is written by mistake."""


class YoloConfig(NamedTuple):
    """What ``data.yaml`` says.

    Parameters
    ----------
    root : Path
        What paths in it are relative to.
    classes : tuple of str
        The name of each class.
    sources : tuple of Path
        Folders of pictures, or lists of them, of the split.
    keypoints : int
        How many numbers of keypoints follow each box.
    """

    root: Path
    classes: tuple[str, ...]
    sources: tuple[Path, ...]
    keypoints: int


def yolo_config(path: Path, split: str) -> YoloConfig:
    """Return what ``data.yaml`` says of a split.

    Raises
    ------
    DataError
        Where it cannot be read, or says nothing of the split or of the classes.
    MissingHostError
        Where PyYAML is not installed.
    """
    where, says = place(path), _mapping(path)
    root = path.parent / _text(says.get("path", "."), "path", where)
    listed = says.get(split)
    if not listed:
        splits = [key for key in ("train", "val", "test") if says.get(key)]
        raise DataError(f"expected one of the splits {', '.join(splits) or '(none is listed)'}, got {split!r}", where)
    entries = listed if isinstance(listed, list) else [listed]
    sources = tuple(_source(root, _text(each, split, where), where) for each in entries)
    return YoloConfig(root, _classes(says, where), sources, _keypoints(says.get("kpt_shape"), where))


def _mapping(path: Path) -> dict[str, Any]:
    """Return the file as texts in lists and mappings: no value is made into anything else."""
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise MissingHostImportError(
            f'data.yaml is read with PyYAML, which cannot be imported ({said(error)}): pip install "safeaug[yolo]"'
        ) from error
    where = place(path)
    try:
        says = yaml.load(path.read_bytes(), Loader=yaml.BaseLoader)  # text only: a class may be called "no" or "1e3"
    except FileNotFoundError:
        raise DataError("expected a data.yaml, which is not there; check the path", where, "missing") from None
    except OSError as error:
        raise DataError(f"expected a data.yaml, which cannot be read: {said(error)}", where, "unreadable") from error
    except yaml.MarkedYAMLError as error:
        line = None if error.problem_mark is None else error.problem_mark.line + 1
        raise DataError(f"expected YAML: {error.problem or error.context}", place(path, line)) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DataError(f"expected YAML: {shown(str(error))}", where) from None
    if not isinstance(says, dict) or not all(isinstance(key, str) for key in says):
        raise DataError(f"expected a data.yaml with path, train, val and names, got {shown(says)}", where)
    return says


def _text(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise DataError(f"{name} must be a path, or a list of paths, got {shown(value)}", where)
    return value


def _source(root: Path, name: str, where: str) -> Path:
    """Return a folder of pictures or a list of them."""
    candidates = [root / name]
    if name.startswith(PARENT):  # as Roboflow writes it: from a folder beside data.yaml
        candidates.append(root / name.removeprefix(PARENT))
    for path in candidates:
        if os.path.exists(path):
            return path
    raise DataError(
        f"expected a folder of pictures, or a list of them, at {place(candidates[0])}, which is not there; paths are "
        f"relative to {place(root)}",
        where,
        "missing",
    )


def _classes(says: dict[str, Any], where: str) -> tuple[str, ...]:
    """Return the name of each class: from a list, a mapping by number, or their mere count."""
    names = says.get("names")
    if names is None:
        count = _number(says.get("nc"), "nc", where, MOST_CLASSES)
        return tuple(map(str, range(count)))
    if isinstance(names, dict):
        numbered = {_number(key, "the number of a class", where, MOST_CLASSES): name for key, name in names.items()}
        if sorted(numbered) != list(range(len(names))):
            raise DataError(f"names must number the classes from 0 on without a gap, got {shown(list(names))}", where)
        names = [numbered[i] for i in range(len(names))]
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise DataError(
            f"names must be a list of the classes' names, or a mapping from number to name, got {shown(names)}", where
        )
    return tuple(names)


def _keypoints(shape: Any, where: str) -> int:
    """Return how many numbers of keypoints a row has."""
    if shape is None:
        return 0
    if not isinstance(shape, list):
        raise DataError(f"kpt_shape must be [number of keypoints, numbers of each], got {shown(shape)}", where)
    return prod(_number(each, "kpt_shape", where, MOST_CLASSES) for each in shape)


def _number(value: Any, name: str, where: str, most: int) -> int:
    if (
        isinstance(value, str)
        and value.isascii()
        and value.isdigit()
        and len(value) <= len(str(most))
        and int(value) <= most
    ):
        return int(value)
    raise DataError(f"{name} must be a whole number of at most {most}, got {shown(value)}", where)
