"""The objects of a batch for the single-image search, where they are more than boxes or a callable decides."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from safeaug.batch.given import Given
from safeaug.content import Content, content_of_salience, content_of_shapes
from safeaug.errors import ContentError
from safeaug.geometry import Box, Size
from safeaug.objects import visible_of
from safeaug.policy import Policy
from safeaug.shapes import Region, Shape, points_of, region_of, salience_of
from safeaug.traits import Traits


def contents_of(given: Given, sizes: Sequence[Size], policy: Policy) -> list[Content]:
    """Return what must survive of each sample.

    Parameters
    ----------
    given : Given
        Objects and what is said of them, on the CPU.
    sizes : sequence of (int, int)
        Height and width of each image.
    policy : Policy
        What counts.

    Raises
    ------
    ContentError
        On what cannot be judged; it names argument and sample.
    """
    if given.protects == "saliency":
        return [_salient(given, i, size, policy) for i, size in enumerate(sizes)]
    traits = given.traits
    limits, valid = traits.limits.tolist(), traits.valid.tolist()
    weights, ignore, priors = (
        [None] * len(sizes) if each is None else each.tolist()
        for each in (traits.weights, traits.ignore, traits.priors)
    )
    found = []
    for i, size in enumerate(sizes):
        objects = [_object(given, i, place, size) if there else None for place, there in enumerate(valid[i])]
        found.append(content_of_shapes(objects, size, policy, Traits(limits[i], weights[i], ignore[i], priors[i])))
    return found


def _salient(given: Given, i: int, size: Size, policy: Policy) -> Content:
    """Return the saliency map of a sample: one in pixels, as far as its image goes, or one in cells."""
    cells = given.salient[i] if given.maps is None else given.maps[i][: size[0], : size[1]]
    return content_of_salience(salience_of(_array(cells), size, f"maps[{i}]"), size, policy)


def _object(given: Given, i: int, place: int, size: Size) -> Shape | Box | None:
    """Return one object of a sample, clipped to its image; None for one outside of it."""
    if given.protects == "boxes":
        assert given.boxes is not None
        return _boxed(given.boxes[i, place].tolist(), size)
    if given.protects == "keypoints":
        assert given.keypoints is not None
        return points_of(visible_of(_array(given.keypoints[i, place].double()), place), size)
    name = f"{given.protects}[{i}]" + (f"[{place}]" if given.protects == "masks" else "")
    cover = given.masks[i][place] if given.protects == "masks" else given.maps[i]  # type: ignore[index]
    array = _array(cover[: size[0], : size[1]])
    return _mapped(array, size, name) if given.protects == "maps" else region_of(array, size, name)


def _boxed(row: list[float], size: Size) -> Box | None:
    """Return a box clipped to its image; a point for one without area."""
    x0, y0, x1, y1 = row
    box = max(x0, 0.0), max(y0, 0.0), min(x1, float(size[1])), min(y1, float(size[0]))
    if box[0] < box[2] and box[1] < box[3]:
        return box
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return (x, y, x, y) if (x0 == x1 or y0 == y1) and 0 <= x <= size[1] and 0 <= y <= size[0] else None


def _mapped(array: NDArray[Any], size: Size, name: str) -> Region | None:
    """Return a map of what matters as an object: what it holds is shared out as its values are."""
    values = array.astype(np.float64)
    if not (np.isfinite(values).all() and values.min() >= 0):
        raise ContentError(f"{name} must be of finite numbers of at least 0, got {values.min():g} to {values.max():g}")
    return region_of(values / max(values.max(), 1.0), size, name)


def _array(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor on the CPU as an array; numpy has no bfloat16."""
    tensor = tensor.detach()
    return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy()
