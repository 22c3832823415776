"""What a guarded batch costs: 32 pictures of bytes, cropped, resized and normalised, against what does so unguarded.

Run as ``python benchmarks/batch.py --device cpu|cuda [--quick] [--json FILE]``. Needs torch; torchvision, kornia and
albumentations 2.0.8 are compared with where they are installed. How a run is made and how it is read stands in
``benchmarks/README.md``.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import common
import numpy as np
import torch
import torch.nn.functional as F
import typer
from numpy.typing import NDArray
from rich.progress import track
from torch import Tensor

from safeaug import batch as batches
from safeaug.geometry import Size, Window

BATCH = 32
"""Pictures of a batch, which is one call."""

POOL = 4
"""Batches of a case: call number i gets batch i modulo this, and samples of its own numbers."""

IMAGES = 8
"""Textures that the pictures of a case are cut from."""

SIDES = (24.0, 256.0)
"""Bounds of a box's sides in pixels; their logarithms are uniform."""

SQUARE = 512
"""Side of the pictures of one size."""

RAGGED = (300, 700)
"""Bounds of the sides of pictures of all sizes."""

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of each channel, over ImageNet."""

MB = 10**6
"""Bytes."""

EXTRA = 32
"""Memory, in MB, that a guarded batch may take beyond its output."""

RIVALS = ("slices", "torchvision", "torchvision_draw", "kornia", "albumentations")
"""Contenders that guard nothing."""

NEEDS = {
    "torchvision": "torchvision.transforms.v2",
    "torchvision_draw": "torchvision.transforms.v2",
    "kornia": "kornia.augmentation",
    "albumentations": "albumentations.pytorch",
}
"""What a contender imports that may not be there."""

Crop = Literal["RandomResizedCrop", "RandomCrop"]
Protect = Literal["boxes", "masks"]
Device = Literal["cpu", "cuda"]
Windows = list[list[Window]]
"""The windows of each call."""


class Case(NamedTuple):
    """One case.

    Parameters
    ----------
    crop : {"RandomResizedCrop", "RandomCrop"}
        Which crop.
    side : int
        Height and width of the outputs.
    objects : int
        How many a picture has.
    protect : {"boxes", "masks"}
        What they are.
    ragged : bool
        Whether pictures are of all sizes, or of one.
    threads : int or None
        Threads of torch, for all contenders; None for its default.
    rivals : tuple of str
        The other contenders.
    promised : bool
        Whether the performance contract names the case.
    """

    crop: Crop = "RandomResizedCrop"
    side: int = 224
    objects: int = 3
    protect: Protect = "boxes"
    ragged: bool = False
    threads: int | None = None
    rivals: tuple[str, ...] = ("slices", "torchvision")
    promised: bool = False


class Batch(NamedTuple):
    """What one call gets; what there is none of is None. Lists need no ``valid``: their lengths say it."""

    images: Tensor | list[Tensor]
    boxes: Tensor | list[Tensor] | None
    masks: Tensor | None
    valid: Tensor | None


class Recorded(NamedTuple):
    """What a guarded pass did: the windows of each call, and how many samples ended in which status."""

    windows: Windows
    statuses: dict[str, int]


class Fault(NamedTuple):
    """By how many grey levels an output differs from the reference."""

    mean: float
    most: float


def cases(device: Device) -> list[Case]:
    """Return all cases; the first is the performance contract's. One thread is a matter of the CPU alone."""
    one_thread = ("guarded_one_thread",) if device == "cpu" else ()
    rivals = tuple(name for name in RIVALS if name != "albumentations" or device == "cpu")
    plain = ("slices", "torchvision")
    found = [
        Case(rivals=one_thread + rivals, promised=True),
        Case(objects=1),
        Case(objects=8),
        Case(objects=1, protect="masks"),
        Case("RandomCrop", 256, rivals=one_thread + plain),
        Case(ragged=True, rivals=one_thread + plain),
    ]
    if device == "cpu":
        found.insert(1, Case(threads=1, rivals=(*plain, "kornia")))
    return found


def limits(device: Device) -> dict[str, tuple[float | None, float | None]]:
    """Return the limit and the goal of the performance contract for guarded time over each rival's.

    Its factors are of speed, so a time may be one over them.
    """
    if device == "cuda":
        return {"torchvision": (0.1, None)}
    return {"slices": (1.333, 0.909), "torchvision": (1.0, 0.667), "kornia": (0.5, None)}


# Inputs.


def scenes(case: Case, device: str, seed: int, count: int = POOL) -> list[Batch]:
    """Return the pool of a case: so many batches."""
    rng = np.random.default_rng(seed)
    textures = [texture(max(SQUARE, *RAGGED) if case.ragged else SQUARE, rng) for _ in range(IMAGES)]
    return [_scene(case, textures, rng, device) for _ in range(count)]


def _scene(case: Case, textures: list[Tensor], rng: np.random.Generator, device: str) -> Batch:
    low, high = RAGGED if case.ragged else (SQUARE, SQUARE)
    sizes = rng.integers(low, high, (BATCH, 2), endpoint=True).tolist()
    pictures = [textures[i % IMAGES][:, :height, :width].clone() for i, (height, width) in enumerate(sizes)]
    found = [random_boxes((height, width), case.objects, rng) for height, width in sizes]
    if case.ragged:
        return Batch([each.to(device) for each in pictures], [each.to(device) for each in found], None, None)
    images, valid = torch.stack(pictures).to(device), torch.ones(BATCH, case.objects, dtype=torch.bool, device=device)
    if case.protect == "masks":
        shapes = [ellipses(rows, (height, width)) for rows, (height, width) in zip(found, sizes, strict=True)]
        return Batch(images, None, torch.stack(shapes).to(device), valid)
    return Batch(images, torch.stack(found).to(device), None, valid)


def texture(side: int, rng: np.random.Generator) -> Tensor:
    """Return a picture (3, H, W) of smoothed noise that uses the whole range: as in ``drop_in.py``, without OpenCV."""
    reach, sigma = 12, 3.0
    noise = torch.from_numpy(rng.standard_normal((3, 1, side, side), dtype=np.float32))
    bell = torch.exp(-((torch.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    padded = F.pad(noise, (reach,) * 4, mode="reflect")
    smooth = F.conv2d(F.conv2d(padded, bell.reshape(1, 1, -1, 1)), bell.reshape(1, 1, 1, -1))[:, 0]
    low, high = smooth.aminmax()
    return ((smooth - low) / (high - low) * 255).to(torch.uint8)


def random_boxes(size: Size, count: int, rng: np.random.Generator) -> Tensor:
    """Return boxes ``(x0, y0, x1, y1)`` that lie in a picture."""
    shortest, longest = SIDES
    sides = shortest * (longest / shortest) ** rng.random((count, 2))
    corner = rng.random((count, 2)) * (np.array(size[::-1]) - sides)
    return torch.from_numpy(np.concatenate([corner, corner + sides], axis=1).astype(np.float32))


def ellipses(boxes: Tensor, size: Size) -> Tensor:
    """Return the masks (N, H, W) of the ellipses that fill boxes."""
    middle, radius = (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2:] - boxes[:, :2]) / 2
    x, y = (
        (torch.arange(side) + 0.5 - middle[:, axis, None]) / radius[:, axis, None]
        for axis, side in enumerate(size[::-1])
    )
    return (x[:, None, :] ** 2 + y[:, :, None] ** 2 <= 1).to(torch.uint8)


# Contenders. Each is called with the number of the call.


def guarded(case: Case, device: str, seed: int, threads: int | None = None) -> Any:
    """Return safeaug's crop: half of every object."""
    crop: Callable[..., Any] = getattr(batches, case.crop)
    return crop(case.side, min_retention=0.5, protect=case.protect, mean=MEAN, std=STD, seed=seed, threads=threads).to(
        device
    )


def guarded_caller(crop: Any, pool: list[Batch], device: str) -> Callable[[int], Any]:
    """Return the function that crops with a guard. Every call has samples of its own, with windows of their own."""

    def call(index: int) -> Any:
        images, boxes, masks, valid = pool[index % len(pool)]
        ids = torch.arange(index * BATCH, (index + 1) * BATCH, device=device)
        return crop(images, boxes=boxes, masks=masks, valid=valid, sample_ids=ids)

    return call


def slices(case: Case, pool: list[Batch], windows: Windows, device: str) -> Callable[[int], Any]:
    """Return the bare loop: the windows are given, the output is allocated, and normalised in place in the end."""
    mean, std = _column(MEAN, device), _column(STD, device)
    size, cut, in_bytes = (case.side, case.side), case.crop == "RandomCrop", device == "cpu"

    def call(index: int) -> Any:
        images, _, masks, _ = pool[index % len(pool)]
        out = torch.empty((BATCH, 3, *size), device=device)
        shapes = (
            None if masks is None else torch.empty((BATCH, masks.shape[1], *size), dtype=masks.dtype, device=device)
        )
        for i, (x0, y0, x1, y1) in enumerate(windows[index]):
            piece = images[i][None, :, y0:y1, x0:x1]
            if cut:
                out[i] = piece[0]
            else:  # bytes are resized on the CPU only
                piece = piece if in_bytes else piece.float()
                out[i] = F.interpolate(piece, size, mode="bilinear", antialias=True)[0]
            if shapes is not None and masks is not None:
                shapes[i] = F.interpolate(masks[i][None, :, y0:y1, x0:x1], size, mode="nearest-exact")[0]
        return out.div_(255).sub_(mean).div_(std), shapes

    return call


def torchvision(case: Case, pool: list[Batch], windows: Windows) -> Callable[[int], Any]:
    """Return torchvision's functions, sample by sample, on the given windows."""
    v2, nearest = optional("torchvision.transforms.v2.functional"), optional("torchvision.transforms").InterpolationMode
    size = [case.side, case.side]

    def taken(picture: Tensor, window: Window, **how: Any) -> Any:
        x0, y0, x1, y1 = window
        if case.crop == "RandomCrop":
            return v2.crop(picture, y0, x0, y1 - y0, x1 - x0)
        return v2.resized_crop(picture, y0, x0, y1 - y0, x1 - x0, size, **how)

    def call(index: int) -> Any:
        images, _, masks, _ = pool[index % len(pool)]
        found, shapes = [], []
        for i, window in enumerate(windows[index]):
            piece = v2.to_dtype(taken(images[i], window, antialias=True), torch.float32, scale=True)
            found.append(v2.normalize(piece, list(MEAN), list(STD)))
            if masks is not None:
                shapes.append(taken(masks[i], window, interpolation=nearest.NEAREST_EXACT))
        return torch.stack(found), torch.stack(shapes) if shapes else None

    return call


def torchvision_draw(case: Case, pool: list[Batch]) -> Callable[[int], Any]:
    """Return torchvision's transforms, sample by sample, each with a draw of its own."""
    v2 = optional(NEEDS["torchvision_draw"])
    transform = v2.Compose(
        [v2.RandomResizedCrop(case.side), v2.ToDtype(torch.float32, scale=True), v2.Normalize(list(MEAN), list(STD))]
    )

    def call(index: int) -> Any:
        return torch.stack([transform(image) for image in pool[index % len(pool)].images])

    return call


class Kornia:
    """kornia's crop of a batch, in its quicker mode, with its own draws. It takes floats: the cast is in the price.

    Parameters
    ----------
    case : Case
        Says how large outputs are.
    pool : list of Batch
        What calls get.
    device : str
        Where they are.
    """

    def __init__(self, case: Case, pool: list[Batch], device: str) -> None:
        kornia = optional(NEEDS["kornia"])
        self.crop = kornia.RandomResizedCrop((case.side, case.side), cropping_mode="slice").to(device)
        self.normalize = kornia.Normalize(torch.tensor(MEAN), torch.tensor(STD)).to(device)
        self.pool = pool

    def __call__(self, index: int) -> Any:
        """Return the outputs of a call."""
        images: Any = self.pool[index % len(self.pool)].images
        return self.normalize(self.crop(images.to(torch.float32).div_(255)))

    def windows(self) -> list[Window]:
        """Return the windows of the latest call. kornia names the last pixels that are in."""
        corners = self.crop._params["src"].long().tolist()
        return [(x0, y0, x1 + 1, y1 + 1) for (x0, y0), _, (x1, y1), _ in corners]


def albumentations(case: Case, pool: list[Batch], seed: int) -> Callable[[int], Any]:
    """Return albumentations' transforms, sample by sample, each with a draw of its own; arrays are made beforehand."""
    host, to_tensor = optional("albumentations"), optional(NEEDS["albumentations"]).ToTensorV2
    pipeline = host.Compose(
        [host.RandomResizedCrop((case.side, case.side)), host.Normalize(MEAN, STD), to_tensor()], seed=seed
    )
    arrays = [[np.ascontiguousarray(image.permute(1, 2, 0).cpu().numpy()) for image in each.images] for each in pool]

    def call(index: int) -> Any:
        return torch.stack([pipeline(image=array)["image"] for array in arrays[index % len(arrays)]])

    return call


@cache
def optional(name: str) -> Any:
    """Return a module, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def is_here(contender: str) -> bool:
    """Return whether what a contender needs is installed."""
    return contender not in NEEDS or optional(NEEDS[contender]) is not None


def contenders(case: Case, pool: list[Batch], recorded: Recorded, device: str, seed: int) -> dict[str, Any]:
    """Return the contenders of a case, as they are called; a missing rival is left out."""
    windows = recorded.windows
    makers: dict[str, Callable[[], Any]] = {
        "guarded_one_thread": lambda: guarded_caller(guarded(case, device, seed, threads=1), pool, device),
        "slices": lambda: slices(case, pool, windows, device),
        "torchvision": lambda: torchvision(case, pool, windows),
        "torchvision_draw": lambda: torchvision_draw(case, pool),
        "kornia": lambda: Kornia(case, pool, device),
        "albumentations": lambda: albumentations(case, pool, seed),
    }
    return {name: makers[name]() for name in case.rivals if is_here(name)}


def _column(values: Sequence[float], device: str) -> Tensor:
    return torch.tensor(values, device=device).reshape(-1, 1, 1)


# Measuring.


def record(case: Case, pool: list[Batch], count: int, device: str, seed: int) -> Recorded:
    """Return what a guarded crop does in its first calls. The same samples draw the same windows in any other."""
    crop = guarded(case, device, seed)
    call = guarded_caller(crop, pool, device)
    windows = [[(x0, y0, x1, y1) for x0, y0, x1, y1 in call(i)[1].view.window.tolist()] for i in range(count)]
    return Recorded(windows, crop.report())


def run_case(
    case: Case, *, device: Device, rounds: int, calls: int, warmup: int, seed: int, extra: float | None = None
) -> common.Row:
    """Measure one case; ``extra`` is the memory, in MB, that the promised one is known to take."""
    with threads_of_torch(case.threads):
        torch.manual_seed(seed)  # which kornia's and torchvision's own draws come from
        pool = scenes(case, device, seed)
        rounds = evenly(rounds, 1 + sum(map(is_here, case.rivals)))
        recorded = record(case, pool, (warmup + rounds) * calls, device, seed)
        crop = guarded(case, device, seed)
        called = {
            "guarded": guarded_caller(crop, pool, device),
            **contenders(case, pool, recorded, device, seed),
        }
        measured = common.measure(
            {name: synchronised(call, device) for name, call in called.items()},
            rounds=rounds,
            calls=calls,
            warmup=warmup,
        )
        if crop.report() != recorded.statuses:
            raise RuntimeError(f"{case}: the measured draws ended in {crop.report()}, not in {recorded.statuses}")
        samples = len(recorded.windows) * BATCH
        observed: dict[str, common.Value] = {
            name: round(count / samples, 3) for name, count in recorded.statuses.items()
        }
        observed |= {f"{name} img/s": rate for name, rate in rates(measured).items()}
        if case.promised:
            for name, found in faults(called, pool[0], recorded.windows[0]).items():
                observed |= {f"{name} error": found.mean, f"{name} error, most": found.most}
            if extra is not None:
                observed["extra MB"] = extra
        return common.row(
            measured,
            claims(case, list(called), device),
            case=described(case, torch.get_num_threads()),
            observed=observed,
        )


def described(case: Case, threads: int) -> dict[str, common.Value]:
    """Return what a row says that was asked for."""
    low, high = RAGGED
    return {
        "crop": case.crop,
        "side": case.side,
        "images": f"{BATCH} of {low}..{high}" if case.ragged else f"{BATCH} of {SQUARE}x{SQUARE}",
        case.protect: case.objects,
        "threads": threads,
    }


def claims(case: Case, names: Sequence[str], device: Device) -> list[common.Claim]:
    """Return what a case compares: guarded with every other contender, and one thread of it with the loop."""
    promised = limits(device) if case.promised else {}
    found = [common.Claim("guarded", name, "ratio", *promised.get(name, (None, None))) for name in names[1:]]
    if "guarded_one_thread" in names:
        found.append(common.Claim("guarded_one_thread", "slices"))
    return found


def rates(measured: common.Measured) -> dict[str, int]:
    """Return the images per second of each contender, by the median round."""
    return {name: round(BATCH * 1e6 / float(np.median(micros))) for name, micros in measured.micros.items()}


def evenly(rounds: int, contenders: int) -> int:
    """Return the number of rounds, or the next that can be shared out among the contenders.

    Examples
    --------
    >>> evenly(60, 7), evenly(60, 3)
    (63, 60)
    """
    return -(-rounds // contenders) * contenders


def synchronised(call: common.Contender, device: str) -> common.Contender:
    """Return a contender that is done when it returns: what it left to a device is waited for."""
    if device == "cpu":
        return call

    def waiting(index: int) -> None:
        call(index)
        torch.cuda.synchronize()

    return waiting


@contextmanager
def threads_of_torch(count: int | None) -> Iterator[None]:
    """Let torch have so many threads for a while, or as many as it has."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


# Errors.


def faults(called: dict[str, Any], batch: Batch, windows: list[Window]) -> dict[str, Fault]:
    """Return the errors of the contenders whose windows are known, each on those that it takes in call number 0."""
    found = {"guarded": fault(called["guarded"](0)[0], batch.images, windows)}
    for name in ("slices", "torchvision"):
        if name in called:
            found[name] = fault(called[name](0)[0], batch.images, windows)
    if "kornia" in called:
        output = called["kornia"](0)
        found["kornia"] = fault(output, batch.images, called["kornia"].windows())
    return found


def fault(output: Tensor, images: Tensor | list[Tensor], windows: list[Window]) -> Fault:
    """Return by how many grey levels normalised outputs (B, 3, h, w) differ from the reference."""
    grey = (output.double().cpu() * _column(STD, "cpu") + _column(MEAN, "cpu")) * 255
    size = (output.shape[2], output.shape[3])
    off = [
        np.abs(one.numpy() - reference(image.cpu().numpy(), window, size))
        for one, image, window in zip(grey, images, windows, strict=True)
    ]
    return Fault(round(float(np.mean(off)), 4), round(float(np.max(off)), 4))


def reference(picture: NDArray[np.uint8], window: Window, size: Size) -> NDArray[np.float64]:
    """Return what lies in a window of a picture (C, H, W) in another size: grey levels that are not rounded."""
    x0, y0, x1, y1 = window
    pixels = picture[:, y0:y1, x0:x1].astype(np.float64)
    resized: NDArray[np.float64] = weights(y1 - y0, size[0]) @ pixels @ weights(x1 - x0, size[1]).T
    return resized


def weights(taken: int, drawn: int) -> NDArray[np.float64]:
    """Return how much each source pixel counts in each output pixel, along one axis: (drawn, taken).

    A triangle around the output pixel's centre, as wide as two source pixels, or as two output pixels where those are
    wider; cut off where the window ends.
    """
    scale = taken / drawn
    centres = (np.arange(drawn)[:, None] + 0.5) * scale
    table = np.clip(1 - np.abs(np.arange(taken) + 0.5 - centres) / max(scale, 1.0), 0, None)
    normal: NDArray[np.float64] = table / table.sum(1, keepdims=True)
    return normal


# Memory.


def extra_memory(device: Device) -> float | None:
    """Return the MB that one guarded batch takes at its peak beyond its output; None where no system says."""
    if device == "cuda":
        return _extra_of_device()
    if find_spec("resource") is None:
        return None
    # A fresh process: in this one, memory that was used before would be used again, and not be seen.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_extra_of_process).result()


def _extra_of_device() -> float:
    crop, batch = _warm("cuda")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    output, outcome = crop(batch.images, boxes=batch.boxes, valid=batch.valid)
    torch.cuda.synchronize()
    extra: int = torch.cuda.max_memory_allocated() - before - output.nbytes
    del outcome  # held until here: it is part of what a batch takes
    return round(extra / MB, 1)


def _extra_of_process() -> float:
    crop, batch = _warm("cpu")
    # On Linux a process starts with the peak of the one that started it. Memory is filled until it is at its peak;
    # from there on whatever it takes shows.
    ballast, start = [], peak()
    while peak() == start:
        ballast.append(bytearray(b"1") * MB)
    before = peak()
    output, outcome = crop(batch.images, boxes=batch.boxes, valid=batch.valid)
    extra: int = peak() - before - output.nbytes
    del outcome, ballast
    return round(extra / MB, 1)


def _warm(device: str) -> tuple[Any, Batch]:
    """Return a crop that has seen a tiny batch, so that libraries have set themselves up, and a batch to come."""
    crop, batch = guarded(Case(), device, seed=0), scenes(Case(), device, seed=0, count=1)[0]
    corner = torch.tensor([[4.0, 4.0, 12.0, 12.0]], device=device)
    crop(torch.zeros(2, 3, 32, 32, dtype=torch.uint8, device=device), boxes=[corner, corner])
    return crop, batch


def peak() -> int:
    """Return the most bytes that this process has held."""
    import resource  # not on every system

    most: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def said_of_memory(extra: float) -> str:
    """Return the line about memory."""
    verdict = "within" if extra <= EXTRA else "over"
    return f"memory: one guarded batch takes {extra:g} MB beyond its output at its peak, limit {EXTRA}: {verdict}"


def main(
    device: Annotated[Device, typer.Option(help="Where pictures are, and stay.")] = "cpu",
    quick: Annotated[
        bool, typer.Option(help="A fifth of the rounds, of half the calls: to see that all works.")
    ] = False,
    rounds: Annotated[
        int, typer.Option(help="Timed rounds at least; a case has as many as its contenders share.")
    ] = 60,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round: so many batches.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the scenes and of all draws.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time guarded batches against what crops them without a guard, and print the table."""
    if device == "cuda" and not torch.cuda.is_available():
        raise typer.BadParameter("torch sees no CUDA device here; use --device cpu", param_hint="--device")
    if quick:
        rounds, calls = 12, 1
    asked = cases(device)
    missing = sorted({name for case in asked for name in case.rivals if not is_here(name)})
    if missing:
        print(f"left out, since they are not installed: {', '.join(missing)}", file=sys.stderr)
    if (opencv := sys.modules.get("cv2")) is not None:
        opencv.setNumThreads(1)
    logging.getLogger("safeaug").setLevel(logging.ERROR)  # eight boxes cannot always be kept; the table says so
    warmup = 2
    about = common.describe(
        "batch",
        seed=seed,
        arguments={
            "device": device,
            "rounds": rounds,
            "calls": calls,
            "warmup": warmup,
            "pool": POOL,
            "batch": BATCH,
        },
    )
    extra = extra_memory(device)
    rows = [
        run_case(case, device=device, rounds=rounds, calls=calls, warmup=warmup, seed=seed, extra=extra)
        for case in track(asked, description="cases", transient=True)
    ]
    run = common.Run(metadata=about, rows=tuple(rows))
    common.show(run)
    if extra is not None:
        print(said_of_memory(extra))
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
