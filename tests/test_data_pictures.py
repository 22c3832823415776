"""Pictures: sizes from headers after EXIF, folders of classes and of masks, and the pixels where they are wanted."""

import os
import struct

import numpy as np
import pytest
from PIL import Image, ImageOps

from safeaug.data import Sample, picture_of, read_folder, read_mask, read_masks, readings
from safeaug.data.header import FORMATS, check_pixels, header_of
from safeaug.errors import DataError
from tests import data_worlds as worlds


@pytest.mark.parametrize("ending", ["jpg", "png", "tif", "webp"])
@pytest.mark.parametrize("orientation", [None, 1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_r5_the_size_is_that_of_the_picture_as_it_is_shown(tmp_path, ending, orientation):
    path = worlds.save(tmp_path / f"a.{ending}", (20, 40), orientation=orientation)
    header = header_of(path)
    with Image.open(path) as image:
        shown = ImageOps.exif_transpose(image)
    assert header.size == shown.size[::-1]
    assert header.size == ((40, 20) if orientation in {5, 6, 7, 8} else (20, 40))
    assert header.stored == (20, 40)
    assert header.orientation == (orientation if orientation in range(2, 9) else 1)
    assert picture_of(Sample("a", header.size, path)).shape == (*header.size, 3)


@pytest.mark.parametrize("mode", ["RGB", "L", "I;16", "1", "P"])
@pytest.mark.parametrize("orientation", [3, 6, 7])
def test_pixels_of_turned_tiffs_are_read_by_the_right_width(tmp_path, mode, orientation):
    path, pixels = tmp_path / "a.tif", np.random.default_rng(0).integers(0, 2, (20, 30), np.uint8) * 255
    exif = Image.Exif()
    exif[worlds.ORIENTATION] = orientation
    Image.fromarray(pixels.astype(np.uint16) if mode == "I;16" else pixels).convert(mode).save(path, exif=exif)
    turned = {3: pixels[::-1, ::-1], 6: np.rot90(pixels, 3), 7: pixels[::-1, ::-1].T}[orientation]
    read = picture_of(Sample("a", turned.shape, path))
    assert ((read if read.ndim == 2 else read[..., 1]) == turned).all()


@pytest.mark.parametrize("ending", ["jpg", "png", "tif", "bmp", "ppm"])
def test_no_pixel_is_read_for_a_size(tmp_path, ending):
    path = worlds.save(tmp_path / "cat" / f"a.{ending}", (480, 640))
    # The tags of a TIFF stand behind its pixels; of the others the beginning is all that is needed.
    if ending != "tif":
        path.write_bytes(path.read_bytes()[:700])
    sample = read_folder(tmp_path)[0]
    assert sample.size == (480, 640)
    if ending != "tif":
        with pytest.raises(DataError, match="expected a whole picture") as caught:
            picture_of(sample)
        assert caught.value.kind == "unreadable"


@pytest.mark.parametrize("size", [(1, 2**30), (100_000, 100_000), (2**31 - 1, 2**31 - 1)])
def test_a_picture_beyond_the_pixel_limit_is_said(tmp_path, size):
    worlds.write(tmp_path / "cat" / "a.png", worlds.claiming(size))
    with pytest.raises(DataError, match="MAX_IMAGE_PIXELS") as caught:
        read_folder(tmp_path)[0]
    assert caught.value.kind == "too large"


def test_the_pixel_limit_is_pillows(tmp_path, monkeypatch):
    path = worlds.save(tmp_path / "a.png", (10, 10))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 49)
    with pytest.raises(DataError) as caught:
        header_of(path)
    assert caught.value.kind == "too large"
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 50)
    assert check_pixels((10, 10), "") == (10, 10)
    with pytest.raises(DataError, match="at most 100 pixels, got 1 x 101"):
        check_pixels((1, 101), "")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    assert check_pixels((10**9, 10**9), "") == (10**9, 10**9)
    assert header_of(path).size == (10, 10)


def test_what_is_no_picture_is_said(tmp_path):
    for name, text in (("none.jpg", b""), ("text.jpg", b"hello"), ("program.jpg", b"%!PS-Adobe-3.0 EPSF-3.0\n")):
        worlds.write(tmp_path / "cat" / name, text)
    (tmp_path / "cat" / "folder.jpg").mkdir()
    worlds.write(tmp_path / "cat" / "folder.jpg" / "x.png", b"")
    remarks = list(readings(read_folder(tmp_path)))
    assert len(remarks) == 4
    for remark in remarks:
        assert remark.kind == "unreadable"
        assert ", ".join(FORMATS) in remark.text
        assert remark.rule == "SA7"


def test_tags_that_are_missing_are_said(tmp_path):
    path = worlds.save(tmp_path / "a.tif", (2, 2))
    width = struct.pack("<HH", 256, 4 if b"\x00\x01\x04\x00" in path.read_bytes() else 3)
    assert path.read_bytes().count(width) == 1
    path.write_bytes(path.read_bytes().replace(width, struct.pack("<HH", 65000, 4)))
    with pytest.raises(DataError) as caught:
        header_of(path)
    assert caught.value.kind == "unreadable"


def test_tags_that_are_corrupt_are_no_tags_or_are_said(tmp_path):
    path = tmp_path / "a.png"
    Image.new("RGB", (6, 4)).save(path, exif=b"Exif\0\0II*\0\xff\xff\xff\xff")
    with pytest.warns(UserWarning, match="Corrupt EXIF"):
        assert header_of(path)[:3] == ((4, 6), (4, 6), 1)
    with pytest.raises(DataError, match="readable tags") as caught:  # where warnings are errors, as they are here
        header_of(path)
    assert caught.value.kind == "unreadable"


def test_classes_are_the_folders(tmp_path):
    for name in ("dog/b.JPG", "cat/a.png", "cat/deep/c.jpeg", "cat/.hidden.png", "stray.png", ".git/x.png"):
        worlds.save(tmp_path / name, (10, 20))
    worlds.write(tmp_path / "cat" / "notes.txt", "")
    data = read_folder(tmp_path)
    assert data.classes == ("cat", "dog")
    assert [(sample.id, sample.group, sample.size) for sample in data] == [
        ("cat/a.png", "cat", (10, 20)),
        ("cat/deep/c.jpeg", "cat", (10, 20)),
        ("dog/b.JPG", "dog", (10, 20)),
    ]
    assert data.counts == {"passed over": 2}
    assert [remark.where for remark in data.remarks] == [
        str(tmp_path / "cat" / "notes.txt"),
        str(tmp_path / "stray.png"),
    ]


def test_a_folder_of_pictures_alone_has_no_classes(tmp_path):
    worlds.save(tmp_path / "a.png", (10, 20))
    data = read_folder(tmp_path)
    assert (data.classes, data[0].group, data[0].id) == ((), "", "a.png")


def test_a_folder_without_pictures_is_said(tmp_path):
    worlds.write(tmp_path / "cat" / "a.txt", "")
    with pytest.raises(DataError, match="got 1 files of which none ends like a picture"):
        read_folder(tmp_path)
    with pytest.raises(DataError, match="expected a folder of pictures"):
        read_folder(tmp_path / "nowhere")


def test_links_are_followed_once(tmp_path):
    worlds.save(tmp_path / "far" / "a.png")
    (tmp_path / "root").mkdir()
    os.symlink(tmp_path / "far", tmp_path / "root" / "cat")
    os.symlink(tmp_path / "root", tmp_path / "far" / "back")
    assert list(read_folder(tmp_path / "root").keys) == ["cat/a.png"]


def test_l6_file_names_are_mere_text(tmp_path):
    name = "cat/<script>\"ä\n\x1b[31m'.png"
    worlds.save(tmp_path / name, (10, 20))
    sample = read_folder(tmp_path)[0]
    assert sample.path == tmp_path / name
    assert sample.where.isprintable()
    assert sample.id == "cat/<script>\"ä\\n\\x1b[31m'.png"


def test_a_name_that_is_no_text_can_be_read_and_said(tmp_path):
    (tmp_path / "cat").mkdir()
    path = os.fsencode(tmp_path / "cat") + b"/\xff.png"
    with open(path, "wb") as file:
        Image.new("RGB", (20, 10)).save(file, "PNG")
    sample = read_folder(tmp_path)[0]
    assert (sample.id, sample.size) == ("cat/\\udcff.png", (10, 20))
    sample.id.encode()


def indices(path, ids, mode):
    """Write a mask in which each id has a colour that is another's id."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(ids)
    if mode == "P":
        image.putpalette([value for i in range(256) for value in ((i * 37) % 256, (i * 91) % 256, 255 - i)])
    assert image.mode == mode
    image.save(path)
    return path


@pytest.mark.parametrize(
    "ending, mode, dtype, most",
    [("png", "P", np.uint8, 255), ("png", "L", np.uint8, 255), ("png", "I;16", np.uint16, 65535),
     ("tif", "I;16", np.uint16, 65535), ("bmp", "L", np.uint8, 255), ("png", "1", bool, 1)],
)  # fmt: skip
def test_r6_masks_are_read_as_ids(tmp_path, ending, mode, dtype, most):
    ids = np.linspace(0, most, 12).reshape(3, 4).astype(dtype)
    indices(tmp_path / "masks" / f"a.{ending}", ids, mode)
    sample = read_masks(tmp_path)[0]
    assert (sample.id, sample.size, sample.path) == ("a", (3, 4), None)
    read = read_mask(sample.mask)
    assert read.tolist() == ids.astype(int).tolist()
    assert read.dtype.kind == "u"
    assert read.dtype.isnative
    assert [(remark.kind, remark.rule) for remark in sample.remarks] == ([("palette", "SA7")] if mode == "P" else [])


def test_masks_go_with_the_pictures_of_their_names(tmp_path):
    for name in ("a", "deep/b"):
        indices(tmp_path / "masks" / f"{name}.png", np.zeros((20, 40), np.uint8), "L")
        worlds.save(tmp_path / "images" / f"{name}.jpg", (20, 40))
    worlds.save(tmp_path / "images" / "c.jpg", (20, 40))
    data = read_masks(tmp_path)
    assert [(sample.id, sample.path.name, sample.size) for sample in data] == [
        ("a", "a.jpg", (20, 40)),
        ("deep/b", "b.jpg", (20, 40)),
    ]
    assert data.counts == {"passed over": 1}
    given = read_masks(tmp_path / "masks", images=tmp_path / "images")
    assert [sample.id for sample in given] == ["a", "deep/b"]


def test_a_mask_without_a_picture_stops_or_is_left_out(tmp_path):
    for name in ("a", "b"):
        indices(tmp_path / "masks" / f"{name}.png", np.zeros((20, 40), np.uint8), "L")
    worlds.save(tmp_path / "images" / "a.jpg", (20, 40))
    with pytest.raises(DataError, match="expected a picture of this name") as caught:
        read_masks(tmp_path)
    assert (caught.value.kind, caught.value.where) == ("missing", str(tmp_path / "masks" / "b.png"))
    data = read_masks(tmp_path, keep_going=True)
    assert [sample.id for sample in data] == ["a"]
    assert data.counts == {"missing": 1}


def test_what_is_no_mask_is_said(tmp_path):
    worlds.save(tmp_path / "masks" / "colours.png")
    worlds.save(tmp_path / "masks" / "floats.tif", mode="F")
    worlds.save(tmp_path / "masks" / "smaller.png", (5, 5), "L")
    worlds.save(tmp_path / "masks" / "turned.tif", (5, 5), "L", orientation=3)
    for name in ("colours", "floats", "turned"):
        worlds.save(tmp_path / "images" / f"{name}.jpg")
    worlds.save(tmp_path / "images" / "smaller.jpg", (5, 6))
    texts = [remark.text for remark in readings(read_masks(tmp_path))]
    assert [text.split(", got")[0].split(" (")[0] for text in texts] == [
        "a mask must be a picture of one whole number a pixel",
        "a mask must be a picture of one whole number a pixel",
        "the annotation says that the picture is 5 x 5",
        "a mask must be stored upright",
    ]


def test_a_folder_of_masks_must_have_some_and_one_for_a_name(tmp_path):
    with pytest.raises(DataError, match="expected a folder of masks") as caught:
        read_masks(tmp_path)
    assert caught.value.where == str(tmp_path / "masks")
    (tmp_path / "masks").mkdir()
    with pytest.raises(DataError, match="expected masks"):
        read_masks(tmp_path)
    for ending in ("png", "bmp"):
        worlds.save(tmp_path / "masks" / f"a.{ending}", mode="L")
    with pytest.raises(DataError, match=r"one picture, got 'a\.bmp' and 'a\.png'"):
        read_masks(tmp_path)


def test_a_damaged_mask_is_said_when_it_is_read(tmp_path):
    path = indices(tmp_path / "masks" / "a.png", np.random.default_rng(0).integers(0, 9, (99, 99), np.uint8), "L")
    path.write_bytes(path.read_bytes()[:300])
    sample = read_masks(tmp_path)[0]
    with pytest.raises(DataError, match="expected a whole mask"):
        read_mask(sample.mask)


def test_a_picture_of_more_than_8_bits_is_said_and_read_as_it_is(tmp_path):
    indices(tmp_path / "cat" / "a.png", np.array([[0, 300], [65535, 7]], np.uint16), "I;16")
    sample = read_folder(tmp_path)[0]
    assert [remark.kind for remark in sample.remarks] == ["deep"]
    assert picture_of(sample).tolist() == [[0, 300], [65535, 7]]


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_the_picture_of_a_sample_is_upright(tmp_path, orientation):
    path = tmp_path / "cat" / "a.png"
    worlds.save(path, (4, 6), orientation=orientation)
    pixels = np.arange(72, dtype=np.uint8).reshape(4, 6, 3)
    exif = Image.Exif()
    exif[worlds.ORIENTATION] = orientation
    Image.fromarray(pixels).save(path, exif=exif)
    turns = {1: 0, 3: 2, 6: 3, 8: 1}[orientation]
    assert (picture_of(read_folder(tmp_path)[0]) == np.rot90(pixels, turns)).all()


def test_a_picture_that_is_not_there_or_another_is_said(tmp_path):
    with pytest.raises(DataError, match="say in which folder pictures are"):
        picture_of(Sample("a", (4, 6)))
    with pytest.raises(DataError, match="not there"):
        picture_of(Sample("a", (4, 6), tmp_path / "a.png"))
    path = worlds.save(tmp_path / "a.png", (4, 6))
    with pytest.raises(DataError, match="got one of 4 x 6"):
        picture_of(Sample("a", (6, 4), path))


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "CMYK", "LA"])
def test_pictures_of_other_colours_are_read_as_rgb(tmp_path, mode):
    path = worlds.save(tmp_path / f"a.{'jpg' if mode == 'CMYK' else 'png'}", (4, 6), mode)
    pixels = picture_of(Sample("a", (4, 6), path))
    assert (pixels.shape, pixels.dtype) == ((4, 6, 3), np.uint8)
