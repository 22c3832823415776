"""Masks on a picture: what they cover is tinted, and their edge drawn, on a dark rim."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from safeaug.geometry import Size
from safeaug.report import ink
from safeaug.showing.marks import Marks

Number = TypeVar("Number", bound=np.generic)

TINTS: tuple[ink.Colour, ...] = (
    (86, 180, 233),
    (230, 159, 0),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
)
"""Of Okabe and Ito's colours those that stay clear of the one for what is not finite."""

IGNORED: ink.Colour = (128, 128, 128)
"""The colour of what a semantic mask says not to look at."""

STRENGTH = 0.4
"""How much of a pixel that a mask covers is tint."""

IGNORE = 255
"""The class of what is not to be looked at, as most data sets have it."""

MOST_CLASSES = 8
"""Classes of a semantic mask that are told."""


class Patch(NamedTuple):
    """A part of a picture that a mask covers.

    Parameters
    ----------
    mask : ndarray of shape (h, w), bool
        Which pixels, of the picture as shown.
    colour : Colour
        In which they are tinted.
    label : str
        What they are.
    at : (float, float)
        Where that is written, x and y.
    """

    mask: NDArray[np.bool_]
    colour: ink.Colour
    label: str
    at: tuple[float, float]


def patches_of(marks: Marks, size: Size, order: Sequence[int]) -> list[Patch]:
    """Return what masks cover of a picture that is shown in a size; background, class 0, is left alone.

    Parameters
    ----------
    marks : Marks
        What is drawn on the picture.
    size : (int, int)
        Height and width as shown.
    order : sequence of int
        The classes of all pictures, so that each has one colour in all of them.
    """
    named = marks.labels if not marks.rings else [""] * len(marks.masks)
    patches = []
    for number, (mask, label) in enumerate(zip(marks.masks, named, strict=True)):
        shown = fitted(mask, size)
        patches.append(Patch(shown, tint(number), label, _corner(shown)))
    if marks.classes is not None:
        shown_classes = fitted(marks.classes, size)
        for value in [value for value in np.unique(shown_classes).tolist() if value]:
            mask = shown_classes == value
            colour = IGNORED if value == IGNORE else tint(order.index(value))
            patches.append(Patch(mask, colour, marks.class_names.get(value, str(value)), _middle(mask)))
    return patches


def _corner(mask: NDArray[np.bool_]) -> tuple[float, float]:
    """Return where the upper left corner of what bounds a mask is."""
    rows, columns = np.nonzero(mask)
    return (float(columns.min() + 3), float(rows.min() + 3)) if len(rows) else (0.0, 0.0)


def _middle(mask: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the pixel of a mask that is nearest to its middle; parts of one class may lie all over a picture."""
    rows, columns = np.nonzero(mask)
    nearest = int(np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2))
    return float(columns[nearest]), float(rows[nearest])


def tint(number: int) -> ink.Colour:
    """Return the colour of an object, or of a class, by its number."""
    return TINTS[number % len(TINTS)]


def fitted(mask: NDArray[Number], size: Size) -> NDArray[Number]:
    """Return a mask in a size, each pixel that of the nearest.

    Examples
    --------
    >>> fitted(np.array([[1, 2]]), (2, 4)).tolist()
    [[1, 1, 2, 2], [1, 1, 2, 2]]
    """
    rows, columns = (
        np.minimum(((np.arange(to) + 0.5) * of / to).astype(int), of - 1)
        for to, of in zip(size, mask.shape, strict=True)
    )
    found: NDArray[Number] = mask[rows[:, None], columns]
    return found


def tinted(image: Image.Image, patches: Sequence[Patch]) -> Image.Image:
    """Return a picture with patches tinted, and their edges drawn."""
    pixels = np.asarray(image).astype(np.float64)
    for patch in patches:
        pixels[patch.mask] = (1 - STRENGTH) * pixels[patch.mask] + STRENGTH * np.array(patch.colour)
    for patch in patches:
        pixels[grown(patch.mask) & ~patch.mask] = ink.SHADOW
        pixels[patch.mask & grown(~patch.mask)] = patch.colour
    return Image.fromarray(np.rint(pixels).astype(np.uint8))


def grown(mask: NDArray[np.bool_], by: int = 1) -> NDArray[np.bool_]:
    """Return a mask and so many pixels around it, those at corners too; nothing comes from outside of the picture.

    Examples
    --------
    >>> grown(np.array([[False, False, False, True]])).tolist()
    [[False, False, True, True]]
    """
    for axis in (0, 1):
        wide = mask.copy()
        for step in range(1, by + 1):
            here, there = [slice(None)] * 2, [slice(None)] * 2
            here[axis], there[axis] = slice(step, None), slice(None, -step)
            wide[tuple(here)] |= mask[tuple(there)]
            wide[tuple(there)] |= mask[tuple(here)]
        mask = wide
    return mask


def classes_in(classes: NDArray[np.int64]) -> str:
    """Return, as text, which classes a semantic mask holds.

    Examples
    --------
    >>> classes_in(np.array([[0, 7, 255]]))
    'mask 0, 7, 255'
    """
    values = np.unique(classes).tolist()
    more = f" and {len(values) - MOST_CLASSES} more" if len(values) > MOST_CLASSES else ""
    return f"mask {', '.join(map(str, values[:MOST_CLASSES]))}{more}"
