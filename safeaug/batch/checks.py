"""The arguments of a crop's constructor, each checked once. They raise `PolicyError`.

What the constructor says of channels and dtypes is checked against each batch, and raises `ContentError`.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, get_args

import torch

from safeaug.batch.images import Images
from safeaug.batch.rendering import Finish, Interpolation, Renderer, Style
from safeaug.errors import ContentError, PolicyError
from safeaug.geometry import Size


def size_of(size: int | Sequence[int]) -> Size:
    """Return a height and a width of at least 1."""
    sides: Any = (size, size) if _is_whole(size) else size
    if not isinstance(sides, Sequence) or len(sides) != 2 or not all(_is_whole(side) and side >= 1 for side in sides):
        raise PolicyError(f"size must be a whole number of at least 1, or two: (height, width), got {size!r}")
    return int(sides[0]), int(sides[1])


def pair_of(name: str, pair: Any, least: float, most: float) -> tuple[float, float]:
    """Return two numbers above 0, the lower first, within bounds."""
    good = isinstance(pair, Sequence) and len(pair) == 2 and all(isinstance(each, Real) for each in pair)
    if not good or not 0 < pair[0] <= pair[1] or not least <= pair[0] or not pair[1] <= most:
        low = f"from {least:g}" if least else "above 0"
        raise PolicyError(f"{name} must be two numbers {low} and at most {most:g}, the lower first, got {pair!r}")
    return float(pair[0]), float(pair[1])


def padding_of(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """Return the padding of each side: left, top, right, bottom."""
    sides: Any = (padding,) if _is_whole(padding) else padding
    good = isinstance(sides, Sequence) and len(sides) in {1, 2, 4} and all(_is_whole(each) for each in sides)
    if not good or min(sides) < 0:
        raise PolicyError(f"padding must be 1, 2 or 4 whole numbers of at least 0, got {padding!r}")
    left, top, right, bottom = (int(each) for each in (*sides, *sides, *sides, *sides)[:4])
    return left, top, right, bottom


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole_of(name: str, value: Any, least: int) -> int:
    """Return a whole number of at least so much."""
    if not _is_whole(value) or value < least:
        raise PolicyError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def flag_of(name: str, value: Any, *, none: bool = False) -> bool | None:
    """Return True or False, or None where that is allowed."""
    if not (isinstance(value, bool) or (none and value is None)):
        raise PolicyError(f"{name} must be True or False{' or None' if none else ''}, got {value!r}")
    return value


def share_of(name: str, value: Any) -> float:
    """Return a share in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise PolicyError(f"{name} must be in [0, 1], got {value!r}")
    return float(value)


def threads_of(threads: Any) -> int | None:
    """Return a number of threads, or None for torch's own."""
    if threads is not None and (not _is_whole(threads) or threads < 1):
        raise PolicyError(f"threads must be a whole number of at least 1, or None, got {threads!r}")
    return None if threads is None else int(threads)


def finish_of(given: Mapping[str, Any]) -> Finish:
    """Return how pixels are handed on, from a constructor's arguments."""
    mean, std, dtype = given["mean"], given["std"], given["dtype"]
    if not isinstance(dtype, torch.dtype) or not (dtype.is_floating_point or dtype is torch.uint8):
        raise PolicyError(f"dtype must be a floating dtype of torch or torch.uint8, got {dtype!r}")
    if dtype is torch.uint8 and (mean is not None or std is not None):
        raise PolicyError("mean and std need a floating dtype, got dtype=torch.uint8")
    numbers = {name: _numbers(name, given[name]) for name in ("mean", "std", "fill")}
    if numbers["std"] is not None and min(numbers["std"]) <= 0:
        raise PolicyError(f"std must be above 0, got {std!r}")
    return Finish(dtype, numbers["mean"], numbers["std"], numbers["fill"] or (0.0,))


def style_of(given: Mapping[str, Any]) -> Style:
    """Return how pixels are drawn, from a constructor's arguments."""
    interpolation = _one_of("interpolation", given["interpolation"], get_args(Interpolation))
    renderer = given["renderer"]
    if renderer is not None:
        _one_of("renderer", renderer, get_args(Renderer))
    antialias = bool(flag_of("antialias", given["antialias"]))
    if interpolation == "bicubic" and not antialias:
        raise PolicyError('interpolation="bicubic" is antialiased always, got antialias=False; leave antialias out')
    return Style(interpolation, antialias, renderer, threads_of(given["threads"]))


def _one_of(name: str, value: Any, allowed: Sequence[str]) -> Any:
    if value not in allowed:
        raise PolicyError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def check_finish(finish: Finish, images: Images) -> None:
    """Raise `ContentError` where pixels of these images cannot be handed on so."""
    if finish.dtype is torch.uint8 and images.dtype is not torch.uint8:
        raise ContentError(
            f"images must be of uint8 for a crop with dtype=torch.uint8, got {str(images.dtype).removeprefix('torch.')}"
        )
    for name in ("mean", "std", "fill"):
        numbers = getattr(finish, name)
        if numbers is not None and len(numbers) not in {1, images.channels}:
            raise ContentError(
                f"{name} must be one number or one for each of the images' channels, which are {images.channels}, got "
                f"{numbers}"
            )


def _numbers(name: str, value: Any) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        numbers = (float(value),) if isinstance(value, Real) else tuple(float(each) for each in value)
    except (TypeError, ValueError):
        raise PolicyError(f"{name} must be a number, or one for each channel, got {value!r}") from None
    if not numbers or not all(map(math.isfinite, numbers)):
        raise PolicyError(f"{name} must be of finite numbers, got {value!r}")
    return numbers
