"""Which renderer draws what, on devices that need not be there: tensors without values stand for theirs."""

import logging

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from safeaug.batch import RandomCrop, RandomResizedCrop  # noqa: E402
from safeaug.batch.renderers import renderer_of  # noqa: E402
from safeaug.batch.rendering import STYLE, Style  # noqa: E402
from safeaug.batch.rendering.fused import able  # noqa: E402
from safeaug.errors import ContentError, PolicyError  # noqa: E402

BYTES, SINGLE, DOUBLE = torch.uint8, torch.float32, torch.float64

pytestmark = pytest.mark.skipif(not able._HERE, reason="Triton is not installed")


def chosen(device, dtype=BYTES, *, shape=(2, 3, 8, 9), listed=False, grad=False, out=SINGLE, style=STYLE):
    with FakeTensorMode():
        images = torch.empty(shape, dtype=dtype, device=device, requires_grad=grad)
        return renderer_of(list(images) if listed else images, (4, 4), out, style)


@pytest.mark.parametrize(
    "given, wanted",
    [
        ({"device": "cpu"}, "slices"),
        ({"device": "cpu", "style": Style(renderer="dense")}, "dense"),
        ({"device": "cuda"}, "kernel"),
        ({"device": "cuda", "listed": True}, "kernel"),
        ({"device": "cuda", "dtype": torch.bfloat16}, "kernel"),
        ({"device": "cuda", "dtype": DOUBLE}, "dense"),
        ({"device": "cuda", "dtype": DOUBLE, "listed": True}, "slices"),
        ({"device": "cuda", "out": DOUBLE}, "dense"),
        ({"device": "cuda", "dtype": SINGLE, "grad": True}, "dense"),
        ({"device": "cuda", "dtype": SINGLE, "grad": True, "listed": True}, "slices"),
        ({"device": "cuda", "shape": (1, 1, 1, able.LIMIT // 4)}, "dense"),
        ({"device": "cuda", "shape": (1, 1, 1, able.LIMIT // 4 - 1)}, "kernel"),
        ({"device": "cuda", "shape": (1, 1, 2**16, 2**15 + 1)}, "dense"),
        ({"device": "cuda", "style": Style(renderer="slices")}, "slices"),
        ({"device": "meta"}, "dense"),
        ({"device": "meta", "listed": True}, "slices"),
    ],
)
def test_what_draws(given, wanted):
    assert chosen(**given) == wanted


def test_no_gradients_are_wanted_where_they_are_off():
    with torch.no_grad():
        assert chosen("cuda", SINGLE, grad=True) == "kernel"


def test_without_triton_plain_torch_draws(monkeypatch):
    monkeypatch.setattr(able, "_HERE", False)
    assert chosen("cuda") == "dense"
    with pytest.raises(ContentError, match="needs Triton, which is not installed; leave renderer= out"):
        chosen("cuda", style=Style(renderer="kernel"))


def test_what_a_caller_cannot_have():
    images = torch.zeros(2, 3, 8, 9, dtype=BYTES)
    with pytest.raises(ContentError, match=r'renderer="kernel" cannot draw .* runs on CUDA, and images are on cpu'):
        RandomResizedCrop(4, renderer="kernel")(images)
    with pytest.raises(ContentError, match=r'renderer="dense" takes images as one tensor, got a list'):
        RandomCrop(4, renderer="dense")(list(images))
    with pytest.raises(PolicyError, match="renderer must be one of slices, dense, kernel, got 'triton'"):
        RandomCrop(4, renderer="triton")
    with pytest.raises(PolicyError, match="interpolation must be one of bilinear, bicubic, got 'nearest'"):
        RandomResizedCrop(4, interpolation="nearest")
    with pytest.raises(PolicyError, match="is antialiased always, got antialias=False"):
        RandomResizedCrop(4, interpolation="bicubic", antialias=False)


def test_slow_ways_on_a_device_are_said_once(caplog):
    caplog.set_level(logging.WARNING, "safeaug")
    crop = RandomResizedCrop(4, seed=0)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        for name, buffer in list(crop.named_buffers()):
            crop._buffers[name] = mode.from_tensor(buffer).to("cuda")
        quick, slow = (torch.zeros(2, 3, 8, 9, dtype=dtype, device="cuda") for dtype in (BYTES, DOUBLE))
        crop(quick)
        assert not caplog.records
        crop(slow)
        crop(slow)
    (record,) = caplog.records
    assert "drawn by plain torch, several times slower: the kernel computes in float32" in record.getMessage()


@pytest.mark.parametrize("renderer", [None, "dense"])
@pytest.mark.parametrize("dtype", [BYTES, SINGLE])
def test_bicubic_is_that_of_torch(dtype, renderer):
    images = torch.randint(0, 256, (3, 3, 40, 50), generator=torch.Generator().manual_seed(1)).to(dtype)
    crop = RandomResizedCrop(17, interpolation="bicubic", dtype=dtype, seed=3, renderer=renderer)
    made, outcome = crop(images)
    for image, output, (x0, y0, x1, y1) in zip(images, made, outcome.view.window.tolist(), strict=True):
        piece = image[None, :, y0:y1, x0:x1]
        wanted = torch.nn.functional.interpolate(piece, (17, 17), mode="bicubic", antialias=True)[0]
        assert (wanted.float() - output.float()).abs().max() <= (1 if dtype == BYTES else 0.01)
    bilinear = RandomResizedCrop(17, dtype=dtype, seed=3)(images)[0]
    assert (bilinear.float() - made.float()).abs().max() > 2
