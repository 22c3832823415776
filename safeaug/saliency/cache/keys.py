"""What names a picture whatever it is called: a hash of its content."""

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEY = 16
"""Bytes of a key: two of 10^9 pictures have the same with a probability of 10^-21."""


def pixels_key(image: NDArray[Any]) -> bytes:
    """Return the key of an image by its pixels, their type and its shape.

    Examples
    --------
    >>> image = np.zeros((4, 6, 3), np.uint8)
    >>> pixels_key(image) == pixels_key(image.copy()), pixels_key(image) == pixels_key(image.reshape(6, 4, 3))
    (True, False)
    """
    pixels = np.ascontiguousarray(image)
    about = f"{pixels.dtype.newbyteorder('<').str} {pixels.shape}"
    made = blake2b(about.encode(), digest_size=KEY, person=b"pixels")
    made.update(pixels.astype(pixels.dtype.newbyteorder("<"), copy=False).data.cast("B"))
    return made.digest()


def file_key(content: bytes) -> bytes:
    """Return the key of a picture by the bytes of its file."""
    return blake2b(content, digest_size=KEY, person=b"file").digest()
