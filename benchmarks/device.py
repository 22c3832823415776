"""What only a CUDA device can show, check by check: windows, pixels, waiting, graphs, memory, and how quick it is.

Run by ``benchmarks/device_check.sh``. Every check says what it found in a line; one that fails does not stop the
others, and the exit code is 1 where one did. With ``--dry`` whatever can be done without a device runs on the CPU in
Triton's interpreter, on tiny batches: it shows that the script works, and nothing about a device.
"""

import logging
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import batch as batches
import common
import msgspec
import numpy as np
import torch
import typer
from msgspec import Struct
from torch import Tensor

from safeaug.batch import RandomCrop, RandomResizedCrop
from safeaug.batch.rendering import Finish, Style
from safeaug.batch.rendering.fused import TILE, Tile, by_kernel

GREY = {torch.float32: 0.01, torch.float16: 0.3, torch.uint8: 1.0}
"""Grey levels that outputs may be off a filter in float64."""

TILES = TILE, Tile(16, 64, 32, 4), Tile(16, 128, 16, 4), Tile(32, 64, 16, 4), Tile(32, 64, 32, 8), Tile(16, 32, 16, 2)
"""What the kernel is timed with."""

SHARE, GOAL, TIMES = 0.3, 0.5, 10.0
"""Of the time that copying alone would take, the least and the goal; how many times as quick as torchvision."""


class Check(Struct, frozen=True, kw_only=True):
    """What one check found.

    Parameters
    ----------
    name : str
        What was looked at.
    passed : bool or None
        None where it was not run, or promises nothing.
    said : str
        The finding, in words.
    figures : dict
        The numbers behind it.
    seconds : float
        How long it took, compiling included.
    """

    name: str
    passed: bool | None
    said: str
    figures: dict[str, float] = {}
    seconds: float = 0.0


class Report(Struct, frozen=True, kw_only=True):
    """One run: where, and what it found."""

    metadata: common.Metadata
    checks: list[Check]


class Setting(NamedTuple):
    """How large a run is, and where."""

    device: str
    batch: int
    side: int
    out: int
    calls: int

    @property
    def real(self) -> bool:
        """Whether there is a device."""
        return self.device == "cuda"


REAL, DRY = Setting("cuda", 256, 512, 224, 20), Setting("cpu", 2, 24, 8, 1)


class Scene(NamedTuple):
    """A batch on the device, with three boxes an image."""

    images: Tensor
    boxes: Tensor
    valid: Tensor
    ids: Tensor

    def given(self) -> dict[str, Tensor]:
        """Return what a module is called with beside the images."""
        return {"boxes": self.boxes, "valid": self.valid, "sample_ids": self.ids}


def scene(at: Setting, device: str | None = None) -> Scene:
    """Return photographs' stand-ins: sums of waves of all lengths, and noise."""
    rng = np.random.default_rng(0)
    texture = batches.texture(at.side, rng)
    images = torch.stack([texture.roll((7 * k, 11 * k), (1, 2)) for k in range(at.batch)])
    boxes = torch.stack([batches.random_boxes((at.side, at.side), 3, rng) for _ in range(at.batch)])
    valid, ids = torch.ones(at.batch, 3, dtype=torch.bool), torch.arange(at.batch)
    return Scene(*(each.to(device or at.device) for each in (images, boxes, valid, ids)))


def crop(at: Setting, **options: Any) -> RandomResizedCrop:
    """Return the module that is looked at: half of every box, normalised."""
    options = {"mean": batches.MEAN, "std": batches.STD, "seed": 0, **options}
    made: RandomResizedCrop = RandomResizedCrop(at.out, renderer="kernel", branchless=True, **options).to(at.device)
    return made


def windows(at: Setting) -> Check:
    """Compare what is drawn on the device with what is drawn on the CPU, to the bit."""
    modules: list[Callable[..., Any]] = [
        partial(RandomResizedCrop, at.out, seed=1),
        partial(RandomResizedCrop, at.out, seed=2, min_retention=0.9, min_visible_pixels=64, max_stretch=1.5),
        partial(RandomResizedCrop, at.out, seed=3, keep="whole", sampling="joint"),
        partial(RandomResizedCrop, at.out, seed=4, keep="any", on_fail="enlarge", flip=0.5, p=0.8),
        partial(RandomCrop, at.out, seed=5, padding=4, min_retention=0.7),
    ]
    here, there = scene(at, "cpu"), scene(at)
    samples = differing = 0
    for make in modules:
        expected = make()(here.images, **here.given())[1]
        found = make(branchless=True).to(at.device)(there.images, **there.given())[1]
        same = torch.stack(
            [
                (expected.view.window == found.view.window.cpu()).all(-1),
                *(getattr(expected, name) == getattr(found, name).cpu() for name in ("status", "stage", "draws")),
            ]
        ).all(0)
        samples, differing = samples + len(same), differing + int((~same).sum())
    said = f"of {samples} windows of {len(modules)} modules {differing} differ from the CPU's"
    return Check(name="windows", passed=differing == 0, said=said, figures={"samples": samples, "differ": differing})


def pixels(at: Setting) -> Check:
    """Compare outputs with a filter in float64, in grey levels; and lists with one tensor, to the bit."""
    few = scene(at._replace(batch=min(at.batch, 16)))
    figures, good = {}, True
    for dtype, grey in GREY.items():
        for interpolation in ("bilinear", "bicubic"):
            made = crop(at, mean=None, std=None, dtype=dtype, interpolation=interpolation)
            output, outcome = made(few.images, **few.given())
            listed, _ = made(list(few.images), **few.given())
            good &= torch.equal(output, listed)
            if interpolation == "bilinear":
                error = _error(output, few.images, outcome.view.window, at.out)
                figures[str(dtype).removeprefix("torch.")] = round(error, 5)
                good &= error <= grey
    said = f"off a filter in float64 by at most, in grey levels: {figures}; lists as one tensor to the bit: {good}"
    return Check(name="pixels", passed=good, said=said, figures=figures)


def _error(output: Tensor, images: Tensor, places: Tensor, out: int) -> float:
    levels = output.double().cpu().numpy() * (255 if output.dtype.is_floating_point else 1)
    worst = 0.0
    for made, picture, window in zip(levels, images.cpu().numpy(), places.tolist(), strict=True):
        worst = max(worst, float(np.abs(made - batches.reference(picture, tuple(window), (out, out))).max()))
    return worst


def waiting(at: Setting) -> Check:
    """Call modules where every wait for the device is an error: with one tensor, a list, and masks that come along."""
    data, module = scene(at), crop(at)
    masks = torch.zeros(at.batch, 3, at.side, at.side, dtype=torch.uint8, device=at.device)
    module(data.images, **data.given())  # compiled and allocated
    torch.cuda.set_sync_debug_mode("error")
    try:
        module(data.images, **data.given())
        module(data.images, masks=masks, **data.given())
        module(list(data.images), boxes=list(data.boxes), sample_ids=list(range(at.batch)))
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return Check(name="waiting", passed=True, said="a tensor, a list and masks are cropped without a wait")


def graph(at: Setting) -> Check:
    """Capture the module, replay it, and compare with what it does uncaptured."""
    data, module = scene(at), crop(at)
    expected, outcome = module(data.images, **data.given())
    replay, (output, found) = captured(module, data)
    replay()
    torch.cuda.synchronize()
    same = torch.equal(expected, output) and torch.equal(outcome.view.window, found.view.window)
    seconds = timed(replay, at.calls)
    rate = at.batch / seconds
    said = f"captured; a replay equals a call: {same}; {rate:.0f} images a second"
    return Check(name="graph", passed=same, said=said, figures={"images_per_second": rate, "ms": seconds * 1e3})


def captured(module: Any, data: Scene) -> tuple[Callable[[], None], tuple[Tensor, Any]]:
    """Return what replays a module, and where its outputs come to stand."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            module(data.images, **data.given())
    torch.cuda.current_stream().wait_stream(aside)
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        made = module(data.images, **data.given())
    return recorded.replay, made


def compiled(at: Setting) -> Check:
    """Compile the module into one graph."""
    data, module = scene(at), crop(at)
    expected, outcome = module(data.images, **data.given())
    made = torch.compile(module, fullgraph=True, options={"emulate_precision_casts": True})
    output, found = made(data.images, **data.given())
    same = torch.equal(outcome.view.window, found.view.window) and float((expected - output).abs().max()) < 1e-3
    seconds = timed(lambda: made(data.images, **data.given()), at.calls)
    rate = at.batch / seconds
    said = f"one graph; windows and pixels as uncompiled: {same}; {rate:.0f} images a second"
    return Check(name="compiled", passed=same, said=said, figures={"images_per_second": rate, "ms": seconds * 1e3})


def memory(at: Setting) -> Check:
    """Measure what a call takes at its peak beyond its output."""
    data, module = scene(at), crop(at)
    module(data.images, **data.given())
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    output, outcome = module(data.images, **data.given())
    torch.cuda.synchronize()
    extra = (torch.cuda.max_memory_allocated() - before - output.nbytes) / 1e6
    del outcome
    as_floats = data.images.nbytes * 4 / 1e6
    said = (
        f"{extra:.1f} MB beyond the output of {output.nbytes / 1e6:.0f}; the batch as floats would be {as_floats:.0f}"
    )
    return Check(name="memory", passed=extra < as_floats / 2, said=said, figures={"extra_mb": extra})


def bandwidth(at: Setting) -> float:
    """Return the bytes a second that copying within the device reads and writes."""
    source = torch.empty(2**30 if at.real else 2**16, dtype=torch.uint8, device=at.device)
    target = torch.empty_like(source)
    return 2 * source.nbytes / timed(lambda: target.copy_(source), at.calls)


def kernel(at: Setting) -> Check:
    """Time the kernel alone against what copying the same bytes would take: the crops read, the outputs written."""
    data, speed = scene(at), bandwidth(at)
    window = crop(at)(data.images, **data.given())[1].view.window
    target = torch.tensor([[0, 0, at.out, at.out]], device=at.device).expand(at.batch, 4).contiguous()
    flipped = torch.zeros(at.batch, dtype=torch.bool, device=at.device)
    read = int(((window[:, 2] - window[:, 0]) * (window[:, 3] - window[:, 1])).sum()) * 3
    figures: dict[str, float] = {"copy_gb_per_second": speed / 1e9}
    best: dict[torch.dtype, float] = {}
    for dtype in (torch.float16, torch.float32):
        finish = Finish(dtype, batches.MEAN, batches.STD, (0.0,))
        least = (read + at.batch * 3 * at.out**2 * dtype.itemsize) / speed
        for tile in TILES if at.real else TILES[:1]:
            draw = partial(by_kernel, data.images, window, target, flipped, (at.out, at.out), finish, Style(), tile)
            seconds = timed(draw, at.calls)
            name = f"{str(dtype).removeprefix('torch.')} {'x'.join(map(str, tile))}"
            figures[f"{name} images_per_second"] = at.batch / seconds
            figures[f"{name} share_of_copy"] = least / seconds
            if tile == TILE:
                best[dtype] = least / seconds
    said = ", ".join(f"{str(dtype).removeprefix('torch.')}: {share:.2f}" for dtype, share in best.items())
    said = f"share of the copy's speed, {speed / 1e9:.0f} GB/s: {said}; at least {SHARE}, goal {GOAL}"
    return Check(name="kernel", passed=min(best.values()) >= SHARE, said=said, figures=figures)


def throughput(at: Setting) -> Check:
    """Compare with torchvision sample by sample, kornia and DALI: images a second, each in its own way."""
    data, module = scene(at), crop(at)
    contenders: dict[str, Callable[[], Any]] = {"safeaug": lambda: module(data.images, **data.given())}
    if at.real:
        contenders["safeaug, captured"] = captured(crop(at), data)[0]
    case = batches.Case(side=at.out)
    pool = [batches.Batch(data.images, data.boxes, None, data.valid)]
    if batches.is_here("torchvision_draw"):
        contenders["torchvision"] = partial(batches.torchvision_draw(case, pool), 0)
    if batches.is_here("kornia") and at.real:
        contenders["kornia"] = partial(batches.Kornia(case, pool, at.device), 0)
    rates = {name: at.batch / timed(call, max(1, at.calls // 4)) for name, call in contenders.items()}
    if at.real and (dali := _dali(at, data)) is not None:
        rates["dali"] = dali
    times = max(rate for name, rate in rates.items() if name.startswith("safeaug")) / rates.get("torchvision", np.inf)
    said = ", ".join(f"{name} {rate:.0f}" for name, rate in rates.items())
    said = f"images a second: {said}; {times:.1f} times torchvision, at least {TIMES:g}"
    return Check(name="throughput", passed=times >= TIMES, said=said, figures={**rates, "times": times})


def _dali(at: Setting, data: Scene) -> float | None:
    """Return the images a second of DALI's unguarded crop of the same pictures, where it is installed."""
    try:
        from nvidia.dali import fn, pipeline_def, types
    except ImportError:
        return None
    pictures = [image.permute(1, 2, 0).contiguous() for image in data.images]

    @pipeline_def(batch_size=at.batch, num_threads=4, device_id=0)  # type: ignore[untyped-decorator]
    def pipeline() -> Any:
        given = fn.external_source(source=lambda: pictures, device="gpu", layout="HWC")
        small = fn.random_resized_crop(given, size=[at.out, at.out], antialias=True)
        mean, std = [255 * each for each in batches.MEAN], [255 * each for each in batches.STD]
        return fn.crop_mirror_normalize(small, dtype=types.FLOAT, mean=mean, std=std)

    built = pipeline()
    built.build()
    return at.batch / timed(built.run, at.calls)


def timed(call: Callable[[], Any], calls: int) -> float:
    """Return the median seconds of a call, of those that follow two that warm up; each is waited for."""

    def wait() -> None:
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    taken = []
    for _ in range(calls + 2):
        wait()
        start = time.perf_counter()
        call()
        wait()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[2:])


ANYWHERE: tuple[Callable[[Setting], Check], ...] = windows, pixels, kernel, throughput
"""What the interpreter can walk through as well."""

CHECKS: tuple[Callable[[Setting], Check], ...] = windows, pixels, waiting, graph, memory, kernel, throughput, compiled
"""All checks; what compiles for long comes last."""


def run(check: Callable[[Setting], Check], at: Setting) -> Check:
    """Run a check; an error is a finding, too."""
    name, start = check.__name__, time.perf_counter()
    if not at.real and check not in ANYWHERE:
        return Check(name=name, passed=None, said="NOT RUN: needs a CUDA device")
    try:
        found = check(at)
    except Exception as error:  # the other checks are worth their time on a lent device
        found = Check(name=name, passed=False, said=f"{type(error).__name__}: {error}".splitlines()[0])
    if not at.real and name in {"kernel", "throughput"}:
        found = msgspec.structs.replace(found, passed=None, said=f"walked through, says nothing: {found.said}")
    return msgspec.structs.replace(found, seconds=round(time.perf_counter() - start, 1))


def main(
    dry: Annotated[bool, typer.Option(help="What can be walked through without a device.")] = False,
    json: Annotated[Path | None, typer.Option(help="File to write the findings to.")] = None,
) -> None:
    """Run all checks, print a line for each, and write what they found after each of them."""
    if not dry and not torch.cuda.is_available():
        raise typer.BadParameter("torch sees no CUDA device here; --dry walks through what needs none")
    if dry and os.environ.get("TRITON_INTERPRET") != "1":
        raise typer.BadParameter("--dry needs TRITON_INTERPRET=1; benchmarks/device_check.sh --dry sets it")
    logging.getLogger("safeaug").setLevel(logging.ERROR)  # eight boxes cannot always be kept
    at = DRY if dry else REAL
    about = common.describe("device", seed=0, arguments={**at._asdict(), "dry": dry})
    checks: list[Check] = []
    for check in CHECKS:
        found = run(check, at)
        checks.append(found)
        verdict = {True: "pass", False: "FAIL", None: "-"}[found.passed]
        print(f"{found.name:12} {verdict:5} {found.seconds:6.1f} s  {found.said}", flush=True)
        if json is not None:
            report = msgspec.json.encode(Report(metadata=about, checks=checks))
            json.write_bytes(msgspec.json.format(report, indent=1) + b"\n")
    if any(check.passed is False for check in checks):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
