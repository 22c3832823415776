"""Tripwires: where a fault starts, how it comes home, and that watching changes nothing."""

import json
import logging
import pickle
import shlex
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Event, Thread, current_thread
from typing import Any

import albumentations as A
import kornia.augmentation as K
import numpy as np
import pytest
import torch
from albumentations.augmentations.crops.transforms import CropSizeError
from torch.utils.data import DataLoader
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug
from safeaug.errors import Fault, PipelineError, PolicyError
from safeaug.trace import Expect
from tests import trace_worlds
from tests.trace_worlds import Conditional, Raising, Spoilt, Stream

PICTURE = np.random.default_rng(5).integers(0, 256, (40, 48, 3), dtype=np.uint8)
UNIT = (PICTURE / 255).astype(np.float32)
TENSOR = torch.from_numpy(PICTURE).permute(2, 0, 1)


def line_of(text):
    lines = Path(trace_worlds.__file__).read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, start=1) if text in line)


# The origin, retold.


def test_the_helper_that_returns_none_is_named_with_the_sample():
    watched = safeaug.watch(Conditional())
    with pytest.raises(Fault) as caught:
        list(watched)
    fault = caught.value
    assert (fault.rule, fault.sample, fault.step) == ("SA2.none", 5, "embedding")
    assert fault.where == f"tests/trace_worlds.py:{line_of('def embedding')}"
    assert fault.crumbs[0].startswith("arguments: ")
    assert fault.crumbs[-1] == "embedding: sample: NoneType"


def test_without_it_the_crash_comes_in_the_model(monkeypatch):
    monkeypatch.setattr(trace_worlds, "embedding", trace_worlds.embedding.__wrapped__)
    embeddings = [Conditional()[i]["embedding"] for i in range(8)]
    assert all(each is not None for each in embeddings[:5])
    with pytest.raises(TypeError):
        torch.nn.Linear(4, 2)(torch.from_numpy(embeddings[5]))


# Faults cross processes.


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_a_fault_of_a_worker_comes_whole(context):
    loader = DataLoader(Conditional(), batch_size=4, num_workers=2, multiprocessing_context=context)
    with pytest.raises(Fault) as caught:
        list(safeaug.watch(loader))
    fault = caught.value
    assert (fault.rule, fault.sample, fault.step) == ("SA2.none", 5, "embedding")
    assert fault.where.startswith("tests/trace_worlds.py:")
    assert fault.crumbs
    assert fault.seed is not None
    assert "Caught Fault in DataLoader worker process 1" in str(fault)


def test_a_fault_pickles_and_is_made_again_from_its_text():
    told = Fault.told("SA3.nan: image", {"rule": "SA3.nan", "sample": 3, "crumbs": ["a", "b"], "text": "image"})
    for other in (pickle.loads(pickle.dumps(told)), Fault(f"Caught Fault in worker.\nOriginal:\n  {told}\n")):
        assert (other.rule, other.sample, other.crumbs, other.text) == ("SA3.nan", 3, ["a", "b"], "image")
    assert Fault("said by somebody else").rule == ""


PROGRAM = """
import json, sys
import safeaug, torch
from torch.utils.data import DataLoader
from tests.trace_worlds import Spoilt

train = safeaug.watch(Spoilt())
if __name__ == "__main__":
    torch.manual_seed(1)
    try:
        for batch in DataLoader(train, batch_size=4, num_workers=2, shuffle=True):
            pass
    except safeaug.Fault as fault:
        print(json.dumps([fault.rule, fault.sample, fault.step, fault.crumbs, fault.params, fault.seed, fault.replay]))
"""


def run(line, folder):
    environment = {
        "PYTHONPATH": ":".join(sys.path),
        "PATH": "",
        "NO_ALBUMENTATIONS_UPDATE": "1",
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_its_replay_line_makes_it_again_in_a_fresh_process(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    done = run([sys.executable, "train.py"], tmp_path)
    rule, sample, step, crumbs, params, seed, line = json.loads(done.stdout)
    assert (rule, step) == ("SA3.nan", "1 RandomGamma")
    assert seed is not None
    again = run(shlex.split(line), tmp_path)
    assert again.returncode == 0, again.stderr
    fault = Fault(again.stdout)
    assert (fault.rule, fault.sample, fault.step, fault.crumbs, fault.params) == (rule, sample, step, crumbs, params)


# Watching changes nothing.


def flip_by_hand(image):
    return image.flip(-1) if torch.rand(()) < 0.5 else image


BOXES = tv_tensors.BoundingBoxes([[4, 4, 20, 20]], format="XYXY", canvas_size=(40, 48))
PIPELINES = {
    "albumentations": (lambda: A.Compose([A.RandomCrop(20, 20), A.OneOf([A.Blur(p=1), A.HorizontalFlip(p=1)]), A.Normalize()], bbox_params=A.BboxParams("coco", label_fields=["labels"])), {"image": PICTURE, "bboxes": [[2, 2, 30, 30]], "labels": [1]}),
    "albumentations, seeded": (lambda: A.Compose([A.RandomCrop(20, 20), A.SomeOf([A.Affine(), A.GaussNoise()], 1)], seed=7), {"image": PICTURE, "mask": PICTURE[..., 0]}),
    "albumentations, alone": (lambda: A.RandomCrop(20, 20), {"image": PICTURE}),
    "v2": (lambda: v2.Compose([v2.RandomAffine(10), v2.RandomApply([v2.ColorJitter(0.5)]), v2.RandomChoice([v2.RandomHorizontalFlip(), v2.RandomRotation(20)])]), (tv_tensors.Image(TENSOR), BOXES)),
    "v2, with a function": (lambda: v2.Compose([v2.RandomCrop(20), flip_by_hand]), (TENSOR,)),
    "v1": (lambda: v1.Compose([v1.ToPILImage(), v1.RandomCrop(20, padding=2), v1.RandomOrder([v1.ColorJitter(0.2), v1.RandomHorizontalFlip()]), v1.ToTensor()]), (TENSOR,)),
    "a list of modules": (lambda: torch.nn.Sequential(v2.RandomCrop(20), v2.RandomHorizontalFlip()), (TENSOR,)),
    "kornia": (lambda: K.AugmentationSequential(K.RandomAffine(20.0), K.RandomHorizontalFlip(), data_keys=["input", "mask"]), (torch.from_numpy(UNIT).permute(2, 0, 1)[None], torch.ones(1, 1, 40, 48))),
    "guarded": (lambda: safeaug.guard(A.Compose([A.RandomCrop(20, 20), A.HorizontalFlip()], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=3)), {"image": PICTURE, "bboxes": [[2, 2, 12, 12]], "labels": [1]}),
    "guarded, torchvision": (lambda: safeaug.guard(v2.Compose([v2.RandomCrop(20), v2.RandomHorizontalFlip()]), min_retention=0.9), (tv_tensors.Image(TENSOR), BOXES)),
}  # fmt: skip
# ruff: noqa: E501


def drawn(pipeline, given, times=12):
    results = [pipeline(**given) if isinstance(given, dict) else pipeline(*given) for _ in range(times)]
    return [torch.utils._pytree.tree_leaves(each) for each in results]


def same(one, other):
    if isinstance(one, np.ndarray | torch.Tensor):
        return np.array_equal(np.asarray(one), np.asarray(other))
    return one == other


def seed(pipeline):
    import random

    random.seed(2)
    np.random.seed(2)  # noqa: NPY002  # the generator of many pipelines
    torch.manual_seed(2)
    if hasattr(pipeline, "set_random_seed") and getattr(pipeline, "seed", None) is None:
        pipeline.set_random_seed(2)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("every", [1, 8])
def test_what_comes_out_is_what_would_have_come_out(name, every):
    make, given = PIPELINES[name]
    plain = make()
    seed(plain)
    watched = safeaug.watch(plain, first=0, every=every)
    assert isinstance(watched, getattr(plain, "guard_host", type(plain)))
    assert type(watched).__name__ == type(plain).__name__
    other = drawn(watched, given)
    assert "_watch_place" not in str(vars(plain))
    seed(plain)
    expected = drawn(plain, given)
    assert all(same(*pair) for ones in zip(expected, other, strict=True) for pair in zip(*ones, strict=True))
    assert watched.report()["faults"] == []


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_a_watched_pipeline_prints_and_pickles_as_the_hosts(name):
    make, given = PIPELINES[name]
    plain = make()
    watched = safeaug.watch(plain)
    assert repr(watched) == repr(plain)
    other = pickle.loads(pickle.dumps(watched))
    drawn(other, given, times=2)
    if hasattr(plain, "to_dict") and not name.startswith("guarded"):
        assert A.to_dict(watched) == A.to_dict(plain)


def test_off_by_one_variable(monkeypatch):
    monkeypatch.setenv("SAFEAUG_WATCH", "0")
    for thing in (trace_worlds.Raising(), A.HorizontalFlip(), print, DataLoader([1])):
        assert safeaug.watch(thing) is thing
    assert safeaug.watch(on_fault="record")(print) is print


# What becomes of faults.


@pytest.mark.parametrize("workers", [0, 2])
def test_recorded_faults_come_from_all_processes(workers):
    plain = trace_worlds.embedding
    watched = safeaug.watch(Spoilt(), on_fault="record", every=1, first=0)
    assert len(list(DataLoader(watched, batch_size=4, num_workers=workers))) == 8
    report = watched.report()
    assert report["faults"]
    assert {fault.rule for fault in report["faults"]} == {"SA3.nan"}
    assert {fault.step for fault in report["faults"]} == {"1 RandomGamma"}
    assert all(fault.sample >= 10 for fault in report["faults"])
    assert plain is trace_worlds.embedding


def test_dropped_samples_are_counted_and_nothing_stands_in_for_them():
    loader = DataLoader(Raising(), batch_size=2, num_workers=2)
    watched = safeaug.watch(loader, on_fault="drop")
    seen = torch.cat([numbers for _, numbers in watched]).tolist()
    assert seen == [0, 1, 2, 3, 4, 6, 7]
    report = watched.report()
    assert report["dropped"] == 1
    assert [fault.sample for fault in report["faults"]] == [5]
    alone = safeaug.watch(DataLoader(Raising(), batch_size=1), on_fault="drop")
    assert [int(numbers) for _, numbers in alone] == [0, 1, 2, 3, 4, 6, 7]


def test_an_error_says_which_sample_and_where():
    loader = safeaug.watch(DataLoader(Raising(), batch_size=2, num_workers=1))
    with pytest.raises(
        PipelineError, match=r"sample 5 of Raising: raised ValueError: truncated file \(at .*trace_worlds.py:"
    ):
        list(loader)
    with pytest.raises(PipelineError) as caught:
        safeaug.watch(Raising())[5]
    assert caught.value.sample == 5


def test_an_error_in_a_step_names_the_step():
    class Bad(torch.nn.Module):
        def forward(self, image):
            raise ZeroDivisionError

    pipeline = v2.Compose([v2.RandomHorizontalFlip(1.0), Bad()])
    with pytest.raises(ZeroDivisionError) as caught:
        safeaug.watch(pipeline)(TENSOR)
    assert "safeaug: raised by step 1 Bad, of sample 1" in caught.value.__notes__

    class Folder(Raising):
        transform = None

        def __init__(self):
            self.transform = pipeline

        def __getitem__(self, i):
            return self.transform(TENSOR)

    with pytest.raises(PipelineError, match=r"sample 2 of Folder, step 1 Bad: raised ZeroDivisionError"):
        safeaug.watch(Folder())[2]


@pytest.mark.parametrize("first", [0, 8], ids=["glanced at", "looked at"])
@pytest.mark.parametrize(
    ("pipeline", "given", "at"),
    [
        (A.Compose([A.NoOp(p=1.0), A.Sequential([A.CenterCrop(64, 64)], p=1.0)]), {"image": PICTURE}, "1.0 CenterCrop"),
        (v2.Compose([v2.Identity(), v2.Compose([v2.RandomCrop(64)])]), TENSOR, "1.0 RandomCrop"),
    ],
    ids=["albumentations", "torchvision"],
)
def test_an_error_of_a_hosts_step_names_it_whether_or_not_values_are_looked_at(pipeline, given, at, first):
    watched = safeaug.watch(pipeline, first=first, every=1000)
    for number in (1, 2):  # of the first of 1000 values are looked at in any case
        with pytest.raises((ValueError, CropSizeError)) as caught:
            watched(**given) if isinstance(given, dict) else watched(given)
        assert f"safeaug: raised by step {at}, of sample {number}" in caught.value.__notes__
        assert sum("raised by" in note for note in caught.value.__notes__) == 1


def test_threads_may_share_a_pipeline():
    gone, waiting = Event(), Event()

    def gate(image):
        if current_thread() is late:
            waiting.set()
            assert gone.wait(60)
        return image

    def lose(image):
        return None if current_thread() is late else image

    watched = safeaug.watch(v2.Compose([gate, v2.Identity(), v2.Grayscale(), lose]), on_fault="record")
    late = Thread(target=watched, args=(TENSOR.clone(),))
    late.start()
    assert waiting.wait(60)
    watched(TENSOR)
    gone.set()
    late.join(60)
    (fault,) = watched.report()["faults"]
    assert (fault.rule, fault.step) == ("SA2.none", "3 lose")
    assert [crumb.partition(":")[0] for crumb in fault.crumbs] == [
        "input",
        "0 gate",
        "1 Identity",
        "2 Grayscale",
        "3 lose",
    ]


# Kinds of things.


def test_streams_and_generators_endless_ones_too():
    watched = safeaug.watch(Stream())
    with pytest.raises(Fault, match=r"SA2\.none") as caught:
        list(islice(watched, 10))
    assert caught.value.sample == 3
    assert isinstance(watched, torch.utils.data.IterableDataset)
    dropped = safeaug.watch(DataLoader(Stream(), batch_size=2), on_fault="drop")
    assert [batch.shape[0] for batch in islice(dropped, 4)] == [2, 2, 2, 2]
    assert dropped.report()["dropped"] == 1

    @safeaug.watch
    def pictures():
        yield PICTURE
        yield None

    stream = pictures()
    assert next(stream) is PICTURE
    with pytest.raises(Fault, match=r"step +pictures"):
        next(stream)


def test_a_collate_function_names_sample_and_field():
    collate = safeaug.watch(torch.utils.data.default_collate)
    pairs = [(torch.ones(3), 1), (torch.ones(3), None)]
    with pytest.raises(Fault, match=r"\[1\] is None") as caught:
        collate(pairs)
    assert caught.value.sample == "sample 1 of the batch"
    with pytest.raises(PipelineError, match=r"sample 1 of the batch is \(4,\) where sample 0 is \(3,\)"):
        collate([torch.ones(3), torch.ones(4)])


@dataclass
class Pair:
    """A sample as a dataclass."""

    image: Any
    target: Any


@pytest.mark.parametrize(
    "wrap",
    [
        lambda image: {"a": {"image": image}},
        lambda image: (image, 3),
        lambda image: Pair(image, {"x": 1}),
        lambda image: [image, image],
    ],
)
def test_nested_samples(wrap):
    broken = UNIT.copy()
    broken[0, 0] = np.nan
    watched = safeaug.watch([wrap(UNIT), wrap(broken)])
    watched[0]
    with pytest.raises(Fault, match=r"SA3.nan: .* has 3 NaN of 5760 values"):
        watched[1]


def test_samples_of_mixed_structure():
    with pytest.raises(Fault, match=r"SA2.channels: image has 1 channel\(s\); the first sample had 3"):
        list(safeaug.watch([{"image": UNIT}, {"image": UNIT[..., :1]}]))
    with pytest.raises(Fault, match=r"SA2.structure: the sample has no image"):
        list(safeaug.watch([{"image": UNIT}, {"picture": UNIT}]))


@pytest.mark.parametrize(
    "expect, value, rule",
    [
        (Expect(dtype="float32", shape=(None, None, 3), low=0, high=1), UNIT, None),
        (Expect(dtype="uint8"), UNIT, "SA2.dtype"),
        (Expect(shape=(3, None, None)), UNIT, "SA2.shape"),
        (Expect(type="Tensor"), UNIT, "SA2.type"),
        (Expect(high=0.5), UNIT, "SA3.range"),
        (Expect(low=0.5), UNIT, "SA3.range"),
        (Expect(optional=True), None, None),
    ],
)
def test_contracts(expect, value, rule):
    watched = safeaug.watch([{"image": value}], expect={"image": expect})
    if rule is None:
        assert watched[0]["image"] is value
    else:
        with pytest.raises(Fault, match=rule):
            watched[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Expect(low=2, high=1),
        lambda: Expect(dtype="uint8", high=300),
        lambda: Expect(dtype="floaty"),
        lambda: safeaug.watch(print, expect={"": 3}),
        lambda: safeaug.watch(print, expect={"a": Expect()}, optional=["a"]),
        lambda: safeaug.watch(print, on_fault="ignore"),
        lambda: safeaug.watch(print, every=0),
        lambda: safeaug.watch(print, first=-1),
        lambda: safeaug.watch(Raising(), on_fault="drop"),
        lambda: safeaug.watch(3),
        lambda: safeaug.watch(None),
        lambda: safeaug.watch(PICTURE),
        lambda: safeaug.watch(safeaug.watch(Raising())),
        lambda: safeaug.watch(safeaug.watch(A.HorizontalFlip())),
    ],
)
def test_what_cannot_be_watched_is_refused(make):
    with pytest.raises(PolicyError):
        make()


def test_what_is_suspect_is_reported_and_not_raised(caplog):
    watched = safeaug.watch([UNIT / 255] * 3)
    with caplog.at_level(logging.INFO, logger="safeaug"):
        list(watched)
    report = watched.report()
    assert report["faults"] == []
    assert len(report["suspects"]) == 1
    assert "divided by 255 twice?" in report["suspects"][0]


def test_of_a_part_that_the_pipeline_does_not_know_enough_is_said_at_once():
    """The crop leaves its box behind, outside the picture: that follows from the first finding."""
    watched = safeaug.watch(A.Compose([A.CenterCrop(20, 20), A.NoOp(p=1.0)]), on_fault="record")
    watched(image=PICTURE, gt_bboxes=np.array([[30.0, 25.0, 44.0, 38.0]]))
    assert [fault.rule for fault in watched.report()["faults"]] == ["SA5.unknown"]


def test_none_is_told_of_every_sample_at_its_step():
    @dataclass
    class Lost:
        calls: int = 0

        def __call__(self, image):
            self.calls += 1
            return None if self.calls == 5 else image

    watched = safeaug.watch(v2.Compose([v2.RandomHorizontalFlip(1.0), Lost(), v2.Identity()]), first=0, every=1000)
    for _ in range(4):
        watched(TENSOR)
    with pytest.raises(Fault) as caught:
        watched(TENSOR)
    assert (caught.value.rule, caught.value.step, caught.value.sample) == ("SA2.none", "1 Lost", 5)
    assert caught.value.crumbs[0].startswith("input: sample: Tensor uint8 3x40x48")
    assert caught.value.crumbs[1:] == ["0 RandomHorizontalFlip: not looked at", "1 Lost: not looked at"]


def test_values_are_looked_at_as_often_as_is_said():
    broken = np.full((8, 8, 3), np.nan, np.float32)
    for first, every, expected in [(4, 8, [0, 1, 2, 3, 8]), (0, 4, [0, 4, 8]), (0, 1, list(range(10)))]:
        watched = safeaug.watch([broken] * 10, on_fault="record", first=first, every=every)
        list(watched)
        assert [fault.sample for fault in watched.report()["faults"]] == expected


# Where it starts, whenever it is looked at.


def nan_in_a_corner(image, **_):
    image = image.astype(np.float32)
    image[-1, -1] = np.nan
    return image


def nan_where_it_lies(image, **_):
    image[0, 0] = np.nan
    return image


SMALL, WHOLE = A.CenterCrop(16, 16), A.HorizontalFlip(p=1.0)


@pytest.mark.parametrize(
    ("steps", "at"),
    [
        ([WHOLE, A.Lambda(image=nan_in_a_corner, p=1.0), SMALL], "1 Lambda"),  # what comes out is finite
        ([A.ToFloat(), WHOLE, A.Lambda(image=nan_where_it_lies, p=1.0), WHOLE], "2 Lambda"),
    ],
    ids=["cut away again", "in place"],
)
def test_nan_is_told_of_at_its_step(steps, at):
    with pytest.raises(Fault) as caught:
        safeaug.watch(A.Compose(steps))(image=PICTURE)
    assert (caught.value.rule, caught.value.step) == ("SA3.nan", at)


class Later(torch.nn.Module):
    """A user's step, which writes into the picture that it is handed, from its sixth call on."""

    calls = 0

    def forward(self, image):
        self.calls += 1
        if self.calls > 5:
            image.fill_(7)
        return image


@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a data set"])
def test_writing_into_what_came_in_is_told_of_with_the_first_samples_and_one_in_32(inside):
    settings = {"first": 4, "every": 8, "on_fault": "record"}
    pictures = [tv_tensors.Image(TENSOR.clone()) for _ in range(80)]
    if inside:
        watched = safeaug.watch(Mapped(pictures, v2.Compose([Later()])), **settings)
        list(watched)
    else:
        watched = safeaug.watch(v2.Compose([Later()]), **settings)
        for each in pictures:
            watched(each)
    faults = watched.report()["faults"]
    assert [(fault.rule, fault.step) for fault in faults] == [("SA3.mutated", "input")] * 2
    assert [fault.sample for fault in faults] == ([32, 64] if inside else [33, 65])


class Mapped:
    """A data set that calls its pipeline."""

    def __init__(self, samples, transform):
        self.samples, self.transform = samples, transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.transform(self.samples[index])


class InPlace(torch.nn.Module):
    """A user's step, which writes into what it is handed."""

    def forward(self, image):
        image[..., 0, 0] = torch.nan
        return image


def test_a_step_that_works_in_place_is_not_taken_for_the_one_before_it():
    pipeline = v2.Compose([v2.ToDtype(torch.float32, scale=True), InPlace(), v2.Normalize([0.5] * 3, [0.5] * 3)])
    with pytest.raises(Fault) as caught:
        safeaug.watch(pipeline)(tv_tensors.Image(TENSOR))
    assert (caught.value.rule, caught.value.step) == ("SA3.nan", "1 InPlace")


def test_a_fault_comes_before_the_error_that_it_leads_to():
    class Spoils(torch.nn.Module):
        def forward(self, image):
            return None

    with pytest.raises(Fault) as caught:
        safeaug.watch(v2.Compose([Spoils(), lambda image: image.shape]))(TENSOR)
    assert (caught.value.rule, caught.value.step) == ("SA2.none", "0 Spoils")


def test_a_picture_that_is_none_any_more_is_told_of():
    with pytest.raises(Fault) as caught:
        safeaug.watch(v2.Compose([v2.RandomHorizontalFlip(1.0), lambda image: "a text"]))(TENSOR)
    assert (caught.value.rule, caught.value.step) == ("SA2.type", "1 <lambda>")


@pytest.mark.parametrize("first", [0, 1])
def test_none_that_came_in_is_no_steps_fault(first):
    watched = safeaug.watch(A.Compose([WHOLE, SMALL]), first=first, every=2)
    watched(image=PICTURE)
    with pytest.raises(Fault) as caught:
        watched(image=None)
    assert (caught.value.rule, caught.value.step) == ("SA2.none", "input")


def test_boxes_between_steps_and_values_in_new_carriers_are_looked_at():
    steps = [A.RandomSizedBBoxSafeCrop(32, 32), A.Normalize(), A.ToTensorV2()]
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    watched = safeaug.watch(A.Compose(steps, bbox_params=params, seed=0), every=1)
    for _ in range(40):
        watched(image=PICTURE, bboxes=np.array([[2.0, 2, 30, 30]]), labels=[1])
    assert watched.report() == {"faults": [], "dropped": 0, "suspects": []}
