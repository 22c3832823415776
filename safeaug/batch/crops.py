"""The guarded crops of tensor batches. Signatures are spelled out so that editors complete them."""

from collections.abc import Sequence

import torch

from safeaug.batch.checks import padding_of, pair_of, size_of
from safeaug.batch.crop import Crop, Numbers, Protect
from safeaug.batch.cut import Cut
from safeaug.batch.rendering import Interpolation, Renderer
from safeaug.batch.resized import RATIOS, Resized
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class RandomResizedCrop(Crop):
    """Random crop of each image's own area and ratio, resized, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the outputs; one number for both.
    scale : (float, float), default (0.08, 1.0)
        Least and greatest share of the image's area that a window has.
    ratio : (float, float), default (3/4, 4/3)
        Least and greatest width over height of a window.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect : {"boxes", "masks", "keypoints", "maps", "saliency"}, optional
        What must survive; left out, the first of these that a batch holds, but for saliency: what stands out in each
        image, or in the ``maps`` that are handed over. Of that ``min_rank`` is asked, or ``min_mass``; of a map
        ``min_retention``. Windows for anything but boxes are searched for on the CPU.
    saliency : str or callable, default "auto"
        How saliency maps are made where none are handed over, on the images' device: a method of
        `safeaug.saliency.saliency_maps`, or a function from the images to maps of shape (B, h, w). A map that is the
        same everywhere is no evidence, and its sample is ``UNGUARDED``.
    p : float, default 1.0
        Share of the samples that are cropped; the others are resized whole.
    flip : float, default 0.0
        Share of the samples that are mirrored, left to right.
    interpolation : {"bilinear", "bicubic"}, default "bilinear"
        By which filter images are resized; masks take the nearest pixel. Bicubic is always antialiased.
    antialias : bool, default True
        Whether images are smoothed where they shrink.
    mean, std : float or sequence of float, optional
        Of each channel: what is subtracted, and what is divided by; of uint8 images after division by 255.
    fill : float or sequence of float, default 0
        Of each channel: what stands where there is no picture, in the images' own units.
    dtype : torch.dtype, default torch.float32
        Of the outputs. Images of uint8 are divided by 255 for a floating dtype, and left as they are for uint8.
    seed : int, optional
        Chooses all numbers; drawn from torch's global generator where it is left out. It is part of ``state_dict()``.
    threads : int, optional
        Threads that render on the CPU; by default as many as torch uses for one operation (one, in a loader's worker).
    renderer : {"slices", "dense", "kernel"}, optional
        What draws pixels; left out, the quickest that the images' device has: slice by slice on the CPU, a Triton
        kernel on CUDA, plain torch where there is no Triton, where images require gradients, or are of float64.
    branchless : bool, optional
        Whether windows are searched for on the device without a look at any value, as `torch.compile` and CUDA need
        it; left out, that is so where it has to be. Either way they are the same windows.
    validate : bool, optional
        Whether values are checked as well as shapes; left out, on the CPU only, since a device has to be waited for,
        and not in a compiled module.

    Notes
    -----
    A window is drawn for each sample by torchvision's law: ten attempts of an area and a ratio, and the largest centred
    window where none fits. One that passes is kept; else the position is drawn anew, uniformly from all that pass;
    where the size has none, further draws and then 64 sizes of a lattice are tried (`safeaug.Policy`). In ``.eval()``
    windows are drawn unguarded, and that is said once: labels must not leak into what a model is judged on.

    On a device, move the module there as well (``crop.to(device)``): its seed and its count are in buffers, and are
    copied for every batch else. Under `torch.compile` each batch size, number of rows and size of images makes a graph
    of its own: pad rows to one number. Compiled, and on devices, bytes are not rounded to whole grey levels on the
    way, so pixels may differ by a level from those of the CPU.

    Examples
    --------
    >>> import torch, safeaug.batch
    >>> crop = safeaug.batch.RandomResizedCrop(224, min_retention=0.5, seed=0)
    >>> images = torch.zeros(2, 3, 200, 400, dtype=torch.uint8)
    >>> boxes = [torch.tensor([[20.0, 50.0, 120.0, 150.0]]), torch.empty(0, 4)]
    >>> crops, outcome = crop(images, boxes=boxes, sample_ids=[17, 4])
    >>> crops.shape, crops.dtype, bool(outcome.retention[0, 0] >= 0.5), outcome.valid.tolist()
    (torch.Size([2, 3, 224, 224]), torch.float32, True, [[True], [False]])
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3 / 4, 4 / 3),
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
        policy: Policy | None = None,
        protect: Protect | None = None,
        saliency: Saliency = "auto",
        p: float = 1.0,
        flip: float = 0.0,
        interpolation: Interpolation = "bilinear",
        antialias: bool = True,
        mean: Numbers | None = None,
        std: Numbers | None = None,
        fill: Numbers = 0.0,
        dtype: torch.dtype = torch.float32,
        seed: int | None = None,
        threads: int | None = None,
        renderer: Renderer | None = None,
        branchless: bool | None = None,
        validate: bool | None = None,
    ) -> None:
        host = Resized(size_of(size), pair_of("scale", scale, 0.0, 1.0), pair_of("ratio", ratio, *RATIOS))
        self._construct(host, locals())


class RandomCrop(Crop):
    """Random crop of one size, at each image's own position, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the window, which is the output; one number for both.
    padding : int, (int, int) or (int, int, int, int), default 0
        By how many pixels a window may reach over the image: everywhere; left and right, top and bottom; or left, top,
        right, bottom. There the output holds ``fill``.
    pad_if_needed : bool, default False
        Whether an image that is smaller than the window stands whole in it, at a random position. Without it such an
        image is an error, where sizes are known or values checked (``validate``); nothing is ever scaled up.
    p : float, default 1.0
        Share of the samples that are cropped at random; of the others the middle is cut out.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass, policy, protect, saliency, flip, interpolation, antialias, mean, std, fill,
    dtype, seed, threads, renderer, branchless, validate
        As in `RandomResizedCrop`. There is one size, so ``on_fail="enlarge"`` acts as "most".

    Examples
    --------
    >>> import torch, safeaug.batch
    >>> crop = safeaug.batch.RandomCrop(32, padding=4, dtype=torch.uint8, seed=0)
    >>> images = torch.zeros(2, 3, 32, 32, dtype=torch.uint8)
    >>> boxes = torch.tensor([[[0.0, 0.0, 4.0, 4.0]], [[10.0, 10.0, 20.0, 20.0]]])
    >>> crops, outcome = crop(images, boxes=boxes, valid=torch.ones(2, 1, dtype=torch.bool))
    >>> crops.shape, crops.dtype, bool((outcome.retention >= 0.5).all())
    (torch.Size([2, 3, 32, 32]), torch.uint8, True)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] = 0,
        *,
        pad_if_needed: bool = False,
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
        policy: Policy | None = None,
        protect: Protect | None = None,
        saliency: Saliency = "auto",
        p: float = 1.0,
        flip: float = 0.0,
        interpolation: Interpolation = "bilinear",
        antialias: bool = True,
        mean: Numbers | None = None,
        std: Numbers | None = None,
        fill: Numbers = 0.0,
        dtype: torch.dtype = torch.float32,
        seed: int | None = None,
        threads: int | None = None,
        renderer: Renderer | None = None,
        branchless: bool | None = None,
        validate: bool | None = None,
    ) -> None:
        self._construct(Cut(size_of(size), padding_of(padding)), locals())
