"""Small data sets in every format, written as their own tools write them."""

import json
import random
import struct
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from safeaug import Policy
from safeaug.data import Rle, mask_of
from safeaug.objects import content_from

ORIENTATION = 0x0112


class Thing(NamedTuple):
    """A labelled box of whole pixels."""

    box: tuple[int, int, int, int]
    label: str
    ignore: bool = False


def save(path: Path, size=(480, 640), mode="RGB", orientation=None, colour=0) -> Path:
    """Write a picture of this (height, width) as it is stored."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image, options = Image.new(mode, size[::-1], colour), {}
    if orientation is not None:
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        options["exif"] = exif
    image.save(path, **options)
    return path


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def coco(images=None, annotations=None, categories=None) -> dict:
    """Return a COCO file of one image and one cat, or what is given."""
    return {
        "images": images if images is not None else [coco_image()],
        "annotations": annotations if annotations is not None else [coco_annotation()],
        "categories": categories if categories is not None else [{"id": 3, "name": "cat"}],
    }


def coco_image(**changes) -> dict:
    return {"id": 7, "width": 640, "height": 480, "file_name": "a.png"} | changes


def coco_annotation(**changes) -> dict:
    return {"id": 1, "image_id": 7, "category_id": 3, "bbox": [10, 20, 30, 40], "iscrowd": 0} | changes


def voc(things=(), size=(480, 640), name="a.png", head="", offset=1) -> str:
    """Return an annotation; ``offset`` is 1 where corners are pixels counted from 1, and 0 where they are edges."""
    objects = "".join(
        f"<object>\n<name>{each.label}</name>\n<difficult>{int(each.ignore)}</difficult>\n<bndbox>"
        f"<xmin>{each.box[0] + offset}</xmin>\n<ymin>{each.box[1] + offset}</ymin>\n<xmax>{each.box[2]}</xmax>\n"
        f"<ymax>{each.box[3]}</ymax></bndbox>\n</object>\n"
        for each in things
    )
    return (
        f"{head}<annotation>\n<filename>{name}</filename>\n<size><width>{size[1]}</width><height>{size[0]}</height></size>\n"
        f"{objects}</annotation>\n"
    )


def yolo(root: Path, rows: str | bytes, config="{train: images, names: [cat, dog]}", size=(480, 640)) -> Path:
    """Write a data set of one picture; return its data.yaml."""
    save(root / "images" / "a.png", size)
    write(root / "labels" / "a.txt", rows)
    return write(root / "data.yaml", config)


def claiming(size) -> bytes:
    """Return a PNG that claims to be of a size, and has no pixels."""

    def chunk(kind, text):
        return struct.pack(">I", len(text)) + kind + text + struct.pack(">I", zlib.crc32(kind + text))

    head = struct.pack(">IIBBBBB", size[1], size[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"")


def runs_of(mask) -> list[int]:
    """The obvious loop: lengths of runs down the columns, first one of background."""
    runs, colour = [0], False
    for pixel in np.asarray(mask, bool).T.ravel().tolist():
        if pixel != colour:
            runs.append(0)
            colour = pixel
        runs[-1] += 1
    return runs


def compressed(runs: list[int]) -> str:
    """The obvious loop: each run, less the last but one from the fourth on, five bits at a time with a sign."""
    text = ""
    for i, run in enumerate(runs):
        rest = run - (runs[i - 2] if i > 2 else 0)
        while True:
            bits, rest = rest & 31, rest >> 5
            more = not ((rest == 0 and not bits & 16) or (rest == -1 and bits & 16))
            text += chr(48 + bits + (32 if more else 0))
            if not more:
                break
    return text


def dumped(value) -> str:
    return json.dumps(value)


WORDS = [b"", b"0", b"-1", b"1e999", b"nan", b"null", b"[]", b"{}", b'"', b"<", b">", b"&", b"\xff", b"\0", b"\n", b","]
WORDS += [b"9" * 40, b"<!DOCTYPE a>", b"[" * 3000, b"\xef\xbb\xbf", b"../", b"&a [*a]", b"0.5", b": ", b"- ", b"\r"]


def mutated(text: bytes, number: int) -> bytes:
    """Return somebody's file after a bad day: bytes changed, lost, doubled, put in, words of its format among them."""
    chance, out = random.Random(number), bytearray(text)
    for _ in range(number % 4):
        at, length = chance.randrange(len(out) + 1), chance.choice([0, 1, 1, 2, 8, 100, 400])
        pieces = [chance.choice(WORDS), chance.randbytes(chance.randrange(1, 4)), bytes(out[at - length : at])]
        out[at : at + length] = chance.choice(pieces)
    return bytes(out)


def used(data) -> int:
    """Use every sample as an audit would, and assert what it relies on; return how many there are."""
    policy, count = Policy(), 0
    for sample in data:
        count += 1
        number = len(sample.boxes)
        assert all(isinstance(side, int) and side >= 1 for side in sample.size)
        assert sample.boxes.shape == (number, 4)
        assert sample.boxes.dtype == np.float64
        assert np.isfinite(sample.boxes).all()
        assert len(sample.labels) in {number, 0}
        assert all(isinstance(label, str) for label in sample.labels)
        assert sample.ignore.shape == (number,)
        assert sample.ignore.dtype == bool
        assert sample.where.isprintable()
        content = content_from(sample.size, policy, boxes=sample.boxes, ignore=sample.ignore)
        assert len(content.given) == number
        assert not any(box[0] != box[0] for box in content.given), "an object outside the image was handed on"
        if sample.outlines is not None:
            assert len(sample.outlines) == number
            for outline in sample.outlines:
                if isinstance(outline, Rle):
                    assert mask_of(outline).shape == outline.size
                else:
                    assert all(ring.shape[1] == 2 for ring in outline or ())
    return count


def things(count: int, seed: int, size=(480, 640)) -> list[Thing]:
    """Boxes of whole pixels at random."""
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        x0, y0 = chance.randrange(size[1] - 2), chance.randrange(size[0] - 2)
        x1, y1 = chance.randrange(x0 + 2, size[1] + 1), chance.randrange(y0 + 2, size[0] + 1)
        made.append(Thing((x0, y0, x1, y1), chance.choice(["cat", "dog"]), chance.random() < 0.2))
    return made
