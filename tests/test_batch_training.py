"""A batch's crops as people train with them: loaders, workers, epochs, ranks, checkpoints, precision, compilers."""

import copy
import io
import logging
import pickle
import random
import threading

import pytest

torch = pytest.importorskip("torch")

from torch import distributed, multiprocessing, nn  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402
from torch.utils.data import DataLoader, Dataset, DistributedSampler  # noqa: E402
from torch.utils.data._utils.pin_memory import pin_memory  # noqa: E402

from safeaug import Status  # noqa: E402
from safeaug.batch import Ragged, RandomCrop, RandomResizedCrop, collate  # noqa: E402
from tests.batch_scenes import FORMS, blank, handed_over, painted, sizes_of, whole_box  # noqa: E402

COUNT = 24
"""Samples of a data set."""

FORKED = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
"""Newer Pythons warn of a fork beside threads, which a loader makes and torch has."""


def windows(outcome):
    return [tuple(row) for row in outcome.view.window.tolist()]


class Painted(Dataset):
    """Samples of several sizes, each with one painted box; or all of one size."""

    def __init__(self, form="list", crop=None):
        rng = random.Random(1)
        self.sizes = sizes_of(form, COUNT, 1)
        self.boxes = [whole_box(rng, size) for size in self.sizes]
        self.crop = crop

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture = painted(self.sizes[index], self.boxes[index], 3)
        boxes = torch.tensor([self.boxes[index]], dtype=torch.float32)
        if self.crop is None:
            return picture, boxes, index
        output, outcome = self.crop(picture[None], boxes=[boxes], sample_ids=[index])
        return output[0], outcome.boxes[0], outcome.view.window[0]


class Collated:
    """A loader's collate function that crops, with ids or without."""

    def __init__(self, crop, ids=True):
        self.crop, self.ids = crop, ids

    def __call__(self, samples):
        pictures, boxes, ids = zip(*samples, strict=True)
        _, outcome = self.crop(list(pictures), boxes=list(boxes), sample_ids=ids if self.ids else None)
        return [(index, window) for index, window in zip(ids, windows(outcome), strict=True)]


def together(samples):
    """A loader's collate function that leaves cropping to the process that trains."""
    pictures, boxes, ids = zip(*samples, strict=True)
    return collate(pictures), list(boxes), torch.tensor(ids)


def resized(seed=0, **more):
    """The crop of most of these tests."""
    return RandomResizedCrop(16, seed=seed, **more)


def by_id(crop, form="list", ids=range(COUNT), size=COUNT):
    """The window of each sample, by its id, of batches of some size."""
    samples, found = Painted(form), {}
    ids = list(ids)
    for start in range(0, len(ids), size):
        part = ids[start : start + size]
        pictures, boxes, _ = zip(*(samples[index] for index in part), strict=True)
        _, outcome = crop(**handed_over(form, list(pictures)), boxes=list(boxes), sample_ids=part)
        found |= dict(zip(part, windows(outcome), strict=True))
    return found


def of_loader(loader):
    return [pair for batch in loader for pair in batch]


# Which window a sample gets


@pytest.mark.parametrize("make", [resized, lambda: RandomCrop(20, 3, seed=0)], ids=["resized", "cut"])
def test_a_sample_has_the_same_window_in_any_batch(make):
    expected = by_id(make())
    shuffled = random.Random(2).sample(range(COUNT), COUNT)
    for form in ("list", "padded", "ragged"):
        for size in (1, 5, COUNT):
            assert by_id(make(), form, shuffled, size) == expected
    dense = by_id(make(), "dense")
    for form in FORMS:
        samples = Painted("dense")
        pictures = [samples[index][0] for index in shuffled]
        boxes = [samples[index][1] for index in shuffled]
        ids = torch.tensor(shuffled)
        _, outcome = make()(**handed_over(form, pictures), boxes=boxes, sample_ids=ids)
        assert dict(zip(shuffled, windows(outcome), strict=True)) == dense
    assert len(set(dense.values())) > COUNT // 2


def test_other_objects_beside_it_change_no_sample():
    """Neither the batch's longest list nor its other samples reach into a draw."""
    expected = by_id(resized())
    samples = Painted()
    pictures, boxes, ids = zip(*(samples[index] for index in range(COUNT)), strict=True)
    boxes = [torch.cat([rows, rows]) if index % 2 else rows for index, rows in zip(ids, boxes, strict=True)]
    _, outcome = resized()(list(pictures), boxes=boxes, sample_ids=ids)
    assert [window for window, index in zip(windows(outcome), ids, strict=True) if index % 2 == 0] == [
        expected[index] for index in ids if index % 2 == 0
    ]


def test_ids_may_be_any_whole_numbers():
    pictures = [blank((500, 500))] * 6
    ids = [0, -1, 1 << 32, (1 << 63) - 1, 12345678901, -(1 << 63)]
    _, outcome = RandomCrop(8, seed=0)(pictures, sample_ids=ids)
    assert len(set(windows(outcome))) == 6
    for kind in (torch.tensor(ids), tuple(ids), torch.tensor(ids).numpy()):
        assert windows(RandomCrop(8, seed=0)(pictures, sample_ids=kind)[1]) == windows(outcome)


def test_seeds_and_epochs_draw_anew():
    crops = {seed: resized(seed) for seed in (0, 1, 1 << 32, -1)}
    drawn = [by_id(crop) for crop in crops.values()]
    crops[0].set_epoch(1)
    drawn.append(by_id(crops[0]))
    for i, one in enumerate(drawn):
        for other in drawn[:i]:
            assert sum(one[index] == other[index] for index in one) < COUNT // 3
    crops[0].set_epoch(0)
    assert by_id(crops[0]) == drawn[0]
    assert by_id(resized(0)) == drawn[0]


def test_without_a_seed_torchs_generator_gives_one():
    def drawn():
        return by_id(resized(None))

    torch.manual_seed(7)
    first, second = drawn(), drawn()
    torch.manual_seed(7)
    assert [drawn(), drawn()] == [first, second]
    assert first != second
    state = torch.random.get_rng_state()
    by_id(resized(3))
    assert torch.equal(torch.random.get_rng_state(), state)  # whoever has a seed takes nothing


def test_threads_change_nothing():
    pictures = torch.randint(0, 256, (9, 3, 60, 70), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    outputs = [resized(threads=threads, flip=0.5)(pictures, sample_ids=range(9))[0] for threads in (1, 2, 5, None)]
    assert all(torch.equal(outputs[0], output) for output in outputs)


# Samples without ids

LARGE = [blank((30_000, 30_000))]
"""An image of so many positions that no window is met twice by chance."""


def test_without_ids_nothing_repeats():
    crop, seen = RandomCrop(1, seed=0), []
    for size in (1, 7, 30, 2) * 10:
        seen += windows(crop(LARGE * size)[1])
    assert len(set(seen)) == len(seen) == 400
    assert crop.counter == 400
    counted = windows(RandomCrop(1, seed=0)(LARGE * 50)[1])
    assert counted == seen[:50]  # how they are batched does not matter
    assert not set(windows(RandomCrop(1, seed=0)(LARGE * 400, sample_ids=range(400))[1])) & set(seen)


def test_a_checkpoint_continues_the_count():
    crop = RandomCrop(1, seed=None)
    crop.set_epoch(5)
    crop(LARGE * 9)
    file = io.BytesIO()
    torch.save(crop.state_dict(), file)
    following = windows(crop(LARGE * 9)[1])
    other = RandomCrop(1, seed=3)
    assert windows(other(LARGE * 9)[1]) != following
    file.seek(0)
    assert str(other.load_state_dict(torch.load(file, weights_only=True))) == "<All keys matched successfully>"
    assert windows(other(LARGE * 9)[1]) == following
    assert (other.epoch, other.counter) == (5, 18)
    assert other.epoch.is_shared()


# Loaders and their workers


class Placed(Dataset):
    """Samples of which only the size matters, cropped in the worker without an id."""

    def __init__(self, crop):
        self.crop = crop

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return tuple(self.crop(LARGE)[1].view.window[0].tolist())


@FORKED
def test_without_ids_workers_and_epochs_repeat_nothing():
    torch.manual_seed(0)
    for persistent in (False, True):
        crop = RandomCrop(1, seed=0)
        loader = DataLoader(
            Placed(crop),
            batch_size=None,
            num_workers=2,
            persistent_workers=persistent,
            multiprocessing_context="fork",
        )
        seen = [tuple(window) for _ in range(3) for window in loader]
        seen += windows(crop(LARGE * 40)[1])
        assert len(set(seen)) == len(seen) == 160
        assert crop.report() == {"EMPTY": 160}


@FORKED
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_loaders_workers_draw_as_its_maker_does(method):
    """With ids: in each epoch, also of workers that live on, and what they drew is counted."""
    crop = resized()
    expected = {}
    for epoch in (0, 1, 2):
        crop.set_epoch(epoch)
        expected[epoch] = by_id(crop)
    assert len({tuple(each.items()) for each in expected.values()}) == 3
    counted = sum(crop.report().values())
    crop.set_epoch(0)
    loader = DataLoader(
        Painted(),
        batch_size=5,
        shuffle=True,
        collate_fn=Collated(crop),
        num_workers=2,
        persistent_workers=True,
        multiprocessing_context=method,
    )
    for epoch in (0, 1, 2):
        crop.set_epoch(epoch)
        pairs = of_loader(loader)
        assert len(pairs) == COUNT
        assert dict(pairs) == expected[epoch]
    assert sum(crop.report().values()) == counted + 3 * COUNT


@FORKED
def test_a_copy_tells_its_workers_the_epoch_too():
    for copied in (copy.deepcopy(resized()), pickle.loads(pickle.dumps(resized()))):
        loader = DataLoader(
            Painted(),
            batch_size=8,
            collate_fn=Collated(copied),
            num_workers=1,
            persistent_workers=True,
            multiprocessing_context="fork",
        )
        for epoch in (0, 3):
            copied.set_epoch(epoch)
            drawn = dict(of_loader(loader))
            assert drawn == by_id(copied)


@FORKED
def test_a_dataset_may_crop_sample_by_sample():
    loader = DataLoader(Painted(crop=resized()), batch_size=6, num_workers=2, multiprocessing_context="fork")
    images, boxes, cropped = (torch.cat(each) for each in zip(*loader, strict=True))
    assert images.shape == (COUNT, 3, 16, 16)
    assert boxes.shape == (COUNT, 1, 4)
    assert [tuple(row) for row in cropped.tolist()] == list(by_id(resized()).values())


@FORKED
def test_a_worker_hands_over_one_shared_block():
    plain = next(iter(DataLoader(Painted(), batch_size=COUNT, collate_fn=together)))
    assert not plain[0].data.is_shared()
    loader = DataLoader(Painted(), batch_size=COUNT, collate_fn=together, num_workers=1, multiprocessing_context="fork")
    ragged, boxes, ids = next(iter(loader))
    assert isinstance(ragged, Ragged)
    assert ragged.data.is_shared()
    assert torch.equal(ragged.data, plain[0].data)
    _, outcome = resized()(ragged, boxes=boxes, sample_ids=ids)
    assert dict(zip(ids.tolist(), windows(outcome), strict=True)) == by_id(resized())


def test_a_worker_copies_its_images_once(monkeypatch):
    """Into shared memory: what the loader would do with a block of its own is done already."""
    shared = []
    monkeypatch.setattr(torch.Tensor, "share_memory_", lambda tensor: shared.append(tensor.data_ptr()))
    monkeypatch.setattr(torch.utils.data, "get_worker_info", lambda: "a worker")
    ragged = collate([blank((4, 5), 3), blank((6, 2), 3)])
    assert shared == [ragged.data.data_ptr()]
    monkeypatch.setattr(torch.utils.data, "get_worker_info", lambda: None)
    collate([blank((4, 5), 3)])
    assert len(shared) == 1


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.float32])
def test_images_are_views_of_one_block(dtype):
    generator = torch.Generator().manual_seed(0)
    shapes = [(2, 4, 5), (2, 1, 1), (2, 7, 3)]
    given = [torch.randint(0, 256, shape, generator=generator).to(dtype) for shape in shapes]
    given[2] = given[2].permute(0, 2, 1)  # of any strides
    ragged = collate(given)
    assert ragged.sizes == [(4, 5), (1, 1), (3, 7)]
    assert ragged.channels == 2
    assert ragged.data.shape == (2 * (20 + 1 + 21),)
    for view, image in zip(ragged.pictures(), given, strict=True):
        assert torch.equal(view, image)
        assert view.untyped_storage().data_ptr() == ragged.data.untyped_storage().data_ptr()
    ragged.data.zero_()
    assert not any(view.any() for view in ragged.pictures())
    assert given[0].any()


def test_a_loader_pins_the_block(monkeypatch):
    """As its thread for page-locked memory does, where there is a device; here by hand."""
    pinned = []

    def pin(tensor):
        pinned.append(tensor)
        return tensor.clone()

    monkeypatch.setattr(torch.Tensor, "pin_memory", pin)
    ragged = collate([blank((4, 5), 3), blank((6, 2), 3)])
    batch = pin_memory({"images": ragged, "boxes": [torch.ones(1, 4)]}, "cuda")
    assert isinstance(batch["images"], Ragged)
    assert [tensor.data_ptr() for tensor in pinned] == [ragged.data.data_ptr(), pinned[1].data_ptr()]
    assert batch["images"].sizes == ragged.sizes
    assert torch.equal(batch["images"].data, ragged.data)
    assert batch["images"].data is not ragged.data


def test_a_block_moves_whole():
    ragged = collate([blank((4, 5), 3), blank((6, 2), 3)])
    moved = ragged.to("meta", non_blocking=True)
    assert isinstance(moved, Ragged)
    assert [view.device.type for view in moved.pictures()] == ["meta"] * 2
    assert [view.shape for view in moved.pictures()] == [view.shape for view in ragged.pictures()]


# The module


def test_copies_draw_alike_and_count_anew():
    crop = RandomCrop(1, seed=None, flip=0.5, mean=0.5, std=0.25)
    crop(LARGE * 3)
    copies = [copy.deepcopy(crop), pickle.loads(pickle.dumps(crop))]
    expected, outcome = crop(LARGE * 5)
    for other in copies:
        assert other.report() == {}
        images, same = other(LARGE * 5)
        assert windows(same) == windows(outcome)
        assert torch.equal(images, expected)
        assert other.report() == {"EMPTY": 5}
        assert repr(other) == repr(crop)
    assert crop.report() == {"EMPTY": 8}
    copies[0].set_epoch(9)
    assert crop.epoch == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_a_cast_of_the_module_changes_nothing(dtype):
    """As casts of the model that holds it do; what the crop computes in is not its parameters' dtype."""
    crop = nn.Sequential(resized()).to(dtype)[0]
    assert {buffer.dtype for buffer in crop.buffers()} == {torch.int64}
    assert by_id(crop) == by_id(resized())
    output, _ = crop(blank((40, 40), 3)[None])
    assert output.dtype == torch.float32
    assert not list(crop.parameters())


def drawn_with(context, images):
    boxes = torch.tensor([[[2.0, 3.0, 20.0, 30.0]]]).expand(len(images), -1, -1)
    with context:
        return resized(flip=0.5)(
            images, boxes=boxes, valid=torch.ones((len(images), 1), dtype=torch.bool), sample_ids=range(len(images))
        )


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.float16])
@pytest.mark.parametrize(
    "context", [torch.inference_mode, torch.no_grad, lambda: torch.autocast("cpu", torch.bfloat16)]
)
def test_modes_change_nothing(context, dtype):
    images = torch.randint(0, 256, (12, 3, 40, 50), generator=torch.Generator().manual_seed(0)).to(dtype)
    expected, outcome = drawn_with(torch.enable_grad(), images)
    output, same = drawn_with(context(), images)
    assert torch.equal(output, expected)
    assert windows(same) == windows(outcome)
    assert torch.equal(same.boxes, outcome.boxes)
    assert torch.equal(same.retention, outcome.retention)


def test_gradients_reach_images_and_boxes_and_no_window():
    images = torch.rand((4, 3, 40, 50), generator=torch.Generator().manual_seed(0), requires_grad=True)
    boxes = torch.tensor([[[2.0, 3.0, 20.0, 30.0]]] * 4, requires_grad=True)
    there = torch.ones((4, 1), dtype=torch.bool)
    crop = RandomCrop(30, seed=0, min_retention=0.1)
    output, outcome = crop(images, boxes=boxes, valid=there)
    assert output.requires_grad
    for each in (outcome.retention, outcome.visible_pixels, outcome.matrix):
        assert not each.requires_grad
    output.sum().backward()
    for gradient, (x0, y0, x1, y1) in zip(images.grad, windows(outcome), strict=True):
        expected = torch.zeros_like(gradient)
        expected[:, y0:y1, x0:x1] = 1
        assert torch.equal(gradient, expected)
    plain, _ = crop(images.detach(), boxes=boxes.detach(), valid=there)
    assert not plain.requires_grad


def test_evaluation_is_unguarded_and_says_so_once(caplog):
    crop = RandomCrop(12, min_retention=0.9, seed=0)
    given = {"images": [blank((40, 40))] * 200, "boxes": [torch.tensor([[1.0, 1.0, 9.0, 9.0]])] * 200}
    with caplog.at_level(logging.INFO, logger="safeaug"):
        _, outcome = crop(**given)
        assert not caplog.records
        assert (outcome.retention >= 0.9 - 1e-6).all()
        for _ in range(3):
            _, outcome = crop.eval()(**given)
            assert set(outcome.status.tolist()) == {Status.UNGUARDED}
            assert (outcome.retention < 0.9).any()
        crop.train()(**given)
    assert [(record.name, record.levelname) for record in caplog.records] == [("safeaug", "WARNING")]
    assert "RandomCrop: in evaluation (.eval()) windows are drawn as if there were no labels" in caplog.text
    assert crop.report()["UNGUARDED"] == 600


def test_evaluation_does_not_look_at_labels():
    """Their windows are those of any other labels, and nothing is asked of them."""
    crop = RandomResizedCrop(12, min_retention=0.9, on_fail="raise", on_empty="raise", seed=0).eval()
    pictures = [blank((40, 40))] * 50
    drawn = [
        windows(crop(pictures, **given, sample_ids=range(50))[1])
        for given in (
            {},
            {"boxes": [torch.tensor([[1.0, 1.0, 39.0, 39.0]])] * 50},
            {"boxes": [torch.empty(0, 4)] * 50},
            {"masks": [torch.ones(1, 40, 40)] * 50},
        )
    ]
    assert drawn == [drawn[0]] * 4


def test_the_report_counts_every_draw():
    crop = RandomCrop(12, min_retention=0.9, p=0.8, apply_rate=0.9, seed=0)
    boxes = [torch.tensor([[1.0, 1.0, 9.0, 9.0]]), torch.empty(0, 4), torch.tensor([[0.0, 0.0, 39.0, 39.0]])] * 30
    expected = torch.zeros(len(Status), dtype=torch.int64)
    for _ in range(5):
        _, outcome = crop([blank((40, 40))] * 90, boxes=boxes)
        expected += outcome.status.long().bincount(minlength=len(Status))
    assert crop.report() == {status.name: int(count) for status, count in zip(Status, expected, strict=True) if count}
    assert {"NOT_APPLIED", "EMPTY", "FIRST", "MOVED", "UNGUARDED", "UNMET"} == set(crop.report())


def test_too_many_unmet_draws_are_spoken_of(caplog):
    crop = RandomCrop(12, seed=0)
    boxes = [torch.tensor([[0.0, 0.0, 39.0, 39.0]])] * 120
    with caplog.at_level(logging.WARNING, logger="safeaug"):
        for _ in range(3):
            crop([blank((40, 40))] * 120, boxes=boxes)
    assert len(caplog.records) == 1
    assert "RandomCrop: the promise could not be met in 120 of the first 120 draws" in caplog.text


# How people train


class Lightning(nn.Module):
    """A module with the hook in which batches are transformed on the device."""

    def __init__(self):
        super().__init__()
        self.crop = resized(mean=0.5, std=0.5)
        self.net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
        self.seen = {"train": [], "val": []}

    def on_after_batch_transfer(self, batch, dataloader_idx):
        ragged, boxes, ids = batch
        images, outcome = self.crop(ragged, boxes=boxes, sample_ids=ids)
        self.seen["train" if self.training else "val"].append((outcome, ids))
        return images, ids % 2

    def step(self, batch):
        images, targets = batch
        return nn.functional.cross_entropy(self.net(images), targets)


def fit(module, loader, epochs):
    """What a trainer does with it."""
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    losses = []
    for epoch in range(epochs):
        module.train()
        module.crop.set_epoch(epoch)
        for batch in loader:
            loss = module.step(module.on_after_batch_transfer(batch, 0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        module.eval()
        with torch.inference_mode():
            for batch in loader:
                module.step(module.on_after_batch_transfer(batch, 0))
    return losses


def test_a_hook_on_the_device_trains(caplog):
    torch.manual_seed(0)
    module = Lightning()
    loader = DataLoader(Painted(), batch_size=8, shuffle=True, collate_fn=together)
    with caplog.at_level(logging.WARNING, logger="safeaug"):
        losses = fit(module, loader, 2)
    assert len(losses) == 6
    assert all(0 < loss < 10 for loss in losses)
    assert len(caplog.records) == 1  # of the evaluation
    drawn = {}
    for place, (outcome, ids) in enumerate(module.seen["train"]):
        assert not (outcome.status == Status.UNGUARDED).any()
        for index, window in zip(ids.tolist(), windows(outcome), strict=True):
            drawn[place // 3, index] = window
    for epoch in (0, 1):
        crop = resized()
        crop.set_epoch(epoch)
        assert {index: drawn[epoch, index] for index in range(COUNT)} == by_id(crop)
    assert all((outcome.status == Status.UNGUARDED).all() for outcome, _ in module.seen["val"])
    assert "crop.counter" in module.state_dict()


class Inside(nn.Module):
    """A model that crops its own batches."""

    def __init__(self, crop):
        super().__init__()
        self.crop, self.net, self.drawn = crop, nn.Linear(3 * 16 * 16, 2), []

    def forward(self, pictures, boxes, ids):
        images, outcome = self.crop(pictures, boxes=boxes, sample_ids=ids)
        self.drawn += windows(outcome)
        return self.net(images.flatten(1))


def train_rank(rank, folder):
    """One process of two that train together; what it drew goes into a file."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    samples = Painted()
    sampler = DistributedSampler(samples, seed=0)
    loader = DataLoader(samples, batch_size=4, sampler=sampler, collate_fn=together)
    drawn = {}
    for with_ids in (True, False):
        model = DistributedDataParallel(Inside(resized()))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for epoch in (0, 1):
            sampler.set_epoch(epoch)
            model.module.crop.set_epoch(epoch)
            for ragged, boxes, ids in loader:
                loss = nn.functional.cross_entropy(model(ragged, boxes, ids if with_ids else None), ids % 2)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                for index, window in zip(ids.tolist(), model.module.drawn[-len(ids) :], strict=True):
                    drawn[with_ids, epoch, index] = window
        drawn[with_ids] = model.module.net.weight.detach().sum().item()
    crop = RandomCrop(1, seed=0)
    drawn["large"] = [window for _ in range(3) for window in windows(crop(LARGE * 4)[1])]
    torch.save(drawn, f"{folder}/{rank}.pt")
    distributed.destroy_process_group()


def test_two_ranks_train_together(tmp_path):
    """With ids they draw what one process would; without, nothing that the other one draws."""
    multiprocessing.spawn(train_rank, (str(tmp_path),), nprocs=2)
    ranks = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1)]
    with_ids, without = (
        [
            {key[1:]: window for key, window in drawn.items() if isinstance(key, tuple) and key[0] is ids}
            for drawn in ranks
        ]
        for ids in (True, False)
    )
    for epoch in (0, 1):
        crop = resized()
        crop.set_epoch(epoch)
        expected = by_id(crop)
        parts = [{index for which, index in drawn if which == epoch} for drawn in with_ids]
        assert parts[0] | parts[1] == set(range(COUNT))
        assert not parts[0] & parts[1]
        for drawn in with_ids:
            for (which, index), window in drawn.items():
                assert which != epoch or window == expected[index]
    assert all(sum(with_ids[r][key] == without[r][key] for key in without[r]) < COUNT // 3 for r in (0, 1))
    assert ranks[0][True] == ranks[1][True]  # they trained one model
    assert len({*ranks[0]["large"], *ranks[1]["large"]}) == 24


# Without a branch, and compiled


@pytest.mark.parametrize("form", FORMS)
def test_a_search_without_branches_draws_the_same(form):
    for make in (resized, lambda **more: RandomCrop(20, 3, seed=0, **more)):
        crop = make(branchless=True)
        assert by_id(crop, form) == by_id(make(), form)
        assert by_id(crop.eval(), form) == by_id(make().eval(), form)
        assert crop.report()["UNGUARDED"] == COUNT


def scene(place, dtype=torch.float32):
    """One of several batches of one shape, with rows that only fill it up, and a sample without objects."""
    generator = torch.Generator().manual_seed(place)
    corner, side = (torch.rand((4, 2, 2), generator=generator) * most for most in (25, 14))
    return {
        "images": torch.randint(0, 256, (4, 3, 40, 50), generator=generator).to(dtype),
        "boxes": torch.cat([corner, corner + side + 1], dim=-1),
        "valid": torch.tensor([[True, True], [place % 2 == 0, True], [False, False], [True, False]]),
    }


@pytest.fixture
def dynamo():
    """A compiler that remembers nothing, as it is left too."""
    torch._dynamo.reset()
    yield torch._dynamo
    torch._dynamo.reset()


@pytest.mark.filterwarnings("default")  # the compiler's own imports warn as they like
def test_one_graph_for_all_batches(dynamo):
    """Of the whole module: the same draws, pixels, counts and count of samples as without a compiler."""
    from torch._dynamo.testing import CompileCounterWithBackend

    counter = CompileCounterWithBackend("aot_eager")
    plain, inner = (RandomResizedCrop(16, seed=0, flip=0.5, mean=0.5, std=0.2, p=0.9) for _ in range(2))
    compiled = torch.compile(inner, fullgraph=True, backend=counter)
    for place in range(12):
        if place == 6:
            plain.set_epoch(3)
            inner.set_epoch(3)
        expected, outcome = plain(**scene(place))
        output, same = compiled(**scene(place))
        assert windows(same) == windows(outcome)
        for name in ("status", "stage", "draws", "by_fill", "flipped", "picture", "valid"):
            assert torch.equal(getattr(same, name), getattr(outcome, name))
        for name in ("retention", "visible_pixels", "boxes", "matrix"):
            assert torch.allclose(getattr(same, name), getattr(outcome, name), equal_nan=True)
        assert (output - expected).abs().max() * 0.2 <= 0.02
    assert counter.frame_count == 1
    assert inner.report() == plain.report()
    assert set(plain.report()) >= {"FIRST", "MOVED", "RESIZED", "EMPTY", "NOT_APPLIED"}
    assert inner.counter == plain.counter == 48


@pytest.mark.filterwarnings("default")
def test_other_objects_than_boxes_are_not_compiled(dynamo):
    """Said where all must be compiled; else what cannot be is left to Python."""
    images, masks = torch.zeros((2, 3, 40, 40), dtype=torch.uint8), torch.zeros((2, 1, 40, 40))
    masks[:, :, :9, :9] = 1
    given = {"images": images, "masks": masks, "valid": torch.ones((2, 1), dtype=torch.bool)}
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"ContentError.*protects boxes only.*got masks"):
        torch.compile(resized(), fullgraph=True, backend="eager")(**given)
    dynamo.reset()
    _, outcome = resized()(**given, sample_ids=[3, 4])
    _, same = torch.compile(resized(), backend="eager")(**given, sample_ids=[3, 4])
    assert windows(same) == windows(outcome)


def test_a_device_without_float64_is_spared_it(monkeypatch):
    """Here the CPU stands for such a device: geometry takes place elsewhere, and what comes back is float32."""
    from safeaug.batch import crop as module
    from safeaug.batch import moved

    for place in (module, moved):
        monkeypatch.setattr(place, "NO_FLOAT64", {"cpu"})
    crop = RandomResizedCrop(16, seed=0, flip=0.5)
    plain = RandomResizedCrop(16, seed=0, flip=0.5)
    images = torch.arange(4 * 3 * 40 * 50).reshape(4, 3, 40, 50).remainder(256).to(torch.uint8)
    boxes = [torch.tensor([[3.0, 4.0, 20.0, 30.0]])] * 4
    made, outcome = crop(images, boxes=boxes, sample_ids=range(4))
    assert outcome.retention.dtype is outcome.matrix.dtype is torch.float32
    monkeypatch.undo()
    same, expected = plain(images, boxes=boxes, sample_ids=range(4))
    assert torch.equal(made, same)
    assert torch.equal(outcome.view.window, expected.view.window)
    torch.testing.assert_close(outcome.retention, expected.retention.float())


def test_threads_that_share_a_module_share_its_count():
    crop = RandomCrop(2, seed=0)
    image = torch.zeros(1, 1, 1, 1, dtype=torch.uint8).expand(4, 1, 30000, 30000)
    windows = []

    def draw():
        for _ in range(50):
            windows.extend(map(tuple, crop(image)[1].view.window.tolist()))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(crop.counter) == len(windows) == 800
    assert len(set(windows)) >= 799  # of 10⁹ positions two may meet by chance
    again = pickle.loads(pickle.dumps(crop))
    assert again(image)[1].view.window.shape == (4, 4)


def test_a_list_of_images_does_not_compile_and_says_so():
    torch._dynamo.reset()
    crop = torch.compile(RandomCrop(4, seed=0), fullgraph=True, backend="eager")
    with pytest.raises(torch._dynamo.exc.Unsupported, match="a compiled module takes images as one tensor"):
        crop([torch.zeros(3, 8, 9, dtype=torch.uint8)] * 2)


@pytest.mark.parametrize("form", ["dense", "padded", "masks and more"])
@pytest.mark.parametrize("make", [lambda: RandomResizedCrop(16, seed=0, flip=0.5, p=0.9), lambda: RandomCrop(16, 4)])
def test_no_value_of_a_device_is_read_by_a_module(make, form):
    """Tensors without values, of a device that need not be there: whoever reads one, or mixes devices, raises."""
    crop = make()
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        for name, buffer in list(crop.named_buffers()):
            crop._buffers[name] = mode.from_tensor(buffer).to("cuda")
        images = torch.zeros(4, 3, 40, 50, dtype=torch.uint8, device="cuda")
        given = {"boxes": torch.zeros(4, 2, 4), "valid": torch.ones(4, 2, dtype=torch.bool)}
        if form == "padded":
            given["sizes"] = torch.full((4, 2), 20)
        elif form == "masks and more":
            given |= {"masks": torch.zeros(4, 2, 40, 50), "keypoints": torch.zeros(4, 2, 5, 3)}
            given["maps"] = torch.zeros(4, 40, 50)
        given = {name: each.to("cuda") for name, each in given.items()}
        made, outcome = crop(images, sample_ids=torch.arange(4, device="cuda"), **given)
    assert made.shape == (4, 3, 16, 16)
    assert {made.device.type, *(each.device.type for each in outcome if isinstance(each, torch.Tensor))} == {"cuda"}
