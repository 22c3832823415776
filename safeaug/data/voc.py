"""Pascal VOC: an XML file for each picture."""

from functools import partial
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from safeaug.data.dataset import Data
from safeaug.data.entry import Entry, objects_of
from safeaug.data.header import check_header, check_pixels, header_of
from safeaug.data.listing import files_in, folder_of, pictures_in
from safeaug.data.remarks import Notes, place, printable, shown
from safeaug.data.sample import Sample
from safeaug.data.voc_file import Value, VocFile, VocObject, number, voc_file
from safeaug.errors import DataError
from safeaug.geometry import Size

ANNOTATIONS, IMAGES = "Annotations", "JPEGImages"
"""The folders of the original."""

CORNERS = "xmin", "ymin", "xmax", "ymax"


class _Place(NamedTuple):
    """Where a data set stands, and how it is read."""

    annotations: Path
    pictures: Path
    names: dict[str, str] | None
    """The pictures, by name and by name without ending; None where only annotations are at hand."""
    one_based: bool
    keep_going: bool


def read_voc(
    root: str | PathLike[str],
    *,
    images: str | PathLike[str] | None = None,
    one_based: bool = True,
    keep_going: bool = False,
) -> Data:
    """Return the samples of a folder of annotations in the XML of Pascal VOC.

    Parameters
    ----------
    root : path
        A folder with the folders ``Annotations`` and ``JPEGImages``, or one of XML files.
    images : path, optional
        The folder of the pictures; left out, ``JPEGImages``, or where the XML files are. Where that has none, sizes
        are those of the annotations; else each picture must be there, and its header must agree.
    one_based : bool, default True
        Whether corners are pixels counted from 1, the last one included, as in Pascal VOC itself. Many tools write the
        edges of the box instead, in the same format, one pixel apart: False, for these.
    keep_going : bool, default False
        Whether an object that is malformed is left out and counted, instead of stopping.

    Returns
    -------
    Data
        In the order of the files' names, each read when it is asked for. A difficult object is ignored.

    Raises
    ------
    DataError
        Where there is no folder, or no annotation in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     _ = Path(root, "a.xml").write_text('''<annotation><size><width>640</width><height>480</height></size>
    ...         <object><name>cat</name><bndbox><xmin>11</xmin><ymin>21</ymin><xmax>40</xmax><ymax>60</ymax></bndbox>
    ...         </object></annotation>''')
    ...     sample = read_voc(root)[0]
    >>> sample.id, sample.size, sample.boxes.tolist(), sample.labels
    ('a', (480, 640), [[10.0, 20.0, 40.0, 60.0]], ('cat',))
    """
    folder = folder_of(root, "annotations")
    annotations = folder / ANNOTATIONS if (folder / ANNOTATIONS).is_dir() else folder
    keys = [name for name in files_in(annotations) if name.lower().endswith(".xml")]
    if not keys:
        raise DataError("expected annotations, got a folder without files that end in .xml", place(folder), "missing")
    if images is not None:
        pictures = folder_of(images, "pictures")
    else:
        pictures = folder / IMAGES if (folder / IMAGES).is_dir() else annotations
    found = pictures_in(pictures)
    by_name = {_stem(name): name for name in found} | {name: name for name in found}
    names = by_name if found or images is not None else None
    return Data(
        f"voc:{place(root)}", keys, partial(_sample, _Place(annotations, pictures, names, one_based, keep_going))
    )


def _stem(name: str) -> str:
    return PurePosixPath(name).with_suffix("").as_posix()


def _sample(at: _Place, name: str) -> Sample:
    file, notes = voc_file(at.annotations / name), Notes(at.keep_going)
    where, picture, said = place(file.path), _picture(at, file, _stem(name)), _size(file)
    if said is not None:
        size = said
    elif picture is not None:
        size = header_of(picture, where).size
    else:
        raise DataError("expected <size> with <width> and <height>, or a picture; got neither", where)
    remarks = () if picture is None else check_header(picture, size, where)
    objects = objects_of(_entries(file, at.one_based, notes), size, file.path, notes)
    return Sample(printable(_stem(name)), size, picture, where=where, remarks=remarks + notes.remarks, **objects)


def _picture(at: _Place, file: VocFile, stem: str) -> Path | None:
    """Return the picture of an annotation. Only pictures that were listed are looked at, whatever it names."""
    if at.names is None:
        return None
    named = file.values.get("filename", Value("", 0)).text
    for name in (named, _stem(named) if named else "", stem):
        if name in at.names:
            return at.pictures / at.names[name]
    raise DataError(
        f"expected a picture named {shown(named)} or {shown(stem)} in {place(at.pictures)}, got none",
        place(file.path),
        "missing",
    )


def _size(file: VocFile) -> Size | None:
    """Return the size that an annotation gives; None where it gives none, or 0, as some tools do."""
    if not {"size/width", "size/height"} & file.values.keys():
        return None
    height, width = (number(file.path, file.values, f"size/{side}", None) for side in ("height", "width"))
    if height == width == 0:
        return None
    return check_pixels((_whole(height), _whole(width)), place(file.path, (file.values["size/width"].line)))


def _whole(value: float) -> int:
    return int(value) if value == int(value) else -1


def _entries(file: VocFile, one_based: bool, notes: Notes) -> list[Entry]:
    entries: list[Entry] = []
    for each in file.objects:
        try:
            entries.append(_entry(file.path, each, one_based, notes))
        except DataError as error:
            notes.take(error)
    return entries


def _entry(path: Path, each: VocObject, one_based: bool, notes: Notes) -> Entry:
    where = place(path, each.line)
    label = each.values.get("name", Value("", 0)).text
    if not label:
        raise DataError("expected <name> of the object's class, which is missing or empty", where)
    x0, y0, x1, y1 = (number(path, each.values, f"bndbox/{corner}", each.line) for corner in CORNERS)
    if one_based:
        if x0 == x1 or y0 == y1:
            notes.remark("no area", where, f"the box {[x0, y0, x1, y1]} is one pixel across; was it drawn by mistake?")
        if min(x0, y0) < 1:
            notes.remark(
                "from zero",
                where,
                f"corners of Pascal VOC are pixels counted from 1, got {[x0, y0, x1, y1]}; if the tool that wrote them "
                "counts from 0, read them with one_based=False",
            )
        x0, y0 = (low - 1 if low >= 1 else low for low in (x0, y0))
    difficult = number(path, each.values, "difficult", each.line) if "difficult" in each.values else 0
    return Entry(each.line, (x0, y0, x1, y1), label, difficult != 0)
