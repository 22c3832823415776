"""What each code says, in a few words."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from safeaug.errors import PolicyError

FAMILIES = ("SA2", "SA3", "SA4", "SA5", "SA6", "SA7")
"""The rules that can be asked for; SA1, which is about content, is what every audit is about."""

WHAT: Mapping[str, str] = MappingProxyType(
    {
        "SA1.flat": "nearly all of it has one value",
        "SA2.none": "None",
        "SA2.type": "no picture any more",
        "SA2.dtype": "another type of numbers than is expected",
        "SA2.shape": "another shape than is expected",
        "SA2.layout": "channels in another place",
        "SA2.channels": "another number of channels",
        "SA2.structure": "other parts than the samples before it",
        "SA3.nan": "values that are no numbers",
        "SA3.inf": "infinite values",
        "SA3.hidden": "NaN or infinities made into whole numbers",
        "SA3.range": "another range than is expected",
        "SA3.scaled_twice": "divided by 255 twice",
        "SA3.clipped": "0 to 255 clipped to 1",
        "SA3.truncated": "0 to 1 cut to whole numbers",
        "SA3.wrapped": "values wrapped around",
        "SA3.labels": "labels in a mask that were not there",
        "SA3.mutated": "the source is written into",
        "SA4.degenerate": "boxes without area",
        "SA4.outside": "boxes outside the picture",
        "SA4.labels": "labels that are not one a box",
        "SA4.format": "corners that may be corner and sides",
        "SA4.inflated": "boxes of which more than half is empty",
        "SA4.crop": "a crop larger than the picture",
        "SA5.unknown": "a target that the pipeline does not know",
        "SA5.unmoved": "a target that stays while the picture moves",
        "SA5.apart": "picture and target drawn apart",
        "SA6.repeated": "workers that draw the same",
        "SA6.epochs": "epochs that are the same",
        "SA6.cached": "kept after augmentation",
        "SA6.training": "evaluation that draws at random",
        "SA6.label": "evaluation that is steered by labels",
        "SA7.orientation": "stored on its side",
        "SA7.palette": "a palette of ids",
        "SA7.depth": "more than 8 bits a channel",
        "SA7.corrupt": "a file that cannot be read",
    }
)
"""By code, what it says."""


def what(code: str) -> str:
    """Return what a code says, in a few words; empty of one that is not known.

    Examples
    --------
    >>> what("SA3.nan")
    'values that are no numbers'
    """
    return WHAT.get(code, "")


def families_of(rules: str | Iterable[str]) -> tuple[str, ...]:
    """Return the families of rules that are asked for, in order.

    Parameters
    ----------
    rules : str or iterable of str
        ``"all"``, or names of families, as one text with commas or each by itself. SA1 may be among them: it is what
        an audit is about anyway.

    Raises
    ------
    PolicyError
        Where a name is none.

    Examples
    --------
    >>> families_of("SA5, sa3"), families_of("all"), families_of(())
    (('SA3', 'SA5'), ('SA2', 'SA3', 'SA4', 'SA5', 'SA6', 'SA7'), ())
    """
    names = rules.split(",") if isinstance(rules, str) else [*rules]
    asked = [name.strip().upper() if isinstance(name, str) else name for name in names]
    for given, name in zip(names, asked, strict=True):
        if name not in {"ALL", "SA1", *FAMILIES}:
            raise PolicyError(
                f"rules must be all, or of {', '.join(FAMILIES)}, got {given!r}; --rules SA3,SA5 names two"
            )
    return FAMILIES if "ALL" in asked else tuple(family for family in FAMILIES if family in asked)


def is_asked(code: str, families: Iterable[str]) -> bool:
    """Return whether a code is of the families that are asked for; SA1 always is."""
    return code.partition(".")[0] in {"SA1", *families}
