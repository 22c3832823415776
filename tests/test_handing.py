"""with_content: each sample is made with its own objects at hand, whoever asks for it, and how."""

import copy
import logging
import pickle
import re
import subprocess
import sys
import threading
from typing import Any

import albumentations as A
import numpy as np
import pytest
import torch
from torch.utils.data import (
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from torchvision import tv_tensors
from torchvision.datasets import FakeData, ImageFolder

import safeaug as sa
from safeaug.errors import ContentError
from safeaug.handing import content_of_handed, handed, refuse_unguarded
from safeaug.handing.given import Given
from safeaug.handing.handed import Handed
from tests.handing_worlds import (
    BOX,
    WIDE,
    AtOnce,
    Numbers,
    Painted,
    Shown,
    Stream,
    Told,
    bytes_of,
    folder_of,
    hundredfold,
    painted,
    share_of,
    whole_number,
    window_shown,
)

# Which sample.


@pytest.mark.parametrize("index", [7, -3, np.int64(7), np.uint8(7), np.array(7), torch.tensor(7), torch.tensor(-3)])
def test_whatever_the_index_is_made_of_the_function_gets_a_whole_number(index):
    asked = []
    data = sa.with_content(Told(10), boxes=lambda i: asked.append(i) or hundredfold(i))
    given, objects = data[index]
    assert given is index  # the data set is asked by what was asked
    assert asked == [7]
    assert type(asked[0]) is int
    assert objects == {"boxes": hundredfold(7)}


def test_a_sequence_gives_its_entry():
    entries = [hundredfold(i) for i in range(10)]
    for boxes in (entries, tuple(entries), np.array(entries), torch.tensor(entries)):
        data = sa.with_content(Told(10), boxes=boxes, labels=[["cat"]] * 10)
        for i in (0, 3, 9, -1, -10):
            _, objects = data[i]
            assert np.array_equal(objects["boxes"], hundredfold(i % 10))
            assert objects["labels"] == ["cat"]


@pytest.mark.parametrize("index", [10, -11, np.int64(10)])
def test_an_index_out_of_range_is_an_index_error(index):
    with pytest.raises(IndexError, match="out of range: there are 10 samples"):
        sa.with_content(Told(10), boxes=hundredfold)[index]


@pytest.mark.parametrize("index", [slice(0, 3), [0, 1], np.array([0, 1]), torch.tensor([3])])
def test_several_at_once_are_refused(index):
    with pytest.raises(ContentError, match=r"one sample at a time.*\[dataset\[i\] for i in indices\]"):
        sa.with_content(Told(10), boxes=hundredfold)[index]


@pytest.mark.parametrize("key", ["a.jpg", (3, 224)])
def test_a_key_is_passed_to_functions_and_refused_by_sequences(key):
    boxes = {"a.jpg": [[1, 2, 3, 4]], (3, 224): [[5, 6, 7, 8]]}
    assert sa.with_content(Told(10), boxes=boxes.get)[key] == (key, {"boxes": boxes[key]})
    with pytest.raises(ContentError, match="boxes is a sequence, which needs a whole number as the index"):
        sa.with_content(Told(10), boxes=[hundredfold(0)] * 10)[key]


def test_going_through_it_gives_all_and_hides_no_error():
    data = sa.with_content(Told(4), boxes=hundredfold)
    assert [(i, objects["boxes"]) for i, objects in data] == [(i, hundredfold(i)) for i in range(4)]
    short = [hundredfold(i) for i in range(2)]
    with pytest.raises(IndexError) as caught:
        list(sa.with_content(Told(4), boxes=lambda i: short[i]))
    assert caught.value.__notes__ == ["raised by boxes, which safeaug.with_content was given, of sample 2 of Told"]


def test_nothing_is_handed_outside_whatever_is_raised():
    class Failing(Told):
        def __getitem__(self, index):
            assert handed().index == index
            raise (OSError, KeyboardInterrupt)[index]

    data = sa.with_content(Failing(2), boxes=hundredfold)
    for i, error in enumerate((OSError, KeyboardInterrupt)):
        with pytest.raises(error):
            data[i]
        assert handed() is None

    class FailingStream(Stream):
        def __iter__(self):
            yield handed().index
            raise OSError("torn")

    stream = iter(sa.with_content(FailingStream(0, 2), boxes=hundredfold))
    assert next(stream) == 0
    assert handed() is None
    with pytest.raises(OSError, match="torn"):
        next(stream)
    assert handed() is None


def test_threads_have_each_their_own():
    meet, found = threading.Barrier(2), {}

    class Waiting(Told):
        def __getitem__(self, index):
            meet.wait(20)
            found[index] = handed().index
            meet.wait(20)

    data = sa.with_content(Waiting(2), boxes=hundredfold)
    threads = [threading.Thread(target=data.__getitem__, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: 0, 1: 1}


# What it is.


def test_it_is_what_it_wraps_but_for_samples():
    inner = Told(10)
    data = sa.with_content(inner, boxes=hundredfold)
    assert isinstance(data, Dataset)
    assert not isinstance(data, IterableDataset)
    assert len(data) == 10
    assert data.dataset is inner
    assert (data.count, data.double()) == (10, 20)
    data.transform = "another"
    assert inner.transform == "another"
    assert not hasattr(data, "nonsense")
    with pytest.raises(AttributeError, match="nonsense"):
        data.nonsense  # noqa: B018  # the access is what is tested
    assert repr(data) == "<Told with content: boxes>"


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, *(lambda data, p=p: pickle.loads(pickle.dumps(data, p)) for p in range(6))]
)
def test_copies_are_whole(copied):
    data = copied(sa.with_content(Told(10), boxes=hundredfold, labels=[["cat"]] * 10))
    assert data[3] == (3, {"boxes": hundredfold(3), "labels": ["cat"]})
    assert data.double() == 20
    stream = copied(sa.with_content(Stream(0, 3), boxes=hundredfold))
    assert list(stream) == [(0, 0.0), (1, 100.0), (2, 200.0)]
    assert isinstance(stream, IterableDataset)


def test_lists_are_data_sets():
    data = sa.with_content(["a", "b"], boxes=hundredfold)
    assert isinstance(data, Dataset)
    assert list(data) == ["a", "b"]
    assert data.index("b") == 1


LIGHT = """
import sys, safeaug
from safeaug.handing import handed
class Told:
    def __len__(self): return 3
    def __getitem__(self, i): return handed().objects["boxes"]
data = safeaug.with_content(Told(), boxes=lambda i: [i])
assert data[-1] == [2] and list(data) == [[0], [1], [2]]
assert [*safeaug.with_content((i for i in "ab"), boxes=lambda n: [n])] == ["a", "b"]
assert not {name.split(".")[0] for name in sys.modules} & {"torch", "torchvision", "albumentations", "cv2"}
"""


def test_it_needs_no_torch():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Splits, chains, loaders.


def indices_of(data: Any) -> list[int]:
    return [int(left) // 100 for _, left in data]


def test_subsets_on_either_side():
    inside = sa.with_content(Subset(Numbers(10), [7, 2, 5]), boxes=hundredfold)
    assert [given for given, _ in inside] == [7, 2, 5]
    assert indices_of(inside) == [0, 1, 2]
    outside = Subset(sa.with_content(Numbers(10), boxes=hundredfold), [7, 2, 5])
    assert indices_of(outside) == [7, 2, 5]
    assert indices_of(DataLoader(outside, batch_size=None)) == [7, 2, 5]


def test_concatenations_and_splits():
    one, two = (sa.with_content(Numbers(3), boxes=lambda i, k=k: hundredfold(10 * k + i)) for k in (1, 2))
    assert indices_of(ConcatDataset([one, two])) == [10, 11, 12, 20, 21, 22]
    assert indices_of(one + two) == [10, 11, 12, 20, 21, 22]
    whole = sa.with_content(ConcatDataset([Numbers(3), Numbers(3)]), boxes=hundredfold)
    assert indices_of(whole) == list(range(6))
    parts = random_split(sa.with_content(Numbers(10), boxes=hundredfold), [6, 4], torch.Generator().manual_seed(0))
    assert sorted(indices_of(parts[0]) + indices_of(parts[1])) == list(range(10))
    for part in parts:
        assert indices_of(part) == list(part.indices)
    both = StackDataset(one, two)
    assert both.__getitems__([0, 2]) == [((0, 1000.0), (0, 2000.0)), ((2, 1200.0), (2, 2200.0))]


@pytest.mark.parametrize("kind", [Numbers, AtOnce])
def test_a_batch_is_made_one_sample_after_the_other(kind):
    data = sa.with_content(kind(10), boxes=hundredfold)
    assert not hasattr(data, "__getitems__")
    for loader in (DataLoader(data, batch_size=4), DataLoader(Subset(data, list(range(10))), batch_size=4)):
        for given, left in loader:
            assert torch.equal(left, given * 100.0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_hand_over_what_belongs_to_each_sample(method):
    data = sa.with_content(Numbers(13), boxes=hundredfold)
    loader = DataLoader(
        data, batch_size=3, shuffle=True, num_workers=2, multiprocessing_context=method, persistent_workers=True
    )
    for _ in range(2):
        batches = list(loader)
        assert torch.equal(torch.cat([given for given, _ in batches]).sort().values, torch.arange(13))
        for given, left in batches:
            assert torch.equal(left, given * 100.0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_that_share_a_stream_in_turns(method):
    data = sa.with_content(Stream(0, 13), boxes=whole_number)
    assert isinstance(data, IterableDataset)
    loader = DataLoader(data, batch_size=None, num_workers=2, multiprocessing_context=method, persistent_workers=True)
    for _ in range(2):
        assert sorted(map(tuple, loader)) == [(number, 100.0 * number) for number in range(13)]


def share_out(worker: int) -> None:
    """Give a worker its share of the stream, as torch's documentation does it: by setting attributes of its copy."""
    data = torch.utils.data.get_worker_info().dataset
    data.start, data.end = (0, 5) if worker == 0 else (5, 9)


def test_what_a_worker_sets_of_a_stream_is_set_on_what_is_wrapped():
    data = sa.with_content(Stream(0, 9, turns=False), boxes=hundredfold)
    loader = DataLoader(data, batch_size=None, num_workers=2, worker_init_fn=share_out, multiprocessing_context="fork")
    first = [(number, 100.0 * number) for number in range(5)]
    assert sorted(map(tuple, loader)) == first + [(number, 100.0 * (number - 5)) for number in range(5, 9)]


def test_streams_are_counted_from_the_start_of_each_iteration_and_never_beyond_the_end():
    entries = [hundredfold(i) for i in range(4)]
    data = sa.with_content(Stream(0, 4), boxes=lambda n: entries[n])
    assert list(data) == list(data) == [(i, 100.0 * i) for i in range(4)]
    one, two = iter(data), iter(data)
    assert [next(one), next(two), next(one), next(two)] == [(0, 0.0), (0, 0.0), (1, 100.0), (1, 100.0)]
    assert list(ChainDataset([data, data])) == 2 * list(data)
    with pytest.raises(TypeError, match=r"len\(\)"):
        len(data)


def test_a_function_cannot_end_a_stream():
    def boxes(number):
        return next(iter([]))

    class Iterating(Stream):
        """One whose iterator is no generator, which would turn StopIteration into another error by itself."""

        def __iter__(self):
            return self

        def __next__(self):
            return handed().objects

    with pytest.raises(ContentError, match="boxes of sample 0 of Iterating: it raised StopIteration"):
        list(sa.with_content(Iterating(0, 3), boxes=boxes))


def test_the_inner_one_has_the_say():
    inner = sa.with_content(Told(10), boxes=lambda i: [["inner", i]])
    outer = sa.with_content(Subset(inner, [4, 5]), boxes=lambda i: [["outer", i]])
    assert outer[1] == (5, {"boxes": [["inner", 5]]})

    class Around(Told):
        def __getitem__(self, index):
            return handed().index, inner[8][1], handed().index

    assert sa.with_content(Around(3), boxes=hundredfold)[2] == (2, {"boxes": [["inner", 8]]}, 2)
    with pytest.raises(ContentError, match="has content already; give all of it in one call"):
        sa.with_content(inner, labels=[["cat"]] * 10)


# What is refused when it is wrapped.


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, "needs objects, one or more of boxes, polygons, masks, mask, maps, keypoints, got none"),
        ({"labels": [["cat"]] * 10}, "needs objects, .*, got labels"),
        ({"boxes": [hundredfold(0)] * 9}, "boxes must have one entry per sample: there are 10 samples, and 9 entries"),
        ({"boxes": hundredfold, "labels": [[0]] * 11}, "labels must have one .* 10 samples, and 11 entries"),
        ({"boxes": {0: [[1, 2, 3, 4]]}}, "got dict; write boxes=mapping.get"),
        ({"boxes": 5}, "boxes must be a function of the index, such as .*, got int"),
        ({"boxes": "boxes.json"}, "got str"),
        ({"boxes": iter([])}, "got list_iterator"),
        ({"masks": hundredfold, "maps": hundredfold}, "maps comes alone"),
        ({"mask": hundredfold, "labels": hundredfold}, "mask comes alone"),
        ({"boxes": hundredfold, "box_format": "corners"}, "box_format must be one of xyxy, .*, got 'corners'"),
    ],
)
def test_what_cannot_be_content_is_refused_at_once(given, message):
    with pytest.raises(ContentError, match=message):
        sa.with_content(Told(10), **given)


def test_tables_that_are_indexed_by_labels_of_their_own_are_refused():
    class Series(list):
        iloc = None

    with pytest.raises(ContentError, match=r"indexed by labels of its own; write list\(boxes\)"):
        sa.with_content(Told(2), boxes=Series([None, None]))


def test_streams_refuse_sequences():
    with pytest.raises(ContentError, match=r"boxes of a stream must be a function.*write lambda n: boxes\[n\]"):
        sa.with_content(Stream(0, 3), boxes=[hundredfold(0)] * 3)


@pytest.mark.parametrize(
    "dataset, message",
    [
        (5, "needs a data set: .*, got int"),
        (DataLoader(Numbers(3)), r"wraps the data set, not its loader: DataLoader\(with_content\(dataset, ...\)\)"),
    ],
)
def test_what_is_no_data_set_is_refused(dataset, message):
    with pytest.raises(ContentError, match=message):
        sa.with_content(dataset, boxes=hundredfold)


# What an entry may be.


def content_of(size: tuple[int, int] = (100, 200), policy: Any = None, box_format: Any = "xyxy", **entries: Any) -> Any:
    """Return the content of one sample."""
    given = Given({name: [value] for name, value in entries.items()}, box_format)
    return content_of_handed(Handed(given, 0, "Told"), size, policy or sa.Policy())


CORNERS = [[10.0, 20.0, 40.0, 60.0], [0.0, 0.0, 5.0, 6.0]]


@pytest.mark.parametrize(
    "box_format, boxes",
    [
        ("xyxy", CORNERS),
        ("xyxy", np.array(CORNERS, np.float32)),
        ("xyxy", torch.tensor(CORNERS, requires_grad=True)),
        ("xywh", [[10, 20, 30, 40], [0, 0, 5, 6]]),
        ("cxcywh", torch.tensor([[25, 40, 30, 40], [2.5, 3, 5, 6]])),
        ("xyxyn", [[0.05, 0.2, 0.2, 0.6], [0, 0, 0.025, 0.06]]),
        ("xywh", tv_tensors.BoundingBoxes(torch.tensor(CORNERS), format="XYXY", canvas_size=(100, 200))),
        ("xyxy", tv_tensors.BoundingBoxes([[25, 40, 30, 40], [2.5, 3, 5, 6]], format="CXCYWH", canvas_size=(100, 200))),
    ],
)
def test_boxes_of_any_format(box_format, boxes):
    content = content_of(boxes=boxes, box_format=box_format)
    assert np.allclose(content.boxes, CORNERS, atol=1e-5)


@pytest.mark.skipif(
    not hasattr(tv_tensors.BoundingBoxFormat, "XYXYXYXY"), reason="this torchvision knows no rotated boxes"
)
def test_rotated_boxes_of_torchvision_are_polygons():
    ring = [[10.0, 20, 30, 0, 50, 20, 30, 40]]
    boxes = tv_tensors.BoundingBoxes(torch.tensor(ring), format="XYXYXYXY", canvas_size=(100, 200))
    content = content_of(boxes=boxes, polygons=[[[0, 0], [9, 0], [0, 9]]], labels=["diamond", "corner"])
    assert [shape.area for shape in content.shapes] == pytest.approx([800, 40.5])
    assert content.boxes[0] == pytest.approx((10, 0, 50, 40))


def test_objects_of_all_kinds_in_their_order():
    mask = np.zeros((100, 200), np.uint8)
    mask[10:20, 30:50] = 1
    content = content_of(
        boxes=[[0, 0, 10, 10]],
        polygons=iter([[[0, 0], [9, 0], [0, 9]]]),
        masks=torch.tensor(mask)[None],
        keypoints=(rows for rows in [[[5, 5, 2], [7, 9, 0]]]),
        weights=np.array([1, 2, 3, 4.0]),
        ignore=[0, 0, 0, 1],
    )
    assert content.weights == [1, 2, 3]
    assert [shape.area for shape in content.shapes] == pytest.approx([100, 40.5, 200])


def test_an_iterator_may_be_read_again():
    handed_over = Handed(Given({"polygons": lambda i: iter([[[0, 0], [9, 0], [0, 9]]])}, "xyxy"), 0, "Told")
    for _ in range(2):
        assert len(content_of_handed(handed_over, (100, 200), sa.Policy()).boxes) == 1


def test_none_is_no_object():
    for entries in ({"boxes": None}, {"maps": None}, {"mask": None}, {"boxes": None, "masks": None, "labels": None}):
        assert len(content_of(**entries).given) == 0


def test_maps_are_shares_of_every_pixel():
    soft = np.zeros((100, 200), np.float32)
    soft[10:20, 30:50] = 0.5
    for given in (soft, torch.tensor(soft), soft[..., None]):
        content = content_of(maps=given)
        assert content.shapes[0].area == pytest.approx(100)
        assert content.boxes[0] == (30, 10, 50, 20)
    assert content_of(maps=soft > 0).shapes[0].area == 200
    assert len(content_of(maps=soft * 0).boxes) == 0


def test_semantic_masks_have_a_foreground():
    mask = np.zeros((100, 200), np.uint8)
    mask[10:20, 30:50], mask[30:40, 30:50], mask[90:] = 1, 2, 255
    record = Handed(Given({"mask": [mask]}, "xyxy"), 0, "Told")
    assert content_of_handed(record, (100, 200), sa.Policy()).shapes[0].area == 400
    content = content_of_handed(record, (100, 200), sa.Policy(), foreground=[2, 255], ignore_index=None)
    assert content.shapes[0].area == 200 + 2000
    per_label = sa.Policy(min_retention={1: 0.5, 2: 0.9})
    assert content_of_handed(record, (100, 200), per_label).limits == [0.5, 0.9]


BOXES = tv_tensors.BoundingBoxes([[0, 0, 5, 5]], format="XYXY", canvas_size=(50, 100))


@pytest.mark.parametrize(
    "entries, message",
    [
        ({"boxes": [[5, 5, 1, 9]]}, "x0 <= x1"),
        ({"boxes": [[np.nan, 5, 1, 9]]}, "finite"),
        ({"boxes": [1, 2, 3, 4]}, r"shape \(N, 4\)"),
        ({"boxes": {}}, "boxes must be numbers"),
        ({"boxes": BOXES}, r"100 x 200 \(height x width\), got canvas_size=\(50, 100\)"),
        ({"boxes": CORNERS, "labels": ["cat"]}, "labels must be one for each object, got 1 for 2"),
        ({"boxes": None, "labels": ["cat"]}, "labels must be one for each object, got 1 for 0"),
        ({"boxes": CORNERS, "labels": "cats"}, "labels must be a list, with one for each object, got 'cats'"),
        ({"boxes": CORNERS, "labels": 3}, "labels must be a list"),
        ({"boxes": CORNERS, "weights": 0.5}, "weights must be a list"),
        ({"masks": np.zeros((1, 50, 100))}, r"height and width \(100, 200\)"),
        ({"masks": 7}, "int"),
        ({"polygons": 7}, "int"),
        ({"keypoints": [["a", "b"]]}, "keypoints of instance 0"),
        ({"maps": np.zeros((50, 100))}, r"height and width \(100, 200\), got shape \(50, 100\); enlarge"),
        ({"maps": np.zeros((100, 200), np.uint8)}, "floats, or bool, got uint8; divide by the greatest value"),
        ({"maps": np.full((100, 200), 3.0)}, r"shares in \[0, 1\]"),
        ({"maps": np.full((100, 200), np.nan)}, r"shares in \[0, 1\]"),
        ({"mask": np.zeros((50, 100), int)}, r"height and width \(100, 200\)"),
    ],
)
def test_what_cannot_be_judged_says_of_which_sample(entries, message):
    with pytest.raises(ContentError, match=f"^sample 0 of Told: .*{message}"):
        content_of(**entries)


def test_limits_per_label_need_labels():
    policy = sa.Policy(min_retention={"cat": 0.9})
    with pytest.raises(ContentError, match="sample 0 of Told: limits per label need labels, and a map has none"):
        content_of(maps=np.ones((100, 200), bool), policy=policy)
    with pytest.raises(ContentError, match=r"sample 0 of Told: .*label"):
        content_of(boxes=CORNERS, policy=policy)
    assert content_of(boxes=CORNERS, labels=["cat", "cat"], policy=policy).limits == [0.9, 0.9]


def test_boxes_of_another_picture_are_told_from_those_that_reach_beyond_the_border():
    """All outside: the picture is not the one that was annotated, or not as it was. Some: as annotations are."""
    far = [[300, 300, 320, 320], [210, 0, 220, 9]]
    with pytest.raises(ContentError, match=r"sample 0 of Told: all 2 boxes .* outside the image.*\(100, 200\)"):
        content_of(boxes=far)
    with pytest.raises(ContentError, match="all 1 boxes and polygons"):
        content_of(polygons=[[[300, 300], [320, 300], [300, 320]]])
    assert content_of(boxes=[[-50, -50, 10, 10]]).boxes == [(0, 0, 10, 10)]
    assert len(content_of(boxes=[*far, [0, 0, 5, 5]]).boxes) == 1
    assert len(content_of(boxes=far, ignore=[1, 1]).boxes) == 0
    assert len(content_of(boxes=[]).boxes) == 0


# Guarded pipelines of albumentations.


def guarded(transforms: list[Any], seed: int = 0, **given: Any) -> Any:
    pipeline = sa.guard(A.Compose(transforms), **given)
    pipeline.set_random_seed(seed)
    return pipeline


def chain() -> list[Any]:
    return [A.RandomResizedCrop((96, 96)), A.HorizontalFlip()]


def test_the_promise_is_kept_though_the_transform_sees_only_the_image():
    plain, pipeline = A.Compose(chain()), guarded(chain(), min_retention=0.8)
    plain.set_random_seed(0)
    assert sum(share < 0.78 for share in Shown(plain)) > 20
    shown = sa.with_content(Shown(pipeline), boxes=Painted.boxes)
    for _ in range(5):
        for i, share in enumerate(shown):
            assert share > 0.78, i  # measured through eight bits and a resize
    report = pipeline.report()["pipeline"]
    assert sum(report.values()) == 200
    assert set(report) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_the_promise_is_kept_in_workers(method):
    pipeline = guarded(chain(), min_retention=0.8)
    data = sa.with_content(Shown(pipeline), boxes=[Painted.boxes(i) for i in range(40)])
    whole, part = data, Subset(data, list(range(39, 5, -1)))
    for subset in (whole, part) if method == "fork" else (part,):  # a spawned worker imports all anew
        loader = DataLoader(subset, batch_size=5, num_workers=2, multiprocessing_context=method)
        assert all((shares > 0.78).all() for shares in loader)


def test_the_same_draw_as_with_objects_in_the_sample():
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    data = sa.with_content(Painted(guarded(chain(), min_retention=0.8)), boxes=Painted.boxes)
    other = sa.guard(A.Compose(chain(), bbox_params=params), min_retention=0.8)
    other.set_random_seed(0)
    for i in range(40):
        image = painted(*Painted.size(i)).astype(np.float32)
        expected = other(image=image, bboxes=Painted.boxes(i), labels=[0])["image"]
        assert np.array_equal(data[i], expected)


def test_a_limit_of_nothing_is_the_host_bit_for_bit():
    plain = A.Compose(chain())
    plain.set_random_seed(3)
    pipeline = guarded(chain(), seed=3, min_retention=0, repair_randomness=False)
    data = sa.with_content(Painted(pipeline), boxes=Painted.boxes)
    for i in range(20):
        assert np.array_equal(data[i], plain(image=painted(*Painted.size(i)).astype(np.float32))["image"])


def corner_kept(out: Any) -> float:
    return share_of(BOX, window_shown(out, WIDE))


def as_mask(dtype: Any) -> Any:
    mask = np.zeros(WIDE, dtype)
    mask[50:150, 20:120] = 1
    return mask


@pytest.mark.parametrize(
    "entries",
    [
        {"boxes": [BOX]},
        {"polygons": [[[20, 50], [120, 50], [120, 150], [20, 150]]]},
        {"masks": [as_mask(np.uint8)]},
        {"mask": as_mask(np.uint8)},
        {"maps": as_mask(np.float32)},
        {"maps": as_mask(bool)},
        {"keypoints": [[[21, 51], [119, 51], [119, 149], [21, 149]]]},
        {"boxes": [BOX, (1000, 0, 1100, 200)], "ignore": [0, 1]},
        {"boxes": [BOX, (1000, 0, 1100, 200)], "labels": ["cat", "sky"]},
    ],
    ids=lambda entries: ", ".join(entries),
)
def test_all_kinds_of_content_are_kept(entries):
    limits = {"cat": 0.9, "sky": 0.0} if "labels" in entries else 0.9
    pipeline = guarded([A.RandomResizedCrop((96, 96))], min_retention=limits)
    picture = bytes_of(painted(*WIDE))

    class Panorama(Told):
        def __getitem__(self, index):
            return pipeline(image=picture)["image"]

    data = sa.with_content(Panorama(20), **{name: [value] * 20 for name, value in entries.items()})
    assert min(map(corner_kept, data)) > 0.87
    assert set(pipeline.report()["pipeline"]) <= {"FIRST", "MOVED", "RESIZED"}


def test_no_object_is_empty():
    pipeline = guarded(chain(), min_retention=0.8)
    data = sa.with_content(Painted(pipeline), boxes=lambda i: None)
    for i in range(5):
        data[i]
    assert pipeline.report()["pipeline"] == {"EMPTY": 5}
    strict = sa.with_content(Painted(guarded(chain(), on_empty="raise")), boxes=lambda i: None)
    with pytest.raises(ContentError, match="nothing to protect"):
        strict[0]


def test_objects_of_the_sample_itself_have_the_say():
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    pipeline = sa.guard(A.Compose([A.RandomResizedCrop((96, 96))], bbox_params=params), min_retention=0.8)
    picture = bytes_of(painted(*WIDE))

    class Own(Told):
        def __getitem__(self, index):
            boxes = [[1900, 50, 1990, 150]] if index else []
            return pipeline(image=picture, bboxes=boxes, labels=[0] * len(boxes))["image"]

    data = sa.with_content(Own(20), boxes=lambda i: [BOX])
    data[0]
    assert pipeline.report()["pipeline"] == {"EMPTY": 1}  # it carries boxes: none
    for i in range(1, 20):
        assert share_of((1900, 50, 1990, 150), window_shown(data[i], WIDE)) > 0.77


def test_what_the_guard_protects_may_come_from_either():
    """A kind that the sample lacks is handed over; a callable reads the sample and nothing else."""
    picture = bytes_of(painted(*WIDE))
    for protect in ("boxes", "masks", "keypoints", "mask"):
        pipeline = guarded([A.RandomResizedCrop((96, 96))], min_retention=0.8, protect=protect)
        with pytest.raises(ContentError, match="needs"):
            pipeline(image=picture)

        class Panorama(Told):
            def __getitem__(self, index, pipeline=pipeline):
                return pipeline(image=picture)["image"]

        assert corner_kept(sa.with_content(Panorama(1), boxes=lambda i: [BOX])[0]) > 0.78
    pipeline = guarded([A.RandomResizedCrop((96, 96))], protect=lambda data: {"boxes": []})

    class Chosen(Told):
        def __getitem__(self, index):
            return pipeline(image=picture)["image"]

    sa.with_content(Chosen(1), boxes=lambda i: [BOX])[0]
    assert pipeline.report()["pipeline"] == {"EMPTY": 1}


def test_an_error_of_an_entry_says_which_sample():
    data = sa.with_content(Painted(guarded(chain())), boxes=lambda i: [[9, 9, 1, 1]] if i == 3 else None)
    data[2]
    with pytest.raises(ContentError, match="sample 3 of Painted: box 0 must have x0 <= x1"):
        data[3]
    loader = DataLoader(data, batch_size=None, num_workers=1, multiprocessing_context="fork")
    with pytest.raises(ContentError, match="sample 3 of Painted"):
        list(loader)


def test_an_error_of_a_function_crosses_workers_with_its_note():
    def boxes(index: int) -> Any:
        raise KeyError("annotations")

    data = sa.with_content(Painted(guarded(chain())), boxes=boxes)
    with pytest.raises(KeyError, match="annotations") as caught:
        data[7]
    assert "of sample 7 of Painted" in caught.value.__notes__[0]
    loader = DataLoader(data, batch_size=None, num_workers=1, multiprocessing_context="fork")
    with pytest.raises(KeyError, match=r"raised by boxes, .* of sample 0 of Painted"):
        list(loader)


# What nobody takes.


def test_a_transform_alone_is_refused():
    refuse_unguarded("RandomCrop")  # nothing is handed: nothing to refuse

    class Alone(Told):
        def __getitem__(self, index):
            refuse_unguarded("RandomCrop")

    with pytest.raises(ContentError, match=re.escape("RandomCrop finds no objects in sample 3 of Alone")) as caught:
        sa.with_content(Alone(5), boxes=hundredfold)[3]
    assert "safeaug.guard(pipeline)" in str(caught.value)


def said(caplog: Any, data: Any) -> int:
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="safeaug"):
        for _ in data:
            pass
    return sum("no guarded pipeline took the content" in record.message for record in caplog.records)


def test_it_is_said_once_where_nobody_takes_the_content(caplog):
    class Silent(Told):
        def __getitem__(self, index):
            return index

    data = sa.with_content(Silent(80), boxes=hundredfold)
    assert said(caplog, data) == 1
    assert said(caplog, data) == 0
    assert said(caplog, sa.with_content(Silent(31), boxes=hundredfold)) == 0
    assert said(caplog, sa.with_content(range(80), boxes=hundredfold)) == 1
    assert said(caplog, sa.with_content((i for i in range(80)), boxes=hundredfold)) == 1

    class Seldom(Told):
        def __getitem__(self, index):
            return handed().objects if index == 20 else None

    assert said(caplog, sa.with_content(Seldom(80), boxes=hundredfold)) == 0


# Data sets of torchvision.


def test_a_folder_of_images_through_albumentations(tmp_path):
    root = folder_of(tmp_path, [painted(*WIDE)] * 8)
    pipeline = guarded([A.RandomResizedCrop((96, 96)), A.HorizontalFlip()], min_retention=0.8)
    folder = ImageFolder(root, lambda image: pipeline(image=np.asarray(image))["image"])
    data = sa.with_content(folder, boxes=lambda i: [BOX])
    assert (data.classes, data.class_to_idx, data.targets) == (["cat", "dog"], {"cat": 0, "dog": 1}, [0] * 4 + [1] * 4)
    for _ in range(5):
        for image, label in data:
            assert corner_kept(image) > 0.78
            assert label in {0, 1}


def test_made_up_data_and_tensors():
    data = sa.with_content(FakeData(6, (3, 32, 32), 4, transform=lambda image: handed().index), boxes=hundredfold)
    assert [index for index, _ in data] == list(range(6))
    data = sa.with_content(TensorDataset(torch.arange(6)), boxes=hundredfold)
    assert [int(row[0]) for row in DataLoader(data, batch_size=None)] == list(range(6))
