"""Saliency: the map of a picture as what must survive, and what a guarded step asks of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.content import Content, content_of_salience
from safeaug.geometry import Size
from safeaug.objects import Saliency
from safeaug.policy import Policy
from safeaug.saliency import map_of
from safeaug.saliency.methods import checked_method
from safeaug.shapes import salience_of


def checked_saliency(saliency: Any) -> Saliency:
    """Return where maps come from, or raise `PolicyError` where it is neither a method's name nor a function."""
    found: Saliency = saliency if callable(saliency) else checked_method(saliency)
    return found


def content_of_pictures(
    pictures: Sequence[NDArray[Any]], image_size: Size, policy: Policy, saliency: Saliency
) -> Content:
    """Return what matters in pictures as content; of several, which share a window, their maps are added up.

    Parameters
    ----------
    pictures : sequence of ndarray of shape (H, W) or (H, W, C)
        At least one: uint8, or floats in [0, 1].
    image_size : (int, int)
        Their height and width.
    policy : Policy
        What is asked of the map.
    saliency : str or callable
        How it is made: see `safeaug.saliency.map_of`.

    Returns
    -------
    Content
        A map of bytes; `Content.blank` where it shows nothing.

    Raises
    ------
    ContentError
        On pictures, or provided maps, that are none.

    Examples
    --------
    >>> image = np.full((120, 200), 90, np.uint8)
    >>> image[30:50, 140:170] = 250
    >>> content = content_of_pictures([image], (120, 200), Policy(), "auto")
    >>> len(content.boxes), content_of_pictures([image[60:]], (60, 200), Policy(), "auto").blank
    (1, True)
    """
    maps = [map_of(picture, saliency) for picture in pictures]
    given = maps[0] if len(maps) == 1 else np.sum(maps, axis=0, dtype=np.int64)
    return content_of_salience(salience_of(given, image_size), image_size, policy)
