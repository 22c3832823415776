"""Maps: by their definitions; the same by numpy and torch, of bytes and floats; no evidence is told, and not raised."""

import warnings
from typing import get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from safeaug.errors import ContentError, PolicyError
from safeaug.saliency import Method, as_bytes, map_of, maps_of, saliency_map, saliency_maps
from safeaug.saliency.barrier import barrier
from safeaug.saliency.batched import FEW, MANY, _library
from safeaug.saliency.library import NUMPY
from tests import saliency_oracle as oracle
from tests.saliency_worlds import METHODS, PHOTOS, blob, noise, part, photo

LOOKING = tuple(method for method in METHODS if method != "center")
TORCH = _library(torch.device("cpu"))


def tensor(image):
    pixels = torch.from_numpy(np.array(image))
    return pixels[None] if pixels.ndim == 2 else pixels.permute(2, 0, 1).contiguous()


def test_the_methods_are_all_looked_at_here():
    assert set(METHODS) == set(get_args(Method))


# Definitions.


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["astronaut", "coins"])
def test_a_map_is_what_its_definition_says(method, name):
    image = part(name, 70, 110)
    for size in (16, 48):
        np.testing.assert_allclose(
            saliency_map(image, method, size=size), getattr(oracle, method)(image, size), atol=1e-3
        )


@pytest.mark.parametrize("name", PHOTOS)
def test_a_fading_sign_changes_little_of_a_signature(name):
    image = part(name)
    hard = oracle.signature(image, 48, fade=False)
    assert np.corrcoef(saliency_map(image, "signature").ravel(), hard.ravel())[0, 1] > 0.95


@given(hnp.arrays(np.float32, st.tuples(st.integers(1, 2), st.just(7), st.just(7)), elements=st.integers(0, 9)))
@settings(max_examples=60)
def test_sweeps_find_the_barrier_that_a_loop_finds_and_never_one_too_low(values):
    expected = sum(map(oracle.swept_barrier, values))
    assert np.array_equal(barrier(values, NUMPY), expected)
    assert np.array_equal(barrier(torch.from_numpy(values), TORCH).numpy(), expected)
    exact = sum(map(oracle.exact_barrier, values))
    assert (expected >= exact).all()


@pytest.mark.parametrize("name", ["astronaut", "chelsea", "coins"])
def test_sweeps_come_near_the_distance_itself(name):
    """On real pictures: higher where that is higher, and on average by half."""
    lightness = oracle.channels(oracle.grid(part(name), 16)).astype(np.float32)[..., :1].transpose(2, 0, 1)
    exact, found = oracle.exact_barrier(lightness[0]), barrier(lightness, NUMPY)
    assert np.corrcoef(exact.ravel(), found.ravel())[0, 1] > 0.8
    assert found.mean() < 1.75 * exact.mean()


# One formula, two libraries; bytes and floats.


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", PHOTOS)
def test_numpy_and_torch_bytes_and_floats_agree(method, name):
    image = part(name)
    by_numpy, by_torch = saliency_map(image, method), saliency_maps(tensor(image)[None], method)[0]
    floats = image.astype(np.float32) / 255
    for other in (by_torch.numpy(), saliency_map(floats, method), saliency_map(floats.astype(np.float64), method)):
        assert abs(by_numpy - other).max() <= 1e-4
    assert by_numpy.dtype == np.float32
    assert by_torch.dtype == torch.float32
    assert by_numpy.min() == 0
    assert by_numpy.max() == 1
    assert abs(map_of(image, method).astype(int) - maps_of(tensor(image)[None], method)[0].numpy()).max() <= 1


@given(
    hnp.arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 60), st.sampled_from([1, 2, 3, 4]))),
    st.sampled_from(METHODS),
    st.sampled_from([8, 13, 48]),
)
@settings(max_examples=80)
def test_images_of_any_size_and_channels_have_maps_that_agree(image, method, size):
    one = saliency_map(image, method, size=size)
    assert one.shape == (size, size)
    assert np.isfinite(one).all()
    assert (one.min(), one.max()) in {(0, 1), (0, 0)}
    assert abs(one - saliency_maps(tensor(image)[None], method, size=size)[0].numpy()).max() <= 1e-4
    assert abs(one - saliency_map(image / 255, method, size=size)).max() <= 1e-4


@pytest.mark.parametrize("method", METHODS)
def test_a_panorama_and_a_large_photograph_agree_too(method):
    panorama = np.concatenate([part(name, 200, 200) for name in PHOTOS if photo(name).ndim == 3] * 2, axis=1)[:, :2000]
    for image in (panorama, panorama.swapaxes(0, 1), photo("retina")):
        one = saliency_map(image, method)
        assert one.shape == (48, 48)
        assert abs(one - saliency_maps(tensor(image)[None], method)[0].numpy()).max() <= 1e-4


def test_a_batch_of_any_length_is_many_single_images():
    count = MANY + FEW + 1
    images = torch.stack([tensor(part("astronaut", 60, 80)).roll((3 * i, 2 * i), (1, 2)) for i in range(count)])
    maps = saliency_maps(images, size=16)
    for i in (0, FEW - 1, FEW, MANY - 1, MANY, count - 1):
        assert abs(maps[i].numpy() - saliency_map(images[i].permute(1, 2, 0).numpy(), size=16)).max() <= 1e-4


def test_images_of_different_sizes_have_maps_of_one_size():
    images = [tensor(part(name, height, 90)) for name, height in (("astronaut", 50), ("chelsea", 120), ("coffee", 48))]
    maps = maps_of(images)
    assert maps.shape == (3, 48, 48)
    for image, one in zip(images, maps, strict=True):
        assert torch.equal(one, maps_of(image[None])[0])


@pytest.mark.parametrize("method", METHODS)
def test_a_grey_image_is_what_it_is_in_three_channels(method):
    grey = part("camera")
    for other in (grey[..., None], np.repeat(grey[..., None], 3, 2)):
        assert abs(saliency_map(grey, method) - saliency_map(other, method)).max() <= 1e-4


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_turned_image_has_a_turned_map(method, axis):
    image = part("astronaut", 96, 144)
    found, turned = saliency_map(image, method), saliency_map(np.flip(image, axis), method)
    assert abs(np.flip(found, axis) - turned).max() <= 1e-4


@pytest.mark.parametrize("method", LOOKING)
def test_a_thing_stands_out(method):
    """The mean of the map on the box is well above its mean beside it."""
    image = blob()
    found = saliency_map(image, method)
    inside = oracle.grid(blob(colours=((0, 0, 0), (255, 255, 255))), 48)[..., 0] > 0.5
    assert found[inside].mean() > 1.5 * found[~inside].mean()


def test_nothing_handed_over_is_changed_and_no_gradient_flows():
    images = torch.rand(2, 3, 40, 50, requires_grad=True)
    before = images.detach().clone()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        maps = saliency_maps(images)
    assert maps.dtype == torch.float32
    assert not maps.requires_grad
    assert torch.equal(images.detach(), before)
    assert torch.equal(maps, saliency_maps(before))
    image = part("coffee").copy()
    kept = image.copy()
    saliency_map(image)
    assert np.array_equal(image, kept)


def test_memory_in_any_order_has_the_same_map():
    image = part("coffee")
    turned = np.asfortranarray(image)
    assert np.array_equal(map_of(image), map_of(turned))
    channels_last = tensor(image)[None].contiguous(memory_format=torch.channels_last)
    assert abs(maps_of(channels_last).int() - maps_of(tensor(image)[None]).int()).max() <= 1


# No evidence.

CONSTANT = [
    np.full(shape, value, np.uint8) for shape in ((37, 91, 3), (512, 511, 3), (48, 48)) for value in (0, 17, 200)
]


@pytest.mark.parametrize("method", LOOKING)
@pytest.mark.parametrize("kind", ["bytes", "floats"])
def test_an_image_of_one_colour_is_no_evidence(method, kind):
    for image in (*CONSTANT, noise((1, 1, 3)), np.broadcast_to(noise((1, 1, 3), 5), (31, 77, 3))):
        pixels = image if kind == "bytes" else (image / 255).astype(np.float32)
        assert not map_of(pixels, method).any()
        assert not maps_of(tensor(pixels)[None], method).any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e39])
def test_what_is_not_finite_is_no_evidence_and_no_warning(method, value):
    image = part("astronaut", 60, 80) / 255
    image[3, 4, 1] = value
    both = torch.stack([tensor(image), tensor(part("astronaut", 60, 80) / 255)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, maps = map_of(image, method), maps_of(both, method)
    assert one.any() == (method == "center")
    assert bool(maps[0].any()) == (method == "center")
    assert maps[1].any()


@pytest.mark.parametrize("method", METHODS)
def test_stripes_and_edges_that_rounding_blurs_are_told_alike(method):
    """Rows that are all the same: what differs along a column is made by rounding, and is no thing."""
    image = np.broadcast_to(noise((1, 50), 3), (33, 50))
    found = saliency_map(image, method)
    assert abs(found - saliency_maps(tensor(image)[None], method)[0].numpy()).max() <= 1e-4
    assert method == "center" or np.ptp(found, axis=0).max() <= 1e-3
    assert method != "mbd" or not found.any()


# As bytes.


@given(hnp.arrays(np.float32, (3, 4, 5), elements=st.floats(-1e6, 1e6, width=32)))
def test_bytes_are_the_range_in_255_steps(maps):
    for values, found in zip(maps, as_bytes(maps), strict=True):
        span = float(values.max()) - float(values.min())
        if found.any():
            exact = (values.astype(float) - values.min()) / span * 255
            assert abs(found - exact).max() <= 0.5 + 1e-3
            assert (found.min(), found.max()) == (0, 255)
        else:
            assert span <= 1.001e-5 * abs(values).max()


@pytest.mark.parametrize(
    "values", [[[0.0, 0.0]], [[7.0, 7.0]], [[1.0, np.nan]], [[0.0, np.inf]], [[-np.inf, 0.0]], [[1.0, 1.0 + 1e-7]]]
)
def test_flat_maps_and_those_that_are_not_finite_are_all_zero(values):
    assert not as_bytes(values).any()


def test_bytes_stay_as_they_are():
    values = map_of(part("coffee"))
    assert np.array_equal(as_bytes(values), values)


# What is refused.


@pytest.mark.parametrize(
    "image, said",
    [
        (np.zeros(5, np.uint8), r"shape \(H, W\)"),
        (np.zeros((0, 5, 3), np.uint8), "no side 0"),
        (np.zeros((2, 2, 2, 2), np.uint8), r"shape \(H, W\)"),
        (np.zeros((5, 5), np.int32), "uint8, or of floats"),
        (np.zeros((5, 5), np.uint16), "uint8, or of floats"),
        (np.full((5, 5), 90.0), r"\[0, 1\].*90.*divide by 255"),
        (np.full((5, 5, 3), -0.5), r"\[0, 1\].*-0.5"),
    ],
)
def test_what_is_no_image_is_refused(image, said):
    with pytest.raises(ContentError, match=said):
        map_of(image)


@pytest.mark.parametrize(
    "images, said",
    [
        ([], "at least one image"),
        (torch.zeros(3, 5, 5), r"images\[0\].*\(C, H, W\)"),
        (torch.zeros(2, 3, 0, 5), "no side 0"),
        (torch.zeros(2, 3, 5, 5, dtype=torch.int64), "uint8, or of floats"),
        ([torch.zeros(3, 5, 5), torch.zeros(1, 5, 5)], r"images\[1\] with 1"),
        ([torch.zeros(3, 5, 5), "two"], r"images\[1\].*str"),
        (torch.stack([torch.zeros(3, 5, 5), torch.full((3, 5, 5), 90.0)]), r"images\[1\]; divide by 255"),
    ],
)
def test_what_is_no_batch_is_refused(images, said):
    with pytest.raises(ContentError, match=said):
        maps_of(images)


def test_out_of_range_is_no_evidence_where_values_are_not_to_be_looked_at():
    images = torch.stack([tensor(part("astronaut", 60, 80) / 255), tensor(part("astronaut", 60, 80).astype(float))])
    maps = maps_of(images, validate=False)
    assert maps[0].any()
    assert not maps[1].any()


@pytest.mark.parametrize("size", [0, 7, 257, 48.0, True, "48"])
def test_sizes_that_make_no_sense_are_refused(size):
    for look, images in ((map_of, np.zeros((5, 5))), (maps_of, torch.zeros(1, 3, 5, 5))):
        with pytest.raises(PolicyError, match="size must be a whole number from 8 to 256"):
            look(images, "auto", size)


@pytest.mark.parametrize("method", ["centre", "AUTO", "", None, 3])
def test_methods_that_are_none_are_refused(method):
    for look, images in ((map_of, np.zeros((5, 5))), (maps_of, torch.zeros(1, 3, 5, 5))):
        with pytest.raises(PolicyError, match="method must be one of auto, signature, mbd"):
            look(images, method)
