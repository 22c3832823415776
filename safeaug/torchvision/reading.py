"""How the objects of a sample are read: what is protected, and which fields speak of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from safeaug.errors import ContentError, PolicyError
from safeaug.guarding.salient import checked_saliency
from safeaug.objects import IGNORE_INDEX, Saliency

Target = Literal["boxes", "masks", "mask", "keypoints", "saliency"]
Protect = Target | Callable[[list[Any]], Mapping[str, Any]]

BY_DEFAULT: tuple[Target, ...] = "boxes", "masks", "keypoints"
"""What is protected where nothing is said: the first of these that a sample carries."""

FIELDS = "labels", "weights", "ignore", "prior_visibility"
"""Fields of a reading that name a field of the sample."""


class Reading(NamedTuple):
    """How the objects of a sample are read.

    Parameters
    ----------
    protect : {"boxes", "masks", "mask", "keypoints", "saliency"}, callable or None
        What must survive: ``tv_tensors.BoundingBoxes``; instances of a ``tv_tensors.Mask`` of shape (N, H, W); the
        foreground of a semantic one of shape (H, W), or (1, H, W); ``tv_tensors.KeyPoints``. None: the first of boxes,
        masks and keypoints that the sample carries; a mask of shape (H, W) is none of these. ``"saliency"``: what
        stands out in the image, for which nobody need have drawn anything; the policy's ``min_rank`` or ``min_mass``
        says what is asked of it. A callable gets the leaves of the sample that the transform changes (its image, boxes,
        masks, ...) and returns keywords of `safeaug.objects.content_from`, in pixels of the image at this step; what
        the sample holds beside them is not moved by the steps before.
    labels, weights, ignore, prior_visibility : str or None
        Names of keys, in any mapping of the sample, each holding one value per object.
    foreground : sequence of int or None
        Classes of the semantic mask that count; None: all but 0.
    ignore_index : int or None
        Class of the semantic mask that never counts.
    saliency : str or callable
        How the saliency map is made: a method of `safeaug.saliency.saliency_map`, or a function that gets the image as
        an array of shape (H, W, C) and returns a map of shape (h, w), of any size. A map that is the same everywhere is
        no evidence, and its draw is ``UNGUARDED``.
    """

    protect: Protect | None = None
    labels: str | None = None
    weights: str | None = None
    ignore: str | None = None
    prior_visibility: str | None = None
    foreground: Sequence[int] | None = None
    ignore_index: int | None = IGNORE_INDEX
    saliency: Saliency = "auto"

    @property
    def names(self) -> list[str]:
        """The fields of a sample that are read, by their names there."""
        return [name for name in (self.labels, self.weights, self.ignore, self.prior_visibility) if name is not None]

    @property
    def only_boxes(self) -> bool:
        """Whether boxes, where there are any, are all that is read of them."""
        fields = self.weights, self.ignore, self.prior_visibility
        return self.protect in (None, "boxes") and not any(fields)

    def checked(self) -> "Reading":
        """Return it with plain values, or raise `PolicyError` where one is not of its kind."""
        if not (self.protect is None or callable(self.protect) or self.protect in get_args(Target)):
            allowed = ", ".join(map(repr, get_args(Target)))
            raise PolicyError(f"protect must be one of {allowed}, a callable or None, got {self.protect!r}")
        checked_saliency(self.saliency)
        for name in FIELDS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise PolicyError(
                    f"{name} must be the name of a key of the sample, whose values stand there, got {value!r}"
                )
        return self if self.foreground is None else self._replace(foreground=[int(each) for each in self.foreground])


def fields_of(sample: Any, reading: Reading) -> dict[str, list[Any]] | None:
    """Return the values of the fields that a reading names, by their names in the sample; None where it names none.

    Parameters
    ----------
    sample : any structure of mappings, lists and tuples
        What a transform is called with.
    reading : Reading
        Names keys of its mappings. One that stands in several of them holds the values of each, one after the other.

    Raises
    ------
    ContentError
        Where a name stands in none of its mappings, or holds no values.

    Examples
    --------
    >>> fields_of(("image", {"labels": ["cat", "dog"]}), Reading(labels="labels"))
    {'labels': ['cat', 'dog']}
    """
    names = reading.names
    if not names:
        return None
    found: dict[str, list[Any]] = {}
    keys: list[str] = []
    for mapping in _mappings(sample):
        keys += map(str, mapping)
        for name in names:
            if name in mapping:
                found.setdefault(name, []).extend(_values(name, mapping[name]))
    for name in names:
        if name not in found:
            said = f"its keys are {', '.join(map(repr, keys))}" if keys else "it holds no mapping"
            raise ContentError(
                f"the field {name!r} is not in the sample: {said}. Put it into a mapping beside the objects, "
                "or leave the argument that names it out"
            )
    return found


def _mappings(sample: Any) -> list[Mapping[Any, Any]]:
    """Return the mappings of a sample, from the outside in."""
    if isinstance(sample, Mapping):
        inner = [mapping for value in sample.values() for mapping in _mappings(value)]
        return [sample, *inner]
    if isinstance(sample, list | tuple):
        return [mapping for value in sample for mapping in _mappings(value)]
    return []


def _values(name: str, values: Any) -> list[Any]:
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise ContentError(f"the field {name!r} must hold one value per object, got {values!r}")
    return list(listed)
