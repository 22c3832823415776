"""COCO: one JSON file of images, objects and classes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.data.boxes import usable
from safeaug.data.coco_file import CocoCategory, CocoFile, CocoImage, Id, coco_file
from safeaug.data.coco_outlines import CocoOutlines, CocoTable
from safeaug.data.dataset import Data
from safeaug.data.header import check_header, check_pixels
from safeaug.data.listing import folder_of, inside, presence
from safeaug.data.remarks import Notes, place, printable, shown
from safeaug.data.sample import Sample
from safeaug.errors import DataError
from safeaug.geometry import Size


class _Image(NamedTuple):
    """An image of the file that can be used."""

    number: int
    id: str
    size: Size
    path: str | None
    place: int
    name: str


@dataclass(frozen=True, eq=False)
class _Objects:
    """All objects of a file that can be used, sorted by image."""

    boxes: NDArray[np.float64]
    kinds: NDArray[np.int32]
    crowds: NDArray[np.bool_]
    annotations: NDArray[np.int64]
    ends: NDArray[np.int64]
    """Where the objects of each image begin, and those of the last one end."""
    classes: tuple[str, ...]
    table: CocoTable
    file: Path
    """As it was given, for messages; that of the table is absolute, for processes that stand elsewhere."""

    def sample(self, image: _Image) -> Sample:
        """Return an image with its objects; where there is a picture, its header must agree."""
        where = _where(self.file, image.place, image.name)
        remarks = () if image.path is None else check_header(image.path, image.size, where)
        start, stop = self.ends[image.number : image.number + 2].tolist()
        return Sample(
            image.id,
            image.size,
            image.path,
            self.boxes[start:stop],
            tuple([self.classes[kind] for kind in self.kinds[start:stop].tolist()]),
            self.crowds[start:stop],
            CocoOutlines(self.table, tuple(self.annotations[start:stop].tolist())),
            where=where,
            remarks=remarks,
        )


def read_coco(
    path: str | PathLike[str], *, images: str | PathLike[str] | None = None, keep_going: bool = False
) -> Data:
    """Return the samples of a COCO file.

    Parameters
    ----------
    path : path
        The annotations, as JSON. Boxes are ``[x, y, width, height]`` in pixels. A crowd is ignored.
    images : path, optional
        The folder in which ``file_name`` stands. Each picture must be there, and its header must agree. Left out, no
        picture is looked at, and sizes are those of the annotations.
    keep_going : bool, default False
        Whether what is malformed is left out and counted, instead of stopping.

    Returns
    -------
    Data
        In the order of the file. What an object covers (polygons, runs of either kind) is read when it is asked for.

    Raises
    ------
    DataError
        Where the file or a record of it cannot be read: says which, and what is wrong.

    Examples
    --------
    >>> import json, tempfile
    >>> text = json.dumps({
    ...     "images": [{"id": 7, "width": 640, "height": 480, "file_name": "a.jpg"}],
    ...     "annotations": [{"image_id": 7, "category_id": 1, "bbox": [10, 20, 30, 40], "segmentation": []}],
    ...     "categories": [{"id": 1, "name": "cat"}],
    ... })
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "ann.json")
    ...     _ = file.write_text(text)
    ...     sample = read_coco(file)[0]
    >>> sample.id, sample.size, sample.boxes.tolist(), sample.labels
    ('7', (480, 640), [[10.0, 20.0, 40.0, 60.0]], ('cat',))
    """
    path, notes = Path(path), Notes(keep_going)
    folder = None if images is None else folder_of(images, "pictures")
    file = coco_file(path, notes, keep_going)
    taken = _images(file, path, folder, notes)
    objects = _objects(file, path, [None if image is None else image.size for image in taken], notes)
    keys = [image for image in taken if image is not None]
    return Data(f"coco:{place(path)}", keys, objects.sample, objects.classes, notes.remarks, notes.counts)


def _images(file: CocoFile, path: Path, folder: Path | None, notes: Notes) -> list[_Image | None]:
    """Return the images; None for one that cannot be used."""
    is_there, first, images = presence(), _first(file.images), list[_Image | None]()
    for i, (image, at) in enumerate(zip(file.images, file.image_places, strict=True)):
        name = image.file_name or str(image.id)
        try:
            if first[image.id] != i:
                text = f"an image's id must be its own, got {shown(image.id)} once more; number them apart"
                raise DataError(text)
            size = check_pixels((image.height, image.width), "")
            picture = None if folder is None else inside(folder, image.file_name, "")
            if picture is not None and not is_there(picture):
                raise DataError(f"expected a picture at {place(picture)}, which is not there", kind="missing")
        except DataError as error:
            notes.take(DataError(error.message, _where(path, at, name), error.kind))
            images.append(None)
        else:
            images.append(_Image(i, str(image.id), size, None if picture is None else str(picture), at, name))
    return images


def _where(path: Path, at: int, name: str) -> str:
    return f"{place(path)}: images[{at}] ({printable(name)})"


def _objects(file: CocoFile, path: Path, sizes: list[Size | None], notes: Notes) -> _Objects:
    """Return the objects of images that have a size."""
    count = len(file.annotations)
    boxes = np.fromiter(chain.from_iterable(_each("bbox", file)), np.float64, 4 * count).reshape(count, 4)
    with np.errstate(over="ignore"):  # what is beyond all numbers is said to be so
        boxes[:, 2:] += boxes[:, :2]
    of_image, of_class = _first(file.images), _first(file.categories)
    owners = np.fromiter(map(of_image.get, _each("image_id", file), repeat(-1)), np.int64, count)
    kinds = np.fromiter(map(of_class.get, _each("category_id", file), repeat(-1)), np.int32, count)
    crowds = np.fromiter(map(bool, _each("iscrowd", file)), np.bool_, count)

    for i, category in enumerate(file.categories):
        if of_class[category.id] != i:
            text = f"a category's id must be its own, got {shown(category.id)} once more; number the categories apart"
            notes.fault("malformed", f"{place(path)}: categories[{i}]", text)

    def where(i: int) -> str:
        owner = file.annotations[i].image_id
        return f"{place(path)}: annotations[{file.annotation_places[i]}] (image {shown(owner)})"

    for i in np.flatnonzero((owners < 0) | (kinds < 0)).tolist():
        _note_unlisted(file, i, owners[i] < 0, where(i), notes)
    sides = np.array([size or (0, 0) for size in sizes], dtype=np.int64).reshape(-1, 2)
    use = np.flatnonzero((owners >= 0) & (kinds >= 0))
    use = use[sides[owners[use], 0] > 0]
    height, width = sides[owners[use]].T
    use = use[usable(boxes[use], (height, width), lambda k: where(int(use[k])), notes)]
    use = use[np.argsort(owners[use], kind="stable")]
    return _Objects(
        boxes[use],
        kinds[use],
        crowds[use],
        np.asarray(file.annotation_places, dtype=np.int64)[use],
        np.searchsorted(owners[use], np.arange(len(sizes) + 1)),
        tuple(category.name for category in file.categories),
        CocoTable(path.absolute(), file.total),
        path,
    )


def _each(name: str, file: CocoFile) -> Iterator[Any]:
    """Return a field of all annotations. There may be a million: nothing is done for each in Python."""
    return map(attrgetter(name), file.annotations)


def _first(records: Sequence[CocoImage | CocoCategory]) -> dict[Id, int]:
    """Return the first index of each id."""
    return {record.id: i for i, record in reversed(list(enumerate(records)))}


def _note_unlisted(file: CocoFile, i: int, of_no_image: bool, where: str, notes: Notes) -> None:
    annotation = file.annotations[i]
    name, given = ("image", annotation.image_id) if of_no_image else ("category", annotation.category_id)
    number = len(file.images) if of_no_image else len(file.categories)
    notes.fault(
        "unlisted",
        where,
        f"{name}_id must be one of the {number} ids that the file lists and that can be read, got {shown(given)}; list "
        "it, or take the annotation out",
    )
