"""What a guarded draw asks of a transform of this host, and the answer of those that tell a rectangle."""

from collections.abc import Callable, Sequence
from typing import Any

from safeaug import guarding
from safeaug.geometry import Size, Window, window_at
from safeaug.guarding import Params

Uniform = Callable[[], float]

ASKED = "shape", "pil"
"""Names, beside those of the host's parameters, of what a draw was asked for."""


class Kind(guarding.Kind):
    """Base of the kinds: one window, the whole image, at its own size."""

    labels = False
    """Whether a draw also says which boxes keep their labels: see `settle_labels`."""

    def sample(self, transform: Any, leaves: Sequence[Any], *, anew: bool = False) -> Params:
        """Return a draw of the host's own sampler; ``anew`` for one that only stands in where another failed."""
        drawn: Params = transform.make_params(list(leaves))
        return drawn

    def drawn_by(self, transform: Any, image_size: Size, uniform: Uniform) -> Params | None:
        """Return a further draw of the host's law, made of plain numbers; None where only its own sampler knows that.

        Parameters
        ----------
        transform : Transform
            The host's.
        image_size : (int, int)
            Height and width of the image.
        uniform : callable
            Gives numbers in [0, 1).
        """
        return None

    def apply(self, transform: Any, leaf: Any, drawn: Params) -> Any:
        """Return what a transform of the host makes of a leaf with the parameters of a draw, whoever drew them."""
        return transform.transform(leaf, drawn)

    def settle_labels(self, drawn: Params, leaves: Sequence[Any], kept: Sequence[int]) -> None:
        """Write which boxes keep their labels: those that the host's own rule keeps, and those of the promise."""


class Cut(Kind):
    """Transforms that cut ``height`` and ``width`` at ``top`` and ``left``, counted from the corner of the frame."""

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the rectangle in the image frame; None where it is empty or reaches out of the frame."""
        x0, y0, x1, y1 = self.frame(drawn, image_size)
        size = int(drawn["height"]), int(drawn["width"])
        window = window_at(x0 + int(drawn["left"]), y0 + int(drawn["top"]), size)
        inside = x0 <= window[0] and y0 <= window[1] and window[2] <= x1 and window[3] <= y1
        return window if inside and size[0] > 0 and size[1] > 0 else None

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write another rectangle."""
        x0, y0, *_ = self.frame(drawn, image_size)
        drawn["left"], drawn["top"] = window[0] - x0, window[1] - y0
        drawn["height"], drawn["width"] = window[3] - window[1], window[2] - window[0]
