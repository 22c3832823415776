"""The modules for kornia's data keys. Signatures are spelled out so that editors complete them."""

from collections.abc import Sequence
from typing import Any

import torch

from safeaug.batch.checks import padding_of, pair_of, size_of
from safeaug.batch.crop import Numbers
from safeaug.batch.cut import Cut
from safeaug.batch.rendering import Interpolation, Renderer
from safeaug.batch.resized import RATIOS, Resized
from safeaug.kornia.keyed import Keyed
from safeaug.kornia.protected import Protect
from safeaug.objects import IGNORE_INDEX
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class RandomResizedCrop(Keyed):
    """Random crop, resized, of all that kornia's data keys name, that keeps its objects; the labels pick the window.

    It stands before kornia's ``AugmentationSequential``, which takes what it returns.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the outputs; one number for both.
    scale : (float, float), default (0.08, 1.0)
        Least and greatest share of the image's area that a window has.
    ratio : (float, float), default (3/4, 4/3)
        Least and greatest width over height of a window.
    data_keys : sequence, optional
        What the values of a call are, as kornia names it: "input" or "image", "mask", "bbox", "bbox_xyxy", "bbox_xywh",
        "keypoints", "class" or "label". Left out, a call hands over one mapping, whose keys say it.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect : {"boxes", "keypoints", "mask"}, optional
        What must survive: the boxes of all keys; the keypoints, all those of an image as one object; or the foreground
        of the masks, each channel an object. Left out, boxes, else keypoints, where a call holds any.
    foreground : sequence of int, optional
        Values of a mask that count; all but 0 where it is left out.
    ignore_index : int or None, default 255
        Value of a mask that never counts.
    same_on_batch : bool, default False
        Whether all images share one window. Their objects are one set then, of which the promise speaks: ``keep="all"``
        asks for each of them, "any" for one in the batch. The status of that one draw is the status of all images.
    p : float, default 1.0
        Share of the images that are cropped, one by one; the others are resized whole, with all that belongs to them.
    dtype : torch.dtype, optional
        Of the images that come back. Left out, that of floating images; images of uint8 come back in [0, 1] as float32,
        as kornia's transforms take them.
    flip, interpolation, antialias, mean, std, fill, seed, threads, renderer, branchless, validate
        As in `safeaug.batch.RandomResizedCrop`.

    Notes
    -----
    Windows and chance are those of `safeaug.batch.RandomResizedCrop`; nothing is drawn from torch's generators but a
    seed that is left out. Boxes count pixels, as kornia's do: a corner under "bbox" and "bbox_xyxy" is the last pixel
    inside. They come back clipped to the output, which kornia's do not. In ``.eval()`` windows are drawn unguarded, and
    that is said once: labels must not leak into what a model is judged on.

    Examples
    --------
    >>> import torch, safeaug
    >>> crop = safeaug.kornia.RandomResizedCrop((64, 64), data_keys=["input", "bbox_xyxy", "mask"], seed=0)
    >>> images, masks = torch.zeros(2, 3, 90, 120, dtype=torch.uint8), torch.zeros(2, 1, 90, 120)
    >>> boxes = torch.tensor([[[5.0, 10, 44, 59], [0, 0, 0, 0]], [[70.0, 8, 99, 37], [20, 30, 49, 69]]])
    >>> outputs, outcome = crop(images, boxes, masks, with_outcome=True)
    >>> [tuple(each.shape) for each in outputs], outcome.valid[0].tolist()
    ([(2, 3, 64, 64), (2, 2, 4), (2, 1, 64, 64)], [True, False])
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3 / 4, 4 / 3),
        *,
        data_keys: Sequence[Any] | None = None,
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
        policy: Policy | None = None,
        protect: Protect | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = IGNORE_INDEX,
        same_on_batch: bool = False,
        p: float = 1.0,
        flip: float = 0.0,
        interpolation: Interpolation = "bilinear",
        antialias: bool = True,
        mean: Numbers | None = None,
        std: Numbers | None = None,
        fill: Numbers = 0.0,
        dtype: torch.dtype | None = None,
        seed: int | None = None,
        threads: int | None = None,
        renderer: Renderer | None = None,
        branchless: bool | None = None,
        validate: bool | None = None,
    ) -> None:
        host = Resized(size_of(size), pair_of("scale", scale, 0.0, 1.0), pair_of("ratio", ratio, *RATIOS))
        self._construct(host, locals())


class RandomCrop(Keyed):
    """Random crop of one size of all that kornia's data keys name, that keeps its objects; the labels pick the window.

    It stands before kornia's ``AugmentationSequential``, which takes what it returns.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the window, which is the output; one number for both.
    padding : int, (int, int) or (int, int, int, int), default 0
        By how many pixels a window may reach over the image: everywhere; left and right, top and bottom; or left, top,
        right, bottom. There the output holds ``fill``, and masks hold 0.
    pad_if_needed : bool, default False
        Whether an image that is smaller than the window stands whole in it, at a random position. Without it such an
        image is an error; kornia scales it up in silence.
    p : float, default 1.0
        Share of the images that are cropped at random, one by one; of the others the middle is cut out.
    data_keys, min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty,
    apply_rate, ignore_smaller_than, policy, protect, foreground, ignore_index, same_on_batch, flip, antialias, mean,
    std, fill, dtype, seed, threads, renderer, branchless, validate
        As in `RandomResizedCrop`. There is one size, so ``on_fail="enlarge"`` acts as "most".

    Examples
    --------
    >>> import torch, safeaug
    >>> crop = safeaug.kornia.RandomCrop((32, 32), padding=4, data_keys=None, seed=0)
    >>> sample = {"image": torch.zeros(1, 3, 48, 64), "bbox_xywh": torch.tensor([[[2.0, 3, 20, 10]]]), "name": "a"}
    >>> out = crop(sample)
    >>> tuple(out["image"].shape), out["name"], crop.report().keys() <= {"FIRST", "MOVED"}
    ((1, 3, 32, 32), 'a', True)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] = 0,
        pad_if_needed: bool = False,
        *,
        data_keys: Sequence[Any] | None = None,
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
        policy: Policy | None = None,
        protect: Protect | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = IGNORE_INDEX,
        same_on_batch: bool = False,
        p: float = 1.0,
        flip: float = 0.0,
        interpolation: Interpolation = "bilinear",
        antialias: bool = True,
        mean: Numbers | None = None,
        std: Numbers | None = None,
        fill: Numbers = 0.0,
        dtype: torch.dtype | None = None,
        seed: int | None = None,
        threads: int | None = None,
        renderer: Renderer | None = None,
        branchless: bool | None = None,
        validate: bool | None = None,
    ) -> None:
        self._construct(Cut(size_of(size), padding_of(padding)), locals())
