"""The room of data: one content in every format, data sets by name, and what is said of all of them alike."""

import ast
import json
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import safeaug
from safeaug import Policy
from safeaug.data import Data, Sample, named, open_data, read_coco, read_torch, read_voc, read_yolo, readings
from safeaug.data.boxes import usable
from safeaug.data.remarks import MOST, Notes, shown
from safeaug.errors import ContentError, DataError
from safeaug.objects import content_from
from tests import data_worlds as worlds
from tests.data_worlds import Thing

ROOT = Path(safeaug.__file__).parent / "data"
FIELD = Path(os.environ.get("SAFEAUG_FIELD_DATA", ""))
absent = pytest.mark.skipif("SAFEAUG_FIELD_DATA" not in os.environ, reason="SAFEAUG_FIELD_DATA is not set")


def objects(sample):
    """What a sample says, in an order that does not depend on the format."""
    return sorted(zip(sample.labels, sample.boxes.round(3).tolist(), sample.ignore.tolist(), strict=True))


@given(st.integers(0, 5), st.integers(0, 10**6), st.integers(2, 700), st.integers(2, 700))
@settings(max_examples=40)
def test_one_content_is_the_same_in_every_format(tmp_path_factory, count, seed, height, width):
    root, size = tmp_path_factory.mktemp("same"), (height, width)
    things = worlds.things(count, seed, size) if min(size) > 2 else []
    worlds.write(root / "voc" / "a.xml", worlds.voc(things, size))
    rows = "".join(
        f"{['cat', 'dog'].index(label)} {(x0 + x1) / 2 / width} {(y0 + y1) / 2 / height} "
        f"{(x1 - x0) / width} {(y1 - y0) / height}\n"
        for (x0, y0, x1, y1), label, _ in things
    )
    config = worlds.yolo(root / "yolo", rows, size=size)
    coco = worlds.coco(
        [worlds.coco_image(width=width, height=height)],
        [
            worlds.coco_annotation(
                bbox=[x0, y0, x1 - x0, y1 - y0], category_id=["cat", "dog"].index(label) + 1, iscrowd=int(ignore)
            )
            for (x0, y0, x1, y1), label, ignore in things
        ],
        [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    )
    ann = worlds.write(root / "ann.json", json.dumps(coco))
    target = {
        "boxes": [each.box for each in things],
        "labels": [each.label for each in things],
        "iscrowd": [each.ignore for each in things],
    }
    expected = sorted((each.label, [float(side) for side in each.box], each.ignore) for each in things)
    torch = read_torch([(np.zeros(size, np.uint8), target)])
    for data in (read_coco(ann), read_voc(root / "voc"), torch):
        assert (data[0].size, objects(data[0])) == (size, expected)
    yolo = read_yolo(config)[0]
    assert (yolo.size, [each[:2] for each in objects(yolo)]) == (size, [each[:2] for each in expected])


def write_all(root: Path) -> None:
    """Write a data set of each format."""
    worlds.write(root / "ann.json", json.dumps(worlds.coco()))
    worlds.save(root / "pictures" / "a.png")
    worlds.yolo(root / "yolo", "0 .5 .5 .1 .1", "{train: images, val: images, names: [cat]}")
    worlds.write(root / "voc" / "a.xml", worlds.voc([Thing((10, 20, 40, 60), "cat")]))
    worlds.save(root / "folder" / "cat" / "a.png")
    worlds.save(root / "masks" / "masks" / "a.png", mode="L")
    worlds.write(
        root / "own_data_set.py",
        "from safeaug.data import Data, Sample\n"
        "class Items(list): pass\n"
        "class Home: items = Items([Sample('a', (480, 640))])\n"
        "def made(): return Home.items\n"
        "def data(): return Data('own', ('a',), lambda key: Sample(key, (480, 640)))\n"
        "def failing(): raise RuntimeError('out of order')\n"
        "number = 7\n",
    )
    worlds.write(root / "failing_module.py", "raise RuntimeError('at import')\n")
    worlds.write(root / "leaving_module.py", "import sys; sys.exit(3)\n")


SPECS = [
    ("coco:ann.json", {}), ("coco:ann.json", {"images": "pictures"}), ("yolo:yolo/data.yaml", {}),
    ("yolo:yolo/data.yaml", {"split": "val"}), ("voc:voc", {}), ("voc:voc", {"images": "pictures", "one_based": False}),
    ("folder:folder", {}), ("masks:masks", {}), ("masks:masks/masks", {"images": "pictures"}),
    ("own_data_set.py:Home.items", {}), ("own_data_set.py:made", {}), ("own_data_set.py:data", {}),
    ("own_data_set:made", {}),
]  # fmt: skip


@pytest.mark.parametrize("spec, options", SPECS, ids=[f"{spec} {options}" for spec, options in SPECS])
@pytest.mark.parametrize("keep_going", [False, True])
def test_data_sets_are_opened_by_name(tmp_path, monkeypatch, spec, options, keep_going):
    write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_data_set", raising=False)
    data = open_data(spec, **options, keep_going=keep_going)
    assert isinstance(data, Data)
    assert [sample.size for sample in data] == [(480, 640)]
    assert f"{len(data)} samples" in repr(data)
    if ".py" not in spec and "own" not in spec:  # else it is up to who wrote it
        assert pickle.loads(pickle.dumps(data))[0].size == (480, 640)


ALLOWED = "coco:FILE, yolo:data.yaml, voc:DIR, folder:DIR, masks:DIR, pkg.mod:attr, file.py:attr"
REFUSED = [
    ("wds:shards.tar", {}, "wds: is not read yet", ALLOWED),
    ("hf:cifar10", {}, "hf: is not read yet", ALLOWED),
    ("globox:cvat:a.xml", {}, "globox: is not read yet", ALLOWED),
    ("ann.json", {}, "got 'ann.json'", ALLOWED),
    ("coco:", {}, "got 'coco:'", ALLOWED),
    ("math:", {}, "got 'math:'", ALLOWED),
    ("", {}, "got ''", ALLOWED),
    ("cooc:ann.json", {}, "importing it raises ModuleNotFoundError", ALLOWED),
    ("nowhere.py:items", {}, "expected a Python file, which is not there", ALLOWED),
    ("own_data_set.py:none", {}, "there is no 'none'", ALLOWED),
    ("own_data_set.py:number", {}, "expected a data set", "got int"),
    ("own_data_set.py:failing", {}, "calling it raises RuntimeError: 'out of order'", ""),
    ("failing_module.py:items", {}, "importing it raises RuntimeError: 'at import'", ""),
    ("leaving_module.py:items", {}, "importing it raises SystemExit", ""),
    ("folder:folder", {"images": "pictures"}, "images belongs to coco:, voc:, masks:, got it for folder:", ""),
    ("coco:ann.json", {"split": "val"}, "split belongs to yolo:", ""),
    ("own_data_set.py:made", {"one_based": True}, "one_based belongs to voc:", ""),
    ("folder:nowhere", {}, "expected a folder of pictures, which is not there", ""),
]  # fmt: skip


@pytest.mark.parametrize("spec, options, message, more", REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_opened_is_said(tmp_path, monkeypatch, spec, options, message, more):
    write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as caught:
        open_data(spec, **options)
    assert message in str(caught.value)
    assert more in str(caught.value)


def test_what_a_module_raises_is_the_cause(tmp_path):
    write_all(tmp_path)
    with pytest.raises(DataError) as caught:
        open_data(f"{tmp_path / 'failing_module.py'}:items")
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert "failing_module" not in sys.modules


@pytest.mark.parametrize("spec", ["", "json", ":items", "json:"])
def test_what_names_nothing_is_said(spec):
    with pytest.raises(DataError, match=r"expected pkg\.mod:attr or file\.py:attr"):
        named(spec)


def test_a_file_that_fails_leaves_the_module_of_its_name(tmp_path):
    before = sys.modules["json"]
    worlds.write(tmp_path / "json.py", "raise RuntimeError")
    with pytest.raises(DataError):
        named(f"{tmp_path / 'json.py'}:items")
    assert sys.modules["json"] is before


EDGES = st.sampled_from([-3.0, -1.0, 0.0, 1.0, 4.0, 7.0, 8.0, 9.0, 12.0, float("nan"), float("inf")])


@given(st.lists(st.tuples(EDGES, EDGES, EDGES, EDGES), min_size=1, max_size=4))
def test_boxes_are_used_where_the_content_of_an_image_takes_them(rows):
    """One rule, told twice: what is said to be outside, or is refused, is what `content_from` leaves out or refuses."""
    size, notes = (7, 8), Notes(keep_going=True)
    keep = usable(np.array(rows), size, str, notes)
    for row, used in zip(rows, keep, strict=True):
        try:
            box = content_from(size, Policy(), boxes=[row]).given[0]
        except ContentError:
            box = (math.nan,)
        assert used == (not math.isnan(box[0])), row
    assert {int(remark.where) for remark in notes.remarks if remark.kind != "no area"} == set(np.flatnonzero(~keep))


def test_an_error_crosses_processes_with_its_place():
    error = DataError("expected this, got that", "a.txt:3", "unlisted")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == "a.txt:3: expected this, got that"
    assert (again.where, again.message, again.kind) == ("a.txt:3", "expected this, got that", "unlisted")
    assert str(DataError("alone")) == "alone"


def test_remarks_are_counted_and_the_first_are_kept():
    notes = Notes(keep_going=True)
    for i in range(3 * MOST):
        notes.fault("malformed", str(i), "")
        notes.remark("outside", str(i), "")
    assert notes.counts == {"malformed": 3 * MOST, "outside": 3 * MOST}
    assert len(notes.remarks) == 2 * MOST
    assert {int(remark.where) for remark in notes.remarks} == set(range(MOST))


@given(st.recursive(st.text() | st.integers() | st.floats() | st.binary(), lambda inner: st.lists(inner)))
def test_what_is_shown_is_one_short_line(value):
    text = shown(value)
    assert text.isprintable()
    assert len(text) < 1000


def test_data_are_a_sequence_of_samples_that_are_read_when_asked_for():
    asked = []
    data = Data("test", range(5), lambda key: asked.append(key) or Sample(str(key), (1, 1)))
    assert [sample.id for sample in data[1:4:2]] == ["1", "3"]
    assert data[-1].id == "4"
    assert asked == [1, 3, 4]
    assert [reading.id for reading in readings(data[:2])] == ["0", "1"]
    with pytest.raises(IndexError):
        data[5]


def test_nothing_is_unpickled_and_no_host_is_imported():
    names = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Attribute):
                assert node.attr not in {"load", "loads", "unsafe_load", "eval"} or ast.unparse(node) == "yaml.load"
    assert names - {"safeaug"} <= {"numpy", "PIL", "msgspec"} | sys.stdlib_module_names
    assert not names & {"pickle", "shelve", "marshal", "dbm", "subprocess"}


def test_reading_imports_neither_torch_nor_pyyaml_unasked(tmp_path):
    worlds.write(tmp_path / "ann.json", json.dumps(worlds.coco()))
    code = "import sys; from safeaug.data import open_data; open_data(sys.argv[1])[0]; print(*sys.modules)"
    command = [sys.executable, "-c", code, f"coco:{tmp_path / 'ann.json'}"]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert not {"torch", "torchvision", "yaml", "pycocotools", "cv2"} & {name.partition(".")[0] for name in loaded}


@pytest.mark.field
@absent
def test_l4_273_boxes_are_the_same_in_coco_voc_and_yolo(tmp_path):
    home = FIELD / "readers_multi_format"
    file = home / "coco_format_v1" / "instances_default.json"
    stems = {str(image["id"]): Path(image["file_name"]).stem for image in json.loads(file.read_text())["images"]}
    coco = {stems[sample.id]: sample for sample in read_coco(file)}
    # The pictures are not part of the set, and YOLO writes no sizes: blank pictures stand in for them.
    for stem, sample in coco.items():
        worlds.save(tmp_path / "images" / f"{stem}.png", sample.size, "1")
        rows = (home / "yolo_format" / "obj_train_data" / f"{stem}.txt").read_bytes()
        worlds.write(tmp_path / "labels" / f"{stem}.txt", rows)
    names = (home / "yolo_format" / "obj.names").read_text().split()
    config = worlds.write(tmp_path / "data.yaml", json.dumps({"train": "images", "names": names}))
    yolo = {Path(sample.path).stem: sample for sample in read_yolo(config)}
    voc = {sample.id: sample for sample in read_voc(home / "pascalvoc_format", one_based=False)}

    def rounded(sample):
        return sorted(zip(sample.labels, sample.boxes.round().tolist(), strict=True))

    assert sum(len(sample.boxes) for sample in coco.values()) == 273
    assert len(coco) == 100
    assert coco.keys() == voc.keys() == yolo.keys()
    for stem, sample in coco.items():
        assert sample.size == voc[stem].size == yolo[stem].size
        assert rounded(sample) == rounded(voc[stem]) == rounded(yolo[stem])
        assert (sample.boxes == sample.boxes.round()).all()
        assert (voc[stem].boxes == voc[stem].boxes.round()).all()
        assert np.abs(yolo[stem].boxes - yolo[stem].boxes.round()).max() < 1e-3  # it writes six digits


@pytest.mark.field
@absent
@pytest.mark.parametrize("one_based", [True, False])
def test_l5_two_boxes_of_bccd_are_said_and_the_rest_used(one_based):
    samples = list(read_voc(FIELD / "bccd", one_based=one_based))
    assert (len(samples), {sample.size for sample in samples}) == (364, {(480, 640)})
    remarks = [remark for sample in samples for remark in sample.remarks if remark.kind != "from zero"]
    assert sorted((Path(remark.where.rpartition(":")[0]).stem, remark.kind) for remark in remarks) == [
        ("BloodImage_00338", "no area"),
        ("BloodImage_00343", "no area"),
    ]
    assert sum(len(sample.boxes) for sample in samples) == 4888
    assert worlds.used(samples) == 364


@pytest.mark.field
@absent
def test_playing_cards_agree_with_their_headers():
    samples = [sample for part in ("train", "test") for sample in read_voc(FIELD / "playing_cards" / part)]
    assert (len(samples), sum(len(sample.boxes) for sample in samples)) == (363, 670)
    assert len({label for sample in samples for label in sample.labels}) == 6
    assert all(sample.path is not None and sample.remarks == () for sample in samples)
