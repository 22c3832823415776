"""The file that a sheet is written to: whole, or not at all."""

import io
import os
from pathlib import Path

from PIL import Image

from safeaug.data.remarks import shown
from safeaug.errors import OutputError
from safeaug.report.gallery.folder import write_file

STEM, SUFFIX = "safeaug_batch", ".png"
"""What a sheet is called where nobody named it."""


def written(image: Image.Image, out: str | os.PathLike[str] | None) -> Path:
    """Write a picture, and return where.

    Parameters
    ----------
    image : Image
        What is written.
    out : path or None
        A file, whose ending says its format, and which is written anew where it is there; or a folder, in which it
        gets a name that is not taken yet. None is the current folder.

    Raises
    ------
    OutputError
        Where Pillow writes no such format, or the file cannot be written: then nothing is.
    """
    path = Path() if out is None else Path(out)
    if path.is_dir():
        path = _free(path)
    write_file(path, encoded(image, _format_of(path)))
    return path


def encoded(image: Image.Image, form: str, **options: bool) -> bytes:
    """Return a picture as the bytes of a file, in a format of Pillow's and with its options."""
    held = io.BytesIO()
    image.save(held, format=form, **options)
    return held.getvalue()


def _free(folder: Path) -> Path:
    """Return a file in a folder that is not there yet."""
    number = 1
    while (path := folder / f"{STEM}{'' if number == 1 else f'_{number}'}{SUFFIX}").exists():
        number += 1
    return path


def _format_of(path: Path) -> str:
    form = Image.registered_extensions().get(path.suffix.lower())
    if form is None or form not in Image.SAVE:
        raise OutputError(
            f"expected a file that ends in .png, .jpg, .webp or what else Pillow writes, got {shown(str(path))}"
        )
    return form
