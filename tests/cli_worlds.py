"""A working directory as a user of the command line has it: a data set, and pipelines."""

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image
from typer.testing import CliRunner

from safeaug.cli import app
from tests.data_worlds import coco, coco_annotation, coco_image, write

AUG = """
import albumentations as A
BOXES = A.BboxParams("pascal_voc", label_fields=["labels"])
flip = A.Compose([A.HorizontalFlip()], bbox_params=BOXES)
def crop():
    return A.Compose([A.RandomCrop(30, 40), A.HorizontalFlip()], bbox_params=BOXES)
class Wide(A.DualTransform):
    def apply(self, img, **params):
        return img
    def apply_to_bboxes(self, bboxes, **params):
        return bboxes
    def get_params_dependent_on_data(self, params, data):
        if params["shape"][1] > 300:
            raise ValueError("too wide [red]for me")
        return {}
raising = A.Compose([A.HorizontalFlip(), Wide(p=1.0)], bbox_params=BOXES)
tall = A.Compose([A.RandomCrop(100, 150), A.HorizontalFlip()], bbox_params=BOXES)
picture = A.Compose([A.RandomCrop(30, 40)])
"""
EVIL = "<script>alert(1)</script>[red]\x1b[31m"


def run(*args, **env):
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb", **env})


def audit(*args, data="coco:ann.json", pipeline="aug.py:crop", **env):
    return run("audit", "--data", data, "--pipeline", pipeline, *args, **env)


def ann(count=6, name="cat", wide=None):
    """Return a COCO file of ordinary pictures, and of a panorama where one is asked for."""
    sizes = [(120, 160)] * count + ([(50, 500)] if wide else [])
    images = [coco_image(id=i, height=h, width=w, file_name=f"{i}.png") for i, (h, w) in enumerate(sizes)]
    boxes = [[5 + 22 * (i % 5), 8, 25, 20] for i in range(len(sizes))]
    annotations = [coco_annotation(id=i, image_id=i, bbox=box) for i, box in enumerate(boxes)]
    return coco(images, annotations, [{"id": 3, "name": name}])


def begun(folder: Path, monkeypatch) -> Path:
    """Make a folder the working directory, with a data set and pipelines in it."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "aug", raising=False)
    write(folder / "ann.json", json.dumps(ann()))
    write(folder / "aug.py", AUG)
    return folder


def painted(path, size):
    """Write a picture each pixel of which says where it is."""
    rows, columns = np.mgrid[: size[0], : size[1]]
    pixels = np.stack([columns % 256, rows % 256, columns // 256 + 16 * (rows // 256)], axis=2).astype(np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def place_of(pixels):
    """Return, of every pixel of such a picture, the column and the row that it came from."""
    x, y, z = (pixels[..., i].astype(int) for i in range(3))
    return x + 256 * (z % 16), y + 256 * (z // 16)
