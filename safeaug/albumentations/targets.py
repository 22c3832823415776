"""The objects of a sample, as a leaf of the host sees them."""

from collections.abc import Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.content import Content, checked_weights, content_of_rows, label_limits
from safeaug.errors import ContentError
from safeaug.geometry import Size
from safeaug.policy import Policy

FAR_OUTSIDE = 2.0
"""A coordinate beyond this is not a normalised box that leaves the image a little: it is in pixels."""


class Fields(NamedTuple):
    """Which label fields of the host say what of an object; None for a property that no field gives."""

    labels: str | None
    weights: str | None
    ignore: str | None


def content_from(
    data: dict[str, Any], keys: Sequence[str], image_size: Size, policy: Policy, fields: Fields, processor: Any
) -> Content:
    """Return the content of the boxes in a leaf's data.

    Parameters
    ----------
    data : dict
        What the host hands to a leaf: boxes of shape (N, 4 + fields), corners divided by width and height, with one
        column for each label field, encoded as numbers.
    keys : sequence of str
        Where boxes stand: ``bboxes``, and the additional targets of that kind. The objects are numbered in this order.
    image_size : (int, int)
        Height and width of the image.
    policy : Policy
        Gives each object its limit.
    fields : Fields
        Names of label fields.
    processor : BboxProcessor or None
        The host's, which knows the label fields and how they were encoded. None outside a Compose with ``bbox_params``.

    Raises
    ------
    ContentError
        Where boxes are in pixels although nothing converts them, a field is not among the label fields, or a label has
        no limit.
    """
    corners: list[list[float]] = []
    limits: list[float] = []
    weights: list[float] = []
    ignore: list[bool] = []
    for key in keys:
        if data.get(key) is None or not len(data[key]):
            continue
        boxes = _Boxes(np.asarray(data[key]), key, processor)
        passed_over = [False] * len(boxes.rows)
        if fields.ignore is not None:
            passed_over = (boxes.numbers("ignore", fields.ignore) != 0).tolist()
        if fields.weights is not None:
            weights += checked_weights(boxes.numbers("weights", fields.weights))
        if policy.per_label:
            limits += label_limits(policy, boxes.labels(fields.labels, policy), passed_over)
        else:
            limits += [policy.limit_of(None)] * len(boxes.rows)
        corners += boxes.corners()
        ignore += passed_over
    return content_of_rows(
        corners,
        image_size,
        limits,
        None if fields.weights is None else weights,
        None if fields.ignore is None else ignore,
        unit=image_size,
    )


class _Boxes(NamedTuple):
    """The boxes of one target: corners, what the user wrote behind them, and a column for each label field."""

    rows: NDArray[Any]
    key: str
    processor: Any

    def corners(self) -> list[list[float]]:
        """Return the corners; raise where they are in pixels although nothing has converted them."""
        corners: list[list[float]] = self.rows[:, :4].tolist()
        if self.processor is None:
            for row in corners:
                if any(abs(value) > FAR_OUTSIDE for value in row):
                    raise ContentError(
                        f"boxes must be corners divided by width and height, got {row}; give A.Compose bbox_params, "
                        "or normalise the boxes where the transform is called by itself"
                    )
        return corners

    @property
    def fields(self) -> list[str]:
        """The label fields, in the order of their columns."""
        return [] if self.processor is None else list(self.processor.params.label_fields or [])

    def column(self, role: str, field: str) -> NDArray[Any]:
        """Return the encoded column of a label field. These columns stand at the end of a row."""
        if field not in self.fields:
            known = ", ".join(map(repr, self.fields)) or "there are none"
            raise ContentError(f"{role}={field!r} must name one of the label_fields of A.BboxParams: {known}")
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
