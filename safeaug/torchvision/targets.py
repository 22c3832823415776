"""The objects of a sample, as a transform of the host sees them: the leaves that it changes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import PIL.Image
import torch
from numpy.typing import NDArray
from torchvision import tv_tensors
from torchvision.transforms.v2 import functional as F

from safeaug import objects
from safeaug.content import Content, content_of_rows, content_of_shapes, counting
from safeaug.errors import ContentError
from safeaug.geometry import Size
from safeaug.guarding.salient import content_of_pictures
from safeaug.objects import Object
from safeaug.policy import Policy
from safeaug.shapes import points_of, polygon_of
from safeaug.torchvision.reading import BY_DEFAULT, Reading, Target
from safeaug.traits import Traits, traits_of

Named = Mapping[str, Sequence[Any]] | None
"""Values of the fields that a reading names, by their names in the sample; see `safeaug.torchvision.reading.fields_of`.
"""

BOXES = tv_tensors.BoundingBoxes
MASK = tv_tensors.Mask
KEYPOINTS: Any = getattr(tv_tensors, "KeyPoints", None)
"""None before torchvision 0.23."""

KINDS: dict[Target, Any] = {"boxes": BOXES, "masks": MASK, "mask": MASK, "keypoints": KEYPOINTS}

PICTURES = tv_tensors.Image, tv_tensors.Video

_ON_CANVAS: tuple[Any, ...] = (BOXES,) if KEYPOINTS is None else (BOXES, KEYPOINTS)
_OBJECTS: tuple[Any, ...] = (*_ON_CANVAS, MASK)


def image_size_of(leaves: Sequence[Any]) -> Size:
    """Return the height and width that all leaves of a sample share.

    Parameters
    ----------
    leaves : sequence
        What a transform of the host changes: images, videos, and the objects on them.

    Raises
    ------
    ContentError
        Where nothing has a size, where images differ in size, or where boxes, masks or keypoints stand on a canvas of
        another size than the image.

    Examples
    --------
    >>> image_size_of([tv_tensors.Image(torch.zeros(3, 4, 5)), "cat"])
    (4, 5)
    """
    pictures: dict[Size, str] = {}
    canvases: dict[Size, str] = {}
    for leaf in leaves:
        size = _size_of(leaf)
        if size is not None:
            (canvases if isinstance(leaf, _OBJECTS) else pictures).setdefault(size, _name_of(leaf))
    if len(pictures) > 1:
        said = ", ".join(f"{name} of {size}" for size, name in pictures.items())
        raise ContentError(
            f"images that share a window must share a size, got {said} (height, width); resize one of them, or "
            "transform it in a call of its own"
        )
    sizes = pictures or canvases
    if not sizes:
        got = ", ".join(type(leaf).__name__ for leaf in leaves) or "nothing"
        raise ContentError(
            f"no image, video, mask or boxes in the sample: of what a transform changes, it holds {got}; hand over a "
            "PIL image, a tensor or a tv_tensors.Image"
        )
    image_size = next(iter(sizes))
    for size, name in canvases.items():
        if size != image_size:
            of = "the image" if pictures else sizes[image_size]
            raise ContentError(
                f"{name} must stand on a canvas of the size of {of}, {image_size} (height, width), got {size}; "
                "canvas_size is (height, width), and of the image as it is at this step"
            )
    return image_size


def refuse_loose_boxes(leaves: Sequence[Any], reading: Reading) -> None:
    """Raise `ContentError` where a sample seems to hold boxes that no transform of the host moves.

    Parameters
    ----------
    leaves : sequence
        All leaves of a sample.
    reading : Reading
        A callable ``protect`` knows where the objects are.
    """
    if callable(reading.protect) or any(type(leaf) is BOXES for leaf in leaves):
        return
    image, plain = False, []
    for leaf in leaves:
        if isinstance(leaf, _OBJECTS):
            return
        if isinstance(leaf, (*PICTURES, PIL.Image.Image)):
            image = True
        elif isinstance(leaf, torch.Tensor | np.ndarray):
            plain.append(leaf)
    if not image:  # then the host takes the first plain tensor for one
        first = next((i for i, leaf in enumerate(plain) if isinstance(leaf, torch.Tensor)), None)
        if first is None:
            return
        del plain[first]
    for leaf in plain:
        if leaf.ndim == 2 and leaf.shape[1] == 4 and len(leaf):
            raise ContentError(
                f"the sample holds a plain {type(leaf).__name__} of shape {tuple(leaf.shape)} beside the image and no "
                "objects. If these are boxes, wrap them in tv_tensors.BoundingBoxes(..., format=, canvas_size=): the "
                "host would move the picture without them. If not, say what is to be protected, were it nothing: "
                "protect=lambda leaves: {}"
            )


def content_of(leaves: Sequence[Any], named: Named, policy: Policy, reading: Reading) -> Content:
    """Return the content of a sample.

    Parameters
    ----------
    leaves : sequence
        What a transform of the host changes.
    named : mapping or None
        Values of the fields that the reading names, by their names in the sample.
    policy : Policy
        What counts, and what is asked of it.
    reading : Reading
        What is protected.

    Raises
    ------
    ContentError
        Where it cannot be read: see `image_size_of`; boxes that are none; a field of another length than there are
        objects; a label without a limit; what is to be protected is not in the sample.

    Examples
    --------
    >>> image = tv_tensors.Image(torch.zeros(3, 8, 8))
    >>> boxes = tv_tensors.BoundingBoxes([[1, 1, 4, 4]], format="XYWH", canvas_size=(8, 8))
    >>> content_of([image, boxes], None, Policy(), Reading()).boxes
    [(1.0, 1.0, 5.0, 5.0)]
    """
    size, protect = image_size_of(leaves), reading.protect
    if callable(protect):
        return _of_callable(protect, leaves, size, policy)
    if protect == "saliency":
        return salient_content(leaves, size, policy, reading)
    for target in BY_DEFAULT if protect is None else (protect,):
        found = carried(leaves, target)
        if found:
            return _READERS[target](found, size, named, policy, reading)
    if protect is None:
        return content_of_rows([], size, [])
    kind = KINDS[protect]
    wanted = (
        "tv_tensors.KeyPoints, which torchvision has from 0.23 on," if kind is None else f"a tv_tensors.{kind.__name__}"
    )
    got = ", ".join(type(leaf).__name__ for leaf in leaves)
    raise ContentError(f"protect={protect!r} needs {wanted} in the sample, which holds {got}")


def carries(leaves: Sequence[Any], reading: Reading) -> bool:
    """Return whether a sample itself carries what is to be protected, be it without objects."""
    if callable(reading.protect) or reading.protect == "saliency":
        return True
    targets = BY_DEFAULT if reading.protect is None else (reading.protect,)
    return any(carried(leaves, target) for target in targets)


def salient_content(leaves: Sequence[Any], size: Size, policy: Policy, reading: Reading) -> Content:
    """Return what stands out in the images of a sample, which share a window; arrays are taken for images too.

    Raises
    ------
    ContentError
        Where it has none.
    """
    pictures = [picture for leaf in leaves for picture in _pictures(leaf)]
    if not pictures:
        got = ", ".join(type(leaf).__name__ for leaf in leaves)
        raise ContentError(f'protect="saliency" needs an image in the sample, which holds {got}')
    return content_of_pictures(pictures, size, policy, reading.saliency)


def carried(leaves: Sequence[Any], target: Target) -> list[Any]:
    """Return the leaves that hold a kind of object; a mask of shape (H, W) holds no instances."""
    kind = KINDS[target]
    if kind is None:
        return []
    least = 3 if target == "masks" else 0
    return [leaf for leaf in leaves if isinstance(leaf, kind) and leaf.ndim >= least]


def rows_of(boxes: Any) -> list[list[float]] | None:
    """Return the corners of upright boxes in pixels, as floats; None for rotated ones.

    Parameters
    ----------
    boxes : tv_tensors.BoundingBoxes
        Of shape (..., 4); of any dtype, on any device.
    """
    name = boxes.format.name
    if name not in {"XYXY", "XYWH", "CXCYWH"}:
        return None
    with torch._C.DisableTorchFunctionSubclass():  # else each of these calls takes three times as long
        flat = boxes if boxes.ndim == 2 else boxes.reshape(-1, 4)
        rows: list[list[float]] = (flat if flat.is_floating_point() else flat.double()).tolist()
    if name == "XYXY":
        return rows
    if name == "XYWH":
        return [[x, y, x + wide, y + high] for x, y, wide, high in rows]
    return [[x - wide / 2, y - high / 2, x + wide / 2, y + high / 2] for x, y, wide, high in rows]


def _of_callable(
    protect: Callable[[list[Any]], Any], leaves: Sequence[Any], image_size: Size, policy: Policy
) -> Content:
    given = protect(list(leaves))
    if not isinstance(given, Mapping):
        raise ContentError(
            f"a callable protect must return a dict such as {{'boxes': ...}}, got {type(given).__name__}"
        )
    try:
        return objects.content_from(image_size, policy, **given)
    except TypeError as error:
        raise ContentError(
            f"a callable protect must return keywords of safeaug.place, got {list(given)}: {error}"
        ) from None


def _boxes(found: list[Any], size: Size, named: Named, policy: Policy, reading: Reading) -> Content:
    """Return the boxes of all leaves, in their order."""
    parts = [(boxes, rows_of(boxes)) for boxes in found]
    upright = [row for _, rows in parts for row in rows or ()]
    if all(rows is not None for _, rows in parts):
        traits = _traits(len(upright), named, policy, reading)
        content = content_of_rows(upright, size, traits.limits, traits.weights, traits.ignore)
        return counting(content, policy, traits.priors)
    shapes: list[Object] = []
    for boxes, rows in parts:
        if rows is None:
            rings = _corners(boxes)
            shapes += [polygon_of(ring, size, f"box {len(shapes) + i}") for i, ring in enumerate(rings)]
        else:
            inside = content_of_rows(rows, size, [0.0] * len(rows)).given
            shapes += [None if box[0] != box[0] else box for box in inside]
    return content_of_shapes(shapes, size, policy, _traits(len(shapes), named, policy, reading))


def _corners(boxes: Any) -> NDArray[np.float64]:
    """Return the corners of rotated boxes, of shape (N, 4, 2)."""
    plain = boxes.as_subclass(torch.Tensor).detach().cpu().double().reshape(-1, boxes.shape[-1])
    corners = F.convert_bounding_box_format(plain, boxes.format, type(boxes.format)["XYXYXYXY"])
    array: NDArray[np.float64] = corners.numpy().reshape(-1, 4, 2)
    return array


def _masks(found: list[Any], size: Size, named: Named, policy: Policy, reading: Reading) -> Content:
    """Return the instances of all masks, in their order."""
    arrays = [array for mask in found for array in _array(mask).reshape(-1, *size)]
    traits = _traits(len(arrays), named, policy, reading)
    return content_of_shapes(objects.instances(arrays, size), size, policy, traits)


def _mask(found: list[Any], size: Size, named: Named, policy: Policy, reading: Reading) -> Content:
    """Return the foreground of the semantic mask; of several in a batch, what is foreground in any."""
    array = _array(found[0]).reshape(-1, *size)
    stacked = array[0] if len(array) == 1 else np.moveaxis(array, 0, -1)
    return objects.semantic(stacked, size, policy, reading.foreground, reading.ignore_index)


def _keypoints(found: list[Any], size: Size, named: Named, policy: Policy, reading: Reading) -> Content:
    """Return the instances that keypoints belong to: each of the first dimension, where there are more than two."""
    points = []
    for each in found:
        array = _array(each).astype(np.float64)
        instances = array[None] if array.ndim == 2 else array.reshape(len(array), -1, 2)
        points += [points_of(xy, size) for xy in instances]
    return content_of_shapes(points, size, policy, _traits(len(points), named, policy, reading))


_READERS: Mapping[Target, Callable[[list[Any], Size, Named, Policy, Reading], Content]] = {
    "boxes": _boxes,
    "masks": _masks,
    "mask": _mask,
    "keypoints": _keypoints,
}


def _traits(count: int, named: Named, policy: Policy, reading: Reading) -> Traits:
    """Return what the named fields say of so many objects."""

    def of(name: str | None) -> Any:
        return None if name is None or named is None else named.get(name)

    labels = of(reading.labels) if policy.per_label else None
    return traits_of(policy, count, labels, of(reading.weights), of(reading.ignore), of(reading.prior_visibility))


def _pictures(leaf: Any) -> list[NDArray[Any]]:
    """Return the images that a leaf holds, as arrays of shape (H, W) or (H, W, C)."""
    if isinstance(leaf, PIL.Image.Image):
        return [np.asarray(leaf if leaf.mode in {"RGB", "L", "F", "I", "I;16"} else leaf.convert("RGB"))]
    if isinstance(leaf, np.ndarray):
        return [leaf]
    if isinstance(leaf, torch.Tensor) and not isinstance(leaf, _OBJECTS):
        array = _array(leaf)
        return list(np.moveaxis(array.reshape(-1, *array.shape[-3:]), 1, -1)) if array.ndim > 2 else [array]
    return []


def _array(leaf: Any) -> NDArray[Any]:
    plain = leaf.as_subclass(torch.Tensor).detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()
    return array


def _size_of(leaf: Any) -> Size | None:
    """Return the height and width of a leaf; None for one that has none."""
    if isinstance(leaf, _ON_CANVAS):
        height, width = leaf.canvas_size
    elif isinstance(leaf, torch.Tensor) and leaf.ndim >= 2:
        height, width = leaf.shape[-2:]
    elif isinstance(leaf, PIL.Image.Image):
        width, height = leaf.size
    else:
        return None
    return int(height), int(width)


def _name_of(leaf: Any) -> str:
    name = type(leaf).__name__
    return "a plain tensor" if type(leaf) is torch.Tensor else f"a {name}"
