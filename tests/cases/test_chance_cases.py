"""Public bug reports R as rules SA6 and SA7 tell them."""

import albumentations as A
import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision.transforms import v2

import safeaug
from safeaug.trace import random_evaluation, repeated_draws

PICTURE = np.random.default_rng(1).integers(0, 256, (40, 40, 3), dtype=np.uint8)


class Folder(Dataset):
    """What everybody writes."""

    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 64

    def __getitem__(self, i):
        return self.transform(image=PICTURE)["image"], i


class Shifted(Dataset):
    """Chance from numpy's global generator."""

    def __len__(self):
        return 64

    def __getitem__(self, i):
        return np.roll(PICTURE, np.random.randint(40)), i  # noqa: NPY002  # what the report is about


class Cached(Shifted):
    """Kept after augmentation."""

    def __init__(self):
        self.kept = {}

    def __getitem__(self, i):
        if i not in self.kept:
            self.kept[i] = super().__getitem__(i)
        return self.kept[i]


def crops():
    return A.Compose([A.RandomCrop(20, 20), A.HorizontalFlip()])


def codes(findings):
    return [each.code for each in findings]


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
@pytest.mark.parametrize("workers, distinct", [(0, 64), (2, 32), (4, 16)])
def test_r1_workers_and_epochs_of_albumentations_draw_the_same(workers, distinct):
    found = repeated_draws(DataLoader(Folder(crops()), batch_size=4, num_workers=workers))
    assert codes(found) == ([] if workers == 0 else ["SA6.repeated", "SA6.epochs"])
    if workers:
        assert f"is one of 64 that share {distinct} draws in epoch 1: {workers} workers" in found[0].text


def test_r1_mended_by_the_guard():
    loader = DataLoader(Folder(safeaug.guard(crops())), batch_size=4, num_workers=2)
    assert repeated_draws(loader) == []


def test_r1_is_not_there_in_torchvision():
    def transform(image):
        return {"image": v2.RandomCrop(20)(torch.from_numpy(image).permute(2, 0, 1))}

    assert repeated_draws(DataLoader(Folder(transform), batch_size=4, num_workers=2)) == []


def test_r2_numpys_global_generator_is_seeded_by_torch():
    assert repeated_draws(DataLoader(Shifted(), batch_size=4, num_workers=2)) == []


def test_r3_kept_after_augmentation():
    assert codes(repeated_draws(DataLoader(Cached(), batch_size=4))) == ["SA6.cached"]
    assert repeated_draws(DataLoader(Shifted(), batch_size=4)) == []


def test_r4_both_halves_share_the_transform_of_training():
    _, half = random_split(Folder(crops()), [48, 16])
    assert codes(random_evaluation(half)) == ["SA6.training"]
    assert random_evaluation(Folder(A.Compose([A.CenterCrop(20, 20)]))) == []
    assert codes(random_evaluation(Folder(safeaug.guard(crops())))) == ["SA6.label"]


def test_the_generators_are_left_as_they_were():
    state = torch.get_rng_state()
    repeated_draws(DataLoader(Shifted(), batch_size=4, shuffle=True))
    random_evaluation(Shifted())
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("applied", [False, True])
def test_r5_exif_is_applied_or_told(applied, tmp_path):
    from PIL import ImageOps

    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20)).save(tmp_path / "a.jpg", exif=exif)
    image = Image.open(tmp_path / "a.jpg")
    watched = safeaug.watch([ImageOps.exif_transpose(image) if applied else image.convert("RGB")], on_fault="record")
    list(watched)
    assert [fault.rule for fault in watched.report()["faults"]] == ([] if applied else ["SA7.orientation"])


def test_r6_a_palette_of_ids():
    mask = Image.new("P", (16, 16), 3)
    watched = safeaug.watch(v2.Compose([v2.RGB()]), on_fault="record")
    watched({"image": Image.fromarray(PICTURE[:16, :16]), "mask": mask})
    assert [(fault.rule, fault.step) for fault in watched.report()["faults"]] == [("SA7.palette", "0 RGB")]
    kept = safeaug.watch(v2.Compose([v2.PILToTensor()]), on_fault="record")
    assert kept({"image": Image.fromarray(PICTURE[:16, :16]), "mask": mask})["mask"].unique().tolist() == [3]
    assert kept.report()["faults"] == []


def test_a_file_that_is_cut_off_is_named_with_its_sample(tmp_path):
    Image.fromarray(PICTURE).save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    (tmp_path / "a.png").write_bytes(data[: len(data) // 2])

    class Files(Shifted):
        def __getitem__(self, i):
            with Image.open(tmp_path / "a.png") as image:
                return np.array(image)

    with pytest.raises(safeaug.PipelineError, match=r"sample 3 of Files: raised (OSError|SyntaxError)"):
        safeaug.watch(Files())[3]
