"""Maps that a model of the user's makes: its input gradient, or what a layer of it answers to. Needs torch.

The model is left as it was: it is looked at in eval mode, no gradient of a parameter is computed or kept, and modes,
hooks and global generators are afterwards what they were, also where the model raises.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from safeaug.errors import ContentError

Prepare = Callable[[Tensor], Tensor]
"""From images of shape (B, C, H, W), as they come, to what the model takes."""


@dataclass(frozen=True, eq=False)
class InputGradient:
    """A provider: how much each pixel of the input moves what the model says.

    The greatest absolute value over the channels of the gradient of a score, as in Simonyan, Vedaldi and Zisserman,
    "Deep inside convolutional networks", ICLR workshop 2014, and for augmentation in Gong et al., "KeepAugment", CVPR
    2021. Early in training it says little.

    Parameters
    ----------
    model : nn.Module
        The user's.
    score : callable, optional
        From what the model returns to a number for each image, of shape (B,). By default the greatest output of each.
    prepare : callable, optional
        From images to the model's input, by which the gradient is taken: resizing and normalising. By default bytes are
        made floats in [0, 1]; either goes to the device and the type of the model's first parameter.

    Examples
    --------
    >>> from safeaug.saliency import map_of
    >>> provider = InputGradient(nn.Sequential(nn.Flatten(), nn.Linear(3 * 16 * 16, 5)))
    >>> map_of(np.zeros((16, 16, 3), np.uint8), provider, 8).shape
    (8, 8)
    """

    model: nn.Module
    score: Callable[[Any], Tensor] | None = None
    prepare: Prepare | None = None

    def __call__(self, images: Any) -> Any:
        """Return the maps of a batch, or the map of one array: of the size of the model's input."""
        return _of_each(images, self._of_batch)

    def _of_batch(self, images: Tensor) -> Tensor:
        with undisturbed(self.model), torch.inference_mode(False), torch.enable_grad():
            taken = _taken(images, self.model, self.prepare).clone().requires_grad_()
            said = self.model(taken)
            scores = _greatest(said) if self.score is None else self.score(said)
            # Of the input alone: what belongs to the parameters is not added up in their `grad`.
            (slopes,) = torch.autograd.grad(scores.sum(), taken)
        return slopes.abs().amax(1)


@dataclass(frozen=True, eq=False)
class ActivationMap:
    """A provider: where a layer of the model answers.

    The sum of the layer's channels, as in Peng et al., "Crafting better contrastive views for Siamese representation
    learning", CVPR 2022, which needs no label. With a ``classifier`` each channel counts as much as it does for the
    class that the model predicts: Zhou et al., "Learning deep features for discriminative localization", CVPR 2016;
    what speaks against the class is zero.

    Parameters
    ----------
    model : nn.Module
        The user's.
    layer : str
        Name of the module, as `nn.Module.get_submodule` takes it, whose output has shape (B, C, h, w).
    classifier : str, optional
        Name of the linear layer that takes the mean of these channels to what the model returns.
    prepare : callable, optional
        As `InputGradient` takes it.

    Examples
    --------
    >>> from safeaug.saliency import map_of
    >>> provider = ActivationMap(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()), "1")
    >>> map_of(np.zeros((16, 16, 3), np.uint8), provider, 8).shape
    (8, 8)
    """

    model: nn.Module
    layer: str
    classifier: str | None = None
    prepare: Prepare | None = None

    def __call__(self, images: Any) -> Any:
        """Return the maps of a batch, or the map of one array: of the size of the layer's output."""
        return _of_each(images, self._of_batch)

    def _of_batch(self, images: Tensor) -> Tensor:
        answers: list[Any] = []
        with undisturbed(self.model), torch.no_grad():
            layer = _module(self.model, self.layer)
            hook = layer.register_forward_hook(lambda _module, _given, answer: answers.append(answer))
            try:
                said = self.model(_taken(images, self.model, self.prepare))
            finally:
                hook.remove()
            channels = answers[-1] if answers else None
            if not isinstance(channels, Tensor) or channels.ndim != 4:
                what = f"shape {tuple(channels.shape)}" if isinstance(channels, Tensor) else type(channels).__name__
                raise ContentError(f"layer {self.layer!r} must return a tensor of shape (B, C, h, w), got {what}")
            if self.classifier is None:
                summed = channels.sum(1)
                return summed - summed.amin((1, 2), keepdim=True)
            weights = _weights(_module(self.model, self.classifier), channels.shape[1], self.classifier)
            chosen = weights[said.argmax(1)].to(channels.dtype)
            return torch.relu(torch.einsum("bc,bchw->bhw", chosen, channels))


@contextmanager
def undisturbed(model: nn.Module) -> Iterator[None]:
    """Hold a model in eval mode for a while, and leave it and the global generators as they were.

    Modes are set on the modules themselves: methods that some models put in the place of ``train`` do more than that.
    """
    modes = [(module, module.training) for module in model.modules()]
    devices = sorted({each.device.index for each in model.parameters() if each.device.type == "cuda"})
    states = random.getstate(), np.random.get_state()  # noqa: NPY002  # the global one is what is kept
    try:
        with torch.random.fork_rng(devices):
            for module, _ in modes:
                module.training = False
            yield
    finally:
        for module, mode in modes:
            module.training = mode
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002


def _of_each(images: Any, look: Callable[[Tensor], Tensor]) -> Any:
    """Return the maps of a batch; of a list one by one; of an array of shape (H, W) or (H, W, C) its own."""
    if isinstance(images, Tensor):
        return look(images)
    if isinstance(images, Sequence):
        return [look(image[None])[0] for image in images]
    found: NDArray[Any] = look(_channels_first(images)[None])[0].detach().float().cpu().numpy()
    return found


def _channels_first(image: NDArray[Any]) -> Tensor:
    channels = image[None] if image.ndim == 2 else np.moveaxis(image, 2, 0)
    return torch.from_numpy(np.ascontiguousarray(channels))


def _taken(images: Tensor, model: nn.Module, prepare: Prepare | None) -> Tensor:
    """Return what the model takes."""
    if prepare is not None:
        return prepare(images)
    floats = images / 255 if images.dtype == torch.uint8 else images
    like = next(model.parameters(), floats)
    return floats.to(like.device, like.dtype)


def _greatest(said: Any) -> Tensor:
    if not isinstance(said, Tensor) or said.ndim < 2:
        raise ContentError(
            f"a model must return a tensor of shape (B, ...), got {type(said).__name__}; say with score= which number "
            "of it counts"
        )
    return said.flatten(1).amax(1)


def _module(model: nn.Module, name: str) -> nn.Module:
    try:
        return model.get_submodule(name)
    except AttributeError:
        names = ", ".join(each for each, _ in model.named_modules() if each) or "none"
        raise ContentError(f"layer must be a module of the model, got {name!r}; these are: {names[:600]}") from None


def _weights(classifier: nn.Module, channels: int, name: str) -> Tensor:
    weights = getattr(classifier, "weight", None)
    if not isinstance(weights, Tensor) or weights.ndim != 2 or weights.shape[1] != channels:
        what = f"weights of shape {tuple(weights.shape)}" if isinstance(weights, Tensor) else type(classifier).__name__
        raise ContentError(f"classifier must be linear in the {channels} channels of the layer, got {name!r}: {what}")
    return weights
