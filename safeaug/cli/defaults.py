"""Defaults of options from ``[tool.safeaug]`` of a TOML file; what the command line says goes before them."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from safeaug.errors import DataError

FILE = "pyproject.toml"
"""Where they are looked for in the working directory."""

NO_OTHERS: Mapping[str, Iterable[str]] = MappingProxyType({})


def defaults_of(
    path: Path, command: str, options: Iterable[str], *, must: bool, others: Mapping[str, Iterable[str]] = NO_OTHERS
) -> dict[str, str | list[str]]:
    """Return the defaults that a file gives for the options of a command.

    Parameters
    ----------
    path : Path
        The file. ``[tool.safeaug]`` and ``[tool.safeaug.COMMAND]`` are read, the second before the first.
    command : str
        Name of the command.
    options : iterable of str
        Names of its options, with underscores. In the file dashes do as well.
    must : bool
        Whether the file must be there.
    others : mapping of str to iterable of str
        Other commands that take defaults, and their options: what ``[tool.safeaug]`` says for them is passed over.

    Returns
    -------
    dict of str to str or list of str
        As they would be written on the command line.

    Raises
    ------
    DataError
        Where the file cannot be read, or names another option.
    """
    table = _table(path, must=must)
    own = table.get(command, {})
    if not isinstance(own, dict):
        raise DataError(f"[tool.safeaug.{command}] must be a table", str(path))
    allowed = frozenset(options)
    passed_over = {*others, *(name for names in others.values() for name in names)} - allowed
    shared = {key: value for key, value in table.items() if key != command and key.replace("-", "_") not in passed_over}
    return {**_read(shared, allowed, path, "tool.safeaug"), **_read(own, allowed, path, f"tool.safeaug.{command}")}


def _table(path: Path, *, must: bool) -> Mapping[str, Any]:
    try:
        says = tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        if must:
            raise DataError("expected a TOML file, which is not there; check the path", str(path), "missing") from None
        return {}
    except OSError as error:
        raise DataError(f"expected a TOML file, which cannot be read: {error.strerror}", str(path)) from error
    except ValueError as error:  # of TOML, and of bytes that are no text
        raise DataError(f"expected TOML: {error}", str(path)) from None
    tool = says.get("tool", {})
    table = tool.get("safeaug", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise DataError("[tool.safeaug] must be a table", str(path))
    return table


def _read(table: Mapping[str, Any], allowed: frozenset[str], path: Path, where: str) -> dict[str, str | list[str]]:
    found: dict[str, str | list[str]] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in allowed:
            names = ", ".join(sorted(each.replace("_", "-") for each in allowed))
            raise DataError(f"[{where}] must hold only {names}; got {key!r}", str(path))
        found[name] = _written(value, f"{key} of [{where}]", path)
    return found


def _written(value: Any, what: str, path: Path) -> str | list[str]:
    """Return a value as one would write it on the command line, where it is then checked."""
    if isinstance(value, dict) and all(_plain(each) for each in value.values()):
        return [f"{label}={each}" for label, each in value.items()]
    if isinstance(value, list) and all(_plain(each) for each in value):
        return [str(each) for each in value]
    if not _plain(value):
        raise DataError(f"{what} must be a text, a number, true or false, or a list or table of these", str(path))
    return str(value)


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float)
