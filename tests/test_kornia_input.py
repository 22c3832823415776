"""What the room for kornia refuses: each time it says what, what is allowed, what was given, and what to do."""

import math

import pytest

torch = pytest.importorskip("torch")
K = pytest.importorskip("kornia.augmentation")

from safeaug import ContentError, Policy, PolicyError, RetentionError  # noqa: E402
from safeaug.kornia import RandomCrop, RandomResizedCrop, guarded_params  # noqa: E402

IMAGES, META = torch.zeros(2, 3, 20, 24), torch.device("meta")
BOXES = torch.tensor([[[1.0, 1.0, 8.0, 8.0]], [[2.0, 3.0, 9.0, 12.0]]])
SAMPLE = {"image": IMAGES, "bbox_xyxy": BOXES}


def with_nan():
    boxes = BOXES.clone()
    boxes[1, 0, 2] = math.nan
    return boxes


VALUES = {
    # images
    "no image": ({"bbox": BOXES}, r"there must be an image among the data keys, got \['bbox'\]"),
    "a volume": (
        {"image": torch.zeros(1, 1, 4, 8, 8)},
        r"image must be .*got \(1, 1, 4, 8, 8\); volumes and videos",
    ),
    "one channel": (
        {"input": torch.zeros(8, 8)},
        r"input must be .* \(B, C, H, W\) or \(C, H, W\), got \(8, 8\)",
    ),
    "no tensor": ({"image": [[1]]}, r"image must be a tensor of shape .*, got list"),
    "empty": ({"image": IMAGES[:0]}, r"images must be of shape .* at least one of each, got \(0, 3, 20, 24\)"),
    "two sizes": (
        {**SAMPLE, "image_2": torch.zeros(2, 3, 20, 25)},
        r"image_2 must be 2 images of \(20, 24\) on cpu, as the first .*, got 2 of \(20, 25\)",
    ),
    # boxes
    "boxes of other images": (
        {**SAMPLE, "bbox_xyxy": BOXES[:1]},
        r"bbox_xyxy must be the boxes of 2 images, got those of 1",
    ),
    "unbatched": ({**SAMPLE, "bbox_xyxy": BOXES[0]}, r"bbox_xyxy must be the boxes of 2 images, got those of 1"),
    "a list too short": ({**SAMPLE, "bbox_xyxy": [BOXES[0]]}, r"one tensor, or a list of 2, one an image, got 1"),
    "another form": (
        {"image": IMAGES, "bbox": BOXES},
        r"bbox must be .* of shape \(2, N, 4, 2\), or \(N, 4, 2\) for one image, got float32 of shape \(2, 1, 4\)",
    ),
    "a row too long": (
        {**SAMPLE, "bbox_xyxy": [BOXES[0], torch.ones(1, 5)]},
        r"bbox_xyxy\[1\] must be .* of shape \(1, N, 4\).*, got float32 of shape \(1, 5\)",
    ),
    "truth": ({**SAMPLE, "bbox_xyxy": BOXES > 1}, r"bbox_xyxy must be of numbers .*, got bool of shape \(2, 1, 4\)"),
    "no boxes": (
        {**SAMPLE, "bbox_xyxy": None},
        r"bbox_xyxy must be a tensor, a list .* kornia's Boxes, got None",
    ),
    "not a number": (
        {**SAMPLE, "bbox_xyxy": with_nan()},
        r"bbox_xyxy\[1, 0\] must be of finite numbers.* edges \[2.0",
    ),
    "swapped": (
        {**SAMPLE, "bbox_xyxy": BOXES.flip(-1)},
        r"bbox_xyxy\[0, 0\] must be .* a width and a height .* edges \[8.0, 8.0, 2.0, 2.0\]; are the corners swapped",
    ),
    "negative width": ({"image": IMAGES, "bbox_xywh": -BOXES}, r"bbox_xywh\[0, 0\] must be .* of at least 0, got one"),
    "elsewhere": (
        {**SAMPLE, "bbox_xyxy": BOXES.to(META)},
        r"bbox_xyxy must be on the images' device cpu, got meta",
    ),
    # keypoints
    "three numbers": (
        {"image": IMAGES, "keypoints": torch.ones(2, 4, 3)},
        r"keypoints must be of numbers and of shape \(2, N, 2\), or .*, got float32 of shape \(2, 4, 3\)",
    ),
    "points of one": ({"image": IMAGES, "keypoints": torch.ones(4, 2)}, r"the keypoints of 2 images, got those of 1"),
    "points in a list": (
        {"image": IMAGES, "keypoints": [torch.ones(4, 2)] * 2},
        r"a tensor or kornia's Keypoints",
    ),
    "points elsewhere": (
        {"image": IMAGES, "keypoints": torch.ones(2, 4, 2, device=META)},
        r"keypoints must be on the images' device cpu, got meta",
    ),
    # masks
    "a mask of another size": (
        {**SAMPLE, "mask": torch.ones(2, 1, 20, 23)},
        r"mask must be the masks of 2 images of \(20, 24\), or one .*, got \(2, 1, 20, 23\)",
    ),
    "masks of three": ({**SAMPLE, "mask": torch.ones(3, 1, 20, 24)}, r"masks of 2 images .*, got \(3, 1, 20, 24\)"),
    "a mask of a volume": (
        {**SAMPLE, "mask": torch.ones(2, 1, 1, 20, 24)},
        r"mask must be a tensor of shape .*, got",
    ),
    "masks in a list": ({**SAMPLE, "mask": [torch.ones(20, 24)]}, r"mask must be one tensor, or a list of 2.*, got 1"),
    "a mask elsewhere": ({**SAMPLE, "mask": torch.ones(2, 1, 20, 24, device=META)}, r"images' device cpu, got meta"),
}


@pytest.mark.parametrize("sample, message", VALUES.values(), ids=VALUES)
def test_values_that_do_not_fit_are_refused(sample, message):
    crop = RandomCrop((8, 8), seed=0)
    with pytest.raises(ContentError, match=message):
        crop(sample)
    assert crop.report() == {}
    if sample.get("image") is IMAGES and not {"mask", "image_2"} & {*sample}:  # objects are read in one way
        with pytest.raises(ContentError, match=message):
            guarded_params(K.RandomCrop((8, 8)), IMAGES, sample)


def test_values_are_not_looked_at_where_that_is_not_asked_for():
    out, outcome = RandomCrop(8, validate=False, seed=0)({**SAMPLE, "bbox_xyxy": with_nan()}, with_outcome=True)
    assert outcome.retention.isnan().tolist() == [[False], [True]]
    assert out["bbox_xyxy"][1].tolist() == [[0.0] * 4]


CALLS = {
    "a value too few": (
        (IMAGES,),
        {},
        r"one value for each of the data keys \['image', 'bbox_xyxy'\], got 1; this",
    ),
    "a mapping as well": ((SAMPLE,), {}, r"so data_keys must be None beside it, got \['image', 'bbox_xyxy'\]"),
    "valid of another shape": (
        (IMAGES, BOXES),
        {"valid": torch.ones(2, 2, dtype=torch.bool)},
        r"valid must be bool of",
    ),
    "labels of another shape": ((IMAGES, BOXES), {"labels": torch.ones(2, 3).long()}, r"labels must be a tensor of sh"),
    "ids": ((IMAGES, BOXES), {"sample_ids": [1]}, r"sample_ids must be whole numbers of shape \(2,\)"),
}


@pytest.mark.parametrize("values, more, message", CALLS.values(), ids=CALLS)
def test_calls_that_do_not_fit_are_refused(values, more, message):
    with pytest.raises(ContentError, match=message):
        RandomResizedCrop(8, data_keys=["input", "bbox_xyxy"], seed=0)(*values, **more)


def test_a_module_says_so_where_the_host_would_hand_it_images_alone():
    inside = K.AugmentationSequential(
        RandomCrop((8, 8), data_keys=["input", "bbox_xyxy"]), K.RandomHorizontalFlip(), data_keys=["input", "bbox_xyxy"]
    )
    with pytest.raises(ContentError, match="this module stands before a kornia AugmentationSequential, not inside"):
        inside(IMAGES, BOXES)
    with pytest.raises(ContentError, match=r"data_keys=None takes one mapping such as .*, got 1 values"):
        K.AugmentationSequential(RandomCrop((8, 8)), data_keys=["input", "bbox_xyxy"])(IMAGES, BOXES)


CONSTRUCTED = {
    "an unknown key": ({"data_keys": ["input", "boxes"]}, r"data_keys must be of input, image, mask, .*, got 'boxes'"),
    "a name": (
        {"data_keys": "input"},
        r"data_keys must be a list such as .*, or None, got 'input'",
    ),
    "nothing to keep": (
        {"data_keys": ["input", "label"]},
        r"data_keys must name something to keep.*, got \['input'",
    ),
    "protect": ({"protect": "masks"}, r"protect must be one of boxes, keypoints, mask, or None, got 'masks'"),
    "foreground": ({"foreground": "cat"}, r"foreground must be whole numbers, values of the mask, got 'cat'"),
    "same_on_batch": ({"same_on_batch": 1}, r"same_on_batch must be True or False, got 1"),
    "min_retention": ({"min_retention": 60}, r"min_retention must be in \[0, 1\], got 60 \(write 0.6, not 60\)"),
    "both": ({"policy": Policy(), "tries": 3}, r"give either policy or its fields, got policy and tries"),
    "dtype": ({"dtype": torch.int64}, r"dtype must be a floating dtype of torch or torch.uint8, got torch.int64"),
}


@pytest.mark.parametrize("more, message", CONSTRUCTED.values(), ids=CONSTRUCTED)
@pytest.mark.parametrize("kind", [RandomCrop, RandomResizedCrop])
def test_arguments_out_of_range_are_refused(kind, more, message):
    with pytest.raises(PolicyError, match=message):
        kind(8, **more)


def test_what_must_survive_has_to_be_there():
    with pytest.raises(
        ContentError, match=r'protect="mask" needs mask among the data keys, got \[\'image\', \'bbox_xyxy\'\]'
    ):
        RandomCrop(8, protect="mask")(SAMPLE)
    with pytest.raises(ContentError, match=r'protect="boxes" needs bbox or bbox_xyxy or bbox_xywh among the data keys'):
        guarded_params(K.RandomCrop((8, 8)), IMAGES, {}, protect="boxes")
    with pytest.raises(ContentError, match='there is nothing to protect, and on_empty is "raise"'):
        guarded_params(K.RandomCrop((8, 8)), IMAGES, {}, Policy(on_empty="raise"))
    with pytest.raises(RetentionError, match="sample 0 of the batch"):
        RandomCrop(2, on_fail="raise")(SAMPLE)
    with pytest.raises(ContentError, match=r"valid must be bool of shape \(2, 3\), one a keypoint, got"):
        RandomCrop(8)({"image": IMAGES, "keypoints": torch.ones(2, 3, 2)}, valid=torch.ones(2, 3))


OTHERS = {
    "a flip": (
        K.RandomHorizontalFlip(),
        r"aug must be a RandomCrop, RandomResizedCrop or CenterCrop .*, got RandomHor",
    ),
    "a pipeline": (
        K.AugmentationSequential(K.RandomCrop((8, 8)), data_keys=["input"]),
        r"got AugmentationSequential: hand over one of the crops that it holds",
    ),
    "three dimensions": (K.RandomCrop3D((8, 8, 8)), r"aug must be .*, got RandomCrop3D"),
    "one of ours": (RandomCrop(8), r"aug must be .* of kornia.augmentation, got RandomCrop"),
    "slices": (
        K.CenterCrop(8),
        r'cropping_mode="resample", got \'slice\': kornia then cuts out the middle, whatever its',
    ),
}


@pytest.mark.parametrize("aug, message", OTHERS.values(), ids=OTHERS)
def test_other_transforms_are_refused(aug, message):
    with pytest.raises(PolicyError, match=message):
        guarded_params(aug, IMAGES, SAMPLE)


def test_policies_that_parameters_cannot_keep_are_refused():
    with pytest.raises(
        PolicyError, match=r'on_fail must be "most", "enlarge" or "raise" .*, got "skip": its batches are'
    ):
        guarded_params(K.RandomCrop((8, 8)), IMAGES, SAMPLE, Policy(on_fail="skip"))
    with pytest.raises(PolicyError, match=r"policy must be a safeaug.Policy, got 0.5"):
        guarded_params(K.RandomCrop((8, 8)), IMAGES, SAMPLE, 0.5)
    with pytest.raises(PolicyError, match=r"seed must be a whole number or None, got 1.5"):
        guarded_params(K.RandomCrop((8, 8)), IMAGES, SAMPLE, seed=1.5)


@pytest.mark.parametrize("params", [{}, 3, {"src": torch.zeros(1, 4, 2)}], ids=["empty", "a number", "of one image"])
def test_parameters_of_something_else_are_refused(params):
    with pytest.raises(ContentError, match=r"params must be what aug.forward_parameters draws for 2 images, with"):
        guarded_params(K.RandomCrop((8, 8)), IMAGES, SAMPLE, params=params)


def test_nothing_is_scaled_up_in_silence():
    for aug in (K.RandomCrop((21, 8)), K.RandomCrop((30, 30), padding=2), K.CenterCrop(22, cropping_mode="resample")):
        with pytest.raises(ContentError, match=r"images of \(20, 24\).* are smaller than the crop .* resize before"):
            guarded_params(aug, IMAGES, SAMPLE)
    with pytest.raises(ContentError, match=r"smaller than the crop \(21, 8\).* use pad_if_needed=True, or resize"):
        RandomCrop((21, 8))(SAMPLE)
