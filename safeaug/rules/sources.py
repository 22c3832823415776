"""SA7: orientation, palettes and 16 bits, which a loader may lose."""

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
