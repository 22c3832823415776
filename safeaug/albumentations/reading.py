"""How the objects of a sample are read: what is protected, and which fields speak of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from safeaug.errors import PolicyError
from safeaug.guarding.salient import checked_saliency
from safeaug.objects import IGNORE_INDEX, Saliency

Target = Literal["boxes", "masks", "mask", "keypoints", "saliency"]
Protect = Target | Callable[[dict[str, Any]], Mapping[str, Any]]

KEYS: dict[Target, str] = {
    "boxes": "bboxes", "masks": "masks", "mask": "mask", "keypoints": "keypoints", "saliency": "image"
}  # fmt: skip
"""Where the host's samples hold each kind of object."""

BY_DEFAULT: tuple[Target, ...] = "boxes", "masks", "keypoints"
"""What is protected where nothing is said: the first of these that a sample carries."""


class Reading(NamedTuple):
    """How the objects of a sample are read.

    Parameters
    ----------
    protect : {"boxes", "masks", "mask", "keypoints", "saliency"}, callable or None
        What must survive. None: the first of boxes, masks and keypoints that the sample carries. ``"saliency"``: what
        stands out in the image, for which nobody need have drawn anything; the policy's ``min_rank`` or ``min_mass``
        says what is asked of it. A callable gets the sample as the transform sees it and returns keywords of
        `safeaug.objects.content_from`, in pixels of the image at this step. Keys of your own are not moved by the steps
        before, and boxes are normalised here (``"box_format": "xyxyn"``).
    labels, weights, ignore, prior_visibility : str or None
        Names of label fields.
    instances : str or None
        Name of a label field of keypoints that says to which instance each belongs; ``"*"``: all are one.
    visible : str or None
        Name of a label field of keypoints: above 0 for one that is visible.
    foreground : tuple of int or None
        Classes of the semantic mask that count; None: all but 0.
    ignore_index : int or None
        Class of the semantic mask that never counts.
    saliency : str or callable
        How the saliency map is made: a method of `safeaug.saliency.saliency_map`, or a function that gets the image as
        the transform sees it and returns a map of shape (h, w), of any size. A map that is the same everywhere is no
        evidence, and its draw is ``UNGUARDED``.
    """

    protect: Protect | None = None
    labels: str | None = None
    weights: str | None = None
    ignore: str | None = None
    prior_visibility: str | None = None
    instances: str | None = None
    visible: str | None = None
    foreground: Sequence[int] | None = None
    ignore_index: int | None = IGNORE_INDEX
    saliency: Saliency = "auto"

    @property
    def only_boxes(self) -> bool:
        """Whether boxes, where there are any, are all that is read of them."""
        fields = self.weights, self.ignore, self.prior_visibility
        return self.protect in (None, "boxes") and not any(fields)

    @property
    def only_masks(self) -> bool:
        """Whether masks, where they are protected, are all that is read of a sample."""
        fields = self.weights, self.ignore, self.prior_visibility
        return self.protect in (None, "masks") and not any(fields)

    def checked(self) -> "Reading":
        """Return it with plain values, or raise `PolicyError` where ``protect`` is none of its kinds."""
        if not (self.protect is None or callable(self.protect) or self.protect in get_args(Target)):
            allowed = ", ".join(map(repr, get_args(Target)))
            raise PolicyError(f"protect must be one of {allowed}, a callable or None, got {self.protect!r}")
        checked_saliency(self.saliency)
        return self if self.foreground is None else self._replace(foreground=[int(each) for each in self.foreground])
