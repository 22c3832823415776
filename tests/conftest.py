"""Settings that all tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings

# albumentations asks the network for a newer version at import.
os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")

settings.register_profile(
    "safeaug",
    max_examples=int(os.environ.get("SAFEAUG_EXAMPLES", "150")),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("safeaug")


def pytest_configure(config: pytest.Config) -> None:
    """Find out which branches of floors 0-3 are run, where that is asked for."""
    if "SAFEAUG_COVER" in os.environ:
        from tests.covering import Covering

        config.pluginmanager.register(Covering())
