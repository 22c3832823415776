"""The objects of a sample, as a leaf of the host sees them."""

from collections.abc import Hashable, Sequence
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
        Where boxes are in pixels although nothing converts them, or a field is not among the label fields.
    """
    sets = [np.asarray(data[key]) for key in keys if data.get(key) is not None and len(data[key])]
    if not sets:
        return content_of_rows((), image_size, ())
    if len({each.shape[1] for each in sets}) > 1:
        raise ContentError(f"boxes under {', '.join(map(repr, keys))} must have the same columns behind the corners")
    rows = np.concatenate(sets)
    if processor is None and any(abs(value) > FAR_OUTSIDE for value in rows[0, :4].tolist()):
        raise ContentError(
            f"boxes must be corners divided by width and height, got {rows[0, :4].tolist()}; give A.Compose "
            "bbox_params, or normalise the boxes where the transform is called by itself"
        )
    if policy.per_label:
        limits = label_limits(policy, _labels(rows, fields.labels, processor))
    else:
        limits = [policy.limit_of(None)] * len(rows)
    weights, ignore = fields.weights, fields.ignore
    if weights is None and ignore is None:
        return content_of_rows(rows.tolist(), image_size, limits, unit=image_size)
    return content_of_rows(
        rows.tolist(),
        image_size,
        limits,
        None if weights is None else checked_weights(_numbers("weights", rows, weights, processor)),
        None if ignore is None else (_numbers("ignore", rows, ignore, processor) != 0).tolist(),
        unit=image_size,
    )


def _label_fields(processor: Any) -> list[str]:
    return [] if processor is None else list(processor.params.label_fields or [])


def _column(role: str, rows: NDArray[Any], field: str, processor: Any) -> NDArray[Any]:
    """Return the encoded column of a label field. Label columns stand at the end of a row, in the fields' order."""
    names = _label_fields(processor)
    if field not in names:
        known = ", ".join(map(repr, names)) or "there are none"
        raise ContentError(f"{role}={field!r} must name one of the label_fields of A.BboxParams: {known}")
    column: NDArray[Any] = rows[:, rows.shape[1] - len(names) + names.index(field)]
    return column


def _encoder(field: str, processor: Any) -> Any:
    metadata = processor.label_manager.metadata["bboxes"].get(field)
    return None if metadata is None or metadata.is_numerical else metadata.encoder


def _numbers(role: str, rows: NDArray[Any], field: str, processor: Any) -> NDArray[np.float64]:
    column = _column(role, rows, field, processor)
    encoder = _encoder(field, processor)
    if encoder is None or encoder.is_numerical:
        return column.astype(np.float64)
    try:
        return np.array([encoder.inverse_classes_[int(code)] for code in column], dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"{role}={field!r} must be a field of numbers, got {sorted(encoder.classes_)}") from None


def _labels(rows: NDArray[Any], field: str | None, processor: Any) -> Sequence[Hashable]:
    """Return the labels as the user gave them: whole numbers as int, text as text."""
    names = _label_fields(processor)
    if field is None and not names:
        if rows.shape[1] == 4:
            raise ContentError("min_retention is per label, but the boxes have no labels: name label_fields")
        column, encoder = rows[:, 4], None  # labels that the user wrote behind the coordinates
    else:
        field = names[0] if field is None else field
        column, encoder = _column("labels", rows, field, processor), _encoder(field, processor)
    if encoder is not None and not encoder.is_numerical:
        return [encoder.inverse_classes_[int(code)] for code in column]
    return [int(value) if float(value).is_integer() else float(value) for value in column.tolist()]
