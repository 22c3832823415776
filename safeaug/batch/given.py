"""What a caller hands over beside the images, checked once: objects, and what is said of them."""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.batch.images import Images
from safeaug.batch.moved import moved
from safeaug.batch.objects import Traits
from safeaug.batch.padded import Rows, check_device, filled_of, maps_of, masks_of, rows_of
from safeaug.batch.said import traits_of
from safeaug.errors import ContentError
from safeaug.policy import Policy

KINDS = "boxes", "masks", "keypoints", "maps"
"""What may survive, in the order in which it is looked for."""

WHOLE = "maps", "saliency"
"""What is one object an image, whatever else there is."""


class Given(NamedTuple):
    """What a batch holds beside its images.

    Parameters
    ----------
    boxes : Tensor of shape (B, N, 4), or None
        Corners in the image frame.
    masks : Tensor of shape (B, N, H, W), list of Tensor of shape (Ni, Hi, Wi), or None
        Instance masks.
    keypoints : Tensor of shape (B, N, K, 2) or (B, N, K, 3), or None
        In the image frame; a third number above 0 says that one is visible.
    maps : Tensor of shape (B, H, W), list of Tensor of shape (Hi, Wi), or None
        A map of what matters, one an image.
    valid : Tensor of shape (B, N), bool
        Which rows hold an object.
    traits : Traits
        What is said of what is protected.
    protects : str or None
        Which of them must survive; None where there is nothing.
    salient : Tensor of shape (B, h, w), list of Tensor of shape (h, w), or None
        Saliency maps in cells, where maps in pixels are not what must survive as such.
    """

    boxes: Tensor | None
    masks: Tensor | list[Tensor] | None
    keypoints: Tensor | None
    maps: Tensor | list[Tensor] | None
    valid: Tensor
    traits: Traits
    protects: str | None
    salient: Any = None


def given_of(
    images: Images,
    policy: Policy,
    protect: str | None,
    validate: bool,
    home: torch.device,
    *,
    boxes: Any,
    masks: Any,
    keypoints: Any,
    maps: Any,
    salient: Any = None,
    valid: Any,
    labels: Any,
    weights: Any,
    ignore: Any,
    prior_visibility: Any,
) -> Given:
    """Return what a caller hands over, checked; see `safeaug.batch.RandomResizedCrop.forward`.

    All but masks and maps, which are rendered as the images are, goes home: where numbers of float64 can be.

    Raises
    ------
    ContentError
        It names the argument, the sample, what is allowed and what was given. Shapes, dtypes and devices are always
        checked; values only with ``validate``, which on a device waits for it.
    """
    kinds = {
        "boxes": rows_of("boxes", boxes, images),
        "masks": masks_of(masks, images),
        "keypoints": rows_of("keypoints", keypoints, images),
    }
    rows = {name: each for name, each in kinds.items() if each is not None}
    pictured, lengths = maps_of(maps, images), _lengths(rows)
    there = moved(_valid(images, rows, valid, lengths), home)
    found_kinds = {**{name: each.rows for name, each in rows.items()}, "maps": pictured, "saliency": protect}
    protects = _protected(found_kinds, protect)
    protected = there
    if protects in WHOLE:
        protected, lengths = there.new_ones((len(there), 1)), [1] * len(there)
    homes = {"boxes": home, "keypoints": home, "masks": images.device}
    about = {"labels": labels, "weights": weights, "ignore": ignore, "prior_visibility": prior_visibility}
    asked = policy.of_salience() if protects == "saliency" else policy
    found = Given(
        **{name: None if each is None else moved(each.rows, homes[name]) for name, each in kinds.items()},
        maps=pictured,
        valid=there,
        traits=traits_of(asked, protected, lengths, about, validate, images.device),
        protects=protects,
        salient=salient,
    )
    if validate:
        _check_values(found, images)
    return found


def _lengths(kinds: dict[str, Rows]) -> list[int] | None:
    """Return how many objects each sample has, as far as lists say so."""
    lengths = {name: rows.lengths for name, rows in kinds.items() if rows.lengths is not None}
    found = next(iter(lengths.values()), None)
    if any(each != found for each in lengths.values()):
        raise ContentError(f"boxes, masks and keypoints must be of the same objects, got lists of {lengths}")
    return found


def _valid(images: Images, kinds: dict[str, Rows], valid: Any, lengths: list[int] | None) -> Tensor:
    """Return which rows hold an object."""
    batch = len(images.sizes)
    counts = {name: rows.length for name, rows in kinds.items()}
    if len(set(counts.values())) > 1:
        raise ContentError(f"boxes, masks and keypoints must be of the same objects, got {counts} a sample")
    count = next(iter(counts.values()), 0)
    filled = None if lengths is None else filled_of(lengths, count, images.device)
    if valid is not None:
        if not isinstance(valid, Tensor) or valid.dtype is not torch.bool or valid.shape != (batch, count):
            got = f"{valid.dtype} of shape {tuple(valid.shape)}" if isinstance(valid, Tensor) else repr(valid)
            raise ContentError(f"valid must be bool of shape {(batch, count)}, got {got}")
        check_device("valid", valid, images)
        return valid if filled is None else valid & filled
    if filled is not None:
        return filled
    if count:
        name = next(iter(counts))
        raise ContentError(
            f"{name} of shape ({batch}, {count}, ...) need valid, a bool of shape ({batch}, {count}): which rows hold "
            "an object and which only fill up the batch; torch.ones(..., dtype=torch.bool) where all do. Or hand over "
            "a list of tensors, one an image"
        )
    return torch.zeros((batch, 0), dtype=torch.bool, device=images.device)


def _protected(given: dict[str, Any], protect: str | None) -> str | None:
    if protect is None:
        return next((kind for kind in KINDS if given.get(kind) is not None), None)
    if given.get(protect) is None:
        raise ContentError(f'protect="{protect}" needs {protect}, which the batch lacks; pass {protect}=')
    return protect


def _check_values(found: Given, images: Images) -> None:
    """Raise `ContentError` on the first object that cannot be judged."""
    asked = found.valid if found.traits.ignore is None else found.valid & ~found.traits.ignore
    if found.boxes is not None:
        boxes = found.boxes.double()
        finite = boxes.isfinite().all(-1)
        ordered = (boxes[..., 0] <= boxes[..., 2]) & (boxes[..., 1] <= boxes[..., 3])
        bad = asked & ~(finite & ordered)
        if bool(bad.any()):
            i, place = bad.nonzero()[0].tolist()
            row = found.boxes[i, place].tolist()
            what = (
                "x0 <= x1 and y0 <= y1, got {}; are the corners swapped, or is it (x, y, w, h)?"
                if bool(finite[i, place])
                else "finite numbers, got {}; drop it or mend the annotation"
            )
            raise ContentError(f"boxes[{i}, {place}] must have {what.format(row)}")
    if found.keypoints is not None:
        points = found.keypoints.double()
        seen = points[..., 2] > 0 if points.shape[-1] == 3 else torch.ones_like(points[..., 0], dtype=torch.bool)
        bad = asked & (seen & ~points[..., :2].isfinite().all(-1)).any(-1)
        if bool(bad.any()):
            i, place = bad.nonzero()[0].tolist()
            raise ContentError(
                f"keypoints[{i}, {place}] must be of finite numbers, got {found.keypoints[i, place].tolist()}; mark "
                "the unseen as invisible"
            )
