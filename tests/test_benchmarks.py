"""The arithmetic of the benchmarks, on a fake clock, and the result files. No test looks at a time."""

import gc
import importlib
import io
import itertools
import json
import os
import re
import socket
import sys
import tomllib
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rich.console import Console

HOME = Path(__file__).parent.parent / "benchmarks"
RESULTS = sorted((HOME / "results").glob("*.json"))


@pytest.fixture
def script(monkeypatch):
    """Import a script of the benchmarks as Python does when it is run: its folder comes first on the path."""
    monkeypatch.syspath_prepend(str(HOME))
    yield importlib.import_module
    for file in HOME.glob("*.py"):
        sys.modules.pop(file.stem, None)  # names such as ``common`` are not left to other tests


@pytest.fixture
def common(script):
    return script("common")


class Clock:
    """Nanoseconds that pass only when a contender says so."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now

    def costing(self, nanoseconds):
        def contender(index):
            self.now += nanoseconds(index)

        return contender


def sample_run(common):
    measured = common.Measured(2, {"plain": np.array([10.0, 20.0, 30.0]), "guarded": np.array([11.0, 24.0, 30.0])})
    claims = [
        common.Claim("guarded", "plain", limit=1.2, goal=1.1),
        common.Claim("guarded", "plain", "difference"),
        common.Claim("plain", None, "time", limit=25.0),
    ]
    row = common.row(measured, claims, case={"crop": "RandomCrop", "boxes": 3}, observed={"FIRST": 0.25})
    about = common.describe("sample", seed=7, arguments={"rounds": 3})
    return common.Run(metadata=about, rows=(row,))


def changed(document, path, value):
    """Return a copy of a JSON document with one entry replaced, or added."""
    copy = json.loads(json.dumps(document))
    *parents, last = path
    inner = copy
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return copy


# The file format.


def test_a_run_comes_back_from_its_file(common, tmp_path):
    run = sample_run(common)
    common.write(tmp_path / "run.json", run)
    assert common.read(tmp_path / "run.json") == run


@pytest.mark.parametrize(
    "path, value",
    [
        (("surplus",), 1),
        (("metadata", "surplus"), 1),
        (("metadata", "environment", "hostname"), "somewhere"),
        (("rows", 0, "surplus"), 1),
        (("rows", 0, "timings", 0, "surplus"), 1),
        (("rows", 0, "comparisons", 0, "verdict"), "beyond"),
        (("metadata", "schema"), 2),
        (("metadata", "seed"), "7"),
        (("metadata", "arguments", "rounds"), [3]),
        (("metadata", "environment", "load"), [0.0, 0.0]),
        (("rows", 0, "rounds"), 3.5),
        (("rows", 0, "timings", 0, "median"), "20"),
        (("rows", 0, "timings", 0, "median"), None),
        (("rows", 0, "timings", 0, "median"), 1000.0),
        (("rows", 0, "timings", 0, "contender"), "guarded"),
        (("rows", 0, "comparisons", 0, "kind"), "quotient"),
        (("rows", 0, "comparisons", 0, "against"), "stranger"),
        (("rows", 0, "comparisons", 0, "against"), None),
        (("rows", 0, "comparisons", 0, "goal"), 1.3),
    ],
)
def test_a_file_that_says_more_or_something_else_is_refused(common, tmp_path, path, value):
    file = tmp_path / "run.json"
    common.write(file, sample_run(common))
    document = json.loads(file.read_bytes())
    file.write_text(json.dumps(changed(document, path, value)))
    with pytest.raises(msgspec.ValidationError):
        common.read(file)


def test_a_file_that_says_less_is_refused(common, tmp_path):
    file = tmp_path / "run.json"
    common.write(file, sample_run(common))
    document = json.loads(file.read_bytes())
    del document["metadata"]["environment"]["cpu"]
    file.write_text(json.dumps(document))
    with pytest.raises(msgspec.ValidationError, match="cpu"):
        common.read(file)


def test_the_environment_names_no_machine_no_user_and_no_path(common):
    text = msgspec.json.encode(common.environment()).decode()
    for name in (socket.gethostname(), os.environ.get("USER") or "nobody", str(Path.home()), str(HOME.parent)):
        assert not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)


def test_versions_are_those_of_what_was_imported(common, monkeypatch):
    monkeypatch.setattr(common, "HOSTS", ("msgspec", "not_imported_at_all"))
    environment = common.environment()
    assert environment.hosts == {"msgspec": msgspec.__version__}
    assert environment.numpy == np.__version__


@pytest.mark.parametrize(
    "modules, compiled", [(("msgspec._core",), True), (("msgspec",), False), (("msgspec._core", "msgspec"), False)]
)
def test_a_wheel_is_compiled_where_all_of_its_modules_are(common, monkeypatch, modules, compiled):
    monkeypatch.setattr(common, "COMPILED", modules)
    assert common.environment().compiled is compiled
    run = sample_run(common)
    assert run.metadata.environment.compiled is compiled
    assert (", compiled," in common.table(run).title) is compiled


def test_the_modules_that_may_be_compiled_are_those_of_the_build(common):
    hook = tomllib.loads((HOME.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    files = hook["targets"]["wheel"]["hooks"]["mypyc"]["include"]
    assert [f"{name.replace('.', '/')}.py" for name in common.COMPILED] == files


def test_a_file_that_does_not_say_so_was_not_compiled(common, tmp_path):
    file = tmp_path / "run.json"
    common.write(file, sample_run(common))
    document = json.loads(file.read_bytes())
    del document["metadata"]["environment"]["compiled"]
    file.write_text(json.dumps(document))
    assert common.read(file).metadata.environment.compiled is False


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.name)
def test_a_result_file_is_valid_and_says_no_path(common, file):
    run = common.read(file)
    script, where = run.metadata.benchmark, run.metadata.environment
    assert file.stem == (f"{script}_compiled" if where.compiled else script)
    assert (HOME / f"{script}.py").exists()
    assert not re.search(r'"(/|[A-Za-z]:\\|~/|file:)', file.read_text())
    assert "/home/" not in file.read_text()


# Verdicts.


@pytest.mark.parametrize(
    "median, limit, goal, verdict",
    [
        (1.0, None, None, "none"),
        (1.1, 1.1, None, "within"),
        (1.1000001, 1.1, None, "over"),
        (1.04, 1.1, 1.04, "beyond"),
        (1.05, 1.1, 1.04, "within"),
        (1.2, 1.1, 1.04, "over"),
        (-5.0, 0.0, -4.0, "beyond"),
    ],
)
def test_the_verdict_follows_from_median_limit_and_goal(common, median, limit, goal, verdict):
    comparison = common.Comparison(
        kind="difference", of="a", against="b", median=median, q1=median, q3=median, limit=limit, goal=goal
    )
    assert comparison.verdict == verdict


@pytest.mark.parametrize("limit, goal", [(None, 1.0), (1.0, 1.1)])
def test_a_goal_lies_within_a_limit(common, limit, goal):
    with pytest.raises(ValueError, match="goal must be at most limit"):
        common.Comparison(kind="ratio", of="a", against="b", median=1, q1=1, q3=1, limit=limit, goal=goal)


# Measuring.


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_each_contender_comes_first_and_last_equally_often(common, count):
    names = "abcde"[:count]
    orders = [common.order(names, turn) for turn in range(4 * count)]
    assert all(sorted(order) == list(names) for order in orders)
    assert set(Counter(order[0] for order in orders).values()) == {4}
    assert set(Counter(order[-1] for order in orders).values()) == {4}


def test_no_contender_always_follows_the_same_one(common):
    orders = [common.order("abc", turn) for turn in range(6)]
    followed = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert set(followed.values()) == {2}
    assert len(followed) == 6


def test_every_contender_gets_every_call_once_in_order_and_rotates(common):
    seen = []
    contenders = {name: lambda index, name=name: seen.append((name, index)) for name in "abc"}
    common.measure(contenders, rounds=6, calls=2, warmup=3)
    for name in "abc":
        assert [index for who, index in seen if who == name] == list(range(18))
    rounds = [seen[start : start + 6] for start in range(0, len(seen), 6)]
    assert Counter(each[0][0] for each in rounds[3:]) == {"a": 2, "b": 2, "c": 2}
    for number, each in enumerate(rounds):
        assert {index for _, index in each} == {2 * number, 2 * number + 1}


def test_rounds_that_cannot_rotate_evenly_are_refused(common):
    with pytest.raises(ValueError, match="multiple of 2, the number of contenders, got 3"):
        common.measure({"a": print, "b": print}, rounds=3, calls=1, warmup=0)


def test_times_are_microseconds_per_call_and_leave_the_warmup_out(common):
    clock = Clock()
    contenders = {"a": clock.costing(lambda index: 9_000 if index < 4 else 1_000 * index)}
    measured = common.measure(contenders, rounds=3, calls=2, warmup=2, clock=clock)
    assert measured.micros["a"].tolist() == [4.5, 6.5, 8.5]


def test_a_ratio_is_made_within_a_round(common):
    clock = Clock()
    # The machine slows down tenfold in some rounds. A ratio of medians would not be 1.5.
    slow = lambda index: 10 if index // 2 in (1, 3) else 1  # noqa: E731
    contenders = {
        "plain": clock.costing(lambda index: 2_000 * slow(index)),
        "guarded": clock.costing(lambda index: (3_000 if index < 6 else 4_000) * slow(index)),
    }
    measured = common.measure(contenders, rounds=4, calls=2, warmup=0, clock=clock)
    ratio = common.compare(measured, common.Claim("guarded", "plain"))
    assert (ratio.q1, ratio.median, ratio.q3) == (1.5, 1.5, 1.625)
    difference = common.compare(measured, common.Claim("guarded", "plain", "difference"))
    assert difference.median == pytest.approx(np.median([1.0, 10.0, 1.0, 20.0]))
    assert common.compare(measured, common.Claim("plain", None, "time")).median == pytest.approx(11.0)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_off_while_timed_and_left_as_it_was(common, enabled):
    before, during = gc.isenabled(), []
    (gc.enable if enabled else gc.disable)()
    try:
        common.measure({"a": lambda index: during.append(gc.isenabled())}, rounds=1, calls=3, warmup=0)
        with pytest.raises(ZeroDivisionError):
            common.measure({"a": lambda index: 1 / 0}, rounds=1, calls=1, warmup=0)
        after = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()
    assert during == [False] * 3
    assert after is enabled


def test_the_table_shows_every_comparison_and_its_verdict(common):
    console = Console(width=200, file=io.StringIO())
    console.print(common.table(sample_run(common)))
    text = console.file.getvalue()
    for part in ("guarded / plain", "guarded − plain", "beyond", "within", "boxes 3", "FIRST 0.25", "1.100"):
        assert part in text


def test_the_table_is_printed_whole_where_the_terminal_is_narrow(common, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    common.show(sample_run(common))
    lines = capsys.readouterr().out.splitlines()
    assert any("guarded / plain" in line and "beyond" in line for line in lines)


# The scripts.


@pytest.mark.parametrize("crop, side", [("RandomResizedCrop", 32), ("RandomCrop", 200)])
def test_a_case_of_drop_in_runs(script, common, monkeypatch, crop, side):
    pytest.importorskip("albumentations")
    drop_in = script("drop_in")
    monkeypatch.setattr(drop_in, "POOL", 4)
    case = drop_in.Case(crop, side, (300, 320), 2, limit=1.1)
    row = drop_in.run_case(case, rounds=15, calls=1, warmup=1, seed=3)
    compared = {each.against for each in row.comparisons if each.of == "guarded"}
    assert compared == {each.contender for each in row.timings} - {"guarded"}
    assert sum(row.observed.values()) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("crop, side", [("RandomResizedCrop", 32), ("RandomCrop", 200)])
def test_same_windows_are_the_windows_of_the_guarded_crop(script, monkeypatch, crop, side):
    pytest.importorskip("albumentations")
    drop_in = script("drop_in")
    monkeypatch.setattr(drop_in, "POOL", 4)
    case = drop_in.Case(crop, side, (300, 320), 2)
    pool = drop_in.scenes(case.image, case.boxes, 3)
    windows = drop_in.record(case, pool, 20, 3).windows
    guarded = drop_in.caller([drop_in.guarded(case)], pool, 3)
    replayed = drop_in.caller([drop_in.replayed(case, windows)], pool, 3)
    plain = drop_in.caller([drop_in.plain(case)], pool, 3)
    outputs = [(guarded(i), replayed(i), plain(i)) for i in range(20)]
    assert all(np.array_equal(one["image"], other["image"]) for one, other, _ in outputs)
    assert all(np.array_equal(one["bboxes"], other["bboxes"]) for one, other, _ in outputs)
    assert not all(np.array_equal(one["image"], other["image"]) for one, _, other in outputs)


def test_scenes_are_of_their_seed_and_their_boxes_lie_in_the_image(script, monkeypatch):
    pytest.importorskip("albumentations")
    drop_in = script("drop_in")
    monkeypatch.setattr(drop_in, "POOL", 5)
    one, again, other = (drop_in.scenes((300, 400), 6, seed) for seed in (1, 1, 2))
    assert all(
        np.array_equal(a.boxes, b.boxes) and np.array_equal(a.image, b.image) for a, b in zip(one, again, strict=True)
    )
    assert not np.array_equal(one[0].boxes, other[0].boxes)
    boxes = np.concatenate([scene.boxes for scene in one])
    sides = boxes[:, 2:] - boxes[:, :2]
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= [400, 300]).all()
    assert sides.min() > 23.9
    assert sides.max() < 256.1
    assert one[0].image.std() > 10


def test_the_contract_names_three_cases_of_drop_in(script):
    pytest.importorskip("albumentations")
    drop_in = script("drop_in")
    promised = [case for case in drop_in.cases() if case.limit is not None]
    assert [(case.crop, case.image, case.boxes, case.limit) for case in promised] == [
        ("RandomResizedCrop", (512, 512), 3, 1.10),
        ("RandomCrop", (512, 512), 3, 2.0),
        ("RandomCrop", (1080, 1920), 3, 3.0),
    ]


def test_import_time_sets_a_limit_over_numpy(script, common, monkeypatch, tmp_path):
    import_time = script("import_time")
    monkeypatch.setattr(import_time, "start", lambda statement, index: None)
    import_time.main(rounds=3, json=tmp_path / "import_time.json")
    run = common.read(tmp_path / "import_time.json")
    assert run.rows[0].comparisons[0].limit == 50_000
