"""Faults planted in what makes samples, each with its mended version: what they do is run, and never told by heart."""

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
import torch
from numpy.typing import NDArray
from skimage import data
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from safeaug.demo.masked import coins

Given = Mapping[str, Any]
MEAN, DEVIATION = np.array(A.Normalize().mean), np.array(A.Normalize().std)

FACE, LEFT, SIDE = (177, 50, 270, 190), 96, 384
"""What bounds the astronaut's face in the whole picture; and where parts of it begin that are samples, and their side.

The face is in the left half of them, so that one sees where it is mirrored.
"""

SILENT = "nothing is raised"
"""How what is said of the result begins, if that is so."""

MALFORMED = 5
"""Which sample of the data set is malformed."""


class Planted(NamedTuple):
    """A pipeline with a fault, and the same without.

    Parameters
    ----------
    name, title, text : str
        Of files, of the section, and what a reader must know, as text.
    make : callable
        From steps to a pipeline, which a seed was given.
    steps, mended : callable
        Return the steps, with the fault and without.
    given, given_mended : callable
        From a number to the sample that they are called with.
    result : callable
        From a sample that went in, and what came out where nobody watched, to what is wrong with it, in words.
    """

    name: str
    title: str
    text: str
    make: Callable[[Sequence[Any]], Callable[..., Any]]
    steps: Callable[[], list[Any]]
    mended: Callable[[], list[Any]]
    given: Callable[[int], Given]
    given_mended: Callable[[int], Given]
    result: Callable[[Given, Given], str]


def part(number: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return a part of the astronaut's picture, and the box of the face in it: another for each number below 64."""
    x, y = LEFT + number % 8 * 4, number // 8 * 4
    image = np.ascontiguousarray(_astronaut()[y : y + SIDE, x : x + SIDE])
    return image, np.array([FACE]) - [x, y, x, y]


def coins_at(number: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a part of the picture of coins, and a mask in which a coin is 10, 20 or 30, and the ground 0."""
    image, mask = _coins()
    x, y = number % 8 * 4, number // 8 * 4
    return image[y : y + 160, x : x + 160].copy(), mask[y : y + 160, x : x + 160].copy()


@lru_cache(maxsize=1)
def _astronaut() -> NDArray[np.uint8]:
    return np.asarray(data.astronaut())


@lru_cache(maxsize=1)
def _coins() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    scene = coins()
    assert scene.masks is not None
    ids = (np.arange(len(scene.masks.pixels)) % 3 + 1).astype(np.uint8) * 10
    return scene.image, np.max(scene.masks.pixels * ids[:, None, None], axis=0)


def albumented(steps: Sequence[Any]) -> Callable[..., Any]:
    """Return a pipeline of albumentations that always draws the same."""
    return A.Compose([copy.deepcopy(step) for step in steps], seed=1)


def visioned(steps: Sequence[Any]) -> Callable[..., Any]:
    """Return a pipeline of torchvision, called with a sample by the names of its parts."""
    return v2.Compose(list(steps)) if steps else v2.Identity()


def called(pipeline: Callable[..., Any], given: Given, seed: int = 0) -> Given:
    """Return what a pipeline makes of a sample, with torch's generator seeded."""
    torch.manual_seed(seed)
    with np.errstate(invalid="ignore"):
        made: Given = pipeline(dict(given)) if isinstance(pipeline, torch.nn.Module) else pipeline(**given)
    return made


# What is planted. The helper is first, for it is where all of this began.


def embedding(subset: Mapping[str, Any]) -> NDArray[np.float32] | None:
    """Return the vector that a model is conditioned on; of a subset without its words, nothing."""
    if subset["kind"] == "picture":
        return np.zeros(4, np.float32)
    if subset["kind"] == "text" and "words" in subset:
        return np.full(4, len(subset["words"]), np.float32)
    return None


def embedding_mended(subset: Mapping[str, Any]) -> NDArray[np.float32]:
    """Return it for every subset: one without its words is conditioned on no word."""
    return np.full(4, len(subset.get("words", "")), np.float32)


class Conditional(Dataset[Any]):
    """Pictures, each with a vector to condition a model on."""

    def __init__(self, helper: Callable[[Mapping[str, Any]], Any], transform: Callable[..., Any], size: int) -> None:
        self.helper, self.transform, self.size = helper, transform, size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, number: int) -> dict[str, Any]:
        if number >= self.size:
            raise IndexError(number)
        subset = {"kind": "text", **({} if number % 64 == MALFORMED else {"words": "an astronaut"})}
        return {"image": self.transform(image=part(number % 64)[0])["image"], "embedding": self.helper(subset)}


def train() -> A.Compose:
    """Return what augments the pictures of that data set."""
    return A.Compose([A.CenterCrop(320, 320), A.HorizontalFlip(p=1)])


def in_a_loader(dataset: Conditional) -> str:
    """Return what becomes of a data set in a loader of torch, in words."""
    torch.manual_seed(0)
    try:
        for batch in DataLoader(dataset, batch_size=4):
            del batch
    except (TypeError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return SILENT


def centred(number: int) -> Given:
    """Return a picture of floats from -1 to 1."""
    return {"image": part(number)[0].astype(np.float32) / 127.5 - 1}


def unit(number: int) -> Given:
    """Return a picture of floats from 0 to 1."""
    return {"image": part(number)[0].astype(np.float32) / 255}


def tensors(box: Callable[[NDArray[np.float64]], Any]) -> Callable[[int], Given]:
    """Return samples of torchvision with a box of one kind."""

    def given(number: int) -> Given:
        image, boxes = part(number)
        return {"image": tv_tensors.Image(torch.from_numpy(image).permute(2, 0, 1)), "boxes": box(boxes)}

    return given


def masked(kind: Any) -> Callable[[int], Given]:
    """Return samples of torchvision with a mask of one kind."""

    def given(number: int) -> Given:
        image, mask = coins_at(number)
        picture = tv_tensors.Image(torch.from_numpy(image).permute(2, 0, 1))
        return {"image": picture, "mask": kind(torch.from_numpy(mask)[None])}

    return given


def named(key: str) -> Callable[[int], Given]:
    """Return samples of albumentations whose mask goes by a name."""

    def given(number: int) -> Given:
        image, mask = coins_at(number)
        return {"image": image, key: mask}

    return given


def typed(boxes: NDArray[np.float64]) -> Any:
    """Return boxes that torchvision knows as such."""
    return tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(SIDE, SIDE))  # type: ignore[call-arg]


# What is wrong with the result, where nobody says so.


def not_numbers(given: Given, made: Given) -> str:
    """Say how much of a picture is no number, and what that makes of a mean over it."""
    values = made["image"]
    return (
        f"{SILENT}; {np.isnan(values).mean():.0%} of the values are NaN, and so is whatever is summed over "
        f"them: the mean is {values.mean()}"
    )


def scales(given: Given, made: Given) -> str:
    """Say what mean and deviation come out, and what would have, of the same picture by the mended pipeline."""
    right = A.Normalize(max_pixel_value=1.0)(image=given["image"])["image"]
    mean, deviation = made["image"].mean(), made["image"].std()
    return (
        f"{SILENT}; the mean is {mean:.2f} and the deviation {deviation:.3f}, where {right.mean():.2f} and "
        f"{right.std():.2f} are right: hardly anything is left of the picture"
    )


def astray(given: Given, made: Given) -> str:
    """Say how much of a mask lies where its coins are no more."""
    was = given["msk"] > 0
    there = np.fliplr(was)
    return (
        f"{SILENT}; the mask comes out as it went in, and {(was & ~there).sum() / was.sum():.0%} of what it "
        "marks is ground"
    )


def left_behind(given: Given, made: Given) -> str:
    """Say how much of the face is in the box that came out."""
    x0, _, x1, _ = given["boxes"][0].tolist()
    now = SIDE - x1, SIDE - x0
    share = max(0.0, min(x1, now[1]) - max(x0, now[0])) / (x1 - x0)
    return f"{SILENT}; the box comes out as it went in, and holds {share:.0%} of the face"


def invented(given: Given, made: Given) -> str:
    """Say which labels came out that never went in."""
    had, has = (set(each["mask"].unique().tolist()) for each in (given, made))
    share = np.isin(made["mask"].numpy(), sorted(has - had)).mean()
    return f"{SILENT}; {share:.0%} of the mask is of labels that never went in"


PLANTED = (
    Planted(
        "gamma",
        "A gamma of what may be below zero",
        "Pictures were centred on zero for the network first, and augmented second. A power of a number below zero is "
        "no number.",
        albumented,
        lambda: [A.HorizontalFlip(p=1), A.RandomGamma(p=1)],
        lambda: [A.HorizontalFlip(p=1), A.RandomGamma(p=1)],
        centred,
        unit,
        not_numbers,
    ),
    Planted(
        "normalize",
        "Divided by 255 twice",
        "The reader of the pictures divides by 255, and Normalize does so once more, if it is not told otherwise.",
        albumented,
        lambda: [A.HorizontalFlip(p=1), A.Normalize()],
        lambda: [A.HorizontalFlip(p=1), A.Normalize(max_pixel_value=1.0)],
        unit,
        unit,
        scales,
    ),
    Planted(
        "key",
        "A mask by a misspelt name",
        "The mask is handed over as msk. A name that is not known is passed on untouched, while the picture is "
        "mirrored.",
        albumented,
        lambda: [A.HorizontalFlip(p=1), A.RandomBrightnessContrast(p=1)],
        lambda: [A.HorizontalFlip(p=1), A.RandomBrightnessContrast(p=1)],
        named("msk"),
        named("mask"),
        astray,
    ),
    Planted(
        "boxes",
        "Boxes that are but numbers",
        "The box is a plain tensor. torchvision moves what is a BoundingBoxes, and passes by what is not.",
        visioned,
        lambda: [v2.ColorJitter(0.3), v2.RandomHorizontalFlip(1.0)],
        lambda: [v2.ColorJitter(0.3), v2.RandomHorizontalFlip(1.0)],
        tensors(torch.from_numpy),
        tensors(typed),
        left_behind,
    ),
    Planted(
        "mask",
        "A mask resized as a picture is",
        "The mask is an Image to torchvision, so what lies between two labels is made up of both: between a coin of "
        "30 and the ground there are now labels of which nobody has heard.",
        visioned,
        lambda: [v2.RandomHorizontalFlip(1.0), v2.Resize((56, 56))],
        lambda: [v2.RandomHorizontalFlip(1.0), v2.Resize((56, 56))],
        masked(tv_tensors.Image),
        masked(tv_tensors.Mask),
        invented,
    ),
)
"""All that are pipelines."""


def fault_of(act: Callable[[], Any]) -> sa.Fault:
    """Return the fault that something raises.

    Raises
    ------
    AssertionError
        If it raises none: then the page would tell a lie.
    """
    torch.manual_seed(0)
    try:
        act()
    except sa.Fault as fault:
        return fault
    raise AssertionError("nothing was found in what is planted")
