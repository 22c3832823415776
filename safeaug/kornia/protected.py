"""Which values of a call must survive, as `safeaug.batch` takes them."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import torch
from torch import Tensor

from safeaug.batch.given import Given, given_of
from safeaug.batch.images import Images
from safeaug.errors import ContentError, PolicyError
from safeaug.kornia.entries import BOXES, Entry
from safeaug.kornia.read import Values
from safeaug.objects import IGNORE_INDEX
from safeaug.policy import Policy

Protect = Literal["boxes", "keypoints", "mask"]
"""What must survive."""

KEYS: dict[Protect, tuple[str, ...]] = {"boxes": BOXES, "keypoints": ("keypoints",), "mask": ("mask",)}
"""The data keys that hold it."""


class Reading(NamedTuple):
    """How objects are read.

    Parameters
    ----------
    protect : {"boxes", "keypoints", "mask"}, optional
        What must survive: the boxes of all data keys; the keypoints of all, which are one object an image; or the
        foreground of the masks, each channel an object. Left out, boxes, else keypoints, where a call holds any.
    foreground : sequence of int, optional
        Values of the mask that count; all but 0 where it is left out.
    ignore_index : int or None, default 255
        Value of the mask that never counts.
    """

    protect: Protect | None = None
    foreground: tuple[int, ...] | None = None
    ignore_index: int | None = IGNORE_INDEX


def reading_of(protect: Any, foreground: Any, ignore_index: Any) -> Reading:
    """Return how objects are read.

    Raises
    ------
    PolicyError
        On what is none of the allowed values.
    """
    if protect is not None and protect not in get_args(Protect):
        raise PolicyError(f"protect must be one of {', '.join(get_args(Protect))}, or None, got {protect!r}")
    try:
        values = None if foreground is None else tuple(int(each) for each in foreground)
    except (TypeError, ValueError):
        raise PolicyError(f"foreground must be whole numbers, values of the mask, got {foreground!r}") from None
    return Reading(protect, values, None if ignore_index is None else int(ignore_index))


def protected_in(
    entries: Sequence[Entry],
    values: Values,
    reading: Reading,
    batch: Images,
    policy: Policy,
    validate: bool,
    home: torch.device,
    valid: Any,
    about: dict[str, Any],
) -> Given:
    """Return what of a call must survive.

    Parameters
    ----------
    entries : sequence of Entry
        What the call hands over.
    values : Values
        The same, read.
    reading : Reading
        How objects are read.
    batch : Images
        The images, of one size.
    policy, validate, home
        As in `safeaug.batch.given.given_of`.
    valid : Tensor of shape (B, N), bool, or None
        Which rows hold an object; None where they say it themselves.
    about : dict
        ``labels``, ``weights``, ``ignore`` and ``prior_visibility``.

    Raises
    ------
    ContentError
        On values that do not fit the images, or cannot be judged; where ``reading.protect`` is missing.
    """
    kind = reading.protect or ("boxes" if values.boxes else "keypoints" if values.points else None)
    found: dict[str, Any] = dict.fromkeys(("boxes", "masks", "keypoints", "maps", "valid"))
    if kind is not None:
        if not {"boxes": values.boxes, "keypoints": values.points, "mask": values.masks}[kind]:
            given = [entry.name for entry in entries]
            raise ContentError(f'protect="{kind}" needs {" or ".join(KEYS[kind])} among the data keys, got {given}')
        match kind:
            case "boxes":
                found |= _boxes(values, valid)
                if validate:
                    names = " and ".join(entries[place].name for place in values.boxes)
                    _check_boxes(names, found["boxes"], found["valid"])
            case "keypoints":
                found |= _keypoints(values, valid)
            case "mask":
                found |= {"masks": _masks(values, reading), "valid": valid}
    return given_of(batch, policy, "masks" if kind == "mask" else kind, validate, home, **found, **about)


def _boxes(values: Values, valid: Any) -> dict[str, Any]:
    """Return the boxes of all data keys, one after the other."""
    rows, there, _ = zip(*values.boxes.values(), strict=True)
    return {"boxes": torch.cat(rows, dim=1), "valid": torch.cat(there, dim=1) if valid is None else valid}


def _keypoints(values: Values, valid: Any) -> dict[str, Any]:
    """Return the keypoints of all data keys as one object an image; those that are not there are invisible."""
    points, there = (torch.cat(each, dim=1) for each in zip(*values.points.values(), strict=True))
    if valid is not None:
        if not isinstance(valid, Tensor) or valid.dtype is not torch.bool or valid.shape != there.shape:
            raise ContentError(f"valid must be bool of shape {tuple(there.shape)}, one a keypoint, got {valid!r}")
        there = valid.to(there.device)
    rows = torch.cat([points, there[..., None].to(points.dtype)], dim=-1)[:, None]
    return {"keypoints": rows, "valid": there.any(-1, keepdim=True)}


def _masks(values: Values, reading: Reading) -> list[Tensor]:
    """Return of each image the foreground of each channel of all data keys."""
    given = list(values.masks.values())
    images = [torch.cat([masks[i].flatten(0, -3) for masks in given]) for i in range(len(given[0]))]
    return [_foreground(masks, reading) for masks in images]


def _foreground(masks: Tensor, reading: Reading) -> Tensor:
    if reading.foreground is None:
        chosen = masks != 0
    else:
        chosen = torch.isin(masks, torch.tensor(reading.foreground, device=masks.device))
    if reading.ignore_index is not None and masks.dtype is not torch.bool:
        chosen = chosen & (masks != reading.ignore_index)
    return chosen


def _check_boxes(names: str, rows: Tensor, valid: Any) -> None:
    """Raise `ContentError` on the first box that cannot be judged; it tells the box as it was read."""
    good = rows.isfinite().all(-1) & (rows[..., 0] <= rows[..., 2]) & (rows[..., 1] <= rows[..., 3])
    bad = ~good & (valid if isinstance(valid, Tensor) and valid.shape == good.shape else True)
    if bool(bad.any()):
        i, place = bad.nonzero()[0].tolist()
        raise ContentError(
            f"{names}[{i}, {place}] must be of finite numbers, with a width and a height of at least 0, got one with "
            f"the edges {rows[i, place].tolist()}; are the corners swapped, or is it of another data key?"
        )
