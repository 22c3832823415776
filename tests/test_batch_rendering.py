"""Both renderers against a float64 filter written out in loops: every dtype, layout, window and way to be handed on."""

import multiprocessing
import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import rendering as oracle

torch = pytest.importorskip("torch")

from safeaug.batch.rendering import (  # noqa: E402
    STYLE,
    Finish,
    Style,
    by_slices,
    densely,
    nearest_by_slices,
    nearest_densely,
)
from safeaug.batch.rendering.sharing import share  # noqa: E402
from tests.render_scenes import (  # noqa: E402
    BRAIN,
    BYTES,
    COMPUTED,
    DOUBLE,
    HALF,
    MEAN,
    SINGLE,
    STD,
    STORED,
    WHOLE,
    Scene,
    check,
    finish_of,
    laid_out,
    one,
    pictures,
)


def slices_of(scene, **options):
    return by_slices(scene.images, *scene[1:6], scene.style._replace(**{"threads": 1, **options}))


def dense_of(scene):
    return densely(scene.images, *scene.tensors, scene.size, scene.finish, scene.style)


def check_both(scene):
    """By slices, on one thread and on three, and densely."""
    before = scene.images.clone()
    leaves = scene.style.interpolation == "bicubic" and scene.images.dtype != BYTES
    stored = STORED[scene.finish.dtype] * (2 if leaves else 1)  # above 256 a last bit is worth twice as much
    sliced = slices_of(scene)
    if scene.images.dtype == BYTES:
        check(sliced, scene, WHOLE + (0.0 if scene.finish.dtype == BYTES else stored + 1e-3), whole=True)
    else:
        check(sliced, scene, COMPUTED + stored)
    assert torch.equal(sliced, slices_of(scene, threads=3))
    check(dense_of(scene), scene, COMPUTED + stored)
    assert torch.equal(scene.images, before)


DTYPES = [(BYTES, BYTES), *((BYTES, out) for out in (HALF, BRAIN, SINGLE, DOUBLE)), (HALF, HALF), (HALF, SINGLE)]
DTYPES += [(BRAIN, BRAIN), (BRAIN, SINGLE), (SINGLE, SINGLE), (SINGLE, HALF), (DOUBLE, DOUBLE)]
LAYOUTS = ["planes", "channels_last", "strided", "transposed", "expanded"]


@st.composite
def rectangles(draw, size, *, whole=False, empty=True):
    """A rectangle in a size; of one pixel, at a border, the whole, or without area."""
    if whole:
        return 0, 0, size[1], size[0]
    sides = []
    for side in (size[1], size[0]):
        start = draw(st.integers(0, side - 1))
        sides.append((start, draw(st.integers(start if empty else start + 1, side))))
    (x0, x1), (y0, y1) = sides
    return x0, y0, x1, y1


@st.composite
def scenes(draw):
    batch, channels = draw(st.integers(1, 3)), draw(st.sampled_from([1, 3, 4, 13, 2]))
    image_size = draw(st.tuples(st.integers(1, 24), st.integers(1, 24)))
    size = draw(st.tuples(st.integers(1, 12), st.integers(1, 12)))
    dtype_in, dtype_out = draw(st.sampled_from(DTYPES))
    images = laid_out(
        pictures((batch, channels, *image_size), dtype_in, draw(st.integers(0, 99))), draw(st.sampled_from(LAYOUTS))
    )
    source = [draw(rectangles(image_size, empty=draw(st.booleans()))) for _ in range(batch)]
    target = [draw(rectangles(size, whole=draw(st.booleans()))) for _ in range(batch)]
    flipped = draw(st.lists(st.booleans(), min_size=batch, max_size=batch))
    normalise = dtype_out != BYTES and draw(st.booleans())
    fill = tuple(float(k % 256) for k in range(7, 7 + 19 * channels, 19))
    finish = finish_of(dtype_in, dtype_out, channels, normalise, draw(st.sampled_from([fill, (114.0,)])))
    style = draw(st.sampled_from([Style(), Style(antialias=False), Style("bicubic")]))
    return Scene(images, source, target, flipped, size, finish, style)


@given(scenes())
def test_small_worlds(scene):
    check_both(scene)


@pytest.mark.parametrize("dtype", [BYTES, HALF, BRAIN, SINGLE])
@pytest.mark.parametrize(
    "image_size, window, size",
    [
        ((300, 400), (0, 0, 400, 300), (1, 1)),
        ((300, 400), (3, 5, 397, 290), (7, 2)),
        ((300, 400), (17, 40, 60, 51), (64, 96)),
        ((300, 400), (399, 299, 400, 300), (32, 33)),
        ((3, 512), (0, 0, 512, 3), (96, 96)),
        ((120, 130), (0, 0, 130, 120), (120, 130)),
        ((120, 130), (5, 0, 101, 120), (120, 50)),
    ],
    ids=["to one pixel", "strong shrinking", "enlarging", "one pixel", "both at once", "as it is", "one axis only"],
)
def test_large_worlds(dtype, image_size, window, size):
    check_both(one(pictures((2, 3, *image_size), dtype), window, size))
    check_both(one(pictures((2, 3, *image_size), dtype), window, size, flipped=True, style=Style(antialias=False)))
    check_both(one(pictures((2, 3, *image_size), dtype), window, size, style=Style("bicubic")))


def test_a_wide_picture_loses_no_digits():
    """At column 8000 a position in float32 is off by 0.0005 pixels, in torch's kernel, too; whole numbers are not."""
    scene = one(pictures((1, 1, 2, 8192), SINGLE), (1, 0, 8192, 2), (2, 1777))
    check(dense_of(scene), scene, COMPUTED)
    check(slices_of(scene), scene, 0.0005 * 255)


@pytest.mark.parametrize("channels", [3, 13])
@pytest.mark.parametrize("dtype", [BYTES, SINGLE])
def test_an_output_of_one_column(dtype, channels):
    """Which torch itself gets wrong: see `filtered`."""
    check_both(one(pictures((2, channels, 40, 30), dtype), (0, 0, 30, 40), (20, 1)))
    check_both(one(pictures((2, channels, 9, 1), dtype), (0, 0, 1, 9), (31, 1)))
    check_both(one(pictures((2, channels, 9, 20), dtype), (0, 0, 20, 9), (31, 6), target=(2, 3, 3, 20)))


def test_normalised():
    for dtype, out in DTYPES[1:]:
        check_both(one(pictures((2, 3, 40, 50), dtype), (3, 4, 45, 39), (23, 17), out=out, normalise=True))


def test_the_ends_of_the_scale():
    images = torch.tensor([0, 255], dtype=BYTES).reshape(1, 1, 1, 2)
    plain = one(images, (0, 0, 2, 1), (1, 2), out=SINGLE)
    for output in (slices_of(plain), dense_of(plain)):
        assert output.flatten().tolist() == [0.0, 1.0]


@pytest.mark.parametrize("dtype", [BYTES, SINGLE])
def test_equal_sizes_are_copied(dtype):
    images = pictures((1, 3, 30, 40), dtype)
    scene = one(images, (5, 6, 25, 26), (20, 20))
    for output in (slices_of(scene), dense_of(scene)):
        assert torch.equal(output, images[:, :, 6:26, 5:25])


@pytest.mark.parametrize("dtype", [BYTES, SINGLE])
def test_what_lies_outside_the_window_is_not_read(dtype):
    images = pictures((1, 3, 30, 40), dtype)
    around = images.clone()
    around[..., :5], around[..., 25:], around[:, :, :6], around[:, :, 26:] = (
        (0,) * 4 if dtype == BYTES else (float("nan"), float("inf"), float("nan"), -float("inf"))
    )
    for render in (slices_of, dense_of):
        inside = [render(one(pixels, (5, 6, 25, 26), (9, 33))) for pixels in (images, around)]
        assert torch.equal(*inside)


def test_fill_is_finished_like_a_pixel():
    images = pictures((1, 3, 8, 8), BYTES)
    finish = Finish(SINGLE, MEAN[:3], STD[:3], (255.0, 0.0, 51.0))
    scene = Scene(images, [(2, 2, 2, 5)], [(0, 0, 4, 4)], [False], (4, 4), finish, STYLE)
    expected = [(value - mean) / std for value, mean, std in zip((1.0, 0.0, 0.2), MEAN, STD, strict=False)]
    for output in (slices_of(scene), dense_of(scene)):
        assert torch.allclose(output, torch.tensor(expected).reshape(1, 3, 1, 1).expand_as(output), atol=1e-6)


def test_bytes_cannot_be_normalised():
    images = pictures((1, 1, 4, 4), BYTES)
    for scene in (
        one(images, (0, 0, 4, 4), (2, 2))._replace(finish=Finish(BYTES, (0.5,), (0.5,), (0.0,))),
        one(images.float(), (0, 0, 4, 4), (2, 2), out=BYTES),
        one(images, (0, 0, 4, 4), (2, 2))._replace(finish=Finish(SINGLE, (0.5, 0.5), None, (0.0,))),
    ):
        for render in (slices_of, dense_of):
            with pytest.raises(ValueError, match=r"mean and std|one value"):
                render(scene)


def test_pictures_of_several_sizes():
    shapes = [(3, 20, 31), (3, 7, 5), (3, 64, 48)]
    batch = [pictures(shape, BYTES, seed) for seed, shape in enumerate(shapes)]
    windows, whole = [(0, 0, 31, 20), (1, 1, 2, 2), (10, 0, 48, 64)], [(0, 0, 8, 9)] * 3
    finish = finish_of(BYTES, SINGLE, 3, True)
    together = by_slices(batch, windows, whole, [False] * 3, (9, 8), finish, Style(threads=2))
    for index, picture in enumerate(batch):
        scene = Scene(picture[None], [windows[index]], whole[:1], [False], (9, 8), finish, STYLE)
        check(together[index : index + 1], scene, WHOLE + 1e-3, whole=True)
    with pytest.raises(ValueError, match="at least one"):
        by_slices([], [], [], [], (9, 8), finish)


def test_the_oracle_is_plain_bilinear_without_antialias():
    """Its weights against the picture read point by point; with them, the renderers."""
    pixels = np.random.default_rng(5).uniform(0, 255, (9, 14))
    for drawn in ((4, 5), (1, 1), (20, 31)):
        output = oracle.rendered(pixels[None], (0, 0, 14, 9), (0, 0, drawn[1], drawn[0]), False, drawn, (0.0,), False)
        for row, column in np.ndindex(drawn):
            point = oracle.bilinear(pixels, (row + 0.5) * 9 / drawn[0], (column + 0.5) * 14 / drawn[1])
            assert output[0, row, column] == pytest.approx(point, abs=1e-9)


# Maps of names.

NAMES = [torch.bool, BYTES, torch.int16, torch.int64, HALF, SINGLE]


@st.composite
def map_scenes(draw):
    batch, count = draw(st.integers(1, 2)), draw(st.integers(0, 3))
    image_size = draw(st.tuples(st.integers(1, 20), st.integers(1, 20)))
    size = draw(st.tuples(st.integers(1, 9), st.integers(1, 9)))
    drawn = torch.from_numpy(
        np.random.default_rng(draw(st.integers(0, 99))).integers(0, 200, (batch, count, *image_size))
    )
    dtype = draw(st.sampled_from(NAMES))
    maps = (drawn > 100 if dtype == torch.bool else drawn).to(dtype)
    maps = laid_out(maps, draw(st.sampled_from(LAYOUTS[:4]))) if count else maps
    source = [draw(rectangles(image_size)) for _ in range(batch)]
    target = [draw(rectangles(size, whole=draw(st.booleans()))) for _ in range(batch)]
    flipped = draw(st.lists(st.booleans(), min_size=batch, max_size=batch))
    return maps, source, target, flipped, size, draw(st.sampled_from([0, 1] if dtype == torch.bool else [0, 255 - 128]))


@given(map_scenes())
def test_nearest(scene):
    maps, source, target, flipped, size, fill = scene
    before = maps.clone()
    expected = [
        oracle.nearest(picture.numpy(), *where, size, fill)
        for picture, *where in zip(maps, source, target, flipped, strict=True)
    ]
    rectangles = torch.tensor(source), torch.tensor(target), torch.tensor(flipped)
    for output in (nearest_by_slices(*scene), nearest_densely(maps, *rectangles, size, fill)):
        assert output.dtype == maps.dtype
        assert np.array_equal(output.numpy(), np.stack(expected))
    assert torch.equal(maps, before)


def test_nearest_of_a_batch_without_maps():
    with pytest.raises(ValueError, match="at least one"):
        nearest_by_slices([], [], [], [], (2, 2))


# What surrounds a call.


def crowd(dtype=BYTES, out=SINGLE, batch=6):
    """A batch with a window, a place and a side for each picture."""
    windows = [(k, 2 * k, 60 - k, 20 + 5 * k) for k in range(batch)]
    places = [(0, 0, 40, 30) if k % 3 else (k, 1, 37, 30 - k) for k in range(batch)]
    finish = finish_of(dtype, out, 3, True)
    images = pictures((batch, 3, 50, 60), dtype)
    return Scene(images, windows, places, [k % 2 == 0 for k in range(batch)], (30, 40), finish, STYLE)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
@pytest.mark.parametrize("dtype, out", [(BYTES, SINGLE), (BYTES, BRAIN), (SINGLE, HALF)])
def test_helpers_are_as_their_caller(mode, dtype, out):
    """Grad mode and inference mode belong to a thread; so do the rest of torch's threads, which nobody sets."""
    scene, threads, before = crowd(dtype, out), threading.active_count(), torch.get_num_threads()
    expected = slices_of(scene)
    with mode():
        output = slices_of(scene, threads=4)
        assert torch.equal(output, expected)
        assert output.is_inference() == (mode is torch.inference_mode)
    assert not output.requires_grad
    assert (threading.active_count(), torch.get_num_threads()) == (threads, before)


def test_floating_pictures_are_shared_where_torch_has_one_thread(monkeypatch):
    scene = crowd(SINGLE)
    expected = slices_of(scene)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    with torch.no_grad():
        wanting = scene._replace(images=scene.images.clone().requires_grad_())
        output = slices_of(wanting, threads=3)
    assert torch.equal(output, expected)
    assert not output.requires_grad


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_comes_out_with_its_number(threads):
    scene = crowd()
    broken = [*scene.images[:4], torch.zeros((50, 60), dtype=BYTES), scene.images[5]]
    before = threading.active_count()
    with pytest.raises(IndexError) as caught:
        by_slices(broken, *scene[1:6], Style(threads=threads))
    assert caught.value.__notes__ == ["at sample 4 of the batch"]
    assert threading.active_count() == before


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # there are none of our threads, but torch has some
def test_a_forked_worker_renders():
    scene = crowd()
    expected = slices_of(scene, threads=2)

    def work(answers):
        answers.put(torch.equal(slices_of(scene, threads=2), expected))

    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    worker = context.Process(target=work, args=(answers,))
    worker.start()
    worker.join(60)
    assert worker.exitcode == 0
    assert answers.get()


def test_gradients():
    """Both are linear in the pictures, so that a gradient is the same everywhere: theirs must agree."""
    scene = crowd(SINGLE)
    toward, gradients = torch.randn((6, 3, 30, 40), generator=torch.Generator().manual_seed(0)), []
    for render in (slices_of, dense_of):
        images = scene.images.clone().requires_grad_()
        (render(scene._replace(images=images)) * toward).sum().backward()
        gradients.append(images.grad)
    assert torch.allclose(*gradients, atol=1e-4)
    assert gradients[0].abs().max() > 0


def test_autocast_changes_nothing():
    for scene in (crowd(), crowd(SINGLE), crowd(HALF, HALF)):
        for render in (slices_of, dense_of):
            expected = render(scene)
            with torch.autocast("cpu", dtype=BRAIN):
                assert torch.equal(render(scene), expected)


def test_chunks_make_no_difference(monkeypatch):
    scene = crowd()
    whole = dense_of(scene)
    monkeypatch.setattr("safeaug.batch.rendering.dense.NUMBERS", 1)
    assert torch.allclose(dense_of(scene), whole, atol=1e-5)


@pytest.mark.filterwarnings("default")  # the compiler's own imports warn as they like
def test_one_graph_for_all_windows():
    """Compiled to the end where there is a compiler, else traced."""
    graphs, compiler = [], shutil.which("g++") or shutil.which("clang++")

    def counted(graph, inputs):
        graphs.append(graph)
        return torch._inductor.compile(graph, inputs) if compiler else graph

    compiled = torch.compile(densely, fullgraph=True, backend=counted, dynamic=False)
    scene = crowd()
    for turn in range(3):
        turned = scene._replace(
            source=scene.source[turn:] + scene.source[:turn], flipped=[not flip for flip in scene.flipped]
        )
        output = compiled(turned.images, *turned.tensors, turned.size, turned.finish)
        check(output, turned, COMPUTED)
    assert len(graphs) == 1


MEMORY = """
import resource
import sys

import torch

from safeaug.batch.rendering import Finish, Style, by_slices

finish = Finish(torch.float32, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), (0.0,))
images = torch.randint(0, 256, (32, 3, 512, 512), dtype=torch.uint8)
windows, flipped = [(k, 2, 512, 512 - k) for k in range(32)], [k % 2 == 0 for k in range(32)]

def render(batch, threads, dtype):
    places = [(0, 0, 224, 224)] * len(batch)
    return by_slices(batch, windows, places, flipped, (224, 224), finish._replace(dtype=dtype), Style(threads=threads))

def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

def now():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

dtype = getattr(torch, sys.argv[1])
render(images[:4], int(sys.argv[2]), dtype)  # threads, tables and the like, once
# Up to the highest yet, so that what comes on top of it shows.
ballast = torch.ones(max(0, peak() - now()), dtype=torch.uint8)
before = peak()
output = render(images, int(sys.argv[2]), dtype)
print(peak() - before - output.nbytes)
floating = images.float()
print(peak() - before - output.nbytes)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads the resident memory where Linux writes it")
@pytest.mark.parametrize("dtype, threads", [("float32", 1), ("float16", 2)])
def test_the_batch_is_never_cast(dtype, threads):
    """At most 32 MB beyond the output; a cast of the batch, which takes 100 MB, would show."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, dtype, str(threads)], capture_output=True, text=True, check=True
    )
    rendering, casting = map(int, done.stdout.split())
    assert rendering <= 32e6
    assert casting > 64e6


@settings(max_examples=20)
@given(st.integers(1, 40), st.integers(1, 6))
def test_every_number_is_worked_on_once(count, threads):
    done = []
    share(done.append, count, threads)
    assert sorted(done) == list(range(count))
