"""SA7: orientation, palettes and 16 bits, which a loader may lose; files that cannot be read."""

from os import PathLike

from safeaug.records import Finding
from safeaug.rules.fact import Fact

SATURATED = 0.25
"""Share of a probe at white from which a picture of 16 bits was cut off, if none of it was white before."""


def turned(fact: Fact) -> list[Finding]:
    """Return a finding where a picture is stored on its side, and has been loaded as it is stored.

    Examples
    --------
    >>> [each.code for each in turned(Fact("", "image", "Image(RGB)", (20, 40), orientation=6))]
    ['SA7.orientation']
    """
    if fact.orientation == 1:
        return []
    text = (
        f"has EXIF orientation {fact.orientation}, which is not applied: OpenCV turns it, Pillow and torchvision do "
        "not. Call PIL.ImageOps.exif_transpose where it is loaded"
    )
    return [Finding("SA7.orientation", text, fact.path)]


def stored(fact: Fact) -> list[Finding]:
    """Return what loaders make different things of in a file: a turn that EXIF asks for; ids of a palette, 16 bits.

    The last two are no fault as long as they are read as what they are, so they are suspect.

    Parameters
    ----------
    fact : Fact
        Of the file, as Pillow opens it.

    Examples
    --------
    >>> [each.code for each in stored(Fact("image", "image", "Image(I;16)", (20, 40), "uint16"))]
    ['SA7.depth']
    """
    found = []
    if fact.orientation != 1:
        text = (
            f"is stored on its side (EXIF orientation {fact.orientation}): OpenCV turns it, Pillow and torchvision do "
            "not. Store it upright, or call PIL.ImageOps.exif_transpose where it is loaded"
        )
        found.append(Finding("SA7.orientation", text, fact.path))
    if fact.role == "mask" and fact.type == "Image(P)":
        text = "is a palette: its indices are the ids, which are lost where it is made into colours"
        found.append(Finding("SA7.palette", text, fact.path, suspect=True))
    if fact.role == "image" and fact.dtype in {"uint16", "int32", "float32"}:
        text = (
            f"has more than 8 bits a channel ({fact.type}): loaders that make 8 of them scale, cut off or wrap around"
        )
        found.append(Finding("SA7.depth", text, fact.path, suspect=True))
    return found


def corrupt(path: str | PathLike[str], why: str, part: str = "image") -> list[Finding]:
    """Return the finding of a file that cannot be read.

    Examples
    --------
    >>> [str(each) for each in corrupt("a/b.jpg", "it ends too early")]
    ['SA7.corrupt: image cannot be read: a/b.jpg: it ends too early']
    """
    where = "" if str(path) in why else f"{path}: "
    return [Finding("SA7.corrupt", f"cannot be read: {where}{why}", part)]


def flattened(before: Fact, after: Fact) -> list[Finding]:
    """Return a finding where a palette becomes colours, or 16 bits are cut off at 8."""
    if before.role == "mask" and before.type == "Image(P)" and after.channels is not None and after.channels > 1:
        text = f"was a palette of ids and is {after.type}: its colours. Read ids with numpy.asarray(picture)"
        return [Finding("SA7.palette", text, after.path)]
    deep = before.dtype in {"uint16", "int32"} and before.high is not None and before.high > 255
    if not deep or after.dtype != "uint8" or before.size != after.size or len(after.probe) % 16:
        return []
    white = sum(value == 255 for value in after.probe) / max(len(after.probe), 1)
    over = sum(value > 255 for value in before.probe) / max(len(before.probe), 1)
    if white >= SATURATED and white == over:
        text = f"had 16 bits, up to {before.high:.0f}, and is cut off at 255. Divide by 257 first"
        return [Finding("SA7.depth", text, after.path)]
    return []
