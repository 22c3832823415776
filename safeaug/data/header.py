"""What the header of a picture says: its size as it is shown, and what loaders differ in. No pixel is read."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from typing import NamedTuple

from PIL import ExifTags, Image, PngImagePlugin, TiffImagePlugin

from safeaug.data.remarks import Notes, Remark, place, said
from safeaug.errors import DataError
from safeaug.geometry import Size

FORMATS = ("JPEG", "PNG", "BMP", "GIF", "PPM", "TIFF", "WEBP", "MPO")
"""What counts as a picture. Pillow knows more, some of which run programs of their own when they are loaded."""

LYING = frozenset({5, 6, 7, 8})
"""EXIF orientations in which width and height change places."""


class Header(NamedTuple):
    """What the header of a picture says.

    Parameters
    ----------
    size : (int, int)
        Height and width as the picture is shown: after EXIF.
    stored : (int, int)
        Height and width as the pixels are stored.
    orientation : int
        As EXIF counts them; 1 is upright.
    mode : str
        Pillow's name of its pixels.
    """

    size: Size
    stored: Size
    orientation: int
    mode: str


def header_of(path: str | PathLike[str], where: str = "") -> Header:
    """Return what the header of a picture says.

    Parameters
    ----------
    path : path
        The picture.
    where : str
        What an error says of where it was met; the path by default.

    Raises
    ------
    DataError
        Where it is missing, no picture, or beyond the pixel limit: see `check_pixels`.
    """
    where = where or place(path)
    with opened(path, where) as image:
        return read_header(image, where)


@contextmanager
def opened(path: str | PathLike[str], where: str) -> Iterator[Image.Image]:
    """Give an opened picture, of which only the header has been read."""
    with ExitStack() as stack:
        try:
            # Handed over open: of a path, Pillow maps some TIFFs to be turned into memory by the wrong width.
            image = Image.open(stack.enter_context(open(path, "rb")), formats=FORMATS)
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise DataError(f"{said(error)}; {_RAISE}", where, "too large") from None
        except FileNotFoundError:
            raise DataError(f"expected a picture at {place(path)}, which is not there", where, "missing") from None
        except Exception as error:  # Pillow makes no promise of what its decoders raise on bytes that are no picture
            raise DataError(
                f"expected a picture ({', '.join(FORMATS)}), but Pillow says of {place(path)}: {said(error)}",
                where,
                "unreadable",
            ) from error
        yield image


def read_header(image: Image.Image, where: str) -> Header:
    """Return what the header of an opened picture says."""
    try:
        orientation = orientation_of(image)
        width, height = image.size
        if isinstance(image, TiffImagePlugin.TiffImageFile):  # its size is upright already, in some versions of Pillow
            width, height = image.tag_v2[ExifTags.Base.ImageWidth], image.tag_v2[ExifTags.Base.ImageLength]
    except Exception as error:  # as above: tags are bytes of somebody else's, too
        raise DataError(
            f"expected readable tags in the picture's header, got: {said(error)}", where, "unreadable"
        ) from error
    stored = check_pixels((height, width), where)
    upright = stored[::-1] if orientation in LYING else stored
    return Header(upright, stored, orientation, image.mode)


def orientation_of(image: Image.Image) -> int:
    """Return how EXIF says that a picture is to be turned; 1 where it says nothing that is defined."""
    # A PNG may say so behind its pixels: asked itself, it would decode them all to find out.
    exif = Image.Image.getexif(image) if isinstance(image, PngImagePlugin.PngImageFile) else image.getexif()
    orientation = exif.get(ExifTags.Base.Orientation, 1)
    return orientation if orientation in range(2, 9) else 1


def check_header(path: str | PathLike[str], size: Size, where: str) -> tuple[Remark, ...]:
    """Return what there is to say of a picture's header, or raise `DataError` where its size is another than said."""
    header, notes = header_of(path, where), Notes()
    if header.size != size:
        raise DataError(
            f"the annotation says that the picture is {_across(size)} (height x width), but as it is shown it is "
            f"{_across(header.size)}: stored as {_across(header.stored)}, EXIF orientation {header.orientation}; "
            "annotate it as it is shown",
            where,
            "other size",
        )
    note_header(header, where, notes)
    return notes.remarks


def note_header(header: Header, where: str, notes: Notes) -> None:
    """Write down what loaders make different things of."""
    if header.orientation != 1:
        note_turned(header.orientation, where, notes)
    if header.mode[0] in "IF":
        notes.remark(
            "deep",
            where,
            f"the picture has more than 8 bits a channel (mode {header.mode}): loaders that make 8 of them scale, cut "
            "or wrap its values; store it as the pipeline is to see it",
        )


def note_turned(orientation: int, where: str, notes: Notes) -> None:
    """Write down that EXIF asks for a turn, which not every loader makes."""
    notes.remark(
        "turned",
        where,
        f"EXIF says that the picture is to be turned (orientation {orientation}): OpenCV does so by default, Pillow "
        "and torchvision do not; store it upright, or see to it that the loader agrees with the annotations",
    )


def check_pixels(size: Size, where: str) -> Size:
    """Return a ``(height, width)``, or raise `DataError` where it is none, or beyond what Pillow opens.

    The limit is twice ``PIL.Image.MAX_IMAGE_PIXELS``, which is Pillow's own.
    """
    height, width = size
    if not (isinstance(height, int) and isinstance(width, int) and height >= 1 and width >= 1):
        raise DataError(f"height and width must be whole numbers of at least 1, got {height!r} and {width!r}", where)
    if Image.MAX_IMAGE_PIXELS is not None and height * width > 2 * Image.MAX_IMAGE_PIXELS:
        raise DataError(
            f"a picture must have at most {2 * Image.MAX_IMAGE_PIXELS} pixels, got {height} x {width}; {_RAISE}",
            where,
            "too large",
        )
    return height, width


def _across(size: Size) -> str:
    return f"{size[0]} x {size[1]}"


_RAISE = "if it is meant to be so large, raise PIL.Image.MAX_IMAGE_PIXELS"
