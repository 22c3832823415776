"""Boxes or keypoints of one target, as the host hands them to a leaf: rows of numbers, label fields encoded."""

from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError
from safeaug.policy import OTHERS, Policy

FAR_OUTSIDE = 2.0
"""A coordinate beyond this is not a normalised box that leaves the image a little: it is in pixels."""


EXACT_IN_SINGLE = 2**24
"""Whole numbers from here on are not all different in float32."""


class Table(NamedTuple):
    """Boxes or keypoints of one target: coordinates, what the user wrote behind them, a column for each label field."""

    rows: NDArray[Any]
    key: str
    processor: Any

    def at(self, places: list[int]) -> "Table":
        """Return some of the rows."""
        return self._replace(rows=self.rows[places])

    def corners(self) -> list[list[float]]:
        """Return the corners of boxes; raise where they are in pixels although nothing has converted them."""
        corners: list[list[float]] = self.rows[:, :4].tolist()
        if self.processor is None:
            for row in corners:
                if any(abs(value) > FAR_OUTSIDE for value in row):
                    raise ContentError(
                        f"boxes must be corners divided by width and height, got {row}; give A.Compose bbox_params, "
                        "or normalise the boxes where the transform is called by itself"
                    )
        return corners

    def groups(self, instances: str | None) -> list[NDArray[np.int64]]:
        """Return the places of the keypoints of each instance, in the order in which the instances appear."""
        if instances is None:
            raise ContentError(
                "keypoints are protected by instance: name the label field of A.KeypointParams that says to which each "
                'belongs (instances="person_id"), or say that all of a sample are one (instances="*")'
            )
        if instances == OTHERS:
            return [np.arange(len(self.rows))]
        ids = self.column("instances", instances)
        if self.names(instances) is None and len(ids) and np.abs(ids).max() >= EXACT_IN_SINGLE:
            raise ContentError(
                f"instances={instances!r} must name ids below {EXACT_IN_SINGLE}, which albumentations keeps apart in "
                f"float32, got {np.abs(ids).max():.0f}; give them as text"
            )
        _, first, which = np.unique(ids, return_index=True, return_inverse=True)
        return [np.flatnonzero(which == each) for each in np.argsort(first)]

    @property
    def fields(self) -> list[str]:
        """The label fields, in the order of their columns."""
        return [] if self.processor is None else list(self.processor.params.label_fields or [])

    def column(self, role: str, field: str) -> NDArray[Any]:
        """Return the encoded column of a label field. These columns stand at the end of a row."""
        if field not in self.fields:
            known = ", ".join(map(repr, self.fields)) or "there are none"
            params = "A.KeypointParams" if self.key == "keypoints" else "A.BboxParams"
            raise ContentError(f"{role}={field!r} must name one of the label_fields of {params}: {known}")
        column: NDArray[Any] = self.rows[:, self.rows.shape[1] - len(self.fields) + self.fields.index(field)]
        return column

    def names(self, field: str) -> Mapping[int, Any] | None:
        """Return what the codes of a label field stand for; None where they are the numbers themselves."""
        metadata = self.processor.label_manager.metadata[self.key].get(field)
        if metadata is None or metadata.is_numerical or metadata.encoder.is_numerical:
            return None
        names: Mapping[int, Any] = metadata.encoder.inverse_classes_
        return names

    def numbers(self, role: str, field: str) -> NDArray[np.float64]:
        """Return a label field of numbers."""
        column, names = self.column(role, field), self.names(field)
        if names is None:
            return column.astype(np.float64)
        try:
            return np.array([names[int(code)] for code in column], dtype=np.float64)
        except (TypeError, ValueError):
            given = sorted(map(str, names.values()))
            raise ContentError(f"{role}={field!r} must be a field of numbers, got {given}") from None

    def labels(self, field: str | None, policy: Policy) -> list[Hashable]:
        """Return the labels as the policy writes them; the host keeps numbers in float32, where 0.1 is another."""
        if field is None and not self.fields:
            if self.rows.shape[1] == 4:
                raise ContentError("min_retention is per label, but the boxes have no labels: name label_fields")
            column, names = self.rows[:, 4], None  # labels that the user wrote behind the corners
        else:
            field = self.fields[0] if field is None else field
            column, names = self.column("labels", field), self.names(field)
        if names is not None:
            return [names[int(code)] for code in column]
        written = _in_single(policy)
        return [written.get(value, int(value) if value.is_integer() else value) for value in map(float, column)]


def _in_single(policy: Policy) -> dict[float, Any]:
    """Return the numeric labels of a policy by what is left of them in float32."""
    limits = policy.min_retention
    numbers = [label for label in limits if isinstance(label, Real)] if isinstance(limits, Mapping) else []
    written: dict[float, Any] = {float(np.float32(label)): label for label in numbers}
    if len(written) < len(numbers):
        raise ContentError(f"labels {numbers} must differ in float32, in which albumentations keeps them")
    return written
