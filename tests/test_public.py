"""The public face: names, absent hosts, docstrings and their examples, types."""

import doctest
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys

import pytest

import safeaug
from safeaug.errors import DataError


def test_all_names_exist_and_are_few():
    assert len(safeaug.__all__) <= 20
    for name in safeaug.__all__:
        assert getattr(safeaug, name) is not None
    assert set(safeaug.__all__) <= set(dir(safeaug))
    assert safeaug.__all__ == sorted(safeaug.__all__)


def test_no_public_name_is_a_module():
    for name in safeaug.__all__:
        assert not inspect.ismodule(getattr(safeaug, name)), name


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'safeaug' has no attribute 'nonsense'"):
        safeaug.nonsense  # noqa: B018  # the access is what is tested


def test_installed_hosts_are_listed():
    assert {"albumentations", "batch"} <= set(dir(safeaug))
    assert safeaug.albumentations.RandomCrop.__module__ == "safeaug.albumentations.crops"


ERRORS = [
    safeaug.PipelineError("step 1 Crop raised", 17, "1 Crop"),
    safeaug.RetentionError("cannot be met", [0.3]),
    DataError("must have four corners", "labels.txt:3", "malformed"),
    DataError("labels.txt:3: must have four corners"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_crosses_processes_with_what_it_carries(error):
    """By pickle; and by its text alone, from which a loader makes a worker's error again."""
    other = pickle.loads(pickle.dumps(error))
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)
    assert str(type(error)(str(error))) == str(error)


ABSENT = """
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "HOST":
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Absent())
import safeaug
from safeaug.errors import MissingHostError
assert not hasattr(safeaug, "ROOM")
for code, builtin in (("safeaug.ROOM", AttributeError), ("import safeaug.ROOM", ImportError),
                      ("from safeaug import ROOM", ImportError)):
    try:
        exec(code)
    except MissingHostError as error:
        assert isinstance(error, builtin), code
        assert 'pip install "safeaug[HOST]"' in str(error), error
    else:
        raise AssertionError(code)
"""

ANOTHER_GENERATION = """
import sys, types
host = types.ModuleType("albumentations")
host.__version__ = "2.5.1"
host.BasicTransform = type("BasicTransform", (), {"sample_parameters": None})
sys.modules["albumentations"] = host
import safeaug
from safeaug.errors import MissingHostError
try:
    safeaug.albumentations
except MissingHostError as error:
    assert "AlbumentationsX 2.5.1" in str(error), error
else:
    raise AssertionError
"""


def absent(room, host):
    return ABSENT.replace("ROOM", room).replace("HOST", host)


@pytest.mark.parametrize(
    "code",
    [
        absent("albumentations", "albumentations"),
        absent("batch", "torch"),
        absent("kornia", "kornia"),
        ANOTHER_GENERATION,
    ],
    ids=["albumentations absent", "torch absent", "kornia absent", "another generation"],
)
def test_a_host_that_cannot_be_used_says_so(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def modules():
    names = [module.name for module in pkgutil.walk_packages(safeaug.__path__, "safeaug.")]
    return [name for name in names if not name.endswith("__main__")]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_run(name):
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    )
    assert result.failed == 0


@pytest.mark.parametrize("name", modules())
def test_public_objects_have_docstrings(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for key, value in vars(module).items():
        if key.startswith("_") or getattr(value, "__module__", None) != name:
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            assert value.__doc__, f"{name}.{key}"


@pytest.mark.parametrize("name", safeaug.__all__)
def test_public_functions_show_an_example(name):
    value = getattr(safeaug, name)
    if inspect.isfunction(value) or value is safeaug.Policy or value is safeaug.Outcome:
        assert ">>>" in inspect.getsource(value)


def test_the_error_tree_is_as_drawn():
    from safeaug import errors

    tree = errors.__doc__
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, errors.SafeAugError):
            assert name in tree
            builtins = [base for base in value.__mro__ if base.__module__ == "builtins"]
            assert any(base.__name__ in tree for base in builtins[:1]) or name in {"SafeAugError", "MissingHostError"}
