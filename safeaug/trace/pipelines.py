"""A pipeline copied, with each of its steps watched."""

import copy
import importlib
from collections.abc import Callable
from typing import Any

from safeaug.errors import PolicyError
from safeaug.guarding import Guise, put_on
from safeaug.rules.crops import declared
from safeaug.rules.fills import fills_of
from safeaug.trace.fault import site_of
from safeaug.trace.moving import Moving
from safeaug.trace.place import Place
from safeaug.trace.states import own_generators
from safeaug.trace.steps import Called, Pipeline, WatchedRoot, WatchedStep
from safeaug.trace.watcher import Watcher

HOSTS = ("albumentations", "torchvision", "kornia")
"""Libraries whose pipelines are known."""

FORMS = {"pascal_voc": "xyxy", "albumentations": "xyxy", "coco": "xywh", "yolo": "cxcywh"}
"""Formats of boxes, by the names that albumentations has for them."""

COMPOSES = {"BaseCompose", "Compose", "RandomApply", "RandomChoice", "RandomOrder"}
"""Classes of hosts that hold parts, under the name ``transforms``."""

OPAQUE = {"SelectiveChannelTransform"}
"""Those that hand their parts something else than the sample."""

CARRIERS = {"ToTensorV2", "ToTensor3D", "PILToTensor", "ToImage", "Identity", "NoOp"}
"""Those that change no value, only what holds them."""


def host_of(thing: Any) -> str:
    """Return the library of which a thing is a pipeline, or a transform; empty where it is none.

    A list of torch's modules in turn counts as kornia's, which is what such a list holds most of.

    Examples
    --------
    >>> host_of(print)
    ''
    """
    for base in type(thing).__mro__:
        home = base.__module__
        root = home.partition(".")[0]
        if root in HOSTS and (root != "torchvision" or ".transforms" in home) and "dataset" not in home:
            return root
        if home.startswith("torch.nn.modules.container") and base.__name__ == "Sequential":
            return "kornia"
    return ""


def watched_pipeline(pipeline: Any, watcher: Watcher) -> Any:
    """Return a copy of a pipeline with each of its steps watched; it is of the same class.

    Parameters
    ----------
    pipeline : Compose, Sequential, ... or one transform
        Of albumentations, torchvision or kornia; guarded or not. It is left as it is, and draws nothing.
    watcher : Watcher
        Of it.

    Raises
    ------
    PolicyError
        Where it is watched already.
    """
    if isinstance(pipeline, WatchedRoot):
        raise PolicyError(f"the {type(pipeline).__name__} is watched already; watch it once, at the outermost place")
    host = host_of(pipeline)
    made = copy.deepcopy(pipeline)
    guise = _serialised() if host == "albumentations" else ()
    seen: dict[int, Any] = {}
    made = _watched(made, (), host, guise, seen)
    _put_on(made, WatchedRoot, guise)
    parts = own_generators(made)
    made._watch_pipeline = Pipeline(
        watcher,
        Place(type(pipeline).__name__, "", frozenset(), Moving((), True, host), False, False),
        parts,
        {"albumentations": False}.get(host, True),
        targets_of(made) if host == "albumentations" else None,
        _form(made),
    )
    return made


def _serialised() -> tuple[Any, ...]:
    return (importlib.import_module("safeaug.albumentations.pipeline.guise").Guise,)


def _put_on(node: Any, guise: Any, more: tuple[Any, ...]) -> None:
    """Let a guise stand before a class once, and what else the host needs behind it."""
    before = tuple(each for each in more if not isinstance(node, each))
    put_on(node, guise, *before)


def _watched(node: Any, path: tuple[int, ...], host: str, more: tuple[Any, ...], seen: dict[int, Any]) -> Any:
    """Return a part of a pipeline with its leaves watched. One that stands in it twice is one."""
    if id(node) in seen:
        return seen[id(node)]
    seen[id(node)] = node
    children = _children(node)
    if children is not None:
        _exchange(node, [_watched(child, (*path, i), host, more, seen) for i, child in enumerate(children)])
        return node
    made = _leaf(node, _place(node, path or (0,), host), more)
    seen[id(node)] = made
    return made


def _leaf(node: Any, place: Place, more: tuple[Any, ...]) -> Any:
    if not callable(node):
        raise PolicyError(f"step {place.name} must be a transform, or anything that can be called")
    try:
        _put_on(node, WatchedStep, more)
    except (TypeError, AttributeError):  # a function, something frozen: nothing can stand before its class
        return Called(node, place)
    node._watch_place = place
    return node


def _place(node: Any, path: tuple[int, ...], host: str) -> Place:
    called = getattr(node, "__name__", None) or type(node).__name__
    home = type(node).guard_host if isinstance(node, Guise) else type(node)
    knows = home.__module__.partition(".")[0] in {*HOSTS, "safeaug"}
    here = not knows or bool(getattr(node, "inplace", False)) or home.__name__ == "Lambda"
    keeps = knows and home.__name__ in CARRIERS
    moving = Moving(own_generators(node), knows, host)
    name = f"{'.'.join(map(str, path))} {called}"
    return Place(name, site_of(node), fills_of(node), moving, here, keeps, declared(node))


# The tree of a pipeline, whosever it is: lists of parts by the name that all hosts have for them, or torch's.


def _children(node: Any) -> list[Any] | None:
    """Return the parts of a part, in order; None of a leaf."""
    if _is_container(node):
        return list(node)
    names = {base.__name__ for base in type(node).__mro__}
    if not names & COMPOSES or names & OPAQUE:  # a transform may have functions of its own under that name
        return None
    return list(node.transforms)


def _is_container(node: Any) -> bool:
    names = {base.__name__ for base in type(node).__mro__ if base.__module__.startswith("torch.nn.modules.container")}
    return bool(names & {"Sequential", "ModuleList"}) and not _is_policy(node)


def _is_policy(node: Any) -> bool:
    """Return whether a part of kornia draws which of its operations it applies, by classes of their own."""
    return any(".auto" in base.__module__ for base in type(node).__mro__)


def _exchange(node: Any, children: list[Any]) -> None:
    """Put other parts in the place of those of a part."""
    if _is_container(node):
        for name, child in zip(list(node._modules), children, strict=True):
            if node._modules[name] is not child:
                node._modules[name] = _module(child)
        return
    inside = node.transforms
    if isinstance(inside, list | tuple):
        node.transforms = type(inside)(children)
    else:
        _exchange(inside, children)


def _module(child: Callable[..., Any]) -> Any:
    raise PolicyError(
        f"{child!r} cannot be watched inside a list of torch's modules: its class takes nothing before it"
    )


def targets_of(pipeline: Any) -> frozenset[str]:
    """Return the names of the targets that a pipeline moves, and of what it keeps beside them; none if it asks none."""
    processors = getattr(pipeline, "processors", {})
    lists = {"bboxes", "keypoints"} - set(processors)
    fields = {name for each in processors.values() for name in each.params.label_fields or ()}
    keys = frozenset(getattr(pipeline, "available_keys", ()))
    return keys - lists | fields if keys else keys


def _form(pipeline: Any) -> str | None:
    processors = getattr(pipeline, "processors", None)
    processor = processors.get("bboxes") if isinstance(processors, dict) else None
    return None if processor is None else FORMS.get(processor.params.format)
