"""Where in a picture something stands out, without a box and without learned weights.

A stand-in for objects that nobody drew, and no more: it finds isolated things well, and says little of small objects in
busy scenes. One image is looked at by numpy, a batch by torch, which is loaded when it is asked for.

mapping.py    saliency_map, map_of: the map of one image; batched.py the same of a batch
methods.py    the methods by name; formulas.py the formulas, barrier.py the one that takes sweeps
library.py    numpy or torch, for which each formula is written once
grid.py       pictures on a small grid; colour.py L*a*b*; waves.py cosine transform and smoothing
normal.py     maps from nothing to all, as bytes; no evidence
provided.py   maps that somebody else's function provides; files.py from files, boxes.py of boxes, models.py of a model
cache/        maps kept on disk
building.py   the maps of a whole data set, into a cache
"""

import importlib
from typing import TYPE_CHECKING, Any

from safeaug.errors import MissingHostImportError
from safeaug.saliency.boxes import box_map
from safeaug.saliency.cache import Cached, MapCache
from safeaug.saliency.files import map_files
from safeaug.saliency.mapping import Map, map_of, saliency_map
from safeaug.saliency.methods import Method
from safeaug.saliency.normal import as_bytes
from safeaug.saliency.provided import ByKey

if TYPE_CHECKING:
    from safeaug.saliency.batched import maps_of, saliency_maps
    from safeaug.saliency.models import ActivationMap, InputGradient

_WITH_TORCH = {
    "ActivationMap": "models",
    "InputGradient": "models",
    "maps_of": "batched",
    "saliency_maps": "batched",
}
"""Names that need torch, and where they are."""

__all__ = [
    "ActivationMap",
    "ByKey",
    "Cached",
    "InputGradient",
    "Map",
    "MapCache",
    "Method",
    "as_bytes",
    "box_map",
    "map_files",
    "map_of",
    "maps_of",
    "saliency_map",
    "saliency_maps",
]


def __getattr__(name: str) -> Any:
    if name not in _WITH_TORCH:
        raise AttributeError(f"module 'safeaug.saliency' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"safeaug.saliency.{_WITH_TORCH[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingHostImportError(f'safeaug.saliency.{name} needs torch: pip install "safeaug[torch]"') from error
