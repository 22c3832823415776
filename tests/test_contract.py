"""What drop-in means: one table of checks that every guarded transform passes. Its rows stand in `table`."""

import copy
import inspect
import json
import pickle
import random
import threading
import warnings
from contextlib import nullcontext

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from safeaug.albumentations.windows import Traced, kind_of
from tests import oracle
from tests.table import BOXES, DROP_INS, HEIGHT, LABELS, ROWS, WIDTH, window_of

S = sa.albumentations
IMPOSSIBLE = {"min_visible_pixels": 1e6}
"""More pixels than any image here has."""


def rows(**traits):
    """Runs a check on the rows with these traits; what the traits mean stands with `Row`."""
    fit = [row for row in ROWS if all(getattr(row, name) == value for name, value in traits.items())]
    assert fit
    return pytest.mark.parametrize("row", fit, ids=lambda row: row.name)


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request):
    return request.param


def compose(transforms, seed=3, box_format="pascal_voc", **more):
    bbox_params = A.BboxParams(box_format, label_fields=["labels"])
    transforms = transforms if isinstance(transforms, list) else [transforms]
    return A.Compose(transforms, bbox_params=bbox_params, seed=seed, **more)


def picture(height=HEIGHT, width=WIDTH, dtype=np.uint8, channels=3):
    shape = (height, width, channels) if channels else (height, width)
    image = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    return image if dtype == np.uint8 else (image / 255).astype(dtype)


def sample(row=None, **more):
    needs = {} if row is None else row.needs()
    return {"image": picture(), "bboxes": np.array(BOXES), "labels": list(LABELS), **needs, **more}


def normalised(boxes=BOXES):
    return np.array(boxes) / [WIDTH, HEIGHT, WIDTH, HEIGHT]


def assert_same(one, other):
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, other[key], err_msg=key)
            assert value.dtype == other[key].dtype
        else:
            assert value == other[key]


def made_of(row, plain, params, data):
    """What the plain host makes of the window that parameters say: of a resize, of a part that is cut before."""
    params = {key: value for key, value in params.items() if key != "safeaug"}
    if not row.cuts and "crop_coords" in params:
        data = A.Crop(*params.pop("crop_coords"), p=1)(**data)
        params = plain.update_transform_params(params, data)
    return plain.apply_with_params(params, **data)


# Limit 0, and the host's randomness


@pytest.mark.parametrize("keep", ["all", "any", "one", "whole", 2])
def test_limit_zero_is_the_host_bit_for_bit(row, keep):
    plain, guarded = compose(row.plain(p=0.8)), compose(row.guarded(p=0.8, min_retention=0, keep=keep))
    for _ in range(20):
        assert_same(plain(**sample(row)), guarded(**sample(row)))


def test_a_guarded_run_differs_only_where_the_guard_acts(row):
    """Plain and guarded pipelines of one seed: FIRST draws equal, the host's generators equal after every draw."""
    later = [A.HorizontalFlip(p=0.5), A.RandomBrightnessContrast(p=0.7)]
    guarded = row.guarded(**row.press, report_key="report")
    runs = [compose([row.plain(), *copy.deepcopy(later)]), compose([guarded, *later])]
    for run in runs:
        run.set_random_state(np.random.default_rng(5), random.Random(5))  # one stream through all steps
    seen = set()
    for _ in range(80):
        plain, guarded = (run(**sample(row)) for run in runs)
        report = guarded.pop("report")
        seen.add(report["status"])
        if report["status"] == "FIRST":
            assert_same(plain, guarded)
        assert runs[0].py_random.getstate() == runs[1].py_random.getstate()
        assert runs[0].random_generator.bit_generator.state == runs[1].random_generator.bit_generator.state
    assert seen == row.ends


@rows(chance=True)
def test_one_seed_is_one_run_and_another_is_another(row):
    def draws(seed):
        run = compose(row.guarded(**row.press, report_key="report"), seed=seed)
        reports = [run(**sample(row))["report"] for _ in range(20)]
        return [report["window"] + report["size"] for report in reports]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


@rows(chance=False)
def test_where_the_host_has_no_chance_the_guard_has_none(row):
    windows = set()
    for seed in range(5):
        run = compose(row.guarded(**row.press, report_key="report"), seed=seed)
        windows |= {tuple(run(**sample(row))["report"]["window"]) for _ in range(3)}
    assert len(windows) == 1


def test_leaves_that_share_generators_move_independently():
    """Two crops on one shared stream draw different windows, and so different forks."""
    crops = [S.RandomCrop(30, 30, min_retention=0.6, report_key="report") for _ in range(2)]
    rng, generator = random.Random(0), np.random.default_rng(0)
    for each in crops:
        each.set_random_state(generator, rng)
    box = np.array([[0.4, 0.4, 0.6, 0.6]])
    pairs = [[each(image=picture(), bboxes=box)["report"] for each in crops] for _ in range(200)]
    moved = [(a["window"][:2], b["window"][:2]) for a, b in pairs if a["status"] == b["status"] == "MOVED"]
    assert len(moved) > 50
    assert sum(a == b for a, b in moved) < 0.05 * len(moved)


# The promise, on what was applied


@pytest.mark.parametrize("box_format", ["pascal_voc", "coco", "yolo", "albumentations"])
@pytest.mark.parametrize("as_list", [True, False])
def test_every_box_format_keeps_its_objects(row, box_format, as_list):
    array = np.array(BOXES)
    if box_format in {"coco", "yolo"}:
        array[:, 2:] -= array[:, :2]
    if box_format == "yolo":
        array[:, :2] += array[:, 2:] / 2
    if box_format in {"yolo", "albumentations"}:
        array /= [WIDTH, HEIGHT, WIDTH, HEIGHT]
    boxes = array.tolist() if as_list else array
    policy = sa.Policy(**row.press)
    run = compose(row.guarded(policy=policy, report_key="report"), box_format=box_format, save_applied_params=True)
    for _ in range(25):
        out = run(**sample(row, bboxes=boxes))
        report, (_, params) = out["report"], out["applied_transforms"][0]
        window, output = window_of(params, (HEIGHT, WIDTH)), out["image"].shape[:2]
        assert (tuple(report["window"]), tuple(report["size"])) == (window, output)
        expected = [oracle.retention(tuple(box), window, (HEIGHT, WIDTH)) for box in BOXES]
        assert report["retention"] == pytest.approx(expected, abs=1e-5)
        kept = oracle.satisfies(
            BOXES, window, [policy.limit_of(None)] * 3, policy, (HEIGHT, WIDTH), output, ease=5
        )  # in float32 a side may lie off by half of the tolerance
        assert kept or report["status"] == "UNMET"
        assert len(out["labels"]) == sum(share > 0 for share in expected)
        assert isinstance(out["bboxes"], list) == as_list


def test_the_hosts_own_code_applies_the_window_to_every_target(row):
    """Every target equals what the plain host makes of the same window."""
    guarded, plain = row.guarded(**row.press, report_key="report"), row.plain()
    guarded.set_random_seed(1)
    rng = np.random.default_rng(2)
    data = {
        "image": picture(),
        "mask": rng.integers(0, 9, (HEIGHT, WIDTH), dtype=np.uint8),
        "masks": rng.integers(0, 9, (3, HEIGHT, WIDTH), dtype=np.uint8),
        "bboxes": normalised(),
        **row.needs(),
    }
    if row.keypoints:
        data["keypoints"] = np.array([[5.0, 6, 0, 0, 0], [70, 60, 0, 0, 0]])
    seen = set()
    for _ in range(100):
        out = guarded(**data)
        seen.add(out.pop("report")["status"])
        assert_same(out, made_of(row, plain, guarded.get_applied_params(), data))
    # What can only be drawn anew may run out of tries, by chance.
    assert seen - ({"UNMET"} if row.drawn_anew else set()) == row.ends


@pytest.mark.parametrize("key", ["images", "volume", "volumes", "mask3d", "masks3d"])
def test_stacks_go_with_the_window(row, key):
    """Where the host can apply itself to a stack at all: 2.0.8 pads or crops some of them along the wrong axes."""
    guarded, plain = row.guarded(**row.press), row.plain()
    shape = {"images": (2,), "volume": (4,), "volumes": (2, 4), "mask3d": (4,), "masks3d": (2, 4)}[key]
    stack = np.random.default_rng(0).integers(0, 9, (*shape, HEIGHT, WIDTH, 3), dtype=np.uint8)
    data = {"volume": stack[0] if key == "volumes" else np.zeros((4, HEIGHT, WIDTH, 3), np.uint8), key: stack}
    data |= {"bboxes": normalised(), **row.needs()}
    for _ in range(3):
        try:
            out = guarded(**data)
        except (ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                made_of(row, plain, guarded.get_applied_params(), data)
            with pytest.raises(type(error)):
                plain(**data)
        else:
            assert_same(out, made_of(row, plain, guarded.get_applied_params(), data))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("channels", [0, 1, 3, 5])
def test_dtype_and_layout_are_kept_and_inputs_unchanged(row, dtype, channels):
    image, boxes, labels, needs = picture(dtype=dtype, channels=channels), np.array(BOXES), list(LABELS), row.needs()
    before = copy.deepcopy((image, boxes, labels, needs))
    out = compose(row.guarded(**row.press))(image=image, bboxes=boxes, labels=labels, **needs)
    assert out["image"].dtype == dtype
    assert out["image"].shape[2:] == image.shape[2:]
    assert out["image"].flags.c_contiguous
    np.testing.assert_array_equal(image, before[0])
    np.testing.assert_array_equal(boxes, before[1])
    assert labels == before[2]
    for key, value in before[3].items():
        np.testing.assert_array_equal(needs[key], value)


def test_labels_stay_with_their_boxes(row):
    boxes = [[x, y, x + 6, y + 6] for x in range(0, 90, 10) for y in range(0, 70, 10)]
    names = [f"{x}-{y}" for x, y, *_ in boxes]
    run = compose(row.guarded(keep="any", report_key="report"))
    for _ in range(10):
        out = run(**sample(row, bboxes=boxes, labels=names))
        x0, y0, x1, y1 = out["report"]["window"]
        height, width = out["image"].shape[:2]
        assert len(out["labels"]) == len(out["bboxes"]) > 0
        for (bx, by, *_), name in zip(out["bboxes"], out["labels"], strict=True):
            left, top = bx * (x1 - x0) / width + x0, by * (y1 - y0) / height + y0
            x, y = map(int, name.split("-"))
            assert (max(x, x0), max(y, y0)) == pytest.approx((left, top), abs=1e-3)


# Per-object properties


def test_label_fields_say_weights_ignored_objects_and_limits():
    far = {"bboxes": [[0, 0, 10, 10], [90, 70, 100, 80]], "labels": ["cat", "dog"], "image": picture()}
    params = A.BboxParams("pascal_voc", label_fields=["labels", "weight", "crowd"])

    def kept(extra=None, **policy):
        crop = S.RandomCrop(40, 48, report_key="report", **policy)
        run = A.Compose([crop], bbox_params=params, seed=0)
        fields = {"weight": [1, 3], "crowd": [False, False], **(extra or {})}
        reports = [run(**far, **fields)["report"] for _ in range(20)]
        return [min(report["retention"][i] for report in reports) for i in (0, 1)], {r["status"] for r in reports}

    least, statuses = kept(weights="weight")
    assert least[1] >= 0.5
    assert statuses == {"UNMET"}
    least, statuses = kept({"crowd": [False, True]}, ignore="crowd")
    assert least[0] >= 0.5
    assert "UNMET" not in statuses
    least, statuses = kept(min_retention={"dog": 1.0, "*": 0})
    assert least[1] >= 1 - 1e-5
    assert "UNMET" not in statuses
    least, statuses = kept(min_retention={3: 1.0, 1: 0}, labels="weight")
    assert least[1] >= 1 - 1e-5
    assert "UNMET" not in statuses


def test_labels_written_behind_the_coordinates_have_limits_too():
    crop = S.RandomCrop(40, 48, min_retention={7: 1.0, "*": 0}, report_key="report")
    run = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc"), seed=0)
    for _ in range(20):
        out = run(image=picture(), bboxes=np.array([[0, 0, 10, 10, 4], [90, 70, 100, 80, 7]]))
        assert out["report"]["retention"][1] >= 1 - 1e-5


def test_label_fields_stand_behind_what_the_user_wrote_behind_the_corners():
    crop = S.RandomCrop(40, 48, min_retention={"dog": 1.0, "*": 0}, report_key="report")
    rows = np.array([[0, 0, 10, 10, 1], [90, 70, 100, 80, 2]])
    for _ in range(20):
        out = compose(crop)(image=picture(), bboxes=rows, labels=["cat", "dog"])
        assert out["report"]["retention"][1] >= 1 - 1e-5


def test_boxes_that_an_earlier_step_pushed_outside_count_by_their_part_inside():
    """The host clips boxes after each step, unless it is told not to."""
    params = A.BboxParams("pascal_voc", label_fields=["labels"], check_each_transform=False)
    crop = S.RandomCrop(20, 20, min_retention=0.8, report_key="report")
    run = A.Compose([A.Crop(0, 0, 40, 40), crop], bbox_params=params, seed=0)
    for _ in range(20):
        report = run(image=picture(), bboxes=[[30, 10, 70, 20]], labels=["a quarter inside"])["report"]
        assert report["status"] in {"FIRST", "MOVED"}
        assert report["retention"][0] >= 0.8 - 1e-5


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"weights": "score"}, r"weights='score' must name one of the label_fields of A.BboxParams: 'labels'"),
        ({"ignore": "labels"}, r"ignore='labels' must be a field of numbers, got \['cat', 'dog'\]"),
        ({"min_retention": {"bird": 0.5}}, "names no limit for label 'cat'"),
        ({"min_retention": {"cat": 0.5}, "labels": "kind"}, "labels='kind' must name one of"),
    ],
)
def test_fields_that_do_not_fit_are_content_errors(row, arguments, message):
    with pytest.raises(sa.ContentError, match=message):
        compose(row.guarded(**arguments))(**sample(row))


def test_limits_per_label_need_labels():
    run = A.Compose([S.RandomCrop(40, 48, min_retention={"cat": 1.0})], bbox_params=A.BboxParams("pascal_voc"))
    with pytest.raises(sa.ContentError, match="the boxes have no labels"):
        run(image=picture(), bboxes=np.array([[0.0, 0, 10, 10]]))


# Where it stands in a pipeline


@pytest.mark.parametrize(
    "nest",
    [
        lambda t: A.OneOf([t, copy.deepcopy(t)], p=1),
        lambda t: A.SomeOf([t], n=1, p=1),
        lambda t: A.Sequential([t], p=1),
        lambda t: A.Compose([t]),
        lambda t: A.RandomOrder([t], n=1, p=1),
    ],
    ids=["OneOf", "SomeOf", "Sequential", "Compose", "RandomOrder"],
)
def test_it_stands_anywhere_in_a_pipeline(row, nest):
    run = compose(nest(row.guarded(keep="any", report_key="report")))
    for _ in range(5):
        out = run(**sample(row))
        assert max(out["report"]["retention"]) >= 0.5 - 1e-5
        assert len(out["labels"]) == len(out["bboxes"]) >= 1


def test_p_is_the_hosts_and_what_is_left_out_is_said(row):
    plain, guarded = compose(row.plain(p=0.5)), compose(row.guarded(p=0.5, report_key="report"))
    reports = []
    for _ in range(60):
        plain(**sample(row))
        out = guarded(**sample(row))
        reports.append(out["report"])
        applied = bool(plain.transforms[0].get_applied_params())
        assert (reports[-1]["status"] == "NOT_APPLIED") == (not applied)
        if not applied:
            np.testing.assert_array_equal(out["image"], picture())
    assert 12 < sum(report["status"] == "NOT_APPLIED" for report in reports) < 48
    counted = guarded.transforms[0].report()
    assert counted["NOT_APPLIED"] == sum(report["status"] == "NOT_APPLIED" for report in reports)
    assert sum(counted.values()) == 60


def test_two_crops_report_the_worse():
    impossible = S.RandomCrop(40, 48, report_key="report")
    easy = S.RandomCrop(30, 30, min_retention=0, report_key="report")
    far = {"bboxes": [[0, 0, 10, 10], [90, 70, 100, 80]], "labels": ["cat", "dog"], "image": picture()}
    assert compose([impossible, easy])(**far)["report"]["status"] == "UNMET"
    assert compose([easy], seed=1)(**far)["report"]["status"] in {"FIRST", "EMPTY"}


def test_additional_targets_share_the_window_or_are_refused(row):
    targets = {"second": "image", "depth": "mask"}
    guarded = row.guarded(**row.press, report_key="report")
    run = compose(guarded, additional_targets=targets, is_check_shapes=False)
    image = picture()
    for _ in range(5):
        out = run(**sample(row, second=image, depth=image[..., 0]))
        np.testing.assert_array_equal(out["image"], out["second"])
        assert out["depth"].shape == out["image"].shape[:2]
    with pytest.raises(sa.ContentError, match=r"'second' is \(40, 100\) and the image \(80, 100\)"):
        run(**sample(row, second=picture(40), depth=None))


def test_boxes_of_an_additional_target_are_objects_too(row):
    limit = 0.5 if row.drawn_anew else 1.0
    run = A.Compose(
        [row.guarded(report_key="report", keep="any", min_retention=limit, tries=50)],
        bbox_params=A.BboxParams("pascal_voc"),
        additional_targets={"others": "bboxes"},
        seed=0,
    )
    for boxes, others in (([], BOXES[:1]), (BOXES[:1], []), (BOXES[:1], BOXES[1:])):
        for _ in range(5):
            its, other = ([[*box, 1.0] for box in each] for each in (boxes, others))
            out = run(image=picture(), bboxes=its, others=other, **row.needs())
            assert len(out["report"]["retention"]) == len(boxes) + len(others)
            assert max(out["report"]["retention"]) >= limit - 1e-5
            assert len(out["bboxes"]) + len(out["others"]) >= 1


def test_labels_of_an_additional_target_are_its_own():
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    crop = S.RandomCrop(40, 48, min_retention={"cat": 1.0}, report_key="report")
    run = A.Compose([crop], bbox_params=params, additional_targets={"others": "bboxes"}, seed=0)
    for _ in range(20):  # the host hands the label field to the target that has boxes
        out = run(image=picture(), bboxes=[], others=[[90, 70, 100, 80]], labels=["cat"])
        assert out["report"]["retention"] == [pytest.approx(1, abs=1e-5)]


@pytest.mark.parametrize("label", [0.1, 16777217, -3, 7.5])
def test_numeric_labels_survive_the_hosts_float32(label):
    run = compose(S.RandomCrop(40, 48, min_retention={label: 1.0, "*": 0}, report_key="report"))
    for _ in range(20):
        out = run(image=picture(), bboxes=[[90, 70, 100, 80], [0, 0, 10, 10]], labels=[label, 2])
        assert out["report"]["retention"][0] >= 1 - 1e-5
    with pytest.raises(sa.ContentError, match="must differ in float32"):
        compose(S.RandomCrop(40, 48, min_retention={0.1: 1.0, 0.1 + 1e-12: 0}))(
            image=picture(), bboxes=[[0, 0, 10, 10]], labels=[0.1]
        )


def test_a_number_of_objects_may_be_numpys():
    run = compose(S.RandomCrop(40, 48, keep=np.int64(2), report_key="report"))
    far = {"bboxes": [[0, 0, 10, 10], [90, 70, 100, 80]], "labels": [1, 2], "image": picture()}
    assert run(**far)["report"]["status"] == "UNMET"


@pytest.mark.parametrize("report_key", ["image", "bboxes", 5])
def test_a_report_needs_a_key_of_its_own(row, report_key):
    with pytest.raises(sa.PolicyError, match="report_key must be text, and not the name of a target"):
        row.guarded(report_key=report_key)
    with pytest.raises(sa.ContentError, match="report_key='labels' is one of the label_fields"):
        compose(row.guarded(report_key="labels"))(**sample(row))


def test_each_thread_reads_its_own_report():
    run = compose(S.RandomCrop(68, 86, min_retention=0.9, report_key="report", keep="any"))
    wrong = []

    def draw(shift):
        box = [shift, shift, shift + 20.0, shift + 20.0]
        for _ in range(150):
            report = run(image=picture(), bboxes=[box], labels=["cat"])["report"]
            expected = oracle.retention(tuple(box), tuple(report["window"]), (HEIGHT, WIDTH))
            if report["retention"] != [pytest.approx(expected, abs=1e-5)]:
                wrong.append((box, report))

    threads = [threading.Thread(target=draw, args=(shift,)) for shift in (0.0, 25.0, 50.0, 60.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What the host shares between threads (the processors' label encoders) is the host's; reports are not shared.
    assert not wrong


def test_draws_that_raise_are_counted(row):
    run = compose(row.guarded(on_fail="raise", **IMPOSSIBLE))
    for _ in range(3):
        with pytest.raises(sa.RetentionError):
            run(**sample(row))
    assert run.transforms[0].report() == {"UNMET": 3}


def test_an_empty_window_is_the_hosts_error():
    crop = S.RandomSizedCrop((2, 3), (8, 8), w2h_ratio=0.3, max_stretch=2.0)
    with pytest.raises(ValueError, match="x_min < x_max"):
        compose(crop)(**sample())


# Replay, serialisation, copies


def replaying(row, transform):
    """A `ReplayCompose`; the host warns of transforms whose parameters depend on more than the image."""
    warned = pytest.warns(UserWarning, match="work incorrectly in ReplayMode") if row.needs_key else nullcontext()
    with warned:
        return A.ReplayCompose([transform], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))


def test_replay_keeps_the_window_and_judges_it_again(row):
    run = replaying(row, row.guarded(**row.press, report_key="report"))
    run.set_random_seed(4)
    for _ in range(10):
        out = run(**sample(row))
        window = tuple(out["report"]["window"])
        json.dumps(out["replay"], default=lambda value: value.tolist())  # plain data throughout
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*ReplayMode")
            again = A.ReplayCompose.replay(out["replay"], **sample(row))
            np.testing.assert_array_equal(again["image"], out["image"])
            assert again["report"]["window"] == list(window)
            assert again["report"]["size"] == out["report"]["size"]
            assert again["report"]["status"] == ("UNMET" if out["report"]["status"] == "UNMET" else "FIRST")
            corner = [box for box in ([0, 0, 4, 4], [96, 76, 100, 80]) if oracle.shared(box, window) == 0]
            if corner:
                other = A.ReplayCompose.replay(
                    out["replay"], **sample(row, bboxes=np.array(corner[:1]), labels=["cat"])
                )
                assert other["report"]["status"] == "UNMET"
                assert other["report"]["retention"] == [pytest.approx(0, abs=1e-6)]


@pytest.mark.parametrize("form", ["dict", "json", "yaml", "pickle", "deepcopy"])
def test_round_trips_draw_the_same(row, form, tmp_path):
    policy = {"min_retention": {"cat": 0.8, "*": 0.3}, "keep": 2, "max_stretch": 3.0, "tries": 4, "labels": "labels"}
    run = compose(row.guarded(**policy, report_key="report"), seed=9)
    if form == "dict":
        other = A.from_dict(A.to_dict(run))
    elif form == "pickle":
        other = pickle.loads(pickle.dumps(run))
    elif form == "deepcopy":
        other = copy.deepcopy(run)
    else:
        A.save(run, tmp_path / f"run.{form}", data_format=form)
        other = A.load(tmp_path / f"run.{form}", data_format=form)
    other.set_random_seed(9)
    run.set_random_seed(9)
    for _ in range(5):
        assert_same(run(**sample(row)), other(**sample(row)))
    assert other.transforms[0].report() == run.transforms[0].report()
    if form in {"dict", "json", "yaml"}:
        assert repr(other) == repr(run)


def test_a_pickle_continues_its_stream(row):
    run = compose(row.guarded(**row.press, report_key="report"))
    for _ in range(3):
        run(**sample(row))
    other = pickle.loads(pickle.dumps(run))
    for _ in range(5):
        assert_same(run(**sample(row)), other(**sample(row)))


def test_it_prints_its_promise(row):
    text = repr(compose(row.guarded(min_retention=0.75, keep="whole")))
    assert "min_retention=0.75" in text
    assert "keep='whole'" in text


def test_save_applied_params_shows_the_window(row):
    run = compose(row.guarded(**row.press, report_key="report"), save_applied_params=True)
    for _ in range(5):
        out = run(**sample(row))
        (name, params), *_ = out["applied_transforms"]
        assert name == type(run.transforms[0]).__name__
        assert list(window_of(params, (HEIGHT, WIDTH))) == out["report"]["window"]


# Configuration


def test_policy_and_its_fields(row):
    policy = sa.Policy(min_retention=0.9, keep="whole")
    assert A.to_dict(row.guarded(policy=policy)) == A.to_dict(row.guarded(min_retention=0.9, keep="whole"))
    with pytest.raises(sa.PolicyError, match="either policy or its fields, got policy and keep, tries"):
        row.guarded(policy=policy, keep="any", tries=2)
    with pytest.raises(sa.PolicyError, match=r"policy must be a safeaug\.Policy, got 0\.5"):
        row.guarded(policy=0.5)
    with pytest.raises(sa.PolicyError, match=r"write 0\.6, not 60"):
        row.guarded(min_retention=60)
    with pytest.raises(sa.PolicyError, match="protect must be one of 'boxes', 'masks', 'mask', 'keypoints'"):
        row.guarded(protect="faces")
    with pytest.raises(TypeError, match="min_retension"):
        row.guarded(min_retension=0.5)


def test_every_drop_in_has_a_row():
    assert {type(row.guarded()).__name__ for row in ROWS} == {*DROP_INS, "Safe"}


@pytest.mark.parametrize("name", DROP_INS)
def test_the_hosts_arguments_come_first_with_the_hosts_defaults(name):
    host = inspect.signature(getattr(A, name).__init__).parameters
    own = inspect.signature(getattr(S, name).__init__).parameters
    assert list(own)[: len(host)] == list(host)
    for key, parameter in host.items():
        assert own[key].default == parameter.default
        assert own[key].kind == parameter.kind
    assert all(own[key].kind is inspect.Parameter.KEYWORD_ONLY for key in list(own)[len(host) :])
    fields = sa.Policy().to_dict()
    assert {key: own[key].default for key in fields} == fields
    reading = S.Reading()._asdict()
    assert {key: own[key].default for key in reading} == reading
    assert list(own)[len(host) :] == list(inspect.signature(S.Safe.__init__).parameters)[3:]


@pytest.mark.parametrize("make", [lambda: S.RandomCrop(0, 5), lambda: S.RandomResizedCrop((5, 5), scale=(0.5, 2))])
def test_the_host_validates_its_own_arguments(make):
    with pytest.raises(ValueError, match="validation error"):
        make()


def host_transforms():
    found = [getattr(A, name) for name in dir(A)]
    dual = {each for each in found if isinstance(each, type) and issubclass(each, A.DualTransform)}
    return sorted(dual - {A.DualTransform}, key=str)


def test_every_transform_of_the_host_is_known_or_refused():
    """None of the host's is taken for somebody else's, whose window would be looked for by tracing."""
    known, refused = set(), set()
    for each in host_transforms():
        try:
            kind = kind_of(object.__new__(each))
        except sa.PolicyError:
            refused.add(each.__name__)
        else:
            assert not isinstance(kind, Traced), each
            known.add(each.__name__)
    assert known == {*DROP_INS, "Pad"}
    assert len(refused) > 30
    assert {"HorizontalFlip", "Affine", "CoarseDropout", "ElasticTransform", "Mosaic", "RandomCrop3D"} <= refused


# Ends of a search


@rows(promises=True)
def test_on_fail_skip_letterboxes_the_whole_image(row):
    outputs = {row.plain()(**{**sample(row), "bboxes": normalised()})["image"].shape[:2] for _ in range(20)}
    run = compose(row.guarded(on_fail="skip", **IMPOSSIBLE, report_key="report"))
    mask = np.ones((HEIGHT, WIDTH), np.uint8)
    for _ in range(3):
        out = run(**sample(row, mask=mask, image=np.full((HEIGHT, WIDTH, 3), 200, np.uint8)))
        output = out["image"].shape[:2]
        assert out["report"]["status"] == "SKIPPED"
        assert out["report"]["retention"] == [1, 1, 1]
        assert output == out["mask"].shape == tuple(out["report"]["size"])
        assert output in outputs
        scale = min(output[0] / HEIGHT, output[1] / WIDTH)
        assert out["mask"].sum() == pytest.approx(HEIGHT * WIDTH * scale**2, rel=0.03)
        assert out["labels"] == LABELS
        x0, y0, *_ = out["report"]["window"]
        for (a, b, c, d), box in zip(out["bboxes"], BOXES, strict=True):
            left, right = box[0] - x0, box[2] - x0
            assert (a, c) == pytest.approx((left * scale, right * scale), abs=1)
            assert (b, d) == pytest.approx(((box[1] - y0) * scale, (box[3] - y0) * scale), abs=1)
    plain = compose(row.guarded(on_fail="skip", **IMPOSSIBLE))(**sample(row))
    assert plain["image"].shape[:2] in outputs
    assert "safeaug" not in plain


@rows(promises=False)
def test_on_fail_skip_leaves_the_image_as_it_is_where_no_size_is_promised(row):
    run = compose(row.guarded(on_fail="skip", **IMPOSSIBLE, report_key="report"), save_applied_params=True)
    for _ in range(3):
        out = run(**sample(row))
        np.testing.assert_array_equal(out["image"], picture())
        np.testing.assert_allclose(out["bboxes"], BOXES, rtol=1e-6)
        assert out["labels"] == LABELS
        report = out["report"]
        assert (report["status"], report["retention"]) == ("SKIPPED", [1, 1, 1])
        assert (report["window"], report["size"]) == ([0, 0, WIDTH, HEIGHT], [HEIGHT, WIDTH])
    assert run.transforms[0].report() == {"SKIPPED": 3}


def test_on_fail_skip_replays(row):
    run = replaying(row, row.guarded(on_fail="skip", **IMPOSSIBLE, report_key="report"))
    out = run(**sample(row))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*ReplayMode")
        again = A.ReplayCompose.replay(out["replay"], **sample(row))
    np.testing.assert_array_equal(out["image"], again["image"])
    assert again["report"] == {**out["report"], "draws": 0}


def test_on_fail_skip_replays_and_reports_on_the_new_sample():
    run = A.ReplayCompose([S.RandomCrop(40, 48, on_fail="skip", min_visible_pixels=1e6, report_key="report")])
    out = run(image=picture(), bboxes=np.array([[0.1, 0.1, 0.2, 0.2]]))
    again = A.ReplayCompose.replay(out["replay"], image=picture())
    np.testing.assert_array_equal(out["image"], again["image"])
    assert out["report"]["retention"] == [1.0]
    other = A.ReplayCompose.replay(out["replay"], image=picture(50, 60), bboxes=np.array([[0.0, 0, 1, 1]] * 2))
    assert other["image"].shape == (40, 48, 3)
    assert other["report"]["status"] == "SKIPPED"
    assert other["report"]["retention"] == [1.0, 1.0]
    assert other["report"]["window"] == pytest.approx([0, 0, 60, 50])


def test_on_fail_skip_shows_each_object_once_whatever_the_border():
    crop = S.RandomCrop(60, 60, True, border_mode=2, on_fail="skip", min_visible_pixels=1e6)
    assert compose(crop)(**sample())["labels"] == LABELS


def test_on_fail_raise_carries_the_outcome(row):
    with pytest.raises(sa.RetentionError, match="cannot be met") as caught:
        compose(row.guarded(on_fail="raise", **IMPOSSIBLE))(**sample(row))
    assert caught.value.outcome.status is sa.Status.UNMET
    assert len(caught.value.outcome.retention) == 3
    copied = pickle.loads(pickle.dumps(caught.value))
    assert str(copied) == str(caught.value)


def test_on_fail_enlarge_goes_beyond_the_hosts_range():
    far = {"bboxes": [[0, 0, 10, 10], [90, 70, 100, 80]], "labels": ["cat", "dog"], "image": picture()}
    for crop, status in (
        (S.RandomResizedCrop((32, 32), scale=(0.1, 0.2), on_fail="enlarge", report_key="report"), "RESIZED"),
        (S.RandomSizedCrop((10, 20), (32, 32), on_fail="enlarge", report_key="report"), "RESIZED"),
        (S.RandomCrop(40, 48, on_fail="enlarge", report_key="report"), "UNMET"),  # the window is the output
    ):
        report = compose(crop)(**far)["report"]
        assert report["status"] == status
        if status == "RESIZED":
            assert report["stage"] == "LADDER"
            assert min(report["retention"]) >= 0.5 - 1e-5


def test_on_fail_enlarge_takes_a_part_of_a_stretched_image():
    """The whole of a 1:4 image as a square is stretched fourfold; a part around the object is not."""
    wide = {"bboxes": [[150, 10, 190, 50]], "labels": ["cat"], "image": picture(60, 240)}
    policy = {"max_stretch": 1.5, "min_retention": 1.0, "report_key": "report"}
    report = compose(S.Resize(64, 64, **policy))(**wide)["report"]
    assert report["status"] == "UNMET"
    report = compose(S.Resize(64, 64, on_fail="enlarge", **policy))(**wide)["report"]
    x0, y0, x1, y1 = report["window"]
    assert report["status"] == "RESIZED"
    assert report["retention"] == [pytest.approx(1, abs=1e-5)]
    assert (x1 - x0) / (y1 - y0) <= 1.5 + 1e-9


def test_on_fail_enlarge_scales_beyond_the_hosts_range():
    for limit, status in (((-0.9, -0.5), "RESIZED"), ((-0.9, 0.2), "UNMET")):
        scale = S.RandomScale(limit, p=1, min_visible_pixels=95, on_fail="enlarge", report_key="report")
        report = compose(scale)(image=picture(), bboxes=[[10, 10, 20, 20 if status == "RESIZED" else 15]], labels=[1])
        assert report["report"]["status"] == status
        assert report["report"]["size"][0] <= HEIGHT * 1.2


def test_no_boxes_are_the_hosts_draw(row):
    plain, guarded = row.plain(), row.guarded(report_key="report")
    plain.set_random_seed(1)
    guarded.set_random_seed(1)
    nothing = [{"bboxes": np.empty((0, 4))}]
    if not (row.reads_boxes or row.reads_mask):
        nothing.append({})
    for more in nothing:
        out = guarded(image=picture(), **row.needs(), **more)
        np.testing.assert_array_equal(out["image"], plain(image=picture(), **row.needs(), **more)["image"])
        assert out["report"]["status"] == "EMPTY"
        assert out["report"]["retention"] == []
    out = compose(row.guarded(report_key="report"))(**sample(row, bboxes=[], labels=[]))
    assert out["report"]["status"] == "EMPTY"
    with pytest.raises(sa.ContentError, match="nothing to protect"):
        row.guarded(on_empty="raise")(image=picture(), bboxes=np.empty((0, 4)), **row.needs())


def test_a_thousand_boxes(row):
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 70, (1000, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(0.5, 10, (1000, 2))], axis=1)
    run = compose(row.guarded(report_key="report", keep=200))
    for _ in range(2):
        report = run(**sample(row, bboxes=boxes, labels=list(range(1000))))["report"]
        assert sum(share >= 0.5 - 1e-5 for share in report["retention"]) >= 200
        assert report["status"] != "UNMET"


@pytest.mark.parametrize("row", [row for row in ROWS if row.tiny], ids=lambda row: row.name)
def test_one_pixel_images(row):
    run = compose(row.tiny(min_retention=1, report_key="report"))
    for _ in range(5):
        out = run(image=picture(1, 1), bboxes=[[0, 0, 1, 1]], labels=["cat"])
        assert out["report"]["retention"] == [1.0]
        assert out["labels"] == ["cat"]


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda kit: kit.RandomCrop(100, 200), A.augmentations.crops.transforms.CropSizeError, "exceeds image dim"),
        (lambda kit: kit.CenterCrop(100, 200), A.augmentations.crops.transforms.CropSizeError, "exceeds image dim"),
        (lambda kit: kit.Crop(0, 0, 200, 100), ValueError, "Values for crop should be non negative"),
        (lambda kit: kit.AtLeastOneBBoxRandomCrop(100, 200), Exception, "exceeds image dim"),
        (lambda kit: kit.CropNonEmptyMaskIfExists(100, 200), ValueError, "is larger than image"),
    ],
    ids=["RandomCrop", "CenterCrop", "Crop", "AtLeastOneBBoxRandomCrop", "CropNonEmptyMaskIfExists"],
)
@pytest.mark.parametrize("kit", [A, S], ids=["host", "drop-in"])
def test_a_crop_larger_than_the_image_is_the_hosts_error(make, error, message, kit):
    mask = np.ones((HEIGHT, WIDTH), np.uint8)
    with pytest.raises(error, match=message):
        make(kit)(image=picture(), bboxes=np.array([[0.1, 0.1, 0.2, 0.2]]), mask=mask)


def test_boxes_outside_nan_or_without_area(row):
    """By itself a transform gets raw normalised boxes: what the host's processor would have refused is handled here."""
    guarded = row.guarded(report_key="report")
    point, partly, outside = [0.5, 0.5, 0.5, 0.5], [-0.2, -0.2, 0.1, 0.1], [1.1, 1.1, 1.5, 1.5]
    report = guarded(image=picture(), bboxes=np.array([point, partly, outside]), **row.needs())["report"]
    assert report["retention"][2] is None
    if report["status"] != "UNMET":
        assert report["retention"][0] == 1
        assert report["retention"][1] >= 0.5
    hosts = "|cannot convert float NaN|Values for crop should be non negative|x_min < x_max" if row.reads_boxes else ""
    for broken, message in (
        ([0.1, 0.1, np.nan, 0.2], "box 0 must be of finite numbers"),
        ([0.5, 0.1, 0.2, 0.2], "box 0 must have x0 <= x1"),
        ([10.0, 10.0, 30.0, 30.0], "give A.Compose bbox_params"),
    ):
        with pytest.raises(ValueError if row.reads_boxes else sa.ContentError, match=message + hosts):
            guarded(image=picture(), bboxes=np.array([broken]), **row.needs())
    with pytest.raises(ValueError, match="Expected x_max"):
        compose(row.guarded())(**sample(row, bboxes=[[0, 0, 500, 10]], labels=["cat"]))


# What reviews found


def test_a_choice_of_sizes_is_guarded_as_often_as_one_size():
    for sizes in (64, [64, 64]):
        crop = S.LongestMaxSize(sizes, min_visible_pixels=1e5, apply_rate=0.5)
        run = compose(crop)
        for _ in range(400):
            run(**sample())
        assert 150 < crop.report()["UNGUARDED"] < 250, sizes


def test_one_object_of_a_choice_of_sizes_is_the_one_that_is_picked():
    """Size 100 shows either object in 64 pixels, size 20 the large one alone: never is a part of the image taken."""
    boxes = {"bboxes": [[0, 0, 60, 60], [80, 60, 90, 70]], "labels": ["cat", "dog"]}
    crop = S.LongestMaxSize([20, 100], keep="one", min_visible_pixels=64, report_key="report")
    run = compose(crop)
    reports = [run(**sample(**boxes))["report"] for _ in range(100)]
    assert {tuple(report["window"]) for report in reports} == {(0, 0, WIDTH, HEIGHT)}
    assert {report["size"][1] for report in reports} == {20, 100}


def test_a_replay_of_an_unguarded_draw_stays_one():
    crop = S.RandomCrop(20, 20, apply_rate=0.0, report_key="report")
    run = A.ReplayCompose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))
    out = run(**sample())
    again = A.ReplayCompose.replay(out["replay"], **sample())
    assert out["report"]["status"] == again["report"]["status"] == "UNGUARDED"
    quiet = A.ReplayCompose([S.RandomCrop(20, 20, apply_rate=0.0)], bbox_params=A.BboxParams("pascal_voc"))
    (replayed,) = quiet(image=picture(), bboxes=[[0, 0, 9, 9, 1]])["replay"]["transforms"]
    assert replayed["params"]["safeaug"] == {"status": "UNGUARDED"}


def test_a_report_needs_room_in_the_sample():
    with pytest.raises(sa.ContentError, match="'report' of the sample must be free for the report, got int"):
        compose(S.RandomCrop(20, 20, report_key="report"))(**sample(report=5))


def test_a_part_of_the_image_cuts_no_object_that_it_need_not():
    rng = np.random.default_rng(0)
    run = compose(S.Resize(20, 20, min_visible_pixels=36, min_retention=0.5, report_key="report"))
    ends = set()
    for x, y in rng.uniform(0, 70, (60, 2)):
        report = run(**sample(bboxes=[[x, y, x + 10, y + 10]], labels=["cat"]))["report"]
        ends.add(report["status"])
        assert report["retention"][0] == pytest.approx(1, abs=1e-5)
    assert ends == {"RESIZED"}


def test_an_error_says_what_could_not_be_kept():
    with pytest.raises(
        sa.RetentionError, match=r"min_visible_pixels=300 .* keeps 1\.000 and the smallest shows \d+ pix"
    ):
        compose(S.Resize(20, 20, min_visible_pixels=300, on_fail="raise"))(**sample())
    with pytest.raises(sa.RetentionError, match=r"max_stretch=1\.1 "):
        compose(S.Resize(20, 90, max_stretch=1.1, on_fail="raise"))(**sample())
