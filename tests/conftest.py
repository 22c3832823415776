"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

# albumentations asks the network for a newer version at import.
os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")

settings.register_profile(
    "safeaug", max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("safeaug")
