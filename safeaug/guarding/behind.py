"""Which guarded steps come behind a place in a pipeline."""

from typing import NamedTuple

from safeaug.guarding.way import Way

GEOMETRIC = Way.WINDOW, Way.PROJECTIVE
"""Ways that change how large an object is in the picture."""


class Behind(NamedTuple):
    """Which guarded steps come behind a place in a pipeline: geometric ones in every draw; any in some."""

    certain: bool = False
    possible: bool = False

    def or_behind(self, inside: "Behind", *, certain: bool) -> "Behind":
        """Return what is behind the front of a part, from what is behind it and inside it.

        Parameters
        ----------
        inside : Behind
            What is inside the part.
        certain : bool
            Whether the part is applied in every draw.
        """
        return Behind(self.certain or (inside.certain and certain), self.possible or inside.possible)
