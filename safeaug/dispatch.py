"""Which host a pipeline belongs to: told by the modules of its classes, so that no host is imported to ask."""

import importlib
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from safeaug.errors import PolicyError
from safeaug.objects import IGNORE_INDEX, Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling, policy_of
from safeaug.records import Step

if TYPE_CHECKING:
    from safeaug.albumentations.reading import Protect

Pipeline = TypeVar("Pipeline")

ROOMS = {
    "albumentations": "safeaug.albumentations",
    "torchvision": "safeaug.torchvision",
    "timm": "safeaug.torchvision",  # its crop is one of torchvision's first generation
    "torch": "safeaug.torchvision",  # a torch.nn.Sequential of transforms
}
"""By the first name of a host's modules, its room."""

HOSTS = "albumentations or torchvision"

AUDITED = {"albumentations": ROOMS["albumentations"]}
"""Hosts of which many draws can be made without pixels, as an audit needs."""

READING = (
    "protect", "labels", "weights", "ignore", "prior_visibility", "instances", "visible", "foreground", "ignore_index",
    "saliency",
)  # fmt: skip
"""Arguments that say how objects are read."""


def guard(
    pipeline: Pipeline,
    policy: Policy | None = None,
    *,
    min_retention: Limits = 0.5,
    keep: Keep = "all",
    min_fill: float | None = None,
    min_visible_pixels: float | None = None,
    max_stretch: float | None = None,
    sampling: Sampling = "keep_scale",
    tries: int = 10,
    on_fail: OnFail = "most",
    on_empty: OnEmpty = "plain",
    apply_rate: float = 1.0,
    ignore_smaller_than: float | None = None,
    min_rank: float = 0.5,
    min_mass: float | None = None,
    protect: "Protect | None" = None,
    labels: str | None = None,
    weights: str | None = None,
    ignore: str | None = None,
    prior_visibility: str | None = None,
    instances: str | None = None,
    visible: str | None = None,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
    saliency: Saliency = "auto",
    move_fixed: bool = False,
    repair_randomness: bool = True,
    report_key: str | None = None,
) -> Pipeline:
    """Return the same pipeline, which keeps its objects to the end; the given one is left as it is.

    Parameters
    ----------
    pipeline : Compose, OneOf, RandomApply, RandomChoice, ..., one transform, or a list of these
        Of albumentations; of torchvision, ``transforms.v2`` or ``transforms``; or a ``torch.nn.Sequential`` of its
        transforms. Of a list each is guarded by itself: put the transforms into one ``Compose`` first, if the promise
        is to hold at the end of all of them.
    policy : Policy, optional
        What must be left at the end, of the objects as they came in. Or its fields by name:
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        As in `safeaug.Policy`.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `safeaug.albumentations.Reading` and
        `safeaug.torchvision.Reading`. A pipeline whose samples are images alone keeps what `safeaug.with_content`
        hands it. Of ``protect="saliency"`` the map is made once, of the picture as it comes in, and followed.
    move_fixed : bool, default False
        Whether windows that the host does not draw (``CenterCrop``, ``Crop``) may be moved too. They are what
        evaluation is made of, where labels must not pick windows; so they are measured only, ``UNGUARDED`` where they
        lose an object. A resize of the whole picture is never more than measured.
    repair_randomness : bool, default True
        With ``seed=`` albumentations 2.0.8 gives every step the same numbers, and every worker of a loader in every
        epoch. Repaired, each has numbers of its own. False keeps the host's. In torchvision there is nothing to repair.
    report_key : str, optional
        Where each sample will say how its draw ended: ``status``, and ``retention``, what is left at the end of each
        object as it came in (None for one outside the image, or where nobody can tell). The sample must be a dict.

    Returns
    -------
    Compose, ...
        An instance of the class of what was given, with ``report()``: how draws ended, by step, in all processes.

    Raises
    ------
    PolicyError
        Where it is no pipeline, something in it is no transform, or its own filter of labels contradicts the policy.

    Notes
    -----
    A step whose draw keeps the promise is the host's own, bit for bit. Otherwise a crop is moved, as the drop-ins of
    `safeaug.albumentations` do it; what is not a crop is drawn anew up to ``tries`` times, and then scaled toward what
    changes nothing; and where no step can help, the whole pipeline is drawn anew, as often. What a distortion or a
    transform of somebody else's does is followed, and ``UNGUARDED`` where it loses an object. Each step keeps the share
    that must be left; fill and visible pixels are asked for at the end, and ``max_stretch`` of each window by itself.

    A saliency map ranks windows: each crop takes one that ranks ``min_rank`` among those of its size, by the map as the
    picture shows it there. Nothing is asked of other steps, and of windows that stay only whether they rank. With
    ``min_mass`` the map is an object as any other, of which that share must be left at the end.

    The host's generators are consumed as without the guard, as long as every step is the host's own; behind one that is
    not, a step that draws by what it sees may draw otherwise. It is the picture that is followed: albumentations 2.0.8
    takes a mirrored keypoint to ``width - 1 - x``, and so may drop one in the last pixel that the picture still shows.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> train = A.Compose(
    ...     [A.RandomResizedCrop((224, 224)), A.Perspective((0.1, 0.2), p=1.0), A.HorizontalFlip()],
    ...     bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=0,
    ... )
    >>> train = safeaug.guard(train, min_retention=0.5)
    >>> out = train(image=np.zeros((200, 2000, 3), np.uint8), bboxes=[[20, 50, 120, 150]], labels=["cat"])
    >>> out["labels"], sum(train.report()["pipeline"].values())
    (['cat'], 1)
    """
    given = dict(locals())
    del given["pipeline"]
    if isinstance(pipeline, list):
        return [guard(each, **given) for each in pipeline]  # type: ignore[return-value]  # a list, as it came
    allowed = f"a pipeline of {HOSTS}, one transform, or a list of these"
    guarded: Pipeline = _room_of(pipeline, "pipeline", allowed).guarded(
        pipeline,
        policy_of(policy, given),
        {name: given[name] for name in READING},
        move_fixed=move_fixed,
        repair_randomness=repair_randomness,
        report_key=report_key,
    )
    return guarded


def steps(
    pipeline: Any,
    sample: Any,
    rng: np.random.Generator | random.Random,
    *,
    pixels: bool = True,
    protect: "Protect | None" = None,
    labels: str | None = None,
    weights: str | None = None,
    ignore: str | None = None,
    prior_visibility: str | None = None,
    instances: str | None = None,
    visible: str | None = None,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
    saliency: Saliency = "auto",
) -> list[Step]:
    """Return what each step of a pipeline does to one sample, and what it leaves of every object.

    Parameters
    ----------
    pipeline : Compose, ... or one transform
        Of albumentations or torchvision, guarded or not. It is left as it is, its generators too.
    sample : mapping, or whatever a pipeline of torchvision takes
        What the pipeline is called with: ``image``, ``bboxes``, ...
    rng : numpy.random.Generator or random.Random
        One number is taken from it. It says all that is drawn: each step has numbers of its own, so the draw is the
        same with pixels and without.
    pixels : bool, default True
        False: images and masks do not go through, which takes a fraction of the time; steps that move nothing are
        passed over. Of the image only the shape is read then, so ``np.broadcast_to(np.uint8(0), (height, width, 3))``
        will do.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        Which objects are followed: see `safeaug.albumentations.Reading`. A guarded pipeline follows those it protects.

    Returns
    -------
    list of Step
        Those that were applied, in order.

    Raises
    ------
    PolicyError
        Where it is no pipeline; without pixels, where a step draws from them.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> train = A.Compose(
    ...     [A.RandomCrop(60, 60), A.HorizontalFlip(p=1.0), A.Resize(30, 30)],
    ...     bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]),
    ... )
    >>> sample = {"image": np.zeros((100, 100, 3), np.uint8), "bboxes": [[40, 40, 60, 60]], "labels": ["cat"]}
    >>> for step in safeaug.steps(train, sample, np.random.default_rng(0), pixels=False):
    ...     print(step.path, step.name, step.kind, step.size, step.left)
    (0,) RandomCrop window (60, 60) [1.]
    (1,) HorizontalFlip rigid (60, 60) [1.]
    (2,) Resize window (30, 30) [1.]
    """
    given = dict(locals())
    trace = _room_of(pipeline, "pipeline").tracer(pipeline, {name: given[name] for name in READING})
    found: list[Step] = trace(sample, rng, pixels)
    return found


def drawer(pipeline: Any, reading: Mapping[str, Any], *, boxes: bool = True) -> Any:
    """Return what puts many samples of a data set through a pipeline: the `Drawer` of its host's room.

    Parameters
    ----------
    pipeline : Compose, ... or one transform
        Guarded or not. It is left as it is, its generators too.
    reading : mapping
        How a pipeline that is not guarded reads objects: the fields of `safeaug.albumentations.Reading`.
    boxes : bool, default True
        Whether the samples have boxes that it is to be given.

    Raises
    ------
    PolicyError
        Where it is no pipeline, or something in it is no transform.
    """
    room = _room_name(pipeline)
    if room not in AUDITED.values():
        raise PolicyError(
            f"an audit takes pipelines of albumentations so far, got {type(pipeline).__name__}; safeaug.steps tells "
            "what each step of it does to one sample"
        )
    return importlib.import_module(f"{room}.drawing").Drawer(pipeline, reading, boxes=boxes)


ALLOWED = f"a pipeline of {HOSTS}, or one transform"


def _room_of(pipeline: Any, part: str, allowed: str = ALLOWED) -> Any:
    """Return a part of the room of the host that a pipeline is of; else say what is allowed."""
    return importlib.import_module(f"{_room_name(pipeline, allowed)}.{part}")


def _room_name(pipeline: Any, allowed: str = ALLOWED) -> str:
    for base in type(pipeline).__mro__:
        room = ROOMS.get(base.__module__.partition(".")[0])
        if room is not None:
            return room
    raise PolicyError(f"safeaug takes {allowed}, got {type(pipeline).__name__}")
