"""A card: what the page knows of one draw."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence

import msgspec

from safeaug.auditing.record import Record
from safeaug.geometry import Size

Point = tuple[float, float]
Corners = tuple[float, float, float, float]

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""How a function prints where it lies in memory, which is elsewhere in every process."""

HOLD = 6
"""Decimals of a share that is sorted by; of a place on a picture there are fewer."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """A small picture.

    Parameters
    ----------
    src : bytes or str
        The file itself; once it has found its place in a page, how the page calls it.
    size : (int, int)
        Height and width.
    note : str
        What had to be done to values to show them.
    """

    src: bytes | str
    size: Size
    note: str = ""


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """What one step made of the picture.

    Parameters
    ----------
    step : str
        Its path in the pipeline, and its name.
    params : tuple of (str, str)
        What it drew.
    left : tuple of float or None
        What is left of each object behind it; None where nobody can tell.
    src : bytes, str or None
        The picture behind it.
    """

    step: str
    params: tuple[tuple[str, str], ...]
    left: tuple[float | None, ...]
    src: bytes | str | None


class Guarded(msgspec.Struct, frozen=True, kw_only=True):
    """What the same draw comes to where the pipeline is guarded: its status, what is left, and the picture."""

    status: str
    left: tuple[float | None, ...]
    src: bytes | str
    size: Size
    window: tuple[Point, ...] | None


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What the page knows of one draw. Texts are somebody else's, places are shares of the picture that they are on.

    Parameters
    ----------
    n : int
        Its number on the page, from 0.
    id, draw, key, group, labels
        As in a row of the audit.
    tabs : tuple of str
        Under which of ``"worst"``, ``"random"``, ``"findings"`` and ``"guarded"`` it is found.
    status : str
        How the draw ended; ``"RAISED"`` where the pipeline raised.
    findings, damaged, emptied, least, counted, fates, area, padded, stretch
        As in a row.
    left : tuple of float or None
        What is left of each object in the end.
    size, output : (int, int)
        Height and width of the picture, and of what was made of it; None where that is not known.
    aspect : str
        In which bin the picture's shape is.
    areas : tuple of str
        In which bin each object's share of the picture is; empty where it is not asked for, or not known.
    step : str
        The step to blame; empty where there is none.
    before, after : Look or None
        The picture, and what the pipeline made of it.
    window : tuple of (float, float), or None
        What of the picture is shown in the end, as a polygon on `before`; None where that is none.
    boxes : tuple of (float, float, float, float)
        The objects on `before`.
    boxes_after : tuple of (float, float, float, float) or None
        The same on `after`, as the pipeline handed them on; None of those whose label is gone.
    film : tuple of Frame, or None
        Every step that was applied.
    guarded : Guarded or None
        The same draw, guarded.
    missing : str
        Why there are no pictures; empty where there are.
    told : tuple of (str, str)
        The rules beyond content that it breaks: which one at which step, and what is wrong.
    """

    n: int
    id: str
    draw: int
    key: str
    tabs: tuple[str, ...]
    status: str
    findings: tuple[str, ...] = ()
    damaged: bool = False
    emptied: bool = False
    least: float | None = None
    group: str = ""
    size: Size | None = None
    output: Size | None = None
    aspect: str = ""
    labels: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    counted: tuple[bool, ...] = ()
    fates: tuple[str | None, ...] = ()
    left: tuple[float | None, ...] = ()
    step: str = ""
    area: float | None = None
    padded: float | None = None
    stretch: float | None = None
    before: Look | None = None
    after: Look | None = None
    window: tuple[Point, ...] | None = None
    boxes: tuple[Corners, ...] = ()
    boxes_after: tuple[Corners | None, ...] = ()
    film: tuple[Frame, ...] | None = None
    guarded: Guarded | None = None
    missing: str = ""
    told: tuple[tuple[str, str], ...] = ()


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """Some cards of a run, in order, and the number of the first."""

    run: str
    first: int
    cards: tuple[Card, ...]


Keep = Callable[[str, bytes], str]
"""From what a picture would be called, and its file, to how the page calls it."""


def placed(card: Card, keep: Keep) -> Card:
    """Return a card whose pictures have found their place.

    Examples
    --------
    >>> card = Card(n=7, id="a", draw=0, key="0", tabs=(), status="FIRST", before=Look(src=b"webp", size=(2, 3)))
    >>> placed(card, lambda name, file: f"{name}.webp").before.src
    '7b.webp'
    """

    def put(mark: str, src: bytes | str | None) -> str | None:
        return keep(f"{card.n}{mark}", src) if isinstance(src, bytes) else src

    def look(mark: str, each: Look | Guarded | None) -> Look | Guarded | None:
        return None if each is None else msgspec.structs.replace(each, src=put(mark, each.src))

    film = card.film and tuple(
        msgspec.structs.replace(frame, src=put(f"f{i}", frame.src)) for i, frame in enumerate(card.film)
    )
    changes = {"before": look("b", card.before), "after": look("a", card.after), "guarded": look("g", card.guarded)}
    return msgspec.structs.replace(card, film=film, **changes)


def run_id(record: Record) -> str:
    """Return the text by which a review is told to belong to an audit: the same whenever the same draws are made again.

    It goes by what makes a draw what it is, and by what a decision is about: the layout of the record, the host and its
    version, the pipeline by its name and as it prints, the data by their name and number, the seed, the draws, and what
    a label stands for. When it was done, by which version of safeaug and of numpy, how many draws are shown, and the
    policy, under which other draws may be the worst, do not matter: a decision is found by its sample and draw.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import albumentations as A, safeaug
    >>> from safeaug.data import Sample
    >>> record = safeaug.audit(A.Compose([A.RandomCrop(5, 5)]), [Sample("a", (10, 10))], draws=1)
    >>> later, other = (msgspec.structs.replace(record.about, **each) for each in ({"started": "2"}, {"seed": 2}))
    >>> run_id(record) == run_id(replace(record, about=later)), run_id(record) == run_id(replace(record, about=other))
    (True, False)
    """
    about = record.about
    printed = (ADDRESS.sub("", text) for text in (about.pipeline, record.counts.terms.pipeline))
    made = (about.schema, about.host, *printed, about.data, about.samples, about.seed, about.draws, about.labels)
    told = json.dumps(made)  # it takes bytes that are no text, too
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def shares(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return numbers as a page holds them: short."""
    return tuple(share(value) for value in values)


def share(value: float | None) -> float | None:
    """Return a number as a page holds it."""
    return None if value is None else round(value, HOLD)
