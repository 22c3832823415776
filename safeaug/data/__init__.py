"""Readers of data sets: what an audit needs to know of each sample, without a pixel of it.

Every reader returns `Data`: a sequence of `Sample`, each read when it is asked for. What is malformed stops with
`DataError`, which says file and line; or it is left out and counted (``keep_going=True``). What is only odd is said in
remarks. Nothing is unpickled, and no name or label acts on anything.

opening.py        open_data: a data set by its name
sample.py         Sample
dataset.py        Data: samples, read one by one
remarks.py        Remark; Notes, which stop at a fault or write it down; somebody else's text, made harmless
header.py         size and orientation from the header of a picture; the pixel limit
picture.py        its pixels, where they are wanted after all
listing.py        the files of a folder
boxes.py          which boxes can be used
entry.py          an object as one line of an annotation tells of it
outline.py        what an object covers: rings, runs of a mask
coco*.py, yolo*.py, voc*.py, folder.py, masks.py, torch*.py    the formats
named.py          a Python object by its name
frames.py         where in their own files somebody's error comes from
"""

from safeaug.data.coco import read_coco
from safeaug.data.dataset import Data, readings
from safeaug.data.folder import read_folder
from safeaug.data.masks import read_mask, read_masks
from safeaug.data.named import named
from safeaug.data.opening import open_data
from safeaug.data.outline import Outline, Rings, Rle, mask_of
from safeaug.data.picture import picture_of, scaled_picture_of
from safeaug.data.remarks import Kind, Remark
from safeaug.data.sample import Sample
from safeaug.data.torch_dataset import read_torch
from safeaug.data.voc import read_voc
from safeaug.data.yolo import read_yolo

__all__ = [
    "Data",
    "Kind",
    "Outline",
    "Remark",
    "Rings",
    "Rle",
    "Sample",
    "mask_of",
    "named",
    "open_data",
    "picture_of",
    "read_coco",
    "read_folder",
    "read_mask",
    "read_masks",
    "read_torch",
    "read_voc",
    "read_yolo",
    "readings",
    "scaled_picture_of",
]
