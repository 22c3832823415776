"""SA2: None, the type of a part, channels and layout."""

from safeaug.records import Finding
from safeaug.rules.fact import Fact, Facts

ARRAYS = {"image", "mask"}


def is_none(fact: Fact, optional: frozenset[str] = frozenset()) -> list[Finding]:
    """Return a finding where a part is None, and may not be.

    Examples
    --------
    >>> [str(each) for each in is_none(Fact("image", "none", "NoneType"))]
    ['SA2.none: image is None']
    """
    if fact.role != "none" or fact.path in optional:
        return []
    return [Finding("SA2.none", "is None", fact.path)]


def changed(before: Fact, after: Fact) -> list[Finding]:
    """Return a finding where a picture or mask is no picture any more."""
    if before.role not in ARRAYS or before.shape is None or after.role == "none" or after.shape is not None:
        return []
    return [Finding("SA2.type", f"was {before.type} and is {after.type}, which is no picture", after.path)]


def disordered(fact: Fact, *, first: bool) -> list[Finding]:
    """Return a finding where the channels of a picture stand where its pipeline does not look for them.

    Parameters
    ----------
    fact : Fact
        Of what the pipeline is called with.
    first : bool
        Whether it takes channels first, as torchvision and kornia take tensors.
    """
    wanted = "CHW" if first else "HWC"
    other = fact.type.startswith("Image(") or (fact.type == "ndarray") == first
    if fact.role != "image" or other or fact.layout in {None, "HW", wanted}:
        return []
    shape = "x".join(map(str, fact.shape or ()))
    return [
        Finding("SA2.layout", f"is {shape}, channels {'last' if first else 'first'}; they must be {wanted}", fact.path)
    ]


def differs(usual: Facts, facts: Facts) -> list[Finding]:
    """Return a finding where a sample is not made as those before it, so that no batch can be made of them.

    Parameters
    ----------
    usual : tuple of Fact
        Of the first sample.
    facts : tuple of Fact
        Of this one.
    """
    before = {fact.path: fact for fact in usual}
    now = {fact.path: fact for fact in facts}
    pictures = {path for path, fact in before.items() if fact.role in ARRAYS}
    missing = sorted(path for path in pictures if path not in now)
    if missing:
        return [Finding("SA2.structure", f"has no {missing[0]}, which the first sample had: {_paths(usual)}")]
    found = []
    for path in sorted(pictures):
        one, other = before[path], now[path]
        if other.role != "none" and one.channels != other.channels and not other.type.startswith("Image("):
            text = f"has {other.channels} channel(s); the first sample had {one.channels}"
            found.append(Finding("SA2.channels", text, path))
    return found


def _paths(facts: Facts) -> str:
    return ", ".join(fact.path or "one part" for fact in facts[:8])
