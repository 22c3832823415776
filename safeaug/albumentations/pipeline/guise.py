"""What every guarded part of a pipeline says of itself as plain data: that it is the host's."""

from typing import Any

from safeaug import guarding


class Guise(guarding.Guise):
    """Base of what stands before a class of the host.

    A guarded transform prints as the host's and is serialised as that: what is loaded again, or replayed, is the plain
    transform.
    """

    def to_dict_private(self) -> dict[str, Any]:
        """Return the plain transform as plain data."""
        return self._as_the_hosts(super().to_dict_private())  # type: ignore[misc]  # the host's

    def get_dict_with_id(self) -> dict[str, Any]:
        """Return the plain transform as plain data, as replays record it."""
        return self._as_the_hosts(super().get_dict_with_id())  # type: ignore[misc]  # the host's

    def _as_the_hosts(self, state: dict[str, Any]) -> dict[str, Any]:
        return {**state, "__class_fullname__": self.guard_host.get_class_fullname()}
