"""Maps of the user's own: functions, files, boxes, models. A fault says whose; a model stays as it was."""

import copy
import pickle
import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torch import nn

from safeaug.errors import ContentError, DataError
from safeaug.saliency import ActivationMap, ByKey, InputGradient, as_bytes, box_map, map_files, map_of, maps_of
from tests.saliency_oracle import grid
from tests.saliency_worlds import noise, part

IMAGE = noise((30, 40, 3))
BATCH = torch.from_numpy(np.stack([noise((30, 40, 3), seed) for seed in range(3)])).permute(0, 3, 1, 2)


def half(image):
    """Return a map of the image's size: one on its left half."""
    values = np.zeros(image.shape[:2])
    values[:, : image.shape[1] // 2] = 1
    return values


# Callables.


def test_a_map_of_any_size_in_any_unit_comes_to_the_same():
    expected = map_of(IMAGE, half)
    assert (expected[:, :24] == 255).all()
    assert not expected[:, 24:].any()
    for other in (lambda image: 7 + 1000 * half(image), lambda image: np.eye(1, 2), lambda image: half(image) > 0):
        assert np.array_equal(map_of(IMAGE, other), expected)
    assert np.array_equal(
        maps_of(BATCH, lambda images: torch.from_numpy(np.stack([half(IMAGE)] * len(images))))[1], expected
    )
    assert np.array_equal(maps_of(BATCH, lambda images: [torch.eye(1, 2)] * 3)[2], expected)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 99))
@settings(max_examples=40)
def test_a_map_is_brought_to_the_grid_by_area(height, width, seed):
    values = np.random.default_rng(seed).random((height, width))
    assert abs(map_of(IMAGE, lambda _: values, 16) - as_bytes(grid(values, 16)[..., 0]).astype(int)).max() <= 1


def provider(value):
    def bad_provider(images):
        return value(images)

    return bad_provider


@pytest.mark.parametrize(
    "value, said",
    [
        (lambda _: None, "None"),
        (lambda _: np.full((4, 4), np.nan), "NaN"),
        (lambda _: np.array([[0.0, np.inf]]), "infinite"),
        (lambda _: np.array([[0.0, -0.1]]), "not be negative, got -0.1"),
        (lambda _: np.zeros((4, 4, 3)), r"\(4, 4, 3\)"),
        (lambda _: np.zeros((0, 4)), r"\(0, 4\)"),
        (lambda _: "no map", r"shape \(\)"),
        (lambda _: np.array([["a", "b"]]), "numbers"),
    ],
)
def test_what_is_no_map_names_provider_and_sample(value, said):
    with pytest.raises(ContentError, match=rf"{said}.*bad_provider for sample 'cat.jpg'"):
        map_of(IMAGE, provider(value), key="cat.jpg")
    with pytest.raises(ContentError, match=rf"{said}.*bad_provider for an image"):
        map_of(IMAGE, provider(value))


def one_wrong(value):
    maps = torch.rand(3, 4, 5)
    maps[1, 2, 3] = value
    return maps


@pytest.mark.parametrize(
    "value, said",
    [
        (lambda _: None, "NoneType from"),
        (lambda _: np.zeros((3, 4, 4)), "ndarray from"),
        (lambda _: torch.zeros(2, 4, 4), r"\(3, h, w\).*\(2, 4, 4\) from"),
        (lambda _: torch.zeros(3, 1, 4, 4), r"\(3, 1, 4, 4\) from"),
        (lambda _: torch.zeros(3, 0, 4), r"\(3, 0, 4\) from"),
        (lambda _: [torch.zeros(4, 4)] * 2, "2 maps from"),
        (lambda _: [torch.zeros(4, 4), None, torch.zeros(4, 4)], r"NoneType from.*images\[1\]"),
        (lambda _: [torch.zeros(4, 4), torch.zeros(4, 4, 1), torch.zeros(4, 4)], r"\(4, 4, 1\) from.*images\[1\]"),
        (lambda _: one_wrong(np.nan), r"finite.*images\[1\]"),
        (lambda _: one_wrong(np.inf), r"finite.*images\[1\]"),
        (lambda _: one_wrong(-1e-6), r"negative.*images\[1\]"),
        (lambda _: list(one_wrong(-1e-6)), r"negative.*images\[1\]"),
    ],
)
def test_what_is_no_batch_of_maps_names_provider_and_sample(value, said):
    with pytest.raises(ContentError, match=said) as caught:
        maps_of(BATCH, provider(value))
    assert "bad_provider" in str(caught.value)


def test_values_that_are_not_looked_at_are_no_evidence():
    maps = maps_of(BATCH, lambda _: one_wrong(np.nan), validate=False)
    assert not maps[1].any()
    assert maps[0].any()
    assert maps[2].any()


# By key.


def test_a_provider_by_key_is_handed_the_key():
    shelf = {"a": np.eye(8), "b": np.fliplr(np.eye(8))}
    looked_up = ByKey(shelf.__getitem__)
    one = map_of(IMAGE, looked_up, 8, key="b")
    assert np.array_equal(one, 255 * np.fliplr(np.eye(8)))
    assert np.array_equal(maps_of(BATCH, looked_up, 8, keys=["a", "b", "a"])[1], one)
    with pytest.raises(ContentError, match=r"ByKey\(dict\.__getitem__\) looks maps up by a key, and the"):
        map_of(IMAGE, looked_up)
    for keys in (None, ["a"]):
        with pytest.raises(ContentError, match=r"keys must hold 3, one an image"):
            maps_of(BATCH, looked_up, keys=keys)
    with pytest.raises(ContentError, match=r"None from ByKey\(dict.get\) for sample 'c'"):
        maps_of(BATCH, ByKey(shelf.get), keys=["a", "b", "c"])


def test_files_are_found_by_key(tmp_path):
    values = np.arange(12).reshape(3, 4)
    (tmp_path / "train").mkdir()
    np.save(tmp_path / "train" / "cat.npy", values)
    Image.fromarray(values.astype(np.uint8)).save(tmp_path / "dog.jpg.png")
    np.save(tmp_path / "7.npy", values.astype(np.float64))
    Image.fromarray((values * 1000).astype(np.uint16)).save(tmp_path / "deep.png")
    files = pickle.loads(pickle.dumps(map_files(tmp_path)))
    expected = map_of(IMAGE, lambda _: values)
    for key in ("train/cat.jpg", "dog.jpg", 7, "deep", "train/cat"):
        assert np.array_equal(map_of(IMAGE, files, key=key), expected), key


def test_files_that_are_no_maps_are_refused(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    Image.fromarray(noise((4, 4, 3))).save(tmp_path / "colour.png")
    Image.fromarray(noise((4, 4))).convert("P").save(tmp_path / "palette.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG no more")
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY")
    np.save(tmp_path / "three.npy", np.zeros((2, 2, 2)))
    files = map_files(tmp_path)
    for key, said in (
        ("objects", "whole map.*"),
        ("colour", "mode RGB"),
        ("palette", "mode P"),
        ("broken", "whole map"),
        ("cat.jpg", "one of cat.jpg.npy, cat.jpg.png, cat.npy, cat.png"),
        ("../secret", "within its folder"),
        (str(tmp_path / "three"), "within its folder"),
        ("", "within its folder"),
    ):
        with pytest.raises(DataError, match=said):
            map_of(IMAGE, files, key=key)
    with pytest.raises(ContentError, match=r"\(2, 2, 2\) from ByKey\(_read\) for sample 'three'"):
        map_of(IMAGE, files, key="three")


# Boxes.


@given(
    st.lists(st.tuples(*[st.floats(-10, 60)] * 4, st.floats(0, 1)), max_size=4),
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
)
@settings(max_examples=100)
def test_boxes_cover_cells_by_area(things, image):
    boxes = [(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d, _ in things]
    found = box_map(boxes, image, scores=[score for *_, score in things], size=8)
    high, wide = image[0] / 8, image[1] / 8
    for y in range(8):
        for x in range(8):
            shares = [0.0]
            for (x0, y0, x1, y1), (*_, score) in zip(boxes, things, strict=True):
                across = max(0.0, min(x1, (x + 1) * wide) - max(x0, x * wide)) / wide
                down = max(0.0, min(y1, (y + 1) * high) - max(y0, y * high)) / high
                shares.append(across * down * score)
            assert abs(found[y, x] - max(shares)) <= 1e-5


@pytest.mark.parametrize(
    "boxes, scores, said",
    [
        ([[0, 0, 1]], None, r"\(N, 4\)"),
        ([[0, 0, 1, np.nan]], None, "finite"),
        ([[5, 0, 1, 1]], None, "x0 <= x1"),
        ([[0, 0, 1, 1]], [1, 2], "scores must be 1"),
        ([[0, 0, 1, 1]], [-1], "at least 0"),
    ],
)
def test_boxes_that_are_none_are_refused(boxes, scores, said):
    with pytest.raises(ContentError, match=said):
        box_map(boxes, (10, 10), scores=scores)


def test_no_box_is_no_evidence():
    assert not map_of(IMAGE, lambda image: box_map(np.zeros((0, 4)), image.shape[:2])).any()


# Models.


class Net(nn.Module):
    """Everything that must stay as it is: batch norm, dropout, parts in two modes, a frozen weight, a kept gradient."""

    def __init__(self, fails=False):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(3)
            self.body = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2))
            self.frozen = nn.BatchNorm2d(6).eval()
            self.head = nn.Linear(6, 4)
        self.body[0].bias.requires_grad_(False)
        self.head.weight.grad = torch.ones_like(self.head.weight)
        self.fails, self.seen = fails, []

    def forward(self, images):
        self.seen.append([module.training for module in self.modules()])
        torch.rand(3)
        np.random.rand()  # noqa: NPY002
        random.random()
        if self.fails:
            raise ZeroDivisionError("in forward")
        return self.head(nn.functional.dropout(self.frozen(self.body(images)), training=self.training).mean((2, 3)))


def state(net):
    return (
        [module.training for module in net.modules()],
        [parameter.requires_grad for parameter in net.parameters()],
        [None if parameter.grad is None else parameter.grad.clone() for parameter in net.parameters()],
        [value.clone() for value in net.state_dict().values()],
        [len(module._forward_hooks) + len(module._backward_hooks) for module in net.modules()],
        torch.get_rng_state(),
        np.random.get_state()[1].copy(),  # noqa: NPY002
        random.getstate(),
        torch.is_grad_enabled(),
    )


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


PROVIDERS = {
    "input gradient": lambda net: InputGradient(net),
    "feature sum": lambda net: ActivationMap(net, "body"),
    "class activation": lambda net: ActivationMap(net, "frozen", "head"),
}


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("context", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("fails", [False, True])
def test_a_model_stays_as_it_was(name, context, fails):
    net = Net(fails).train()
    net.frozen.eval()
    before = copy.deepcopy(state(net))
    with context():
        if fails:
            with pytest.raises(ZeroDivisionError):
                maps_of(BATCH, PROVIDERS[name](net))
        else:
            assert maps_of(BATCH, PROVIDERS[name](net)).any()
    assert same(before, state(net))
    assert net.seen
    assert not any(any(modes) for modes in net.seen)


@pytest.mark.parametrize("name", PROVIDERS)
def test_one_image_a_batch_and_a_list_have_the_same_maps(name):
    looking = PROVIDERS[name](Net())
    maps = maps_of(BATCH, looking)
    for image, one in zip(BATCH, maps, strict=True):
        assert abs(one.int().numpy() - map_of(image.permute(1, 2, 0).numpy(), looking).astype(int)).max() <= 1
    assert abs(maps_of(list(BATCH), looking).int() - maps.int()).max() <= 1


def test_an_input_gradient_is_the_slope_of_the_score():
    """Against finite differences, in float64."""
    net = Net().double().eval().requires_grad_(False)
    images = BATCH[:1, :, :8, :8].double() / 255
    found = InputGradient(net, score=lambda said: said[:, 2])(images)[0]
    for y, x in ((0, 0), (3, 5), (7, 7)):
        slopes = []
        for channel in range(3):
            step = torch.zeros_like(images)
            step[0, channel, y, x] = 1e-5
            slopes.append(float((net(images + step) - net(images - step))[0, 2]) / 2e-5)
        assert float(found[y, x]) == pytest.approx(max(map(abs, slopes)), rel=1e-4, abs=1e-9)


def test_activations_are_sums_over_channels():
    net = Net().eval()
    floats = BATCH / 255
    with torch.no_grad():
        answers = net.frozen(net.body(floats))
        said = net(floats)
    sums = answers.sum(1)
    assert torch.allclose(ActivationMap(net, "frozen")(BATCH), sums - sums.amin((1, 2), keepdim=True), atol=1e-5)
    for i, found in enumerate(ActivationMap(net, "frozen", "head")(BATCH)):
        weights = net.head.weight[said[i].argmax()]
        expected = sum(weight * channel for weight, channel in zip(weights, answers[i], strict=True)).clip(0)
        assert torch.allclose(found, expected.detach(), atol=1e-5)


def test_prepare_makes_the_models_input():
    shapes = []

    def prepare(images):
        shapes.append(images.dtype)
        return nn.functional.interpolate(images / 255, size=(10, 12)) - 0.5

    found = InputGradient(Net(), prepare=prepare)(BATCH)
    assert found.shape == (3, 10, 12)
    assert shapes == [torch.uint8]


@pytest.mark.parametrize(
    "looking, said",
    [
        (lambda net: ActivationMap(net, "neck"), "layer must be a module.*'neck'.*body, body.0"),
        (lambda net: ActivationMap(net, "head"), r"layer 'head' must return.*\(B, C, h, w\), got shape \(3, 4\)"),
        (lambda net: ActivationMap(net, "frozen", "body"), "classifier must be linear in the 6 channels"),
        (lambda net: InputGradient(nn.Sequential(net, nn.Flatten(0))), r"shape \(B, ...\).*score="),
    ],
)
def test_what_cannot_be_looked_at_is_told(looking, said):
    with pytest.raises(ContentError, match=said):
        maps_of(BATCH, looking(Net()))


def test_a_model_that_knows_the_thing_finds_it():
    """A filter of red: its answer, and what moves it, is where the red thing is."""
    image = part("moon", 60, 90).copy()[..., None].repeat(3, 2)
    image[20:40, 50:80] = 230, 20, 20
    net = nn.Sequential(nn.Conv2d(3, 1, 1, bias=False), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    net[0].weight.data = torch.tensor([1.0, -1, 0]).reshape(1, 3, 1, 1)
    for looking in (InputGradient(net), ActivationMap(net, "1")):
        found = map_of(image, looking, 30).astype(float)
        assert found[10:20, 17:26].min() > 200
        assert found[:9].max() < 20
