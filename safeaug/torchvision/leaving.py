"""A draw that ``on_fail="skip"`` leaves out, and what stands in for it."""

from typing import Any

from torch.utils._pytree import tree_flatten, tree_unflatten
from torchvision.transforms import v2

from safeaug.geometry import Size


class LeftOut(Exception):  # noqa: N818  # not an error: a way out of the host's call
    """A draw that is left out.

    Parameters
    ----------
    size : (int, int)
        Height and width of the picture before the step.
    promised : (int, int), optional
        Size in which the step owes its output; None where it owes none.
    """

    def __init__(self, size: Size, promised: Size | None) -> None:
        super().__init__()
        self.size, self.promised = size, promised


def stood_in_for(left_out: LeftOut, transform: Any, inputs: tuple[Any, ...]) -> Any:
    """Return what a step hands on whose draw is left out: its inputs, letterboxed where it owes a size.

    Parameters
    ----------
    left_out : LeftOut
        The draw.
    transform : torchvision.transforms.v2.Transform
        The step; its interpolation and antialiasing are used.
    inputs : tuple
        What it was called with.
    """
    given = inputs if len(inputs) > 1 else inputs[0]
    if left_out.promised is None:
        return given
    return letterboxed(given, transform, left_out.size, left_out.promised)


def letterboxed(inputs: Any, transform: Any, size: Size, output: Size) -> Any:
    """Return a sample scaled by one factor to fit a size, and padded to it with zeros, all targets alike.

    Parameters
    ----------
    inputs : any pytree
        The sample.
    transform : torchvision.transforms.v2.Transform
        Whose interpolation and antialiasing are used, and whose view of which leaves are to be transformed.
    size, output : (int, int)
        Height and width of its picture, and those that it shall have.
    """
    scale = min(output[0] / size[0], output[1] / size[1])
    height, width = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    settings = {name: getattr(transform, name) for name in ("interpolation", "antialias") if hasattr(transform, name)}
    top, left = (output[0] - height) // 2, (output[1] - width) // 2
    steps = (
        v2.Resize([height, width], **settings),
        v2.Pad([left, top, output[1] - width - left, output[0] - height - top]),
    )
    for step in steps:
        leaves, spec = tree_flatten(inputs)
        wanted = step._needs_transform_list(leaves)
        moved = [step.transform(leaf, {}) if needs else leaf for leaf, needs in zip(leaves, wanted, strict=True)]
        inputs = tree_unflatten(moved, spec)
    return inputs
