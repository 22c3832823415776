"""A picture on a small square grid: each cell is the mean of what it covers, to the exact share of a pixel."""

from typing import Any

from safeaug.saliency.library import Library

BAND = 8
"""Rows of cells that are made at a time: few enough that most of the matrix, which is zero, is left out."""


def area_matrix(length: int, cells: int, library: Library) -> Any:
    """Return the matrix that takes ``length`` pixels to the means of ``cells`` equal parts of them.

    Parameters
    ----------
    length, cells : int
        Of pixels, and of parts: fewer or more.
    library : Library
        Whose array it is.

    Returns
    -------
    array of shape (cells, length), float32
        Each row adds up to one.

    Examples
    --------
    >>> from safeaug.saliency.library import NUMPY
    >>> (3 * area_matrix(3, 2, NUMPY)).tolist()
    [[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
    """
    xp = library.xp
    # In units of which a pixel has `cells` and a part `length`, all ends are whole numbers.
    start, pixel = library.count(cells)[:, None] * length, library.count(length)[None] * cells
    shared = xp.minimum(start + length, pixel + cells) - xp.maximum(start, pixel)
    return library.floats(xp.clip(shared, 0, length)) / length


def rows_on_grid(pixels: Any, matrix: Any, library: Library) -> Any:
    """Return the means of equal parts of the rows.

    Parameters
    ----------
    pixels : array of shape (..., H, N)
        Of any type. Made floats by and by, so that a large picture is never copied whole.
    matrix : array of shape (cells, H)
        Of `area_matrix`.
    library : Library
        Whose arrays they are.

    Returns
    -------
    array of shape (..., cells, N), float32
    """
    cells, height = matrix.shape
    bands = []
    for first in range(0, cells, BAND):
        last = min(first + BAND, cells)
        rows = slice(first * height // cells, -(-last * height // cells))
        bands.append(matrix[first:last, rows] @ library.floats(pixels[..., rows, :]))
    return library.xp.concatenate(bands, -2)


def on_grid(pixels: Any, size: int, library: Library, together: int = 1) -> Any:
    """Return pictures on a grid of ``size`` x ``size`` cells, whatever their shape.

    Parameters
    ----------
    pixels : array of shape (B, ..., H, W)
        Of any type.
    size : int
        Cells along each side.
    library : Library
        Whose arrays they are.
    together : int
        How many of them are shrunk at a time.

    Returns
    -------
    array of shape (B, ..., size, size), float32
    """
    rows, columns = (area_matrix(length, size, library) for length in pixels.shape[-2:])
    parts = (pixels[first : first + together] for first in range(0, len(pixels), together))
    return library.xp.concatenate([rows_on_grid(part, rows, library) @ columns.T for part in parts])
