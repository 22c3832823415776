"""What drop-in means for torchvision: checks that every guarded transform passes, row by row."""

import copy
import inspect
import pickle
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from torch.utils._pytree import tree_flatten
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from tests.vision_scenes import CARRIERS, SIZE, boxes, coordinates, discs

T = sa.torchvision


class Row(NamedTuple):
    """A guarded transform beside its host's."""

    name: str
    plain: Callable[..., Any]
    guarded: Callable[..., Any]
    press: dict[str, Any]
    """A promise that some draws of the host break."""
    cuts: bool = True
    """False where nothing is cut."""


def of(host, *arguments, press, cuts=True, name=None, **keywords):
    plain, guarded = getattr(v2, host), getattr(T, host)
    return Row(
        name or host,
        lambda: plain(*arguments, **keywords),
        lambda **more: guarded(*arguments, **keywords, **more),
        press,
        cuts,
    )


MOST = {"min_retention": 0.9}
ANY = {"min_retention": 0.9, "keep": "any"}
VISIBLE = {"min_visible_pixels": 60}
ROWS = [
    of("RandomResizedCrop", 24, press=MOST),
    of("RandomCrop", (30, 40), press=ANY),
    of("RandomCrop", 50, [3, 4, 5, 6], pad_if_needed=True, press=ANY, name="RandomCrop padded"),
    of("CenterCrop", 40, press={"min_retention": 0.7, "keep": "any"}),
    of("RandomIoUCrop", trials=5, press=MOST),
    of("RandomZoomOut", p=0.7, side_range=(1.0, 1.5), press=VISIBLE, cuts=False),
    of("ScaleJitter", (80, 60), (0.2, 1.5), press=VISIBLE, cuts=False),
    of("RandomResize", 20, 80, press=VISIBLE, cuts=False),
    of("RandomShortestSize", [20, 40, 60], 90, press=VISIBLE, cuts=False),
    Row("Safe", lambda: v2.RandomCrop(30), lambda **more: T.Safe(v2.RandomCrop(30), **more), ANY),
    Row(
        "Safe of a zoom",
        lambda: v2.RandomZoomOut(p=0.7, side_range=(1.0, 1.5)),
        lambda **more: T.Safe(v2.RandomZoomOut(p=0.7, side_range=(1.0, 1.5)), **more),
        VISIBLE,
        False,
    ),
    Row("Safe of a pad", lambda: v2.Pad([1, 2]), lambda **more: T.Safe(v2.Pad([1, 2]), **more), VISIBLE, False),
    Row("Safe of a resize", lambda: v2.Resize(40), lambda **more: T.Safe(v2.Resize(40), **more), VISIBLE, False),
]
GIVEN = [[3.0, 4.0, 15.0, 20.0], [50.0, 30.0, 62.0, 47.0]]
DROP_INS = [name for name in T.__all__ if name not in {"Safe", "Reading"} and hasattr(v2, name)]


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request):
    return request.param


def sample(image=None, given=GIVEN, size=SIZE):
    return {
        "image": coordinates(size) if image is None else image,
        "target": {"boxes": boxes(given=given, size=size), "labels": ["cat"] * len(given), "id": torch.tensor(7)},
    }


def assert_same(one, other):
    (leaves, spec), (others, other_spec) = tree_flatten(one), tree_flatten(other)
    assert spec == other_spec
    for a, b in zip(leaves, others, strict=True):
        assert type(a) is type(b)
        if isinstance(a, torch.Tensor):
            assert a.dtype == b.dtype
            torch.testing.assert_close(a.as_subclass(torch.Tensor), b.as_subclass(torch.Tensor), rtol=0, atol=0)
        else:
            assert (
                v2.functional.pil_to_tensor(a).equal(v2.functional.pil_to_tensor(b)) if hasattr(a, "mode") else a == b
            )


def drawn(transform, seed, *given):
    torch.manual_seed(seed)
    return transform(*(given or (sample(),)))


@pytest.mark.parametrize("keep", ["all", "any", "one", "whole", 2])
def test_limit_zero_is_the_host_bit_for_bit(row, keep):
    """And the host's generator is consumed as by the host: what comes behind draws the same."""
    plain, guarded = row.plain(), row.guarded(min_retention=0, keep=keep)
    for seed in range(8):
        assert_same(drawn(plain, seed), drawn(guarded, seed))
        state = torch.get_rng_state()
        drawn(plain, seed)
        assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_carriers_stay_what_they_are(row, carrier):
    if carrier == "Video" and row.name == "RandomIoUCrop":
        pytest.skip("the host wants an image beside the boxes")
    image = CARRIERS[carrier]()
    assert_same(drawn(row.plain(), 1, sample(image)), drawn(row.guarded(min_retention=0), 1, sample(image)))


def test_a_guarded_run_differs_only_where_the_guard_acts(row):
    """FIRST draws are the host's; the host's generator stands where the host would have left it after every draw."""
    plain, guarded = row.plain(), row.guarded(**row.press)
    before = {}
    for seed in range(40):
        one = drawn(plain, seed)
        state = torch.get_rng_state()
        other = drawn(guarded, seed)
        assert torch.equal(torch.get_rng_state(), state)
        report = guarded.report()
        ended = [name for name in report if report[name] != before.get(name, 0)]
        assert len(ended) == 1
        if ended[0] in {"FIRST", "NOT_APPLIED"}:
            assert_same(one, other)
        before = report
    assert sum(before.values()) == 40
    assert before.get("UNMET", 0) <= 0.1 * 40


def test_one_seed_is_one_run(row):
    for seed in range(15):
        assert_same(drawn(row.guarded(**row.press), seed), drawn(row.guarded(**row.press), seed))


def test_inputs_are_not_changed(row):
    given = sample()
    leaves = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in tree_flatten(given)[0]]
    guarded = row.guarded(**row.press)
    for seed in range(15):
        drawn(guarded, seed, given)
    for before, after in zip(leaves, tree_flatten(given)[0], strict=True):
        assert torch.equal(before, after) if isinstance(before, torch.Tensor) else before is after


def test_pickles_and_copies_draw_the_same_and_count_for_themselves(row):
    guarded = row.guarded(**row.press, labels="labels")
    drawn(guarded, 0)
    for other in (pickle.loads(pickle.dumps(guarded)), copy.deepcopy(guarded)):
        assert other.report() == {}
        for seed in range(5):
            assert_same(drawn(guarded, seed), drawn(other, seed))
        assert sum(other.report().values()) == 5
        assert repr(other) == repr(guarded)


def test_what_is_printed(row):
    """The host's arguments, and of the promise what is not default."""
    text = repr(row.guarded(tries=3, protect="boxes", on_fail="skip"))
    if not row.name.startswith("Safe"):
        assert repr(row.plain()).removesuffix(")") in text
    assert "tries=3, on_fail='skip', protect='boxes'" in text
    assert "min_retention" not in text
    assert "sampling" not in text


def test_a_generator_of_ones_own(row):
    """All numbers come from it; the global one is left alone, and does not matter."""
    runs = []
    for seed in (1, 2):
        guarded = row.guarded(**row.press, generator=torch.Generator().manual_seed(5))
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        runs.append([guarded(sample()) for _ in range(16)])
        assert torch.equal(torch.get_rng_state(), before)
        assert "generator" in repr(guarded)
    assert_same(*runs)
    if row.name not in {"CenterCrop", "Safe of a pad", "Safe of a resize"}:
        with pytest.raises(AssertionError):
            assert_same(runs[0][:8], runs[0][8:])  # it moves on
    torch.manual_seed(5)
    assert_same(runs[0][0], row.guarded(**row.press)(sample()))


@pytest.mark.parametrize("name", DROP_INS)
def test_signatures_are_the_hosts_and_then_the_promise(name):
    theirs = list(inspect.signature(getattr(v2, name).__init__).parameters.values())
    ours = list(inspect.signature(getattr(T, name).__init__).parameters.values())
    for one, other in zip(theirs, ours, strict=False):
        assert (one.name, one.default, one.kind) == (other.name, other.default, other.kind)
    rest = ours[len(theirs) :]
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in rest)
    fields = list(inspect.signature(sa.Policy).parameters)
    assert [each.name for each in rest][: len(fields)] == fields
    assert {each.name for each in rest} == {*fields, "policy", "generator", *T.Reading._fields}


@pytest.mark.parametrize(
    "given, size",
    [
        ([], SIZE),
        ([[float(i % 70), float(i % 50), i % 70 + 2.0, i % 50 + 3.0] for i in range(1000)], SIZE),
        ([[5, 5, 5, 9], [70, 50, 70, 50]], SIZE),
        ([[-5, -5, 20, 20], [70, 50, 100, 100], [200, 200, 300, 300]], SIZE),
        ([[0, 0, 1, 1]], (1, 1)),
    ],
    ids=["none", "1000", "no area", "partly outside", "one pixel"],
)
def test_odd_boxes(row, given, size):
    """They are taken for what they are, within bounds of time; and the draws are counted."""
    tiny = {"RandomCrop": 1, "RandomCrop padded": 1, "Safe": 1}
    guarded = row.guarded(min_retention=0.3, keep="any")
    if size == (1, 1) and row.name in tiny:
        guarded = T.RandomCrop(1, min_retention=0.3)
    for seed in range(3):
        drawn(guarded, seed, sample(given=given, size=size))
    report = guarded.report()
    assert sum(report.values()) == 3
    assert "UNMET" not in report
    if not given:
        assert report.keys() <= {"EMPTY", "NOT_APPLIED"}


def test_keeping_none_of_many_says_so():
    crop = T.RandomCrop(10, min_retention=0.9)
    drawn(crop, 0, sample(given=[[0, 0, 5, 5], [70, 50, 75, 55]]))
    assert crop.report() == {"UNMET": 1}


def test_a_rate_of_guarded_draws():
    crop, plain = T.RandomCrop(24, min_retention=0.9, keep="any", apply_rate=0.5), v2.RandomCrop(24)
    for seed in range(60):
        drawn(crop, seed)
    report = crop.report()
    assert 10 < report["UNGUARDED"] < 50
    none = T.RandomCrop(24, min_retention=0.9, apply_rate=0.0)
    assert_same(drawn(none, 3), drawn(plain, 3))


@pytest.mark.parametrize(
    "make",
    [lambda: T.RandomResizedCrop(24, min_retention=0.9), lambda: T.RandomCrop(24, min_retention=0.9, keep="any")],
)
def test_two_crops_in_a_row_move_independently(make):
    """What the guard draws derives from the host's numbers as they stand, so one does not repeat the other."""
    one, other = make(), make()
    torch.manual_seed(0)
    pairs = []
    for _ in range(60):
        leaves = tree_flatten(sample())[0]
        pairs.append((one.make_params(leaves[:2]), other.make_params(leaves[:2])))
    assert sum(a == b for a, b in pairs) < 6


def test_threads(row):
    """Nothing of a call is kept on a transform, so that calls in several threads do not meet."""
    guarded = row.guarded(**row.press, labels="labels")
    failed = []

    def work():
        try:
            for _ in range(10):
                out = guarded(sample())
                assert out["target"]["labels"] == ["cat", "cat"]
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert sum(guarded.report().values()) == 30


# Workers


class Loaded(Dataset):
    """Windows that a crop draws for the same sample, over and over."""

    def __init__(self, crop):
        self.crop = crop

    def __len__(self):
        return 24

    def __getitem__(self, i):
        out = self.crop(coordinates(), boxes(given=[[3, 4, 15, 20]]))
        return out[0][:2, 0, 0].clone()


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("own", [False, True])
def test_workers_draw_for_themselves_and_their_draws_are_seen(context, own):
    generator = torch.Generator().manual_seed(1) if own else None
    crop = T.RandomCrop((30, 40), min_retention=0.9, generator=generator)
    torch.manual_seed(3)
    lives = context == "spawn"  # else each epoch would import all anew
    loader = DataLoader(Loaded(crop), 12, num_workers=2, multiprocessing_context=context, persistent_workers=lives)
    epochs = [[batch.tolist() for batch in loader] for _ in range(2)]
    assert sum(crop.report().values()) == 2 * 24
    (one, other), (later, _) = epochs
    assert one != other
    assert one != later


# Compiling


@pytest.mark.parametrize("name", ["RandomResizedCrop", "RandomCrop", "CenterCrop"])
def test_a_guarded_crop_compiles_where_the_hosts_does(name):
    """With graph breaks, as the host's has them."""
    row = next(row for row in ROWS if row.name == name)
    image, given = coordinates(), boxes(given=[[3, 4, 15, 20]])
    guarded = row.guarded(min_retention=0.9)
    compiled, plain = torch.compile(guarded, backend="eager"), torch.compile(row.plain(), backend="eager")
    torch.manual_seed(0)
    for _ in range(4):
        assert compiled(image, given)[0].shape == plain(image, given)[0].shape
    assert sum(guarded.report().values()) == 4
    skips = row.guarded(min_visible_pixels=1e6, on_fail="skip")
    assert torch.compile(skips, backend="eager")(image, given)[0].shape == plain(image, given)[0].shape
    assert skips.report() == {"SKIPPED": 1}


def test_masks_are_judged_where_they_are():
    """Of any dtype; they are read, not changed."""
    for dtype in (torch.bool, torch.uint8, torch.int64, torch.float32, torch.bfloat16):
        crop = T.RandomCrop(24, min_retention=0.9, keep="any")
        mask = tv_tensors.Mask(discs().to(dtype))
        _, masked = drawn(crop, 0, coordinates(), mask)
        assert masked.dtype == dtype
        assert crop.report().keys() <= {"FIRST", "MOVED"}
