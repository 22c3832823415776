"""The first batch of a loader by its name: found, shown, and where it fails told from the user's own files."""

import sys

import numpy as np
import pytest
from PIL import Image

from safeaug.errors import DataError
from safeaug.showing.loader import shown_loader
from safeaug.showing.worker import failed

PLAIN = """
import numpy as np

BATCH = np.zeros((4, 3, 8, 10), np.uint8), [0, 1, 2, 3]
loader = [BATCH, None]

class Endless:
    def __iter__(self):
        while True:
            yield BATCH

endless = Endless()

def made():
    return iter(loader)

def first_only():
    yield BATCH
    raise ValueError("a second batch was asked for")

class Items:
    def __len__(self):
        return 100
    def __getitem__(self, i):
        return BATCH[0][0], i

items = Items()
empty = []
both = {"train": loader}
odd = [{"x": np.zeros(3)}]
pi = 3.14

def nothing():
    pass

def takes(path):
    return loader

def raises():
    return half()

def half():
    raise OSError("no disk")

def late():
    yield half()
"""

TORCH = """
import torch

class Broken(torch.utils.data.Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.zeros(3, 8, 8), self.label(i)
    def label(self, i):
        if i == 5:
            raise KeyError(f"no label for {i}")
        return i

good = torch.utils.data.DataLoader(Broken(), batch_size=4, num_workers=1)
broken = torch.utils.data.DataLoader(Broken(), batch_size=8, num_workers=1)
here = torch.utils.data.DataLoader(Broken(), batch_size=8)

def several():
    return good, broken
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("plain", PLAIN), ("with_torch", TORCH)):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name, count", [("loader", 4), ("endless", 4), ("made", 4), ("first_only", 4), ("items", 16)])
def test_what_a_loader_may_be(folder, name, count):
    sheet = shown_loader(f"plain.py:{name}", "out", names=["a", "b", "c", "d"])
    assert len(sheet.pictures) == count
    assert [each.label for each in sheet.pictures[:4]] == ["a", "b", "c", "d"]
    assert sheet.path == (folder / "out" / "loader.png").relative_to(folder)
    with Image.open(sheet.path) as image:
        assert (np.asarray(image) == np.asarray(sheet.image)).all()
    assert shown_loader(f"plain.py:{name}", "here.png").path.name == "here.png"
    assert shown_loader(f"plain.py:{name}").path.name == "safeaug_batch.png"


@pytest.mark.parametrize(
    "name, says",
    [
        ("empty", "at least one batch"),
        ("both", "returns one of its values"),
        ("odd", "its first batch: expected a batch of pictures, got dict {x: ndarray float64 (3,)}"),
        ("pi", "got float 3.14"),
        ("nothing", "does its function return it?"),
        ("takes", "takes no arguments"),
        ("missing", "there is no 'missing'"),
        ("raises", "calling it raises OSError: no disk"),
        ("late", "its first batch raises OSError: no disk"),
    ],
)
def test_what_a_loader_may_not_be(folder, name, says):
    with pytest.raises(DataError, match=r"plain\.py") as caught:
        shown_loader(f"plain.py:{name}", "out.png")
    assert says in str(caught.value)
    assert not (folder / "out.png").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["raises", "late"])
def test_frames_are_the_users_own(name):
    with pytest.raises(DataError) as caught:
        shown_loader(f"plain.py:{name}")
    notes = caught.value.__notes__
    assert [note.partition(":")[0].strip() for note in notes] == ["plain.py", "plain.py"]
    assert "half" in notes[-1]
    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.usefixtures("folder")
def test_a_module_that_raises_is_told(folder):
    (folder / "bad.py").write_text("import math\nx = 1 / 0\n", encoding="utf-8")
    with pytest.raises(DataError, match="importing it raises ZeroDivisionError") as caught:
        shown_loader("bad.py:x")
    assert "bad.py:2" in caught.value.__notes__[0]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name, where", [("broken", ", in DataLoader worker process 0"), ("here", "")])
def test_what_a_worker_raises_is_told_as_if_it_were_raised_here(name, where):
    pytest.importorskip("torch")
    with pytest.raises(DataError) as caught:
        shown_loader(f"with_torch.py:{name}")
    assert str(caught.value) == f"with_torch.py:{name}: its first batch raises KeyError: 'no label for 5'{where}"
    places = [note.strip().partition(": ")[0] for note in caught.value.__notes__]
    assert places == ["with_torch.py:8 in __getitem__", "with_torch.py:11 in label"]


@pytest.mark.usefixtures("folder")
def test_workers_that_work():
    pytest.importorskip("torch")
    assert [each.label for each in shown_loader("with_torch.py:good", "x.png").pictures] == ["0", "1", "2", "3"]
    with pytest.raises(DataError, match="expected one loader, got tuple of 2"):
        shown_loader("with_torch.py:several")


def test_text_that_only_looks_like_a_workers():
    assert failed(ValueError("Caught a cold")).what == "ValueError: Caught a cold"
    nothing = failed(
        ValueError("Caught ValueError in DataLoader worker process 0.\nTraceback (most recent call last):\n")
    )
    assert nothing.what == "ValueError, in DataLoader worker process 0"
    assert nothing.frames == []


def test_of_errors_that_follow_one_another_the_last_is_told():
    text = (
        "Caught KeyError in DataLoader worker process 1.\nOriginal Traceback (most recent call last):\n"
        '  File "a.py", line 1, in f\n    one()\n    ^^^^^\nValueError: first\n\n'
        "During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n"
        "  File \"b.py\", line 2, in g\nKeyError: 'second'\n"
    )
    found = failed(KeyError(text))
    assert found.what == "KeyError: 'second', in DataLoader worker process 1"
    assert found.frames == ["b.py:2 in g"]
