"""Small data sets of painted pictures, and a page that is no more than its cards."""

import base64
import io
import json
import re

import albumentations as A
import numpy as np
from PIL import Image

from safeaug.data import Sample

BOXES = A.BboxParams("pascal_voc", label_fields=["labels"])


def painted(size, boxes=()):
    """Return a picture that says by red and green where a pixel is, as a share of each side, and by blue boxes."""
    height, width = size
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[..., 0] = np.rint(255 * (np.arange(width) + 0.5) / width)[None, :]
    pixels[..., 1] = np.rint(255 * (np.arange(height) + 0.5) / height)[:, None]
    for x0, y0, x1, y1 in boxes:
        pixels[y0:y1, x0:x1, 2] = 255
    return pixels


def sample(name="a", size=(120, 160), boxes=((20, 30, 100, 90),), labels=None, **more):
    """Return a sample whose picture is painted."""
    rows = np.array(boxes, np.float64).reshape(-1, 4)
    labels = tuple(labels or ("cat",) * len(rows))
    more.setdefault("image", painted(size, boxes))
    return Sample(name, size, boxes=rows, labels=labels, ignore=np.zeros(len(rows), bool), **more)


def pipeline(*steps):
    return A.Compose(list(steps), bbox_params=BOXES)


def opened(src):
    """Return the pixels of a picture of a card, as the page would show it."""
    file = src if isinstance(src, bytes) else base64.b64decode(src.partition(",")[2])
    with Image.open(io.BytesIO(file)) as image:
        return np.asarray(image.convert("RGB")).astype(float)


def place_of(pixel):
    """Return the place that a pixel of a painted picture comes from, as shares of the sides."""
    return pixel[..., 0] / 255, pixel[..., 1] / 255


def blue_box(pixels):
    """Return what bounds the painted object on a picture, as shares of its sides."""
    rows, columns = np.nonzero(pixels[..., 2] > 128)
    height, width = pixels.shape[:2]
    return columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height


def stub(record, assessment, inline, shards, replay, pictures, notes):
    """Stand for the template: the cards, and what the record says."""
    told = {
        "about": [record.about.pipeline, record.about.data, record.counts.terms.pipeline],
        "remarks": [[each.where, each.text] for each in record.remarked],
        "failures": [[each.sample, each.error] for each in record.failures],
        "inline": inline,
        "shards": shards,
        "replay": replay,
        "pictures": pictures,
        "notes": notes,
    }
    return f"<!doctype html>\n{json.dumps(told)}"


def stub_of(page):
    """Return what stands on such a page."""
    return json.loads(page.read_text(encoding="utf-8").partition("\n")[2])


def cards_of(page, each=200):
    """Return the cards of a page, so many a shard."""
    told = stub_of(page)
    shards = told["inline"]
    if shards is None:
        shards = [shard_of((page.parent / name).read_text(encoding="utf-8")) for name in told["shards"]]
    assert [shard["first"] for shard in shards] == [each * i for i in range(len(shards))]
    cards = [card for shard in shards for card in shard["cards"]]
    if told["inline"] is not None:
        for card in cards:
            for look in (card["before"], card["after"], card["guarded"], *(card["film"] or ())):
                if look is not None and look["src"] is not None:
                    look["src"] = told["pictures"][int(look["src"])]
    assert [card["n"] for card in cards] == list(range(len(cards)))
    return cards


def shard_of(script):
    """Return what a script hands to the page, which runs it as JavaScript does."""
    found = re.fullmatch(r"\(window\.safeaug = window\.safeaug \|\| \[\]\)\.push\((.*)\);\n", script, re.DOTALL)
    return json.loads(found.group(1))
