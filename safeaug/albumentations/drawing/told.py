"""What one draw of the commonest transforms does, to the picture and to the host's boxes, in plain numbers.

Of these the parameters depend on nothing but the size of the picture, and the host moves boxes by a formula, so that
neither pixels nor boxes need go through the pipeline. Of the very commonest not even a matrix is made here: it is found
for many draws at once (`maps.matrices_of`).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
from albumentations.core.type_definitions import REFLECT_BORDER_MODES

from safeaug.albumentations.changes import Params, change_of
from safeaug.albumentations.drawing.maps import matrix_of_change
from safeaug.albumentations.drawing.moves import Move
from safeaug.geometry import Size
from safeaug.ledger.matrices import IDENTITY, Matrix

NOTHING_LEFT: Matrix = (0.0,) * 9
"""Stands for a matrix that leaves nothing to see: the ledger takes a singular one for that."""

NONE: Matrix = (0.0,) * 9
"""Numbers of a move that needs none."""


class Told(NamedTuple):
    """One step of one draw.

    Parameters
    ----------
    move : Move
        What it does.
    numbers : tuple of nine floats
        With which numbers: see `Move`.
    size : (int, int)
        Height and width of the picture after the step.
    matrix : Matrix or None
        From the picture before the step to that after it, in coordinates of pixel edges; None where the move says it.
    """

    move: Move
    numbers: Matrix
    size: Size
    matrix: Matrix | None = None


Tell = Callable[[Any, Any, Size], Told]
"""From a transform whose class may draw, the data that it is handed, and the picture's size, to what it does."""


class ElsewhereError(Exception):
    """A draw that only the host's own code can tell."""


def teller(transform: Any, *, boxes: bool) -> Tell | None:
    """Return what draws and tells the draws of a transform; None where only the host's own code can.

    Parameters
    ----------
    transform : BasicTransform
        A leaf of a pipeline. Of the host's own classes alone, not of what others derive from them.
    boxes : bool
        Whether there are boxes, whose fate is asked for.
    """
    kind = type(transform)
    if kind not in MOVES or (boxes and not _is_plain(transform)):
        return None
    if kind in BRIEF and BRIEF[kind].holds(transform):
        return BRIEF[kind].tell
    return _by_change(MOVES[kind])


def _is_plain(transform: Any) -> bool:
    """Return whether the host moves boxes by the one formula: it makes no copies of them, and bends nothing."""
    if isinstance(transform, A.Affine | A.ShiftScaleRotate | A.Rotate):
        cropped = getattr(transform, "crop_border", False)
        mirrored = transform.border_mode in REFLECT_BORDER_MODES
        return transform.rotate_method == "largest_box" and not mirrored and not cropped
    return not getattr(transform, "pad_if_needed", False)


def _by_change(move: Callable[[Params], tuple[Move, Matrix]]) -> Tell:
    """Return what tells draws by way of `change_of`."""

    def tell(transform: Any, data: Any, size: Size) -> Told:
        params = transform.update_transform_params(transform.get_params(), data)
        params = {**params, **transform.get_params_dependent_on_data(params, data)}
        change: Any = change_of(transform, params, size)
        if change is None:
            return Told(*move(params), size, IDENTITY)
        return Told(*move(params), change.size, matrix_of_change(change, size) or NOTHING_LEFT)

    return tell


# What the host does to boxes, which it keeps as shares of the picture's sides.


def _stays(params: Params) -> tuple[Move, Matrix]:
    return Move.STAY, NONE


def _cut(params: Params) -> tuple[Move, Matrix]:
    x0, y0, x1, y1 = params["crop_coords"]
    return Move.CUT, (x0, y0, x1 - x0, y1 - y0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _always(move: Move) -> Callable[[Params], tuple[Move, Matrix]]:
    return lambda params: (move, NONE)


def _quarters(params: Params) -> tuple[Move, Matrix]:
    return (Move.STAY, Move.LEFT, Move.ROUND, Move.RIGHT)[params["factor"] % 4], NONE


def _element(params: Params) -> tuple[Move, Matrix]:
    return ELEMENTS[params["group_element"]], NONE


def _mapped(params: Params) -> tuple[Move, Matrix]:
    numbers: Any = tuple(np.asarray(params["bbox_matrix"], dtype=np.float64).ravel().tolist())
    return Move.MAP, numbers


ELEMENTS: Mapping[str, Move] = MappingProxyType(
    {
        "e": Move.STAY,
        "r90": Move.LEFT,
        "r180": Move.ROUND,
        "r270": Move.RIGHT,
        "h": Move.MIRROR,
        "v": Move.TOPPLE,
        "t": Move.SWAP,
        "hvt": Move.ANTI,
    }
)
"""The elements of the square's group, by the host's names."""

MOVES: Mapping[type, Callable[[Params], tuple[Move, Matrix]]] = MappingProxyType(
    {
        A.RandomCrop: _cut,
        A.CenterCrop: _cut,
        A.Crop: _cut,
        A.RandomResizedCrop: _cut,
        A.RandomSizedCrop: _cut,
        A.RandomCropFromBorders: _cut,
        A.Resize: _stays,
        A.LongestMaxSize: _stays,
        A.SmallestMaxSize: _stays,
        A.RandomScale: _stays,
        A.HorizontalFlip: _always(Move.MIRROR),
        A.VerticalFlip: _always(Move.TOPPLE),
        A.Transpose: _always(Move.SWAP),
        A.RandomRotate90: _quarters,
        A.D4: _element,
        A.SquareSymmetry: _element,
        A.Affine: _mapped,
        A.ShiftScaleRotate: _mapped,
        A.Rotate: _mapped,
    }
)
"""The host's transforms that are told here, and what each does to boxes."""


# The commonest, without a detour.


def _window(transform: Any, size: Size) -> tuple[Matrix, Size]:
    found = transform.get_params_dependent_on_data({"shape": size}, {})
    x0, y0, x1, y1 = found["crop_coords"]
    if not (x0 < x1 and y0 < y1) or found.get("pad_params"):
        raise ElsewhereError
    return (x0, y0, x1 - x0, y1 - y0, 0.0, 0.0, 0.0, 0.0, 0.0), (y1 - y0, x1 - x0)


def _told_cut(transform: Any, data: Any, size: Size) -> Told:
    return Told(Move.CUT, *_window(transform, size))


def _told_resized(transform: Any, data: Any, size: Size) -> Told:
    height, width = transform.size
    return Told(Move.CUT, _window(transform, size)[0], (height, width))


def _told_flip(transform: Any, data: Any, size: Size) -> Told:
    return Told(Move.MIRROR, NONE, size)


def _told_affine(transform: Any, data: Any, size: Size) -> Told:
    """Draw as the host does, in its order, but leave its two matrices to be made for all draws at once."""
    there, shear = transform._get_translate_params(size), transform._get_shear_params()
    scale = transform._get_scale(transform.scale, transform.keep_ratio, transform.balanced_scale, transform.py_random)
    turn = transform.py_random.uniform(*transform.rotate)
    numbers = there["x"], there["y"], shear["x"], shear["y"], scale["x"], scale["y"], turn, 0.0, 0.0
    return Told(Move.TURN, numbers, size)


class Brief(NamedTuple):
    """What tells the draws of a class without a detour, and of which of its transforms."""

    tell: Tell
    holds: Callable[[Any], bool] = lambda transform: True


BRIEF: Mapping[type, Brief] = MappingProxyType(
    {
        A.RandomCrop: Brief(_told_cut, lambda transform: not transform.pad_if_needed),
        A.RandomResizedCrop: Brief(_told_resized),
        A.RandomSizedCrop: Brief(_told_resized),
        A.HorizontalFlip: Brief(_told_flip),
        A.Affine: Brief(_told_affine, lambda transform: not transform.fit_output),
    }
)
