"""A pipeline by its name, or from a file; where an error of the user's comes from."""

import json
import os
import sys

import pytest

import safeaug
from safeaug.auditing.pipelines import is_pipeline, pipeline_of
from safeaug.data.frames import MOST, raised, their_frames
from safeaug.errors import DataError, MissingHostError

A = pytest.importorskip("albumentations")

TRAIN = """
import functools
import albumentations as A
class Names:
    flip = A.HorizontalFlip(p=0.25)
itself = A.Compose([A.RandomCrop(8, 8)])
def made():
    return A.Compose([A.RandomCrop(9, 9)])
class Own(A.RandomCrop):
    def __init__(self):
        super().__init__(7, 7)
partial = functools.partial(A.RandomCrop, 6, 6)
def needs(size):
    return A.RandomCrop(size, size)
def optional(size=5):
    return A.RandomCrop(size, size)
def forgets():
    A.RandomCrop(8, 8)
def raises():
    return A.RandomCrop("tall", 8)
several = [A.RandomCrop(8, 8), A.HorizontalFlip()]
number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a module, a package, and both on the path, as a command sees them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("train", "audited", "audited.augment"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "audited").mkdir()
    (tmp_path / "audited" / "__init__.py").write_text("")
    (tmp_path / "audited" / "augment.py").write_text(TRAIN)
    return tmp_path


def size_of(pipeline):
    crop = pipeline.transforms[0] if isinstance(pipeline, A.BaseCompose) else pipeline
    return crop.height


@pytest.mark.parametrize("home", ["train.py", "train", "audited.augment", "./train.py"])
def test_a_pipeline_is_found_by_its_name_and_a_function_that_makes_it_is_called(here, home):
    found = {name: pipeline_of(f"{home}:{name}") for name in ("itself", "made", "Own", "partial", "optional")}
    assert {name: size_of(each) for name, each in found.items()} == {
        "itself": 8, "made": 9, "Own": 7, "partial": 6, "optional": 5,
    }  # fmt: skip
    assert pipeline_of(f"{home}:Names.flip").p == 0.25
    assert all(map(is_pipeline, found.values()))


@pytest.mark.parametrize(
    "name, said",
    [
        ("train.py:needs", "takes no arguments, but calling it says: missing a required argument: 'size'; wrap it"),
        ("train.py:forgets", "got None; does its function return it?"),
        ("train.py:several", "got list; put its transforms into one Compose"),
        ("train.py:number", "expected a pipeline of albumentations, or one transform, got int"),
        ("train.py:nothing", "there is no 'nothing'; a pipeline must be pkg.mod:attr, file.py:attr, or a .json"),
        ("nowhere.py:aug", "a Python file, which is not there; check the path; a pipeline must be"),
        ("nowhere:aug", "importing it raises ModuleNotFoundError: No module named 'nowhere'"),
        ("train.py", "expected pkg.mod:attr or file.py:attr, got 'train.py'; a pipeline must be"),
        ("", "expected pkg.mod:attr or file.py:attr, got ''"),
        ("train.py:raises", "calling it raises ValueError: "),
        ("nowhere.json", "expected a saved pipeline, which is not there; check the path"),
        ("nowhere.yml", "expected a saved pipeline, which is not there; check the path"),
    ],
)
def test_what_is_no_pipeline_is_refused(here, name, said):
    with pytest.raises(DataError) as caught:
        pipeline_of(name)
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


# Where in the user's files.


def test_an_import_that_fails_says_where_in_the_users_files(here):
    (here / "outer.py").write_text("import inner\n\naug = inner.build()\n")
    (here / "inner.py").write_text("def build():\n    return 1 / 0  # here\n")
    with pytest.raises(
        DataError, match=r"outer\.py: importing it raises ZeroDivisionError: division by zero"
    ) as caught:
        pipeline_of("outer.py:aug")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.__notes__ == [
        "  outer.py:3 in <module>: aug = inner.build()",
        "  inner.py:2 in build: return 1 / 0  # here",
    ]


def test_a_library_that_raises_is_left_out_of_the_frames(here):
    with pytest.raises(DataError) as caught:
        pipeline_of("train.py:raises")
    (note,) = caught.value.__notes__
    assert note.startswith("  train.py:")
    assert note.endswith('in raises: return A.RandomCrop("tall", 8)')


@pytest.mark.parametrize("text", ["aug = (\n", "import sys\nsys.exit(3)\n", "raise KeyError('x')\n"])
def test_a_module_that_cannot_be_run_is_told(here, text):
    (here / "broken.py").write_text(text)
    with pytest.raises(DataError, match=r"importing it raises (SyntaxError|SystemExit|KeyError)"):
        pipeline_of("broken.py:aug")


def test_frames_of_a_deep_recursion_are_the_last(here):
    (here / "deep.py").write_text("def down(n):\n    return down(n - 1) if n else 1 / 0\naug = down(50)\n")
    with pytest.raises(DataError) as caught:
        pipeline_of("deep.py:aug")
    assert len(caught.value.__notes__) == MOST
    assert all("deep.py:2 in down" in note for note in caught.value.__notes__)


def test_an_error_without_frames_of_the_users_has_none():
    try:
        json.loads("{")
    except ValueError as error:
        frames = their_frames(error)
    assert [frame.partition(":")[0] for frame in frames] == [os.path.relpath(__file__)]
    assert their_frames(ValueError("never raised")) == []


def test_text_of_somebody_elses_error_is_one_harmless_line():
    assert raised(ValueError("a\n\x1b[31m\tb")) == r"ValueError: a \x1b[31m b"
    assert raised(RuntimeError()) == "RuntimeError"
    assert len(raised(ValueError("x" * 10_000))) < 300


# Files.

BOXES = A.BboxParams("pascal_voc", label_fields=["labels"])


@pytest.mark.parametrize("ending", ["json", "yaml", "yml", "JSON"])
def test_a_saved_pipeline_is_loaded(here, ending):
    pipeline = A.Compose([A.RandomResizedCrop((8, 8)), A.OneOf([A.HorizontalFlip(), A.Rotate()])], bbox_params=BOXES)
    A.save(pipeline, f"aug.{ending}", data_format="json" if ending.lower() == "json" else "yaml")
    assert pipeline_of(f"aug.{ending}").to_dict() == pipeline.to_dict()


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_a_saved_guarded_pipeline_is_guarded_again(here, ending):
    pipeline = safeaug.guard(A.Compose([safeaug.albumentations.RandomCrop(8, 8)], bbox_params=BOXES), min_retention=0.7)
    A.save(pipeline, f"aug.{ending}", data_format=ending)
    assert pipeline_of(f"aug.{ending}").report() == pipeline.report()


def saved(name, /, **fields):
    return {"transform": {"__class_fullname__": name, "p": 1.0, **fields}}


class Registered(A.NoOp):
    """The host puts every class that derives from its own on its list."""


@pytest.mark.parametrize(
    "says",
    [
        saved("os.system"),
        saved("Registered"),
        saved(f"{__name__}.Registered"),
        saved("Lambda", name="x"),
        saved("Compose", transforms=[saved("subprocess.Popen")["transform"]]),
        saved("Compose", transforms=[{"inner": [saved(f"{__name__}.Registered")["transform"]]}]),
        saved(["Compose"]),
        saved(3),
        saved("safeaug.cli.main"),
    ],
)
def test_a_class_that_is_neither_the_hosts_nor_ours_is_refused(here, says):
    (here / "aug.json").write_text(json.dumps(says))
    with pytest.raises(DataError, match="classes of albumentations and safeaug that can be saved, got"):
        pipeline_of("aug.json")


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("a.json", "", "expected JSON: JSONDecodeError: Expecting value"),
        ("a.json", "[" * 100_000, "expected JSON: RecursionError"),
        ("a.json", "[]", "what albumentations.save writes, a mapping with a transform, got []"),
        ("a.json", '{"transform": 3}', "a mapping with a transform, got"),
        ("a.json", b"\xff\xfe\x00", "which cannot be read"),
        ("a.json", json.dumps(saved("RandomCrop", height=-1, width=8)), "but making it raises"),
        ("a.json", json.dumps(saved("RandomCrop", wide=8)), "but making it raises"),
        ("a.json", json.dumps(saved("Compose", transforms=3)), "but making it raises"),
        ("a.json", json.dumps({"transform": {}}), "but making it raises KeyError: '__class_fullname__'"),
        ("a.yaml", "a: [", "expected YAML: ParserError"),
        ("a.yaml", "transform: !!python/object/apply:os.system ['true']", "expected YAML: ConstructorError"),
        ("a.yaml", "transform: &a {p: 1}\nother: *a", "must be written without YAML aliases"),
        ("a.yaml", "3", "a mapping with a transform, got 3"),
    ],
)
def test_a_file_that_is_no_saved_pipeline_is_refused(here, name, text, said):
    (here / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError) as caught:
        pipeline_of(name)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{name}: ")
    assert str(caught.value).isprintable()


def test_yaml_without_its_library_says_what_to_install(here, monkeypatch):
    A.save(A.NoOp(), "aug.yaml", data_format="yaml")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingHostError, match=r'pip install "safeaug\[yolo\]"'):
        pipeline_of("aug.yaml")
