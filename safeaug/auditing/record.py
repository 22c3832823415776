"""Record: an audit, with all that was counted, and what it was made of."""

from dataclasses import dataclass, field

import msgspec

from safeaug.auditing.about import SCHEMA, About
from safeaug.auditing.assess import Assessment, Limits, assess
from safeaug.auditing.block import Failure
from safeaug.auditing.row import Row
from safeaug.auditing.summary import Summary
from safeaug.auditing.terms import Labels
from safeaug.data import Remark
from safeaug.data.remarks import said, shown
from safeaug.errors import DataError
from safeaug.policy import Policy

__all__ = ["About", "Record"]


@dataclass(frozen=True, eq=False)
class Record:
    """An audit.

    Parameters
    ----------
    about : About
        What it was made of.
    counts : Summary
        All that was counted.
    remarks : dict of str to int
        What the readers of the data met, how often of which kind.
    remarked : tuple of Remark
        The first of each kind.
    """

    about: About
    counts: Summary
    remarks: dict[str, int] = field(default_factory=dict)
    remarked: tuple[Remark, ...] = ()

    @property
    def worst(self) -> tuple[Row, ...]:
        """The worst draws, the worst first."""
        return self.counts.worst

    @property
    def random(self) -> tuple[Row, ...]:
        """Draws picked at random."""
        return self.counts.random

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The first thousand draws in which the pipeline raised, by sample and draw."""
        return self.counts.failures

    def summary(
        self,
        policy: Policy | None = None,
        *,
        max_damaged: float | None = None,
        max_emptied: float | None = None,
        labels: Labels | None = None,
    ) -> Assessment:
        """Judge what was counted; no data are touched.

        Parameters
        ----------
        policy : Policy, optional
            Whose ``min_retention`` is asked of every object; that of the audit by default.
        max_damaged, max_emptied : float, optional
            What share of the draws may be damaged, and emptied.
        labels : {"object", "image"}, optional
            What a label stands for; as in the audit by default.

        Raises
        ------
        PolicyError
            As `assess`.
        """
        return assess(self.counts, policy, Limits(max_damaged, max_emptied), labels=labels)

    def to_json(self) -> bytes:
        """Return the record as JSON."""
        stored = _Stored(SCHEMA, self.about, self.remarks, self.remarked, msgspec.Raw(self.counts.to_json()))
        return msgspec.json.encode(stored, order="deterministic")

    @classmethod
    def from_json(cls, data: bytes, where: str = "") -> "Record":
        """Return the record that `to_json` wrote.

        Raises
        ------
        DataError
            Where it is none, or one of another version; it begins with `where`.
        """
        try:
            schema = msgspec.json.decode(data, type=_Version).schema
            if schema != SCHEMA:
                raise DataError(f"expected the schema {SCHEMA!r}, got {shown(schema)}; audit again", where)
            stored = msgspec.json.decode(data, type=_Stored)
        except msgspec.DecodeError as error:
            raise DataError(f"expected the record of an audit, got: {said(error)}", where) from None
        return cls(stored.about, Summary.from_json(bytes(stored.counts), where), stored.remarks, stored.remarked)


class _Version(msgspec.Struct):
    schema: str


class _Stored(msgspec.Struct, frozen=True):
    """A record as it is written."""

    schema: str
    about: About
    remarks: dict[str, int]
    remarked: tuple[Remark, ...]
    counts: msgspec.Raw
