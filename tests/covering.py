"""Which branches of floors 0-3 their own tests take, found while all tests run; where ``SAFEAUG_COVER`` is set.

To trace all tests would slow the whole run, and to run these tests a second time takes as long again. So only they are
traced, and the imports of the modules that they are about.
"""

import importlib
import tomllib
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).parent.parent

TESTS = (
    "policy", "public", "content", "counts", "laws", "ledger*", "objects", "placement", "plain", "rank", "scales",
    "search", "settle", "shapes", "surface",
)  # fmt: skip
"""The files of tests that count, each ``test_NAME.py``. What others happen to run is no test of it."""


class Covering:
    """A plugin of pytest, of each process that runs tests."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage(data_suffix=True, config_file=str(ROOT / "pyproject.toml"))
        self._files = {path for name in TESTS for path in ROOT.glob(f"tests/test_{name}.py")}
        self._coverage.start()
        for module in core():
            importlib.import_module(module)
        self._coverage.stop()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Trace a test that counts."""
        if item.path not in self._files:
            return (yield)
        self._coverage.start()
        try:
            return (yield)
        finally:
            self._coverage.stop()

    def pytest_sessionfinish(self) -> None:
        """Write what was found beside that of other processes: ``coverage combine`` puts it together."""
        self._coverage.save()


def core() -> list[str]:
    """Return the modules whose branches count: those that the report includes."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = config["tool"]["coverage"]["report"]["include"]
    paths = sorted(path.relative_to(ROOT).with_suffix("") for pattern in patterns for path in ROOT.glob(pattern))
    return [".".join(path.parts).removesuffix(".__init__") for path in paths]
