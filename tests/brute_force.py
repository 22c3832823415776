"""What an audit counts, by brute force: the plain pipeline is called on blank pictures, and its output is looked at.

It shares no code with the package. Run it by hand as ``python -m tests.brute_force FOLDER``: a folder of pictures and
Pascal VOC files that count from 0.
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import albumentations as A
import numpy as np


def read(folder):
    """Yield size, boxes and labels of each file; boxes clipped to the picture, those without area left out."""
    for path in sorted(Path(folder).rglob("*.xml")):
        root = ElementTree.parse(path).getroot()
        height, width = (int(root.find(f"size/{side}").text) for side in ("height", "width"))
        boxes, labels = [], []
        for each in root.iter("object"):
            box = [float(each.find(f"bndbox/{side}").text) for side in ("xmin", "ymin", "xmax", "ymax")]
            box = np.clip(box, 0, [width, height, width, height])
            if box[0] < box[2] and box[1] < box[3]:
                boxes.append(box)
                labels.append(each.find("name").text)
        yield (height, width), np.array(boxes).reshape(-1, 4), labels


def count(folder, draws, seed=0, limit=0.5):
    """Return how many draws there are, are damaged and emptied; by class; and what became of the objects."""
    crop = A.RandomResizedCrop((224, 224))
    box_params = A.BboxParams("pascal_voc", label_fields=["numbers"])
    pipeline = A.Compose([crop], bbox_params=box_params, seed=seed, save_applied_params=True)
    total, classes, fates = Counter(), {}, Counter()
    for size, boxes, labels in read(folder):
        for _ in range(draws if len(boxes) else 0):
            numbers = list(range(len(boxes)))
            out = pipeline(image=np.zeros((*size, 3), np.uint8), bboxes=boxes, numbers=numbers)
            x0, y0, x1, y1 = out["applied_transforms"][0][1]["crop_coords"]
            wide = np.minimum(boxes[:, 2], x1) - np.maximum(boxes[:, 0], x0)
            high = np.minimum(boxes[:, 3], y1) - np.maximum(boxes[:, 1], y0)
            left = np.maximum(wide, 0) * np.maximum(high, 0) / ((boxes[:, 2:] - boxes[:, :2]).prod(axis=1))
            there = np.isin(numbers, out["numbers"])
            names = np.where(
                there, np.where(left >= limit - 1e-6, "KEPT", np.where(left > 0, "SLIVER", "GHOST")), "ORPHAN"
            )
            names[~there & (left == 0)] = "GONE"
            damaged = np.isin(names, ["SLIVER", "GHOST", "ORPHAN"])
            fates.update(names.tolist())
            total.update(draws=1, damaged=int(damaged.any()), emptied=int(not (names == "KEPT").any()))
            for label in set(labels):
                here = damaged[[each == label for each in labels]].any()
                classes.setdefault(label, Counter()).update(draws=1, damaged=int(here))
    return total, classes, fates


if __name__ == "__main__":
    print(*count(sys.argv[1], 8), sep="\n")  # noqa: T201  # a script
