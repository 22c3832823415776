"""The ledger, and how it is kept."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.content import Content
from safeaug.errors import ContentError
from safeaug.geometry import Box, Size
from safeaug.ledger.changes import Change, Erased, Mapped, Occluded, Warped, Windowed
from safeaug.ledger.dots import Dots, dots_pixels, dots_within, dots_without
from safeaug.ledger.field import Floats, field_of_index, field_of_maps, margin_of
from safeaug.ledger.holes import apart
from safeaug.ledger.matrices import (
    IDENTITY,
    Matrix,
    determinant,
    matrix_of,
    planes_of,
    product,
    pulled_back,
    window_matrix,
)
from safeaug.ledger.patch import Patch, patch_of_ring, pixels, within, without
from safeaug.ledger.pins import Pins, pin_of, pins_erased, pins_of, pins_warped, pins_within, pins_without
from safeaug.ledger.sampling import erased, rearranged, warped
from safeaug.ledger.shown import shown_by
from safeaug.shapes import Boxed, Points, Polygon, Region, Salience, Shape

Track = Patch | Pins | Dots
"""What is visible of one object."""


class Ledger(NamedTuple):
    """What is left of each object after each step.

    Parameters
    ----------
    size : (int, int)
        Height and width of the picture as it is now.
    matrix : tuple of nine floats
        From the frame in which the tracks are kept (the source, or the frame after the last step that warped) to that
        of the picture, row by row, in coordinates of pixel edges.
    tracks : tuple of Patch, Pins, Dots or None
        What is visible of each object; None for one that lay outside the image.
    priors : tuple of float or None
        What was left of each before this image was made.
    shares : tuple of tuple of float
        What was left of each object as it came in, and after each step.
    """

    size: Size
    matrix: Matrix
    tracks: tuple[Track | None, ...]
    priors: tuple[float, ...] | None
    shares: tuple[tuple[float, ...], ...]

    @property
    def left(self) -> Floats:
        """Of each object the share that is visible still, as an array of shape (N,); NaN for one outside the image.

        Of the area of a box, polygon or mask, or of the number of an instance's keypoints, times the prior visibility.
        A box without area is there or not. No step raises it.
        """
        return np.array(self.shares[-1], dtype=np.float64)

    @property
    def after(self) -> Floats:
        """The same after each step so far, as an array of shape (steps, N)."""
        return np.array(self.shares[1:], dtype=np.float64).reshape(len(self.shares) - 1, len(self.tracks))

    @property
    def pixels(self) -> Floats:
        """Of each object the area that is visible, in pixels of the picture as it is now; NaN for what has no area."""
        return np.array([_pixels(track, self.matrix) for track in self.tracks], dtype=np.float64)


def begin(content: Content, image_size: Size) -> Ledger:
    """Return a ledger of the objects of an image, nothing of which is lost yet.

    Parameters
    ----------
    content : Content
        The objects; all that were given, whether or not a policy counts them.
    image_size : (int, int)
        Height and width of the image.

    Examples
    --------
    >>> from safeaug.content import content_of
    >>> from safeaug.ledger import Windowed, begin, follow
    >>> from safeaug.policy import Policy
    >>> ledger = begin(content_of([[0, 0, 40, 40]], (100, 100), Policy()), (100, 100))
    >>> ledger = follow(ledger, Windowed((10, 0, 100, 100), (200, 180)))
    >>> ledger = follow(ledger, Windowed((0, 40, 180, 200), (160, 180)))
    >>> ledger.left.tolist(), ledger.after[:, 0].tolist(), ledger.pixels.tolist()
    ([0.375], [0.75, 0.375], [2400.0])
    """
    salience = content.given_shapes[0] if content.given_shapes else None
    if isinstance(salience, Salience):
        return _begun_by_map(salience)
    if content.given_shapes is None:
        tracks = [_track_of_box(box, content.slack) for box in content.given]
    else:
        tracks = [_track_of_shape(shape, image_size, content.slack) for shape in content.given_shapes]
    priors = None if content.priors is None else tuple(content.priors)
    return _kept(Ledger(image_size, IDENTITY, (), priors, ()), image_size, IDENTITY, tracks)


def _begun_by_map(salience: Salience) -> Ledger:
    """Return a ledger of a saliency map, which is followed in cells: its frame is theirs."""
    (height, width), (down, across) = salience.image_size, salience.cells.shape
    region = Region(salience.cells / 255)
    matrix = (width / across, 0.0, 0.0, 0.0, height / down, 0.0, 0.0, 0.0, 1.0)
    track = Patch(1.0, region.area, region.box, region=region)
    return _kept(Ledger(salience.image_size, matrix, (), None, ()), salience.image_size, matrix, [track])


def follow(ledger: Ledger, change: Change) -> Ledger:
    """Return the ledger after one more step.

    Parameters
    ----------
    ledger : Ledger
        Up to here; it is not changed, so that several next steps can be tried.
    change : Windowed, Mapped, Occluded, Erased, Warped or Unknown
        What the step does. Of a matrix that is singular or not finite, or a window without area, nothing is left.

    Raises
    ------
    ContentError
        Where an image among the step's parameters has not the shape that it must have.
    """
    if isinstance(change, Windowed):
        return _windowed(ledger, change)
    if isinstance(change, Mapped):
        return _mapped(ledger, change)
    if isinstance(change, Occluded):
        return _occluded(ledger, change)
    if isinstance(change, Erased):
        return _erased(ledger, change)
    if isinstance(change, Warped):
        return _warped(ledger, change)
    return _rearranged(ledger, change.shown)


def _windowed(ledger: Ledger, change: Windowed) -> Ledger:
    step = window_matrix(change.window, change.size)
    if step is None:
        return _lost(ledger, change.size)
    x0, y0, x1, y1 = map(float, change.window)
    return _framed(ledger, product(step, ledger.matrix), change.size, ledger.matrix, (x0, y0, x1, y1))


def _mapped(ledger: Ledger, change: Mapped) -> Ledger:
    size = change.size
    step = matrix_of(change.matrix, ledger.size)
    if step is None:
        return _lost(ledger, size)
    matrix = product(step, ledger.matrix)
    return _framed(ledger, matrix, size, matrix, (0.0, 0.0, float(size[1]), float(size[0])))


def _framed(ledger: Ledger, matrix: Matrix, size: Size, to_rect: Matrix, rect: Box) -> Ledger:
    """Return the ledger after a step by a matrix that keeps what a matrix maps into a rectangle."""
    if not math.isfinite(sum(matrix)) or not determinant(matrix):
        return _lost(ledger, size)
    pulled, planes = pulled_back(to_rect, rect), planes_of(to_rect, rect)
    tracks: list[Track | None] = []
    for track in ledger.tracks:
        if track is None or not track.left:
            tracks.append(track)
        elif isinstance(track, Patch):
            tracks.append(within(track, pulled, planes))
        elif isinstance(track, Pins):
            tracks.append(pins_within(track, planes))
        else:
            tracks.append(dots_within(track, planes))
    return _kept(ledger, size, matrix, tracks)


def _occluded(ledger: Ledger, change: Occluded) -> Ledger:
    holes, matrix = apart(change.holes, ledger.size), ledger.matrix

    def step(track: Track) -> Track:
        if isinstance(track, Patch):
            return without(track, matrix, holes)
        return pins_without(track, matrix, holes) if isinstance(track, Pins) else dots_without(track, matrix, holes)

    return _kept(ledger, ledger.size, matrix, _each(ledger, step))


def _erased(ledger: Ledger, change: Erased) -> Ledger:
    mask, matrix = np.asarray(change.mask, dtype=bool), ledger.matrix
    if mask.shape != ledger.size:
        raise ContentError(f"mask must be of the picture's height and width {ledger.size}, got shape {mask.shape}")

    def step(track: Track) -> Track:
        return pins_erased(track, matrix, mask) if isinstance(track, Pins) else erased(track, matrix, mask)

    return _kept(ledger, ledger.size, matrix, _each(ledger, step))


def _warped(ledger: Ledger, change: Warped) -> Ledger:
    field, matrix = field_of_maps(np.asarray(change.map_x), np.asarray(change.map_y)), ledger.matrix
    margin = margin_of(field)

    def step(track: Track) -> Track:
        return pins_warped(track, matrix, field) if isinstance(track, Pins) else warped(track, matrix, field, margin)

    height, width = field.x.shape
    return _kept(ledger, (height, width), IDENTITY, _each(ledger, step))


def _rearranged(ledger: Ledger, index: NDArray[Any]) -> Ledger:
    shown, matrix = shown_by(np.asarray(index), ledger.size), ledger.matrix
    field = field_of_index(shown.places, ledger.size[1])

    def step(track: Track) -> Track:
        return pins_warped(track, matrix, field) if isinstance(track, Pins) else rearranged(track, matrix, shown)

    height, width = shown.places.shape
    return _kept(ledger, (height, width), IDENTITY, _each(ledger, step))


def _each(ledger: Ledger, step: Callable[[Track], Track]) -> list[Track | None]:
    """Return what a step leaves of each object of which something is left."""
    return [track if track is None or not track.left else step(track) for track in ledger.tracks]


def _lost(ledger: Ledger, size: Size) -> Ledger:
    """Return the ledger after a step that leaves nothing."""
    return _kept(ledger, size, IDENTITY, _each(ledger, lambda track: track._replace(left=0.0)))


def _kept(ledger: Ledger, size: Size, matrix: Matrix, tracks: list[Track | None]) -> Ledger:
    """Return the ledger with a further line."""
    shares = tuple([math.nan if track is None else track.left for track in tracks])
    if ledger.priors is not None:
        shares = tuple([share * prior for share, prior in zip(shares, ledger.priors, strict=True)])
    return Ledger(size, matrix, tuple(tracks), ledger.priors, (*ledger.shares, shares))


def _track_of_box(box: Box, slack: float) -> Track | None:
    x0, y0, x1, y1 = box
    area = (x1 - x0) * (y1 - y0)
    if area > 0:
        return Patch(1.0, area, box)
    return None if area != area else pin_of(box, slack)


def _track_of_shape(shape: Shape | None, image_size: Size, slack: float) -> Track | None:
    if shape is None or isinstance(shape, Boxed):
        return None if shape is None else _track_of_box(shape.box, slack)
    if isinstance(shape, Polygon):
        return patch_of_ring(shape.ring, shape.area, shape.box)
    if isinstance(shape, Region):
        return Patch(1.0, shape.area, shape.box, region=shape)
    return pins_of(shape, image_size, slack) if isinstance(shape, Points) else pin_of(shape.box, slack)


def _pixels(track: Track | None, matrix: Matrix) -> float:
    if track is None or isinstance(track, Pins):
        return math.nan
    return pixels(track, matrix) if isinstance(track, Patch) else dots_pixels(track, matrix)
