"""Rows of the draws of a block."""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from safeaug.auditing.bins import Ints
from safeaug.auditing.blame import blamed_steps
from safeaug.auditing.block import Block
from safeaug.auditing.fates import DAMAGE, UNTOLD, Fate, fates_of
from safeaug.auditing.findings import findings_of
from safeaug.auditing.row import Row, RowStep
from safeaug.auditing.seen import Bools, Floats, columns_of, drops_of
from safeaug.auditing.terms import Labels, named
from safeaug.auditing.text import as_text
from safeaug.policy import Policy, Status

MANY = 4096
"""How many draws are looked at together, so that memory does not grow with a block."""

_UNASKED = len(Fate)
"""Stands for the fate of an object that does not count; behind it, at the end, stands `UNTOLD`."""

_NAMES = np.array([*(fate.name for fate in Fate), None, None], dtype=object)
_DAMAGING = np.array([*(fate in DAMAGE for fate in Fate), False, False])


def rows_of(
    block: Block, policy: Policy, *, labels: Labels = "object", picks: Sequence[tuple[int, int]] | None = None
) -> Iterator[Row]:
    """Yield rows of draws of a block.

    Parameters
    ----------
    block : Block
        What was measured.
    policy : Policy
        Whose ``min_retention`` is asked of every object, and whose ``max_stretch`` of the picture.
    labels : {"object", "image"}
        What a label stands for.
    picks : sequence of (int, int), optional
        Which draws: the sample's index in the block, and the column of the draw. All that were measured by default.

    Raises
    ------
    PolicyError
        Where limits are by label, and one is not named.
    """
    chosen = np.argwhere(block.valid) if picks is None else np.array(picks, np.int64).reshape(-1, 2)
    retention = policy.min_retention
    asked = Policy(min_retention=named(retention) if isinstance(retention, dict) else retention)
    names = tuple(RowStep(name.path, name.name, name.kind) for name in block.names)
    for start in range(0, len(chosen), MANY):
        some = chosen[start : start + MANY]
        for (i, draw), look in zip(some.tolist(), _looks(block, some, asked, labels), strict=True):
            yield _row(block, i, draw, look, names, policy)


class _Look(NamedTuple):
    """One draw, as plain lists and numbers: of each object, and of the picture."""

    texts: list[str]
    counted: list[bool]
    enough: list[float]
    labelled: list[bool]
    fates: list[int]
    names: list[str | None]
    damaged: list[bool]
    blamed: list[int | None]
    left: list[list[float | None]]
    steps: list[int]
    picture: tuple[float | None, ...]


def _looks(block: Block, picks: Ints, asked: Policy, labels: Labels) -> Iterator[_Look]:
    """Yield what there is to say of each draw."""
    sample, draw = picks[:, 0], picks[:, 1]
    begin, count = block.starts[sample], np.diff(block.starts)[sample]
    behind = np.cumsum(count)
    at = np.arange(behind[-1] if len(behind) else 0) + np.repeat(begin - (behind - count), count)
    draws = np.repeat(draw, count)
    texts, limits = _asked(block, at.tolist(), asked)
    columns, steps = columns_of(block)
    left = columns[at, draws].astype(np.float64)
    labelled, tolerance, counted = block.drawn.labelled[at, draws], block.tolerance[at], block.counted[at]
    enough = np.clip(left[:, -1], 0.0, 1.0) + tolerance
    fates = fates_of(left[:, -1:], tolerance, labelled[:, None], limits, labels)[:, 0].astype(np.int64)
    fates[~counted] = _UNASKED
    damaged, way = _DAMAGING[fates], steps[sample, draw]
    lost = (fates == Fate.GONE) & _emptied(fates, count)
    blamed = _blamed(drops_of(left), np.repeat(way, count, axis=0))
    blamed[~(damaged | lost)] = -1
    lists: dict[str, Any] = {
        "texts": texts,
        "counted": counted.tolist(),
        "enough": enough.tolist(),
        "labelled": labelled.tolist(),
        "fates": fates.tolist(),
        "names": _NAMES[fates].tolist(),
        "damaged": damaged.tolist(),
        "blamed": _or_none(blamed, blamed < 0).tolist(),
    }
    shares = _or_none(left, np.isnan(left)).tolist()
    pictures = _pictures(block, sample, draw)
    bounds = zip((behind - count).tolist(), behind.tolist(), way.tolist(), pictures, strict=True)
    for first, last, numbers, picture in bounds:
        own = [step for step in numbers if step]
        after = [[row[k] for row in shares[first:last]] for k in range(len(own))]
        yield _Look(left=after, steps=own, picture=picture, **{name: each[first:last] for name, each in lists.items()})


def _emptied(fates: Ints, count: Ints) -> Bools:
    """Return which objects are of a draw in which none is kept, and of none nobody can tell what is left.

    Parameters
    ----------
    fates : ndarray of shape (M,), int64
        Of the objects of draws, one draw's behind another's.
    count : ndarray of shape (D,), int64
        How many objects each draw has.

    Examples
    --------
    >>> _emptied(np.array([Fate.GONE, Fate.KEPT, Fate.GONE, _UNASKED]), np.array([2, 0, 2])).tolist()
    [False, False, True, True]
    """
    draw, emptied = np.repeat(np.arange(len(count)), count), np.ones(len(count), np.bool_)
    emptied[draw[(fates == Fate.KEPT) | (fates == UNTOLD)]] = False
    out: Bools = emptied[draw]
    return out


def _pictures(block: Block, sample: Ints, draw: Ints) -> list[tuple[float | None, ...]]:
    """Return area, padding and stretch of draws."""
    columns = (
        each[sample, draw].astype(np.float64) for each in (block.drawn.area, block.drawn.padded, block.drawn.stretch)
    )
    return list(zip(*(_or_none(each, ~np.isfinite(each)).tolist() for each in columns), strict=True))


def _or_none(values: np.ndarray, none: Bools) -> np.ndarray:
    out = values.astype(object)
    out[none] = None
    return out


def _blamed(drops: Floats, steps: Ints) -> Ints:
    """Return the column of the step to blame for each object, -1 where there is none."""
    places = np.where(steps > 0, np.arange(1, steps.shape[1] + 1), 0)
    return blamed_steps(drops, places)[0] - 1


def _row(block: Block, i: int, draw: int, look: _Look, names: Sequence[RowStep], policy: Policy) -> Row:
    sample, drawn, (area, padded, stretch) = block.samples[i], block.drawn, look.picture
    unknown = UNTOLD in look.fates
    asked = not unknown and True in look.counted
    damaged = asked and True in look.damaged
    emptied = asked and Fate.KEPT not in look.fates
    return Row(
        id=as_text(sample.id),
        draw=block.first + draw,
        key=f"{int(block.keys[i, draw]):016x}",
        group=as_text(sample.group),
        size=(int(sample.size[0]), int(sample.size[1])),
        output=(int(drawn.size[i, draw, 0]), int(drawn.size[i, draw, 1])),
        status=Status(int(drawn.status[i, draw])).name,
        steps=tuple([names[step - 1] for step in look.steps]),
        labels=tuple(look.texts),
        counted=tuple(look.counted),
        left=tuple(map(tuple, look.left)),
        labelled=tuple(look.labelled),
        fates=tuple(look.names),
        blamed=tuple(look.blamed),
        area=area,
        padded=padded,
        stretch=stretch,
        unknown=unknown,
        damaged=damaged,
        emptied=emptied,
        least=min(compress(look.enough, look.damaged if damaged else look.counted)) if asked else None,
        findings=findings_of(look.fates if asked else (), emptied, padded, stretch, policy.max_stretch),
    )


def _asked(block: Block, at: Sequence[int], asked: Policy) -> tuple[list[str], Floats]:
    """Return of some objects their labels, and what must be left; of one that does not count anything will do."""
    texts = {label: as_text(label) for label in {block.labels[i] for i in at}}
    limits: dict[str, float] = {}
    out = []
    for i in at:
        text = texts[block.labels[i]]
        if block.counted[i] and text not in limits:
            limits[text] = asked.limit_of(text)
        out.append(limits[text] if block.counted[i] else 0.0)
    return [texts[block.labels[i]] for i in at], np.array(out, np.float64)
