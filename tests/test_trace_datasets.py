"""Tripwires in Hugging Face ``datasets``: functions of map and with_transform that return None, which it accepts."""

import asyncio
import importlib.metadata
import pickle
from pathlib import Path

import numpy as np
import pytest

datasets = pytest.importorskip("datasets")
pytestmark = [  # of processes that are forked, and of their pools, which datasets leaves to the garbage collector
    pytest.mark.filterwarnings(f"ignore::{each}")
    for each in ("DeprecationWarning", "ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
]

import safeaug  # noqa: E402
from safeaug.errors import Fault, PolicyError  # noqa: E402
from safeaug.trace.carried import Looking, carried  # noqa: E402
from safeaug.trace.settings import Settings  # noqa: E402

ROWS = 40
HERE = Path(__file__).name


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    datasets.disable_progress_bars()


def rows(number=ROWS):
    return datasets.Dataset.from_dict({"a": list(range(number)), "note": [None, "x"] * (number // 2)})


def embed(row):
    """Return what is embedded of a row; its branch for one of them is missing."""
    if row["a"] != 25:
        return {"b": row["a"] + 1}
    return None


def embed_column(batch):
    return {"b": [None if a == 25 else a + 1 for a in batch["a"]]}


def nothing(batch):
    return None


def healthy(row):
    return {"b": row["a"] + 1}


def caught(act):
    with pytest.raises(Fault) as found:
        act()
    return found.value


def line_of(name):
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, start=1) if line.startswith(f"def {name}("))


# A function given to map.


def test_without_watching_nothing_is_said():
    assert rows().map(nothing, batched=True).column_names == ["a", "note"]
    assert rows().map(lambda batch: {"b": [None] * len(batch["a"])}, batched=True)["b"][:2] == [None, None]


@pytest.mark.parametrize("processes", [None, 2])
def test_the_row_and_the_line_of_a_function_that_returns_none(processes):
    fault = caught(lambda: rows().map(safeaug.watch(embed), num_proc=processes))
    assert (fault.rule, fault.sample, fault.step) == ("SA2.none", 25, "embed")
    assert fault.where.endswith(f"{HERE}:{line_of('embed')}")
    assert fault.crumbs == ["arguments: [0].a: int; [0].note: str", "embed: sample: NoneType"]


@pytest.mark.parametrize("processes", [None, 2])
@pytest.mark.parametrize("function, wanted", [(nothing, "rows 20 to 29"), (embed_column, 25)])
def test_the_rows_of_a_batch(function, wanted, processes):
    start = rows().select(range(20, ROWS)) if function is nothing else rows()

    def act():
        start.map(safeaug.watch(function), batched=True, batch_size=10, num_proc=processes)

    fault = caught(act)
    if function is nothing:  # of the selection its own rows, and which process is first is chance
        assert fault.sample in {"rows 0 to 9", "rows 10 to 19"}
    else:
        assert fault.sample == wanted
    assert fault.rule == "SA2.none"


def test_a_row_far_down_a_batch_is_found():
    many = datasets.Dataset.from_dict({"a": list(range(900, -100, -1))})
    fault = caught(lambda: many.map(safeaug.watch(embed_column), batched=True))
    assert (fault.sample, fault.text) == (875, "b[875] is None")


def test_none_is_told_of_every_call_and_not_only_of_those_whose_values_are_looked_at():
    watched = safeaug.watch(lambda row: {"b": None if row["a"] == 37 else 1}, first=0, every=1000)
    assert caught(lambda: rows().map(watched)).sample == 37


def test_what_came_as_none_is_nobodys_fault():
    """Rows of the column ``note`` are None, and the row is written into and handed back, as many do."""

    def marked(row):
        row["b"] = row["a"]
        return row

    def spoilt(row):
        row["a"] = None
        return row

    assert rows().map(safeaug.watch(marked))["b"][:3] == [0, 1, 2]
    assert rows().map(safeaug.watch(lambda batch: dict(batch)), batched=True)["note"][:2] == [None, "x"]
    assert caught(lambda: rows().map(safeaug.watch(spoilt))).text == "a is None"


def test_a_row_that_nobody_asked_for_is_not_decoded():
    asked = []

    class Formatter(datasets.formatting.PythonFormatter):
        pass

    def marked(row):
        asked.append(set(row.keys_to_format))
        row["b"] = 1
        return row

    looking = Looking(marked, Settings(every=1))
    row = next(iter(rows(2).with_format("python").map(lambda row: (asked.append(row) and None) or {}).iter(1)))
    assert row["a"] == [0]
    lazy = asked.pop()
    waiting = set(lazy.keys_to_format)
    assert carried(looking)(lazy) is lazy
    assert lazy.keys_to_format == waiting == {"a", "note"}


def test_nan_that_a_function_writes_into_its_row_is_its_own():
    def centred(row):
        row["image"] = np.full((8, 8, 3), np.nan, np.float32)
        return row

    fault = caught(lambda: rows().map(safeaug.watch(centred)))
    assert (fault.rule, fault.sample, fault.text.split()[0]) == ("SA3.nan", 0, "image")


def test_side_effects_alone_are_permitted_where_the_user_says_so():
    assert rows().map(safeaug.watch(nothing, optional={""}), batched=True).column_names == ["a", "note"]
    column = safeaug.watch(embed_column, optional={"b"})
    assert rows().map(column, batched=True)["b"][24:27] == [25, None, 27]


@pytest.mark.parametrize("processes", [None, 2])
def test_what_is_recorded_comes_from_all_processes(processes):
    watched = safeaug.watch(embed_column, on_fault="record")
    out = rows().map(watched, batched=True, batch_size=10, num_proc=processes)
    assert out["b"][25] is None
    assert [(fault.rule, fault.sample) for fault in watched.report()["faults"]] == [("SA2.none", 25)]


def test_what_comes_out_is_what_would_have_come_out():
    plain, watched = rows().map(healthy), rows().map(safeaug.watch(healthy))
    assert watched.features == plain.features
    assert watched.to_dict() == plain.to_dict()


@pytest.mark.parametrize("batched", [True, False])
def test_a_filter_that_forgets_to_answer(batched):
    def some(row):
        if batched:
            return [None if a == 25 else True for a in row["a"]]
        return None if row["a"] == 25 else True

    assert len(rows().filter(some, batched=batched)) == ROWS - 1
    assert caught(lambda: rows().filter(safeaug.watch(some), batched=batched)).sample == 25


def test_a_generator_and_a_coroutine():
    def made():
        yield {"a": 1}
        yield {"a": None}

    async def waited(row):
        return embed(row)

    fault = caught(lambda: list(safeaug.watch(made)()))
    assert (fault.step, fault.text) == ("made", "a is None")
    assert caught(lambda: asyncio.run(safeaug.watch(waited)({"a": 25}))).step == "waited"


# Fingerprints.


def fingerprint(thing):
    return datasets.fingerprint.Hasher.hash(thing)


def test_fingerprints_are_of_the_function_and_of_how_it_is_watched():
    again = safeaug.watch(healthy)
    first = fingerprint(safeaug.watch(healthy))
    assert first == fingerprint(again)
    again({"a": 1})
    assert first == fingerprint(again)
    assert len({first, fingerprint(healthy), fingerprint(safeaug.watch(embed))}) == 3
    assert first != fingerprint(safeaug.watch(healthy, optional={"b"}))
    assert fingerprint(safeaug.watch(healthy, on_fault="record")) != fingerprint(
        safeaug.watch(healthy, on_fault="record")
    )


def test_a_second_run_takes_what_the_cache_holds(tmp_path):
    rows().save_to_disk(tmp_path / "rows")
    stored = datasets.load_from_disk(str(tmp_path / "rows"))
    calls = tmp_path / "calls"

    def counted(row):
        with calls.open("a") as file:
            file.write(".")
        return {"b": row["a"]}

    for _ in range(2):
        stored.map(safeaug.watch(counted))
    assert len(calls.read_text()) == ROWS


# A watched data set.


def pixels(batch):
    return {"x": [None if a == 25 else np.full(3, a, np.float32) for a in batch["a"]]}


@pytest.mark.parametrize("when", ["before", "after", "in place"])
def test_a_function_that_is_set_on_a_data_set(when):
    plain = rows()
    if when == "before":
        watched = safeaug.watch(plain.with_transform(pixels))
    elif when == "after":
        watched = safeaug.watch(plain).with_transform(pixels)
    else:
        watched = safeaug.watch(plain)
        watched.set_transform(pixels)
        assert plain.format["type"] is None
    assert watched[24]["x"].tolist() == [24] * 3
    fault = caught(lambda: watched[25])
    assert (fault.rule, fault.sample, fault.step) == ("SA2.none", 25, "pixels")
    assert fault.where.endswith(f"{HERE}:{line_of('pixels')}")
    assert caught(lambda: list(watched)).sample == 25
    assert caught(lambda: watched[20:30]).text == "x[5] is None"


def test_a_function_that_is_set_and_returns_nothing():
    with pytest.raises(TypeError, match="Custom formatting function must return a dict"):
        rows().with_transform(nothing)[3]
    fault = caught(lambda: safeaug.watch(rows().with_transform(nothing))[3])
    assert (fault.sample, fault.step, fault.text) == (3, "nothing", "the sample is None")


@pytest.mark.parametrize("streamed", [False, True])
def test_map_of_a_watched_data_set_watches_and_is_watched(streamed):
    given = rows().remove_columns("note")
    given = given.to_iterable_dataset() if streamed else given
    watched = safeaug.watch(given)
    mapped = watched.map(healthy)
    assert repr(mapped).endswith("watched>")
    assert [row["b"] for row in mapped] == list(range(1, ROWS + 1))
    fault = caught(lambda: list(mapped.map(embed)))
    assert (fault.rule, fault.sample, fault.step) == ("SA2.none", 25, "embed")


@pytest.mark.filterwarnings("ignore:Specifying null_placement:FutureWarning")  # what `sort` asks of pyarrow
def test_what_is_derived_is_watched_too():
    watched = safeaug.watch(rows().remove_columns("note")).with_transform(pixels)
    for derived, at in (
        (watched.select(range(20, 30)), 5),
        (watched.shuffle(seed=0).sort("a"), 25),
        (watched.train_test_split(test_size=2, shuffle=False)["train"], 25),
    ):
        assert caught(lambda derived=derived: list(derived)).sample == at
    assert watched.column_names == ["a"]
    assert len(watched) == ROWS


def test_columns_and_batches_are_no_samples():
    watched = safeaug.watch(rows().remove_columns("note"), every=1)
    assert watched[0] == {"a": 0}
    assert list(watched["a"]) == list(range(ROWS))
    assert watched[2:4] == {"a": [2, 3]}
    assert watched[[5, 7]] == {"a": [5, 7]}
    assert watched[-1] == {"a": ROWS - 1}
    assert caught(lambda: safeaug.watch(rows())[0:2]).text == "note[0] is None"
    assert safeaug.watch(rows(), optional={"note"})[0:2]["note"] == [None, "x"]


def test_settings_and_the_book_go_on_to_what_is_derived():
    watched = safeaug.watch(rows(), on_fault="record", optional={"note"})
    watched.map(embed_column, batched=True, num_proc=2)
    assert [fault.sample for fault in watched.report()["faults"]] == [25]
    assert safeaug.watch(rows(), optional={""}).map(nothing).column_names == ["a", "note"]


def test_a_function_is_watched_once():
    watched = safeaug.watch(rows(), on_fault="record", optional={"note"})
    watched.map(safeaug.watch(embed_column, on_fault="record"), batched=True)
    assert watched.report()["faults"] == []


def test_it_goes_to_another_process():
    watched = safeaug.watch(rows().with_transform(pixels))
    other = pickle.loads(pickle.dumps(watched))
    assert caught(lambda: other[25]).step == "pixels"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_loader_of_torch(streamed):
    torch = pytest.importorskip("torch")
    given = rows().remove_columns("note")
    given = given.to_iterable_dataset().map(embed_column, batched=True) if streamed else given.with_transform(pixels)
    loader = torch.utils.data.DataLoader(safeaug.watch(given), batch_size=4, num_workers=1)
    fault = caught(lambda: list(loader))
    assert (fault.rule, fault.sample) == ("SA2.none", 25)
    dropping = safeaug.watch(torch.utils.data.DataLoader(given, batch_size=4), on_fault="drop")
    assert sum(len(next(iter(batch.values()))) for batch in dropping) == ROWS - 1
    assert dropping.report()["dropped"] == 1


def test_of_several_splits_one_is_asked_for():
    with pytest.raises(PolicyError, match="one split of the DatasetDict, of train"):
        safeaug.watch(datasets.DatasetDict(train=rows()))


def test_its_licence_is_as_permissive_as_ours():
    assert "Apache" in importlib.metadata.metadata("datasets")["License"]
