"""A window that keeps its objects, for frameworks that cut by hand: the search as one pure function."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from safeaug.candidates import Law
from safeaug.errors import ContentError, PolicyError
from safeaug.geometry import BoxFormat, Domain, Size, Window, check_size, domain_of, size_of, window_at
from safeaug.objects import IGNORE_INDEX, content_from
from safeaug.policy import Policy, Status
from safeaug.records import Outcome
from safeaug.search import outcome_of, search


class Fixed(NamedTuple):
    """A host that cuts windows of one given size out of a frame."""

    frame: Window
    rendered: Size | None
    whole: Size | None
    redraws: bool = False
    law: Law = Law.UNIFORM

    def domain(self, size: Size) -> Domain:
        """Return all positions inside the frame."""
        return domain_of(self.frame, size)

    def within(self, size: Size) -> None:
        """Return no restriction: it has no promise of its own."""

    def output(self, size: Size) -> Size:
        """Return the size at which windows are rendered, by default their own."""
        return self.rendered or size

    def redraw(self, number: int) -> Window:
        """Never called: there is one size."""
        raise AssertionError(number)  # pragma: no cover

    def lattice(self) -> Iterable[Size]:
        """Return no further size."""
        return ()


class Generator(Protocol):
    """Anything with ``random()`` in [0, 1): `numpy.random.Generator`, `random.Random`."""

    def random(self) -> float:
        """Return the next uniform number."""
        ...


def place(
    image_size: Size,
    boxes: Any,
    window_size: Size,
    policy: Policy | None = None,
    rng: Generator | None = None,
    *,
    box_format: BoxFormat = "xyxy",
    output_size: Size | None = None,
    polygons: Iterable[Any] | None = None,
    masks: Any = None,
    mask: Any = None,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
    keypoints: Iterable[Any] | None = None,
    saliency: Any = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    ignore: Any = None,
    prior_visibility: Any = None,
) -> Outcome:
    """Return a random window of a given size that keeps its objects, for any framework.

    Parameters
    ----------
    image_size : (int, int)
        Height and width of the image.
    boxes : array_like of shape (N, 4), or None
        What must survive, in the image frame; ``(N, 5)`` for rotated boxes. None where it is something else.
    window_size : (int, int)
        Height and width of the window; it must fit into the image.
    policy : Policy, optional
        What must be kept; ``Policy()`` by default. With ``on_fail="enlarge"`` the window may grow up to the image.
    rng : numpy.random.Generator or random.Random
        Where chance comes from. The result is a pure function of the arguments and of what it gives.
    box_format : {"xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn", "cxcywhr"}, default "xyxy"
        Format of the boxes; the last is centre, size and the angle in degrees, counterclockwise as one sees it.
    output_size : (int, int), optional
        Size to which the window will be resized, for rules in output pixels; by default it is not resized.
    polygons : sequence of array_like of shape (K, 2), optional
        Rings of corners, convex or not, that must survive.
    masks : array_like of shape (N, H, W), optional
        Instance masks: whole numbers, of which all but 0 belong to the object, or shares in [0, 1].
    mask : array_like of shape (H, W), optional
        A semantic mask, of which the ``foreground`` classes (all but 0 by default) must survive as one object, or each
        class as its own where limits are per label; ``ignore_index`` never counts. It comes alone.
    keypoints : sequence of array_like of shape (K, 2) or (K, 3), optional
        Of each instance its keypoints; a third number above 0 says that one is visible.
    saliency : array_like of shape (h, w), optional
        A map of how much each part of the image matters, at least 0; of any size, since its rows and columns divide the
        image into equal parts. The policy's ``min_rank`` or ``min_mass`` says what is asked of it. It comes alone; one
        that is 0 throughout says nothing, and the draw is ``UNGUARDED``.
    labels, weights, ignore, prior_visibility : sequence of length N, optional
        Per object, in the order boxes, polygons, masks, keypoints: its label, for limits per label; what it counts for;
        whether it is left out; the share of it that was visible already before this image was made.

    Returns
    -------
    Outcome
        ``outcome.view.window`` is where to cut, ``outcome.status`` how it went. Without chance of success the status
        is ``UNMET`` and the window keeps as many objects as can be kept; ``SKIPPED`` holds the whole image.

    Raises
    ------
    ContentError
        On objects or sizes that cannot be judged.
    RetentionError
        Where ``policy.on_fail`` is "raise" and the promise cannot be met.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> outcome = place((480, 640), [[10, 20, 110, 220]], (256, 256), Policy(min_retention=0.9), rng)
    >>> outcome.status.name, bool(outcome.retention[0] >= 0.9)
    ('MOVED', True)
    """
    if rng is None:
        raise PolicyError("place needs rng, a numpy.random.Generator or random.Random; chance is an argument here")
    policy = Policy() if policy is None else policy
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy must be a safeaug.Policy, got {policy!r}")
    image_size, window_size = check_size("image_size", image_size), check_size("window_size", window_size)
    if window_size[0] > image_size[0] or window_size[1] > image_size[1]:
        raise ContentError(f"window_size {window_size} must fit into image_size {image_size}; pad the image first")
    output = check_size("output_size", output_size) if output_size is not None else None
    content = content_from(
        image_size,
        policy,
        boxes=boxes,
        box_format=box_format,
        polygons=polygons,
        masks=masks,
        mask=mask,
        foreground=foreground,
        ignore_index=ignore_index,
        keypoints=keypoints,
        saliency=saliency,
        labels=labels,
        weights=weights,
        ignore=ignore,
        prior_visibility=prior_visibility,
    )
    frame = (0, 0, image_size[1], image_size[0])
    domain = domain_of(frame, window_size)
    x = domain.x0 + int(rng.random() * (domain.x1 - domain.x0 + 1))
    y = domain.y0 + int(rng.random() * (domain.y1 - domain.y0 + 1))
    host = Fixed(frame, output, image_size)
    found = search(window_at(x, y, window_size), host, content, policy, lambda _: rng.random)
    if found.status is Status.SKIPPED:
        found = found._replace(window=frame)
    return outcome_of(found, content, policy, output or size_of(found.window))
