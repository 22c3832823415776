"""Public bug reports on crops of kornia: true of the plain transform, never of the guarded one."""

import pytest

torch = pytest.importorskip("torch")
K = pytest.importorskip("kornia.augmentation")

from safeaug import ContentError, Status  # noqa: E402
from safeaug.kornia import RandomCrop, RandomResizedCrop, guarded_params  # noqa: E402


def test_c14_an_oversized_crop_scales_up_in_silence():
    """kornia#4414: a crop of 10 × 10 out of 6 × 8. Here it is an error, or padding that is asked for."""
    images, boxes = torch.rand(2, 1, 6, 8), torch.tensor([[[1.0, 1, 4, 4]]] * 2)
    plain = K.RandomCrop((10, 10))
    assert plain(images).shape == (2, 1, 10, 10)
    assert bool((plain(images) != 0).all())  # no padding: the whole image, stretched
    with pytest.raises(ContentError, match=r"smaller than the crop .* pad_if_needed=True"):
        guarded_params(plain, images, {"bbox_xyxy": boxes})
    with pytest.raises(ContentError, match=r"smaller than the crop .* pad_if_needed=True"):
        RandomCrop((10, 10))({"image": images, "bbox_xyxy": boxes})
    padded = K.RandomCrop((10, 10), pad_if_needed=True)
    params, outcome = guarded_params(padded, images, {"bbox_xyxy": boxes})
    out = padded(images, params=params)
    ours = RandomCrop((10, 10), pad_if_needed=True)({"image": images, "bbox_xyxy": boxes})
    for cut in (out, ours["image"]):
        assert (cut != 0).flatten(1).sum(1).tolist() == [48, 48]  # the image as it is, and padding around it
    assert {*outcome.status.tolist()} == {int(Status.FIRST)}
    assert (ours["bbox_xyxy"][..., 2:] - ours["bbox_xyxy"][..., :2]).tolist() == [[[3, 3]]] * 2


def test_d6_boxes_come_back_from_outside_of_the_output():
    """kornia#1522: they are negative, or beyond the right and lower edge. Here they are clipped."""
    images = torch.zeros(64, 1, 100, 100)
    boxes = torch.tensor([[[5.0, 5, 54, 54], [60.0, 60, 99, 99]]]).expand(64, -1, -1)
    keys = ["input", "bbox_xyxy"]
    torch.manual_seed(0)
    _, theirs = K.AugmentationSequential(K.RandomCrop((40, 40)), data_keys=keys)(images, boxes)
    assert bool((theirs < 0).any())
    assert bool((theirs > 39).any())
    for kind in (RandomCrop, RandomResizedCrop):
        crop = kind((40, 40), data_keys=keys, keep="any", seed=0)
        (_, ours), outcome = crop(images, boxes, with_outcome=True)
        assert bool((ours >= 0).all())
        assert bool((ours <= 39 + 1e-4).all())
        assert torch.equal(outcome.valid, outcome.retention > 0)
        assert bool((ours[~outcome.valid] == 0).all())
        assert not outcome.valid.all()


def test_d7_boxes_of_rows_that_are_not_cropped_are_shifted_by_the_padding():
    """kornia#4473. The gate is for the image and for all that belongs to it, be it kornia's own or one for each row."""
    images = torch.arange(1.0, 401).reshape(1, 1, 20, 20).expand(40, -1, -1, -1)
    boxes = torch.tensor([[[4.0, 5, 9, 10]]]).expand(40, -1, -1)
    aug = K.RandomCrop((20, 20), padding=6, p=0.5)
    seen = set()
    for seed in range(8):
        torch.manual_seed(seed)
        params, outcome = guarded_params(aug, images, {"bbox_xyxy": boxes})
        chain = K.AugmentationSequential(aug, data_keys=["input", "bbox_xyxy"])
        item = chain.forward_parameters(images.shape)[0]._replace(data=params)
        out, moved = chain(images, boxes, params=[item])
        seen |= {*outcome.status.tolist()}
        if int(Status.NOT_APPLIED) in outcome.status.tolist():
            assert torch.equal(out, images)
            assert torch.equal(moved, boxes)
            assert bool((outcome.retention == 1).all())
    assert {int(Status.NOT_APPLIED), int(Status.FIRST)} <= seen
    crop = RandomCrop((20, 20), padding=6, p=0.5, data_keys=["input", "bbox_xyxy", "mask"], seed=0)
    (out, moved, masks), outcome = crop(images, boxes, images, with_outcome=True)
    left = outcome.status == int(Status.NOT_APPLIED)
    assert 8 < int(left.sum()) < 32
    assert torch.equal(out[left], images[left])
    assert torch.equal(masks[left], images[left])
    assert torch.equal(moved[left], boxes[left])
    assert not torch.equal(moved[~left], boxes[~left])
