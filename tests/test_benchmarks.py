"""The arithmetic of the benchmarks, on a fake clock, and the result files. No test looks at a time."""

import gc
import importlib
import io
import itertools
import json
import logging
import os
import re
import socket
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

HOME = Path(__file__).parent.parent / "benchmarks"
RESULTS = sorted((HOME / "results").glob("*.json"))


@pytest.fixture
def script(monkeypatch):
    """Import a script of the benchmarks as Python does when it is run: its folder comes first on the path."""
    monkeypatch.syspath_prepend(str(HOME))
    logger = logging.getLogger("safeaug")
    level = logger.level
    yield importlib.import_module
    logger.setLevel(level)  # a script keeps warnings out of its table
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


def test_a_file_that_does_not_say_so_was_not_compiled_and_knew_no_gpu(common, tmp_path):
    file = tmp_path / "run.json"
    common.write(file, sample_run(common))
    document = json.loads(file.read_bytes())
    del document["metadata"]["environment"]["compiled"], document["metadata"]["environment"]["gpu"]
    file.write_text(json.dumps(document))
    environment = common.read(file).metadata.environment
    assert (environment.compiled, environment.gpu) == (False, None)


def test_a_gpu_is_named_where_torch_was_imported_and_sees_one(common, monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert common.environment().gpu is None
    cuda = SimpleNamespace(is_available=lambda: True, get_device_name=lambda: "Model 7")
    torch = SimpleNamespace(cuda=cuda, get_num_threads=lambda: 1, __version__="9.9")
    monkeypatch.setitem(sys.modules, "torch", torch)
    run = sample_run(common)
    assert run.metadata.environment.gpu == "Model 7"
    assert ", Model 7, seed" in common.table(run).title


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.name)
def test_a_result_file_is_valid_and_says_no_path(common, file):
    run = common.read(file)
    script, where = run.metadata.benchmark, run.metadata.environment
    on_gpu = run.metadata.arguments.get("device") == "cuda"
    assert file.stem == f"{script}{'_compiled' if where.compiled else ''}{'_cuda' if on_gpu else ''}"
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


@pytest.mark.parametrize("cells, count", [(64, 32), (16, 2)])
def test_windows_are_ranked_together_as_one_by_one(script, monkeypatch, cells, count):
    rank = script("rank")
    monkeypatch.setattr(rank, "POOL", 2)
    pool = rank.scenes(cells, count, 3)
    both = zip(rank.together(pool)(1), rank.one_by_one(pool)(1), strict=True)
    assert all(one.needs == other.needs for one, (other,) in both)
    row = rank.run_case(cells, count, rounds=2, calls=1, warmup=1, seed=3)
    assert [(each.kind, each.limit) for each in row.comparisons] == [
        ("time", 1000.0 if count == 32 else None),
        ("time", None),
    ]


@pytest.fixture
def pipelines(script, monkeypatch):
    """The script of pipelines, with few scenes."""
    pytest.importorskip("albumentations")
    pipelines = script("pipelines")
    monkeypatch.setattr(pipelines, "POOL", 4)
    return pipelines


def test_every_pipeline_runs_and_the_contract_names_four_cases(pipelines, monkeypatch):
    cases = pipelines.cases()
    assert {case.name for case in cases} == set(pipelines.PIPELINES)
    assert {case.protect for case in cases} == {"boxes", "masks"}
    promised = [(case.side, case.limit, case.goal) for case in cases if case.limit is not None]
    assert promised == [(512, 1.15, 1.10)] * 2 + [(224, 1.35, 1.10)] * 2
    assert all(case.protect == "boxes" and "Affine" in case.name for case in cases if case.limit is not None)
    monkeypatch.setattr(pipelines, "IMAGES", 1)
    for case in cases:
        row = pipelines.run_case(case, rounds=2, calls=1, warmup=1, seed=3)
        assert sum(row.observed.values()) == pytest.approx(1, abs=0.01)
        assert [(each.kind, each.limit) for each in row.comparisons] == [("ratio", case.limit), ("difference", None)]


@pytest.mark.parametrize("protect", ["boxes", "masks"])
def test_guarded_pipelines_differ_from_plain_ones_by_the_guard_only(pipelines, protect):
    case = pipelines.Case("RandomResizedCrop, Affine", 64, pipelines.SMALL, protect)
    pool = pipelines.scenes(case, 3)
    assert set(pool[0]) == ({"image", "bboxes", "labels"} if protect == "boxes" else {"image", "masks"})
    plain, guarded, first = pipelines.plain(case, 3), pipelines.guarded(case, 3), 0
    one, other = (pipelines.caller(each, pool) for each in (plain, guarded))
    for index in range(30):
        same = np.array_equal(one(index)["image"], other(index)["image"])
        assert same or guarded.report()["pipeline"].get("FIRST", 0) == first
        first = guarded.report()["pipeline"].get("FIRST", 0)
    assert 0 < first < 30


@pytest.fixture
def kept(script):
    """The script of what guards do."""
    pytest.importorskip("albumentations")
    return script("kept")


@pytest.fixture
def coordinates(script):
    pytest.importorskip("cv2")
    return script("coordinates")


MAPS = {
    "nothing": np.eye(3),
    "a cut": np.array([[1, 0, -20], [0, 1, -7], [0, 0, 1.0]]),
    "a flip": np.array([[-1, 0, 90], [0, 1, 0], [0, 0, 1.0]]),
    "a turn": np.array([[0.8, -0.6, 40], [0.6, 0.8, -15], [0, 0, 1.0]]),
    "a perspective": np.array([[1.3, 0.1, -14], [0.2, 1.4, -16], [0.0008, 0.002, 1.0]]),
}


def warped(coordinates, matrix, source, size):
    """Return what becomes of the picture of coordinates, in float64 and without a host: pixel by pixel."""
    rows, columns = np.indices(size) + 0.5
    at = np.linalg.inv(matrix) @ np.stack([columns.ravel(), rows.ravel(), np.ones(rows.size)])
    u, v = (at[:2] / at[2]).reshape(2, *size)
    inside = (u > 0) & (u < source[1]) & (v > 0) & (v < source[0]) & (at[2].reshape(size) > 0)
    return np.where(inside[..., None], np.stack([u / source[1], v / source[0], np.ones(size)], axis=2), 0)


@pytest.mark.parametrize("matrix", MAPS.values(), ids=MAPS)
def test_the_map_of_a_picture_is_told_by_its_pixels(coordinates, matrix):
    source, size = (80, 90), (70, 60)
    seen = coordinates.see(warped(coordinates, matrix, source, size).astype(np.float32), source)
    assert np.allclose(seen.to_output / seen.to_output[2, 2], matrix / matrix[2, 2], atol=1e-3)
    assert seen.holes is None
    boxes = np.array([[0, 0, 90, 80], [10.5, 20, 40, 61], [70, 50, 88, 79]])
    grid = (np.arange(400) + 0.5) / 400
    for box, found in zip(boxes, coordinates.left(seen, boxes), strict=True):
        x, y = np.meshgrid(box[0] + grid * (box[2] - box[0]), box[1] + grid * (box[3] - box[1]))
        u, v, depth = matrix @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
        shown = (depth > 0) & (u > 0) & (u < 60 * depth) & (v > 0) & (v < 70 * depth)
        assert found == pytest.approx(shown.mean(), abs=0.006)
    assert coordinates.visible(seen) == coordinates.left(seen, boxes)[0]


def test_what_is_painted_over_is_not_left(coordinates):
    image = coordinates.coordinates((80, 90))
    image[10:30, 20:50] = image[:, 89:] = 0
    seen = coordinates.see(image, (80, 90))
    assert seen.holes.sum() == 20 * 30 + 80
    boxes = np.array([[20, 10, 50, 30], [0, 0, 40, 40], [60, 40, 90, 80], [0, 40, 20, 80]])
    assert coordinates.left(seen, boxes) == pytest.approx([0, 0.75, 29 / 30, 1], abs=0.01)


def test_what_no_projective_map_explains_is_refused(coordinates):
    image = coordinates.coordinates((80, 90))
    image[:, :, 0] **= 1.2
    with pytest.raises(ValueError, match="no projective map explains the picture"):
        coordinates.see(image, (80, 90))


def test_angle_scale_and_displacement_are_those_of_the_map(coordinates):
    turn = np.radians(20)
    linear = 1.5 * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    about = np.eye(3)
    about[:2, :2], about[:2, 2] = linear, [30, 40] - linear @ [50, 60]
    seen = coordinates.Seen(about, (80, 60), (120, 100), None)
    assert coordinates.turn_and_scale(seen) == pytest.approx((20, 1.5))
    # The middles lie upon each other; a corner is 50 pixels from it.
    corner = np.array([30, 40])
    moved = np.linalg.norm(np.linalg.inv(linear) @ corner - corner)
    other = np.linalg.norm(np.linalg.inv(linear) @ (corner * [1, -1]) - corner * [1, -1])
    assert coordinates.displacement(about, (120, 100), (80, 60)) == pytest.approx(max(moved, other))
    cut = np.array([[1, 0, -20], [0, 1, -20], [0, 0, 1.0]])
    assert coordinates.displacement(cut, (120, 100), (80, 60)) == pytest.approx(0)


def test_kept_runs_and_finds_nothing_wrong(kept, common, tmp_path):
    kept.main(scenes_=12, seed=3, json=tmp_path / "kept.json")
    run = common.read(tmp_path / "kept.json")
    assert [row.case["pipeline"] for row in run.rows] == list(kept.PIPELINES)
    for row in run.rows:
        shares = [value for name, value in row.observed.items() if name.isupper()]
        assert sum(shares) == pytest.approx(1, abs=0.01)
        assert row.observed["plain under half"] + row.observed["plain passes"] == pytest.approx(1)
        assert row.observed["FIRST"] == pytest.approx(
            row.observed["plain passes"], abs=row.observed["near, draws"] / 12
        )


def test_kept_tells_a_draw_that_keeps_nothing_and_does_not_say_so(kept, common, monkeypatch):
    """A guard that does nothing and calls everything MOVED, or FIRST."""

    class Blind:
        def __init__(self, pipeline, status):
            self.pipeline, self.status, self.calls = pipeline, status, 0

        def __call__(self, **data):
            self.calls += 1
            return self.pipeline(**data)

        def report(self):
            return {"pipeline": {self.status: self.calls}}

    for status, wrong in (("MOVED", {0, 1}), ("FIRST", {1}), ("UNMET", {1})):
        monkeypatch.setattr(kept.safeaug, "guard", lambda pipeline, status=status, **_: Blind(pipeline, status))
        app = typer.Typer()
        app.command()(kept.main)
        result = CliRunner().invoke(app, ["--scenes", "8"])
        assert result.exit_code == 1
        for number, what in enumerate(kept.WRONG):
            told = re.search(rf"RandomCrop: \d+ {re.escape(what)}", result.output) is not None
            assert told == (number in wrong | ({0} if status == "FIRST" else set())), (status, what)


@pytest.mark.parametrize("name, part", [("Affine", 0.5), ("Perspective", 0.25), ("CoarseDropout", 0.5)])
def test_the_strength_of_a_softened_draw_is_about_what_is_left_of_it(kept, name, part):
    """Weaker draws that are made here, of the host's parameters."""
    albumentations = pytest.importorskip("albumentations")
    image = kept.coordinates(kept.SMALL)
    make = {
        "Affine": lambda part: albumentations.Affine(rotate=(30 * part,) * 2, translate_percent=(0.1 * part,) * 2, p=1),
        "Perspective": lambda part: albumentations.Perspective((0.2 * part,) * 2, p=1),
        "CoarseDropout": lambda part: albumentations.CoarseDropout((1, 1), (0.4,) * 2, (0.4 * part,) * 2, p=1),
    }[name]
    sample = {"image": image, "bboxes": np.empty((0, 4)), "labels": []}
    crop = albumentations.RandomCrop(400, 400)
    for before in ([], [crop]):
        whole, weaker, none = (kept.pipeline([*before, make(part)], 5)(**sample) for part in (1, part, 1e-3))
        seen = [kept.see(each["image"], kept.SMALL) for each in (whole, weaker, none)]
        assert kept.strength(whole, seen[0], whole, seen[0]) == pytest.approx(1)
        assert kept.strength(whole, seen[0], weaker, seen[1]) == pytest.approx(part, abs=0.05)
        assert kept.strength(whole, seen[0], none, seen[2]) < 0.02
        assert kept.branch(whole) == kept.branch(weaker)


def test_a_branch_is_what_was_applied(kept):
    albumentations = pytest.importorskip("albumentations")
    flips = [albumentations.HorizontalFlip(p=1), albumentations.VerticalFlip(p=1)]
    pipeline = kept.pipeline([albumentations.OneOf(flips, p=1)], 0)
    sample = {"image": kept.coordinates((64, 64)), "bboxes": np.empty((0, 4)), "labels": []}
    found = {str(kept.branch(pipeline(**sample))): None for _ in range(20)}
    assert set(found) == {"[True, [True, [True], [False]]]", "[True, [True, [False], [True]]]"}


@pytest.fixture
def batch(script, monkeypatch):
    """The script of batches, with small pictures and few of them."""
    pytest.importorskip("torch")
    batch = script("batch")
    for name, value in {"BATCH": 3, "POOL": 2, "SQUARE": 64, "RAGGED": (48, 80), "SIDES": (6.0, 30.0)}.items():
        monkeypatch.setattr(batch, name, value)
    return batch


SMALL_BATCHES = {
    "resized": {"side": 24, "rivals": ("guarded_one_thread", "slices", "torchvision", "torchvision_draw")},
    "cut": {"crop": "RandomCrop", "side": 40},
    "masks": {"side": 24, "objects": 1, "protect": "masks"},
    "ragged": {"side": 24, "ragged": True},
    "one thread": {"side": 24, "threads": 1},
}


@pytest.mark.parametrize("asked", SMALL_BATCHES.values(), ids=SMALL_BATCHES)
def test_a_case_of_batch_runs(batch, asked):
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    case = batch.Case(**asked, promised=True)
    row = batch.run_case(case, device="cpu", rounds=3, calls=1, warmup=1, seed=3, extra=1.5)
    here = [name for name in case.rivals if batch.is_here(name)]
    assert [each.contender for each in row.timings] == ["guarded", *here]
    assert {each.against for each in row.comparisons if each.of == "guarded"} == set(here)
    assert row.rounds % (1 + len(here)) == 0
    assert row.case["threads"] == case.threads or threads
    assert torch.get_num_threads() == threads
    assert row.observed["extra MB"] == 1.5
    assert sum(share for name, share in row.observed.items() if name.isupper()) == pytest.approx(1, abs=0.01)
    assert row.observed["guarded error, most"] <= 1  # bytes are resized in whole grey levels


@pytest.mark.parametrize("asked", SMALL_BATCHES.values(), ids=SMALL_BATCHES)
def test_loops_take_the_windows_of_the_guarded_batch_and_render_them_alike(batch, asked):
    torch = pytest.importorskip("torch")
    case = batch.Case(**asked)
    pool = batch.scenes(case, "cpu", 3)
    recorded = batch.record(case, pool, 3, "cpu", 3)
    guarded = batch.guarded_caller(batch.guarded(case, "cpu", 3), pool, "cpu")
    level = 1 / 255 / min(batch.STD)
    outputs = [guarded(index) for index in range(3)]
    loops = batch.contenders(case, pool, recorded, "cpu", 3)
    for name in {"slices", "torchvision"} & set(loops):
        for index, (pictures, outcome) in enumerate(outputs):
            found, masks = loops[name](index)
            assert found.shape == pictures.shape == (3, 3, case.side, case.side)
            assert found.dtype == pictures.dtype == torch.float32
            assert (found - pictures).abs().max() <= 1.01 * level
            assert masks is None or torch.equal(masks, outcome.masks)
    assert len({str(windows) for windows in recorded.windows}) == 3


@pytest.mark.parametrize("name, host", [("kornia", "kornia"), ("albumentations", "albumentations")])
def test_rivals_with_their_own_draws_hand_on_the_same_shape(batch, name, host):
    torch = pytest.importorskip("torch")
    pytest.importorskip(host)
    case = batch.Case(side=24, rivals=(name,))
    pool = batch.scenes(case, "cpu", 3)
    found = batch.contenders(case, pool, batch.Recorded([], {}), "cpu", 3)[name](0)
    assert (found.shape, found.dtype) == ((3, 3, 24, 24), torch.float32)
    assert -2.2 < found.min() < 0 < found.max() < 2.7  # normalised, of pictures that use the whole range


def test_the_windows_of_kornia_are_those_that_it_renders(batch):
    torch = pytest.importorskip("torch")
    pytest.importorskip("kornia")
    case = batch.Case(side=24)
    pool = batch.scenes(case, "cpu", 3)
    kornia = batch.Kornia(case, pool, "cpu")
    found = kornia(0) * batch._column(batch.STD, "cpu") + batch._column(batch.MEAN, "cpu")
    for picture, output, (x0, y0, x1, y1) in zip(pool[0].images, found, kornia.windows(), strict=True):
        crop = picture[None, :, y0:y1, x0:x1].float() / 255
        plain = torch.nn.functional.interpolate(crop, (24, 24), mode="bilinear", align_corners=True)[0]
        assert torch.allclose(output, plain, atol=1e-5)


@pytest.mark.parametrize("taken, drawn", [(1, 1), (4, 2), (2, 4), (5, 3), (37, 24), (7, 24), (300, 7)])
def test_the_reference_is_the_antialiased_filter_of_torch_in_float64(batch, taken, drawn):
    torch = pytest.importorskip("torch")
    table = batch.weights(taken, drawn)
    unit = torch.eye(taken, dtype=torch.float64)[None, :, None]
    plain = torch.nn.functional.interpolate(unit, (1, drawn), mode="bilinear", antialias=True)[0, :, 0].T
    assert np.allclose(table, plain.numpy(), atol=1e-12)


def test_an_error_is_in_grey_levels_of_what_lies_in_the_window(batch):
    torch = pytest.importorskip("torch")
    picture = torch.tensor([[[9, 0, 50, 100, 150]]], dtype=torch.uint8).expand(3, 2, 5)
    right = np.array([250 / 7, 800 / 7])  # weights 3 : 3 : 1 and 1 : 3 : 3
    assert np.allclose(batch.reference(picture.numpy(), (1, 0, 5, 2), (1, 2)), right)
    output = torch.tensor(np.broadcast_to(right + np.array([0, 7]), (1, 3, 1, 2)))
    output = (output / 255 - batch._column(batch.MEAN, "cpu")) / batch._column(batch.STD, "cpu")
    fault = batch.fault(output, [picture], [(1, 0, 5, 2)])
    assert fault == pytest.approx((3.5, 7.0), abs=1e-4)


def test_a_rate_is_of_pictures_and_rounds_are_shared_out(batch, common):
    measured = common.Measured(1, {"a": np.array([1000.0, 3000.0, 2000.0]), "b": np.array([30.0])})
    assert batch.rates(measured) == {"a": 1500, "b": 100_000}
    assert [batch.evenly(60, count) for count in (1, 3, 7, 8)] == [60, 60, 63, 64]


def test_the_contract_names_one_case_of_batch_on_each_device(batch):
    for device, promised in (
        ("cpu", {"slices": (1.333, 0.909), "torchvision": (1.0, 0.667), "kornia": (0.5, None)}),
        ("cuda", {"torchvision": (0.1, None)}),
    ):
        first, *others = batch.cases(device)
        assert first.promised
        assert not any(case.promised for case in others)
        assert (first.crop, first.side, first.objects, first.protect) == ("RandomResizedCrop", 224, 3, "boxes")
        claims = batch.claims(first, ["guarded", *first.rivals], device)
        limits = {each.against: (each.limit, each.goal) for each in claims if each.limit is not None}
        assert limits == promised
        assert all(claim.limit is None for case in others for claim in batch.claims(case, ["guarded"], device))
    named = {name for case in batch.cases("cuda") for name in case.rivals}
    assert not named & {"albumentations", "guarded_one_thread"}


def test_a_missing_rival_is_left_out(batch, monkeypatch):
    monkeypatch.setattr(batch, "optional", lambda name: None)
    case = batch.Case(rivals=batch.RIVALS)
    assert list(batch.contenders(case, batch.scenes(case, "cpu", 0), batch.Recorded([], {}), "cpu", 0)) == ["slices"]


def test_what_a_device_does_is_waited_for(batch, monkeypatch):
    done = []
    monkeypatch.setattr(batch.torch.cuda, "synchronize", lambda: done.append("waited"))
    assert batch.synchronised(done.append, "cpu") == done.append
    batch.synchronised(done.append, "cuda")(5)
    assert done == [5, "waited"]


def test_batch_says_what_a_missing_gpu_means(batch, monkeypatch):
    monkeypatch.setattr(batch.torch.cuda, "is_available", lambda: False)
    app = typer.Typer()
    app.command()(batch.main)
    result = CliRunner().invoke(app, ["--device", "cuda"])
    assert result.exit_code == 2
    assert "torch sees no CUDA device" in " ".join(result.output.split())


@pytest.mark.parametrize("extra, verdict", [(31.9, "within"), (32.0, "within"), (32.1, "over")])
def test_the_verdict_about_memory_follows_from_the_number(batch, extra, verdict):
    assert batch.said_of_memory(extra).endswith(f"limit 32: {verdict}")


def test_memory_is_what_the_peak_grows_by_once_it_is_what_is_held_less_the_output(batch, monkeypatch):
    # The process was started by one that held 90 MB. It holds less, until the third piece of ballast.
    peaks = iter([90, 90, 90, 90, 91, 91, 118])
    monkeypatch.setattr(batch, "peak", lambda: next(peaks) * batch.MB)
    monkeypatch.setattr(batch, "MB", 1000)
    output = SimpleNamespace(nbytes=20 * batch.MB)
    given = batch.Batch(None, None, None, None)
    monkeypatch.setattr(batch, "_warm", lambda device: (lambda images, **targets: (output, None), given))
    assert batch._extra_of_process() == 7.0


def test_the_peak_of_a_process_is_in_bytes(batch):
    pytest.importorskip("resource")
    assert 10 * batch.MB < batch.peak() < 2**40


def test_import_time_sets_a_limit_over_numpy(script, common, monkeypatch, tmp_path):
    import_time = script("import_time")
    monkeypatch.setattr(import_time, "start", lambda statement, index: None)
    import_time.main(rounds=3, json=tmp_path / "import_time.json")
    run = common.read(tmp_path / "import_time.json")
    assert run.rows[0].comparisons[0].limit == 50_000


@pytest.fixture
def torch_crops(script, monkeypatch):
    """The script of torchvision's crops, with small images and few of them."""
    pytest.importorskip("torchvision")
    batch = script("batch")
    monkeypatch.setattr(batch, "SIDES", (6.0, 60.0))
    torch_crops = script("torch_crops")
    for name, value in {"POOL": 4, "IMAGES": 2, "SIDE": 128}.items():
        monkeypatch.setattr(torch_crops, name, value)
    return torch_crops


CROPS = [("RandomResizedCrop", 32, "tensor"), ("RandomResizedCrop", 32, "PIL"), ("RandomCrop", 100, "tensor")]


@pytest.mark.parametrize("name, side, image", [*CROPS, ("detection", 40, "tensor")])
def test_a_case_of_torch_crops_runs(torch_crops, name, side, image):
    row = torch_crops.run_case(torch_crops.Case(name, side, 2, image), rounds=6, calls=1, warmup=1, seed=3)
    compared = {each.against for each in row.comparisons if each.of == "guarded"}
    assert compared == {each.contender for each in row.timings} - {"guarded"}
    assert ("same_windows" in compared) == (name != "detection")
    assert sum(row.observed.values()) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("name, side, image", CROPS)
def test_same_windows_of_torch_crops_are_those_of_the_guarded_crop(torch_crops, name, side, image):
    case = torch_crops.Case(name, side, 2, image)
    pool = torch_crops.scenes(case, 3)
    windows = torch_crops.record(case, pool, 20, 3).windows
    transforms = torch_crops.guarded(case), torch_crops.replayed(case, windows), torch_crops.plain(case)
    calls = [torch_crops.caller(each, pool, 3) for each in transforms]
    outputs = [[call(index) for call in calls] for index in range(20)]
    pictures = [[np.asarray(each["image"]) for each in three] for three in outputs]
    assert all(np.array_equal(one, other) for one, other, _ in pictures)
    assert all(np.array_equal(one["boxes"], other["boxes"]) for one, other, _ in outputs)
    assert not all(np.array_equal(one, other) for one, _, other in pictures)


def test_scenes_of_torch_crops_are_of_their_seed_and_their_boxes_lie_in_the_image(torch_crops):
    case = torch_crops.Case("RandomCrop", 100, 3)
    one, again, other = (torch_crops.scenes(case, seed) for seed in (1, 1, 2))
    for a, b in zip(one, again, strict=True):
        assert np.array_equal(a["boxes"], b["boxes"])
        assert np.array_equal(a["image"], b["image"])
        assert a["image"].shape == (3, 128, 128)
    assert not np.array_equal(one[0]["boxes"], other[0]["boxes"])
    boxes = np.concatenate([np.asarray(scene["boxes"]) for scene in one])
    assert boxes.min() >= 0
    assert boxes.max() <= 128


def test_the_contract_names_one_case_of_torch_crops(torch_crops):
    first, *others = torch_crops.cases()
    assert (first.name, first.side, first.boxes, first.image) == ("RandomResizedCrop", 224, 3, "tensor")
    limits = {each.against: (each.limit, each.goal) for each in torch_crops.claims(first) if each.limit is not None}
    assert limits == {"plain": (1.25, None), "same_windows": (1.10, 1.05)}
    assert all(claim.limit is None for case in others for claim in torch_crops.claims(case))


def test_calibration_finds_digits_on_clutter(script, common, tmp_path):
    calibration = script("calibration")
    calibration.main(field=None, quick=False, pictures=60, draws=4, seed=0, json=tmp_path / "calibration.json")
    run = common.read(tmp_path / "calibration.json")
    ways = ["nothing", "true objects", *calibration.METHODS]
    assert [row.case["guarded by"] for row in run.rows] == ways * len(calibration.RANKS)
    seen = {(row.case["asked"], row.case["guarded by"]): row.observed for row in run.rows}
    plain, truth, auto = (seen["rank 0.8", way] for way in ("nothing", "true objects", "auto"))
    assert auto["AUC"] > 0.85
    assert truth["damaged"] == 0 < auto["damaged"] < plain["damaged"]
    assert auto["area-matched"] == plain["damaged"]  # ranks leave sizes alone
    assert auto["verdict"] == "use"
    assert seen["rank 0.5", "auto"]["damaged"] > auto["damaged"]


def test_a_device_check_that_fails_is_a_finding(script):
    device = script("device")

    def broken(at):
        raise RuntimeError("no such\nthing")

    found = device.run(broken, device.REAL)
    assert (found.name, found.passed, found.said) == ("broken", False, "RuntimeError: no such")


def test_device_checks_say_what_they_did_not_do(script):
    device = script("device")
    for check in device.CHECKS:
        if check not in device.ANYWHERE:
            found = device.run(check, device.DRY)
            assert (found.passed, found.said) == (None, "NOT RUN: needs a CUDA device")


def test_a_device_check_compares_windows(script):
    device = script("device")
    found = device.run(device.windows, device.DRY)
    assert (found.passed, found.figures) == (True, {"samples": 10, "differ": 0})


@pytest.mark.parametrize(
    "arguments, told", [([], "torch sees no CUDA device"), (["--dry"], "needs TRITON_INTERPRET=1")]
)
def test_device_checks_need_a_device(script, arguments, told, monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    app = typer.Typer()
    app.command()(script("device").main)
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert told in done.output
