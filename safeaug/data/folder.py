"""A folder of pictures, as ``torchvision.datasets.ImageFolder`` reads it: a folder a class, no boxes."""

from functools import partial
from os import PathLike
from pathlib import Path

from safeaug.data.dataset import Data
from safeaug.data.header import header_of, note_header
from safeaug.data.listing import files_in, folder_of, is_picture
from safeaug.data.remarks import Notes, place, printable
from safeaug.data.sample import Sample
from safeaug.errors import DataError


def read_folder(root: str | PathLike[str]) -> Data:
    """Return the samples of a folder of pictures.

    Parameters
    ----------
    root : path
        A folder with a folder for each class, which may have others inside. Pictures that stand beside these belong to
        no class: where there are folders with pictures, they are passed over, as torchvision does it.

    Returns
    -------
    Data
        In the order of their names; the class is each sample's ``group``.

    Raises
    ------
    DataError
        Where there is no folder, or no picture in it.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as root:
    ...     Path(root, "cat").mkdir()
    ...     Image.new("RGB", (640, 480)).save(Path(root, "cat", "a.png"))
    ...     sample = read_folder(root)[0]
    >>> sample.id, sample.size, sample.group
    ('cat/a.png', (480, 640), 'cat')
    """
    folder, notes = folder_of(root, "pictures"), Notes()
    files = files_in(folder)
    pictures = [name for name in files if is_picture(name)]
    classed = [name for name in pictures if "/" in name]
    if not pictures:
        raise DataError(
            f"expected pictures in a folder for each class, got {len(files)} files of which none ends like a picture",
            place(folder),
            "missing",
        )
    keys = classed or pictures
    used = set(keys)
    for name in files:
        if name not in used:
            why = (
                "it stands beside the folders of the classes" if is_picture(name) else "it does not end like a picture"
            )
            notes.remark("passed over", place(folder / name), f"the file is passed over: {why}")
    classes = tuple(sorted({_class_of(name) for name in classed}))
    return Data(f"folder:{place(folder)}", keys, partial(_sample, folder), classes, notes.remarks, notes.counts)


def _class_of(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


def _sample(root: Path, name: str) -> Sample:
    path, notes = root / name, Notes()
    where = place(path)
    header = header_of(path, where)
    note_header(header, where, notes)
    return Sample(printable(name), header.size, path, group=_class_of(name), where=where, remarks=notes.remarks)
