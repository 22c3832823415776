"""Decisions of a review: samples with a rejected draw are left out of an audit."""

import logging
from collections import Counter
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import msgspec

from safeaug.auditing.ids import full_names
from safeaug.auditing.text import as_text
from safeaug.data import Data, Remark, Sample, readings
from safeaug.data.remarks import MOST, place, said, shown
from safeaug.errors import DataError

SCHEMA = "safeaug.review/1"
"""Names the layout of decisions."""

LOGGER = logging.getLogger("safeaug")


class Decision(msgspec.Struct, frozen=True):
    """What somebody thinks of one draw.

    Parameters
    ----------
    id : str
        The sample.
    draw : int
        Which draw of it.
    verdict : {"accept", "reject"}, optional
        None where it was not decided.
    flag : bool
        Whether it is to be looked at once more.
    note : str
        What there is to say.
    """

    id: str
    draw: int
    verdict: Literal["accept", "reject"] | None = None
    flag: bool = False
    note: str = ""


class Decisions(msgspec.Struct, frozen=True):
    """What a review comes to: a file that the gallery writes.

    Parameters
    ----------
    schema : str
        The layout.
    run : str
        The audit that was looked at.
    decisions : tuple of Decision
        One a draw.
    """

    schema: str
    run: str = ""
    decisions: tuple[Decision, ...] = ()

    @property
    def rejected(self) -> dict[str, int]:
        """The samples of which a draw is rejected, each with the first that is."""
        found: dict[str, int] = {}
        for each in self.decisions:
            if each.verdict == "reject":
                found[each.id] = min(each.draw, found.get(each.id, each.draw))
        return found


def read_decisions(path: str | PathLike[str]) -> Decisions:
    """Return the decisions in a file.

    Raises
    ------
    DataError
        Where it is not there, or is no such file.

    Examples
    --------
    >>> read_decisions("none.json")
    Traceback (most recent call last):
    safeaug.errors.DataError: none.json: expected decisions that the gallery has exported, which are not there
    """
    where = place(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise DataError(
            "expected decisions that the gallery has exported, which are not there", where, "missing"
        ) from None
    except OSError as error:
        raise DataError(f"expected decisions that the gallery has exported: {said(error)}", where) from None
    try:
        schema = msgspec.json.decode(data, type=_Version).schema
        if schema != SCHEMA:
            raise DataError(
                f"expected decisions of the schema {SCHEMA!r}, got {shown(schema)}; export them anew", where
            )
        return msgspec.json.decode(data, type=Decisions)
    except msgspec.DecodeError as error:
        raise DataError(f"expected decisions that the gallery has exported, got: {said(error)}", where) from None


class _Version(msgspec.Struct):
    schema: str


def without_rejected(data: Data, decisions: Decisions, where: str) -> Data:
    """Return data without the samples of which a draw is rejected; the data remark on it, and it is logged.

    Parameters
    ----------
    data : Data
        From which; all are read once to learn their ids.
    decisions : Decisions
        Of a review.
    where : str
        The file that they stand in.

    Raises
    ------
    DataError
        Where an id that has lost its folder may stand for several samples.

    Examples
    --------
    >>> data = Data("two", ("a", "b"), lambda key: Sample(key, (480, 640)))
    >>> decisions = Decisions(SCHEMA, "", (Decision("a", 3, "reject"), Decision("b", 0, "accept")))
    >>> [sample.id for sample in without_rejected(data, decisions, "decisions.json")]
    ['b']
    """
    ids = [as_text(each.id) if isinstance(each, Sample) else None for each in readings(data)]
    rejected, full = decisions.rejected, full_names(ids, {each.id for each in decisions.decisions}, where)
    out = {full[name]: draw for name, draw in rejected.items() if name in full}
    strange = dict.fromkeys(each.id for each in decisions.decisions if each.id not in full)
    left_out = [(at, name) for at, name in enumerate(ids) if name in out]
    remarks = [
        Remark("passed over", where, f"sample {shown(name)} is left out: its draw {out[name]} is rejected")
        for _, name in left_out
        if name is not None
    ]
    remarks += [
        Remark("unlisted", where, f"a decision is about sample {shown(name)}, which is not in the data")
        for name in strange
    ]
    _log(where, len(left_out), len(strange))
    gone = {at for at, _ in left_out}
    counts: Counter[Any] = Counter(data.counts) + Counter(remark.kind for remark in remarks)
    keys = [key for at, key in enumerate(data.keys) if at not in gone]
    return replace(data, keys=keys, remarks=(*data.remarks, *remarks[:MOST]), counts=dict(counts))


def _log(where: str, left_out: int, strange: int) -> None:
    LOGGER.warning(
        "%s: %d sample%s with a rejected draw left out%s",
        where,
        left_out,
        "" if left_out == 1 else "s",
        f"; {strange} id{'' if strange == 1 else 's'} in it of no sample of the data" if strange else "",
    )
