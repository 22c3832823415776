"""``protect="saliency"`` with each host: maps of images, ranked windows, pipelines, batches, and what is refused."""

import pickle
from collections import Counter

import albumentations as A
import numpy as np
import PIL.Image
import pytest
import torch
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from safeaug import ContentError, PolicyError, Status
from safeaug.data import Sample
from safeaug.geometry import Domain, domain_of
from safeaug.saliency import map_of
from safeaug.shapes import salience_of
from tests.rank_oracle import least_of_rank, masses_of, share_of
from tests.table import HEIGHT, ROWS, WIDTH

S, T = sa.albumentations, sa.torchvision


def scene(height=HEIGHT, width=WIDTH, at=(12, 70)):
    """An image whose red channel is what matters: a patch, and a weaker one in the other corner."""
    image = np.random.default_rng(0).integers(60, 90, (height, width, 3), np.uint8)
    image[..., 0] = 0
    image[at[0] : at[0] + 10, at[1] : at[1] + 12, 0] = 250
    image[height - 8 :, :10, 0] = 90
    return image


def red(image):
    """A provider: how much red there is."""
    return np.asarray(image)[..., 0]


def salience(image):
    """The map that the library makes of it."""
    return salience_of(map_of(image, red), image.shape[:2])


def rank_kept(masses, window, rank):
    return masses[tuple(window[:2])] >= least_of_rank(masses.values(), rank)


def tensor(image):
    return torch.from_numpy(image).permute(2, 0, 1)


# albumentations.


def test_a_crop_ranks_among_all_of_its_size():
    image, rank = scene(), 0.7
    crop = S.RandomCrop(40, 36, protect="saliency", saliency=red, min_rank=rank, report_key="told")
    masses = masses_of(salience(image), (40, 36), domain_of((0, 0, WIDTH, HEIGHT), (40, 36)))
    plain, guarded = A.Compose([A.RandomCrop(40, 36)], seed=3), A.Compose([crop], seed=3)
    ends = Counter()
    for _ in range(150):
        first, found = plain(image=image)["image"], guarded(image=image)
        told = found["told"]
        x0, y0, x1, y1 = told["window"]
        assert np.array_equal(found["image"], image[y0:y1, x0:x1])
        assert rank_kept(masses, told["window"], rank)
        assert told["retention"] == [pytest.approx(float(share_of(salience(image), told["window"])))]
        assert (told["status"] == "FIRST") == np.array_equal(first, found["image"])
        ends[told["status"]] += 1
    assert crop.report() == dict(ends)
    assert ends.keys() == {"FIRST", "MOVED"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_drop_in_takes_it(row):
    """What stands out is kept or not said to be; only where nothing but draws is known may a draw fail."""
    asked = {"protect": "saliency", "saliency": red, "min_rank": 0.8, "tries": 4}
    image, boxes = scene(), np.array([[2.0, 3.0, 22.0, 28.0]])
    compose = {"bbox_params": A.BboxParams("pascal_voc", label_fields=[]), "seed": 1}
    guarded = A.Compose([row.guarded(**asked, report_key="told")], **compose)
    free = A.Compose([row.guarded(**{**asked, "min_rank": 0.0})], **compose)
    plain, ends = A.Compose([row.plain()], **compose), Counter()
    for _ in range(12):
        given = {"image": image, "bboxes": boxes, **row.needs()}
        told = guarded(**given)["told"]
        ends[told["status"]] += 1
        assert told["retention"] == [pytest.approx(float(share_of(salience(image), told["window"])), abs=1e-6)]
        one, other = plain(**given), free(**given)
        assert np.array_equal(one["image"], other["image"]), "a rank of 0 leaves every draw alone"
    allowed = {"FIRST", "MOVED", "RESIZED", "REDRAWN"} | ({"UNMET"} if row.drawn_anew else set())
    assert ends.keys() <= allowed


FLAT = {"saliency": np.full((5, 4), 3.0)}


@pytest.mark.parametrize("reading", [{"protect": "saliency", "saliency": np.ones_like}, {"protect": lambda _: FLAT}])
def test_a_flat_map_is_the_host_bit_for_bit(reading):
    """One that a method finds flat is no evidence, and unguarded; one that is handed over lets every window pass."""
    if reading["protect"] == "saliency":
        reading = {**reading, "saliency": lambda image: np.ones(image.shape[:2])}
    image = scene()
    crop = S.RandomResizedCrop((24, 24), min_rank=0.9, **reading)
    plain, guarded = A.Compose([A.RandomResizedCrop((24, 24))], seed=5), A.Compose([crop], seed=5)
    move = T.RandomResizedCrop(24, min_rank=0.9, **reading)
    for seed in range(40):
        assert np.array_equal(plain(image=image)["image"], guarded(image=image)["image"])
        torch.manual_seed(seed)
        first = v2.RandomResizedCrop(24)(tensor(image))
        after = torch.get_rng_state()
        torch.manual_seed(seed)
        assert torch.equal(move(tensor(image)), first)
        assert torch.equal(torch.get_rng_state(), after)
    status = "UNGUARDED" if reading["protect"] == "saliency" else "FIRST"
    assert crop.report() == move.report() == {status: 40}


def test_methods_by_name_look_at_the_image():
    image = np.full((80, 120, 3), 90, np.uint8)
    image[10:22, 90:104] = 240, 30, 30
    for method in ("auto", "signature"):
        crop = S.RandomCrop(40, 40, protect="saliency", saliency=method, min_rank=0.8, report_key="told")
        shown = [A.Compose([crop], seed=seed)(image=image)["image"] for seed in range(30)]
        assert np.mean([(each[..., 0] == 240).sum() / 168 for each in shown]) > 0.6
    blank = A.Compose([crop], seed=0)(image=np.full((80, 120), 90, np.uint8))
    assert blank["told"]["status"] == "UNGUARDED"
    assert blank["told"]["retention"] == [None]


def test_images_that_share_a_window_share_a_map():
    """What stands out in one image, and what in the other, at opposite ends."""
    one, other = scene(at=(4, 4)), scene(at=(56, 80))
    crop = S.RandomCrop(70, 92, protect="saliency", saliency=red, min_mass=0.75, report_key="told")
    told = A.Compose([crop], seed=0)(images=np.stack([one, other]))["told"]
    assert told["status"] in {"FIRST", "MOVED"}
    assert told["retention"][0] >= 0.75
    clip = torch.stack([tensor(one), tensor(other)])
    move = T.RandomCrop((70, 92), protect="saliency", saliency=red, min_mass=0.75)
    move(tv_tensors.Video(clip))
    assert move.report().keys() <= {"FIRST", "MOVED"}


def test_plain_data_and_pickles_keep_it():
    image = scene()
    crop = S.RandomCrop(40, 40, protect="saliency", saliency="gradient", min_rank=0.75, report_key="told")
    saved = A.to_dict(A.Compose([crop]))["transform"]["transforms"][0]
    said = {"protect": "saliency", "saliency": "gradient", "min_rank": 0.75, "min_mass": None}
    assert {name: saved[name] for name in said} == said
    again = A.from_dict(A.to_dict(A.Compose([crop])))
    one, other = (A.Compose(each.transforms, seed=2)(image=image) for each in (A.Compose([crop]), again))
    assert np.array_equal(one["image"], other["image"])
    with pytest.raises(NotImplementedError, match="saliency is a callable"):
        S.RandomCrop(40, 40, protect="saliency", saliency=red).to_dict_private()
    guarded = sa.guard(A.Compose([A.RandomCrop(40, 40)]), protect="saliency", saliency="mbd", min_mass=0.2)
    loaded = A.from_dict(A.to_dict(guarded))
    assert (loaded.guard_reading.saliency, loaded.guard_policy.min_mass) == ("mbd", 0.2)
    with pytest.raises(NotImplementedError, match="saliency is a callable"):
        sa.guard(A.Compose([A.RandomCrop(40, 40)]), protect="saliency", saliency=red).to_dict_private()
    assert pickle.loads(pickle.dumps(crop)).report() == {}


def test_a_replay_is_judged_on_its_own_picture():
    """Ranked where it stands, by the map of the picture that it is replayed on."""
    crop = S.RandomCrop(30, 30, protect="saliency", saliency="signature", min_rank=0.9, report_key="told")
    record = A.ReplayCompose([crop])(image=scene())["replay"]
    others = scene(), scene(at=(60, 10)), scene() * 0
    ends = [A.ReplayCompose.replay(record, image=each)["told"]["status"] for each in others]
    assert ends == ["FIRST", "UNMET", "UNGUARDED"]


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        (lambda image: None, "got None from .*lambda"),
        (lambda image: np.full((4, 4), np.nan), "must be finite, got NaN or infinite values from .*lambda"),
        (lambda image: -np.ones((4, 4)), "must not be negative, got -1 from .*lambda"),
        (lambda image: np.ones(4), r"of shape \(4,\) from .*lambda"),
    ],
)
def test_a_provider_that_fails_is_named(provider, message):
    for crop in (
        A.Compose([S.RandomCrop(30, 30, protect="saliency", saliency=provider)]),
        sa.guard(A.Compose([A.RandomCrop(30, 30)]), protect="saliency", saliency=provider),
    ):
        with pytest.raises(ContentError, match=message):
            crop(image=scene())
    with pytest.raises(ContentError, match=message):
        T.RandomCrop(30, protect="saliency", saliency=provider)(tensor(scene()))


def every(**asked):
    """What takes the promise, of each host."""
    return [
        lambda: S.RandomCrop(8, 8, **asked),
        lambda: T.RandomCrop(8, **asked),
        lambda: sa.batch.RandomCrop(8, **asked),
        lambda: sa.guard(A.Compose([A.RandomCrop(8, 8)]), **asked),
        lambda: sa.guard(v2.Compose([v2.RandomCrop(8)]), **asked),
    ]


def test_what_cannot_be_asked_is_refused_at_once():
    for make in every(protect="saliency", saliency="most beautiful"):
        with pytest.raises(PolicyError, match="method must be one of auto"):
            make()
    for make in every(protect="saliency", keep=lambda retention: retention.all(-1)):
        with pytest.raises(PolicyError, match="a callable keep sees the retention of objects"):
            make()
    for make in every(protect="saliency", min_rank=80):
        with pytest.raises(PolicyError, match=r"min_rank must be in \[0, 1\], got 80 \(write 0\.8"):
            make()


def test_floats_out_of_range_say_so():
    crops = S.RandomCrop(30, 30, protect="saliency"), sa.guard(A.RandomCrop(30, 30), protect="saliency")
    for crop in crops:
        with pytest.raises(ContentError, match=r"an image of floats must be in \[0, 1\]"):
            A.Compose([crop])(image=scene().astype(np.float32) - 128)


# Pipelines: the map of the image as it comes in, as each window finds it.


def test_each_window_ranks_by_the_map_as_it_is_shown_there():
    """Mirrored, and cut: what a later crop is ranked by is what is left of the map that the pipeline began with."""
    image, rank, ends = scene(), 0.7, Counter()
    steps = [A.HorizontalFlip(p=1.0), A.RandomCrop(60, 60), A.ColorJitter(p=1.0), A.RandomCrop(30, 24)]
    guarded = sa.guard(A.Compose(steps, seed=0), protect="saliency", saliency=red, min_rank=rank, report_key="told")
    mirrored = salience_of(salience(image).cells[:, ::-1], (HEIGHT, WIDTH))
    masses = masses_of(mirrored, (60, 60), Domain(0, WIDTH - 60, 0, HEIGHT - 60))
    for seed in range(40):
        _, one, _, other = sa.steps(guarded, {"image": image}, np.random.default_rng(seed))
        assert (one.name, other.name) == ("RandomCrop", "RandomCrop")
        assert rank_kept(masses, one.params["crop_coords"], rank)
        # By pixels: of what the first crop shows, the second holds what ranks, within what a cell rounds.
        shown = np.zeros((61, 61))
        shown[1:, 1:] = red(one.sample["image"])
        table = shown.cumsum(0).cumsum(1)
        held = table[30:, 24:] - table[:-30, 24:] - table[30:, :-24] + table[:-30, :-24]
        x0, y0, *_ = other.params["crop_coords"]
        assert held[y0, x0] >= np.quantile(held, rank - 0.25)
        ends.update([one.status.name, other.status.name])
    assert ends.keys() == {"FIRST", "MOVED"}


def test_what_is_no_window_is_followed_and_a_fixed_one_is_judged():
    steps = [A.RandomCrop(64, 64), A.Affine(rotate=(-30, 30), p=1.0), A.CenterCrop(20, 20)]
    asked = {"protect": "saliency", "saliency": red, "min_rank": 0.5}
    stays, moves = (sa.guard(A.Compose(steps, seed=0), move_fixed=moved, **asked) for moved in (False, True))
    for _ in range(60):
        stays(image=scene())
        moves(image=scene())
    assert stays.report()["1 Affine"] == {"FIRST": 60}
    assert stays.report()["2 CenterCrop"]["UNGUARDED"] > 20
    assert stays.report()["2 CenterCrop"].keys() <= {"FIRST", "UNGUARDED"}
    assert moves.report()["2 CenterCrop"].keys() <= {"FIRST", "MOVED", "UNGUARDED"}
    assert moves.report()["2 CenterCrop"]["MOVED"] > 20
    whole = sa.guard(A.Compose([A.Resize(40, 40), A.CenterCrop(40, 40)]), **asked)
    whole(image=scene())
    assert whole.report()["pipeline"] == {"FIRST": 1}


@pytest.mark.parametrize("host", ["albumentations", "torchvision"])
def test_a_share_holds_to_the_end(host):
    """Crops move, rotations soften; what is left is what the pixels show."""
    image, least = scene(), 0.6
    asked = {"protect": "saliency", "saliency": red, "min_mass": least, "report_key": "told"}
    if host == "albumentations":
        steps = [A.RandomResizedCrop((64, 64), scale=(0.3, 0.8)), A.Affine(rotate=(-60, 60), p=1.0)]
        guarded = sa.guard(A.Compose(steps, seed=0), **asked)
        told = [guarded(image=image)["told"] for _ in range(40)]
    else:
        torch.manual_seed(0)
        guarded = sa.guard(v2.Compose([v2.RandomResizedCrop(64, scale=(0.3, 0.8)), v2.RandomRotation(60)]), **asked)
        told = [guarded({"image": tensor(image)})["told"] for _ in range(40)]
    met = [each for each in told if each["status"] != "UNMET"]
    assert len(met) >= 36
    assert min(each["retention"][0] for each in met) >= least - 1e-5
    assert {"FIRST", "MOVED"} <= {each["status"] for each in told}


def test_a_pipeline_of_a_flat_image_is_the_plain_one():
    image = np.full((60, 80, 3), 77, np.uint8)
    steps = [A.RandomResizedCrop((32, 32)), A.HorizontalFlip(), A.CoarseDropout(p=1.0)]
    plain = A.Compose(steps, seed=4)
    guarded = sa.guard(A.Compose(steps, seed=4), protect="saliency", repair_randomness=False, report_key="told")
    for _ in range(20):
        one, other = plain(image=image), guarded(image=image)
        assert np.array_equal(one["image"], other["image"])
        assert (other["told"]["status"], other["told"]["retention"]) == ("UNGUARDED", [None])
    with pytest.raises(ContentError, match="there is nothing to protect"):
        sa.guard(A.Compose(steps), protect="saliency", on_empty="raise")(image=image)


@pytest.mark.parametrize("picture", [PIL.Image.fromarray, tensor, np.ascontiguousarray], ids=["PIL", "tensor", "array"])
def test_pipelines_of_torchvision_of_both_generations(picture):
    image, steps = scene(), [v1.RandomResizedCrop(32), v1.RandomHorizontalFlip()]
    steps = [v1.ToTensor(), *steps] if picture is np.ascontiguousarray else steps
    guarded = sa.guard(v1.Compose(steps), protect="saliency", saliency=red, min_rank=0.9)
    newer = sa.guard(v2.Compose([v2.RandomResizedCrop(32), v2.RandomRotation(20)]), protect="saliency", saliency=red)
    torch.manual_seed(0)
    shown = []
    for _ in range(40):
        found = guarded(picture(image))
        array = np.asarray(found) if isinstance(found, PIL.Image.Image) else np.moveaxis(found.numpy(), 0, -1)
        shown.append((array[..., 0] > array.max() * 0.7).mean())
        if picture is not np.ascontiguousarray:
            newer(picture(image))
    assert guarded.report()["pipeline"].keys() == {"FIRST", "MOVED"}
    assert np.mean(np.array(shown) > 0) > 0.9
    assert set(newer.report()["pipeline"]) <= {"FIRST", "MOVED"}


@pytest.mark.parametrize("crop", [v2.RandomCrop(12), v1.Compose([v1.RandomCrop(12)])], ids=["v2", "v1"])
def test_a_map_that_is_handed_over_beside_the_data_is_taken(crop):
    """By `with_content`, of any size: it is what ranks, and not what stands out in the image."""
    cells, picture = np.zeros((8, 8), np.uint8), PIL.Image.fromarray(scene(96, 96))
    cells[0, 0] = 9
    guarded = sa.guard(crop, protect="saliency")
    data = sa.with_content(Pictures(guarded, picture), maps=[cells] * 6)
    assert [data[i].size for i in range(6)] == [(12, 12)] * 6
    assert guarded.report()["pipeline"].keys() <= {"FIRST", "MOVED"}
    train = sa.guard(A.Compose([A.RandomCrop(12, 12)]), protect="saliency", report_key="told")
    data = sa.with_content(Pictures(lambda image: train(image=np.asarray(image))["told"], picture), maps=[cells] * 6)
    assert min(data[i]["retention"][0] for i in range(6)) > 0.3
    with pytest.raises(ContentError, match=r"sample 0 .*of finite numbers of at least 0"):
        sa.with_content(Pictures(guarded, picture), maps=[-1.0 * cells] * 6)[0]


class Pictures:
    """A data set of one picture, several times, through a transform."""

    def __init__(self, transform, picture):
        self.transform, self.picture = transform, picture

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index >= 6:
            raise IndexError(index)
        return self.transform(self.picture)


def test_without_pixels_nothing_can_be_followed():
    sample = {"image": np.broadcast_to(np.uint8(0), (80, 100, 3))}
    for pipeline, given in (
        (sa.guard(A.Compose([A.RandomCrop(8, 8)]), protect="saliency"), sample),
        (sa.guard(v2.Compose([v2.RandomCrop(8)]), protect="saliency"), torch.zeros(3, 80, 100)),
    ):
        with pytest.raises(PolicyError, match="a saliency map is made of pixels"):
            sa.steps(pipeline, given, np.random.default_rng(0), pixels=False)
    plain = A.Compose([S.RandomCrop(8, 8, protect="saliency")])
    with pytest.raises(PolicyError, match="cannot be followed without pixels"):
        sa.steps(plain, sample, np.random.default_rng(0), pixels=False)


def test_a_plain_pipeline_is_followed_and_asked_for_nothing():
    steps, asked = [A.RandomCrop(30, 30), A.HorizontalFlip(p=1.0)], {"protect": "saliency", "saliency": red}
    for seed in range(10):
        told = sa.steps(A.Compose(steps), {"image": scene()}, np.random.default_rng(seed), **asked)
        assert [step.status for step in told] == [Status.FIRST, Status.FIRST]
        share = red(told[0].sample["image"]).sum() / red(scene()).sum()
        assert told[0].left[0] == pytest.approx(share, abs=0.06)
    (moved,) = sa.steps(v2.Compose([v2.RandomCrop(30)]), tensor(scene()), np.random.default_rng(0), **asked)
    assert moved.status is Status.FIRST


# torchvision.


@pytest.mark.parametrize("picture", [PIL.Image.fromarray, tensor, lambda image: tensor(image).float() / 255])
def test_a_crop_of_torchvision_ranks_among_all_of_its_size(picture):
    image, rank = scene(), 0.7
    crop = T.RandomCrop((40, 36), protect="saliency", saliency=red, min_rank=rank)
    masses = masses_of(salience(image), (40, 36), domain_of((0, 0, WIDTH, HEIGHT), (40, 36)))
    places = coordinates(image)
    torch.manual_seed(0)
    for _ in range(60):
        params = crop.make_params([picture(image)])
        assert rank_kept(masses, (params["left"], params["top"]), rank)
    crop(picture(image), tv_tensors.Mask(places))
    assert set(crop.report()) == {"FIRST", "MOVED"}
    assert sum(crop.report().values()) == 61


def coordinates(image):
    return torch.arange(image.shape[0] * image.shape[1]).reshape(1, *image.shape[:2])


def test_padding_holds_nothing_of_the_map():
    image = scene(32, 32, at=(2, 2))
    crop = T.RandomCrop(32, padding=8, protect="saliency", saliency=red, min_rank=0.8)
    masses = masses_of(salience(image), (32, 32), Domain(-8, 8, -8, 8))
    torch.manual_seed(0)
    for _ in range(100):
        params = crop.make_params([tensor(image)])
        assert rank_kept(masses, (params["left"] - 8, params["top"] - 8), 0.8)


def test_what_draws_no_window_needs_a_share():
    for make in (
        lambda **more: T.RandomRotation(30, **more),
        lambda **more: T.RandomAffine(30, **more),
        lambda **more: T.RandomPerspective(p=1.0, **more),
        lambda **more: T.RandomErasing(p=1.0, **more),
    ):
        with pytest.raises(PolicyError, match=r'protect="saliency" ranks windows, and Random\w+ has none to rank'):
            make(protect="saliency")
        torch.manual_seed(0)
        move = make(protect="saliency", saliency=red, min_mass=0.95)
        for _ in range(15):
            move(tensor(scene(at=(4, 84))))
        assert move.report().keys() <= {"FIRST", "REDRAWN", "SOFTENED"}


def test_labels_of_boxes_stay_the_hosts():
    """RandomIoUCrop says which boxes keep their labels; a map has no say in that."""
    image, boxes = scene(), [[2, 3, 22, 28], [60, 5, 90, 40]]
    crop = T.RandomIoUCrop(protect="saliency", saliency=red, min_rank=0.6)
    torch.manual_seed(0)
    for _ in range(30):
        given = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=image.shape[:2])
        found = crop({"image": tv_tensors.Image(tensor(image)), "boxes": given, "labels": torch.arange(2)})
        assert len(found["boxes"]) == 2
    assert "UNMET" not in crop.report()
    guarded = sa.guard(v2.Compose([v2.RandomIoUCrop()]), protect="saliency", saliency=red, min_mass=0.2)
    one = tv_tensors.BoundingBoxes(boxes[:1], format="XYXY", canvas_size=image.shape[:2])
    for _ in range(10):
        guarded({"image": tv_tensors.Image(tensor(image)), "boxes": one})


def test_a_sample_without_an_image_is_refused():
    with pytest.raises(ContentError, match=r'protect="saliency" needs an image in the sample, which holds Mask'):
        T.RandomCrop(8, protect="saliency")(tv_tensors.Mask(torch.zeros(1, 20, 20)))


def test_pictures_of_other_modes():
    for mode in ("RGBA", "L", "P", "CMYK"):
        crop = T.RandomCrop(30, protect="saliency")
        crop(PIL.Image.fromarray(scene()).convert(mode))
        assert crop.report().keys() <= {"FIRST", "MOVED"}


# Batches.


def batch(count=6, height=60, width=80):
    return torch.stack([tensor(scene(height, width, at=(5 + 6 * i, 8 + 9 * i))) for i in range(count)])


def reds(images):
    return images[:, 0].float()


def test_each_sample_of_a_batch_ranks_by_its_own_map():
    """Made of the images, handed over in cells, and handed over in pixels: the same windows, since the maps are."""
    images = batch()
    crop = sa.batch.RandomCrop((30, 28), protect="saliency", saliency=reds, min_rank=0.75, seed=0, dtype=torch.uint8)
    maps = [salience(np.moveaxis(each.numpy(), 0, -1)) for each in images]
    cells = torch.from_numpy(np.stack([each.cells for each in maps]))
    masses = [masses_of(each, (30, 28), Domain(0, 52, 0, 30)) for each in maps]
    for epoch in range(8):
        crop.set_epoch(epoch)
        made, outcome = crop(images, sample_ids=range(6))
        _, by_cells = crop(images, maps=cells, sample_ids=range(6))
        _, by_list = crop(list(images), maps=list(cells), sample_ids=range(6))
        assert torch.equal(outcome.view.window, by_cells.view.window)
        assert torch.equal(outcome.view.window, by_list.view.window)
        assert outcome.maps is None
        assert by_cells.maps is None
        for i, window in enumerate(outcome.view.window.tolist()):
            assert rank_kept(masses[i], window, 0.75)
            assert outcome.retention[i, 0] == pytest.approx(float(share_of(maps[i], window)))
            assert torch.equal(made[i], images[i, :, window[1] : window[3], window[0] : window[2]])
    assert crop.report().keys() == {"FIRST", "MOVED"}


def test_maps_in_pixels_are_carried_along():
    images, valid = batch(), torch.ones(6, 1, dtype=torch.bool)
    crop = sa.batch.RandomResizedCrop(24, protect="saliency", seed=1, min_rank=0.6)
    boxes = torch.tensor([[[2.0, 3.0, 22.0, 28.0]]]).repeat(6, 1, 1)
    _, outcome = crop(images, maps=reds(images) / 255, boxes=boxes, valid=valid)
    assert outcome.maps.shape == (6, 24, 24)
    assert outcome.boxes.shape == (6, 1, 4)
    assert outcome.retention.shape == (6, 1)
    plain = sa.batch.RandomResizedCrop(24, protect="saliency", saliency="center", seed=1, keep="whole")
    sizes = [(60, 80), (30, 40), (60, 80), (10, 12), (60, 1), (60, 80)]
    _, padded = plain(images, sizes=sizes, boxes=boxes, valid=valid)
    assert padded.status.max() <= Status.MOVED
    _, unknown = sa.batch.RandomResizedCrop(24, protect="saliency", saliency="center", seed=1, validate=False)(
        images, sizes=sizes
    )
    assert torch.equal(unknown.view.window, padded.view.window)
    ragged = [images[0], images[1, :, :20, :30]]
    assert plain(ragged)[1].status.max() <= Status.MOVED


def test_no_evidence_in_a_batch_is_the_plain_draw():
    images = torch.full((3, 3, 40, 50), 70, dtype=torch.uint8)
    images[1] = tensor(scene(40, 50, at=(5, 30)))
    crop = sa.batch.RandomResizedCrop(16, protect="saliency", saliency="auto", seed=2)
    free = sa.batch.RandomResizedCrop(16, seed=2)
    _, outcome = crop(images, sample_ids=[0, 1, 2])
    _, plain = free(images, sample_ids=[0, 1, 2])
    assert outcome.status.tolist()[::2] == [Status.UNGUARDED] * 2
    assert torch.equal(outcome.view.window[::2], plain.view.window[::2])
    assert outcome.retention[::2].isnan().all()
    with pytest.raises(ContentError, match=r"sample 0 of the batch: there is nothing to protect"):
        sa.batch.RandomResizedCrop(16, protect="saliency", on_empty="raise")(images)
    flat = crop(images, maps=torch.full((3, 9, 9), 5), sample_ids=[0, 1, 2])[1]
    assert flat.status.tolist() == [Status.FIRST] * 3
    assert torch.equal(flat.view.window, plain.view.window)


def test_in_evaluation_a_batch_is_only_measured():
    crop = sa.batch.RandomResizedCrop(16, protect="saliency", saliency=reds, seed=2, min_rank=0.9).eval()
    _, outcome = crop(batch())
    assert outcome.status.tolist() == [Status.UNGUARDED] * 6
    assert (outcome.retention >= 0).all()


def test_labels_are_not_asked_for_a_map():
    crop = sa.batch.RandomResizedCrop(
        16, protect="saliency", saliency=reds, min_retention={3: 0.9}, p=0.5, min_mass=0.3
    )
    statuses = crop(batch())[1].status.tolist()
    assert set(statuses) <= {Status.NOT_APPLIED, Status.FIRST, Status.MOVED, Status.RESIZED, Status.UNMET}


@pytest.mark.parametrize(
    ("maps", "message"),
    [
        (torch.rand(6, 70, 70), r"maps must be of the image's height and width \(60, 80\), got \(6, 70, 70\)"),
        (torch.rand(5, 48, 48), "maps must be 6, one an image, got 5"),
        (-torch.rand(6, 48, 48), r"maps\[0\] must be of finite numbers of at least 0"),
        (torch.full((6, 60, 80), torch.nan), r"maps\[0\] must be of finite numbers of at least 0, got nan"),
        ([torch.rand(48, 48)] * 5 + [torch.rand(4)], r"maps\[5\] must be of numbers of shape \(h, w\), got float32"),
        ([torch.rand(8, 8)] * 5 + [torch.rand(8, 8).to(torch.complex64)], r"maps\[5\] must be of numbers.*complex64"),
        ([np.ones((8, 8))] * 6, "maps must be a tensor or a list of 6 tensors"),
        (3, "maps must be a tensor or a list of 6 tensors"),
    ],
)
def test_maps_of_a_batch_that_are_none(maps, message):
    with pytest.raises(ContentError, match=message):
        sa.batch.RandomCrop(8, protect="saliency")(batch(), maps=maps)


def test_a_search_without_branches_takes_boxes_only():
    with pytest.raises(ContentError, match=r"protects boxes only.*got saliency"):
        sa.batch.RandomCrop(8, protect="saliency", branchless=True)(batch())
    with pytest.raises(ContentError, match=r"maps must be a tensor.* got NoneType"):
        sa.batch.RandomCrop(8, protect="saliency", saliency=lambda images: None)(batch())


def test_an_audit_judges_the_guard_by_boxes_that_it_never_saw():
    """One bright thing an image: plain crops lose it in most draws, crops that rank in a quarter of them."""
    rng, samples = np.random.default_rng(0), []
    for i in range(12):
        image, y, x = rng.integers(60, 90, (96, 128, 3), np.uint8), int(rng.integers(0, 76)), int(rng.integers(0, 104))
        image[y : y + 20, x : x + 24] = 230, 40, 30
        boxes = np.array([[x, y, x + 24.0, y + 20]])
        samples.append(Sample(str(i), (96, 128), boxes=boxes, labels=("thing",), image=image))
    plain = A.Compose([A.RandomCrop(48, 48)], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))
    guarded = sa.guard(plain, protect="saliency", min_rank=0.8)
    emptied = [sa.audit(each, samples, draws=8).summary().whole.emptied.count for each in (plain, guarded)]
    assert emptied[0] > 60
    assert emptied[1] < emptied[0] / 2
