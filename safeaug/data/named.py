"""A Python object by its name: ``pkg.mod:attr`` or ``file.py:attr``."""

import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

from safeaug.data.remarks import place, printable, shown
from safeaug.errors import DataError


def named(spec: str) -> Any:
    """Return the object that ``pkg.mod:attr`` or ``file.py:attr`` names. This runs the module.

    Parameters
    ----------
    spec : str
        The module, dotted as in an import, or the path of a file that ends in ``.py``; behind the last colon an
        attribute, dotted too where it is one of an attribute.

    Raises
    ------
    DataError
        Where it is not written so, the module cannot be imported, or has no such attribute. What the module raised is
        its cause.

    Examples
    --------
    >>> named("math:pi")
    3.141592653589793
    """
    home, _, attribute = spec.rpartition(":")
    if not home or not attribute:
        raise DataError(f"expected pkg.mod:attr or file.py:attr, got {shown(spec)}")
    found: Any = _imported(home)
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise DataError(
                f"expected {printable(home)} to have {attribute!r}, but there is no {name!r}", printable(home)
            )
        found = getattr(found, name)
    return found


def _imported(home: str) -> ModuleType:
    if home.endswith(".py") and not os.path.isfile(home):
        raise DataError("expected a Python file, which is not there; check the path", place(home), "missing")
    try:
        return _run(home) if home.endswith(".py") else importlib.import_module(home)
    except (Exception, SystemExit) as error:  # it is somebody else's program, and may raise anything
        raise DataError(f"importing it raises {type(error).__name__}: {shown(str(error))}", printable(home)) from error


def _run(path: str) -> ModuleType:
    """Run a file as a module of its own name, which is what pickling its classes needs."""
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before
        raise
    return module
