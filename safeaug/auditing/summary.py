"""Summary: all counts of an audit, which add up in any order to the same."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from safeaug.auditing.block import Block, Failure
from safeaug.auditing.counts import Counts, all_counts, counts_of, relabelled
from safeaug.auditing.failed import Failed, all_failed, failed_of
from safeaug.auditing.picks import NONE, Picks, all_picks, picks_of
from safeaug.auditing.row import Row
from safeaug.auditing.ruled import UNRULED, Ruled, all_ruled
from safeaug.auditing.seen import seen_of
from safeaug.auditing.summary_json import read_summary, written
from safeaug.auditing.table import EMPTY
from safeaug.auditing.terms import Terms
from safeaug.auditing.totals import Counted, totals_in
from safeaug.auditing.turns import turns_of
from safeaug.auditing.whole import Whole, whole_of
from safeaug.draws import StepName
from safeaug.errors import ContentError

TOGETHER = 32
"""How many summaries are held before they are added up."""


@dataclass(frozen=True, eq=False)
class Summary:
    """All counts of an audit. Summaries add up: however the data are parted, the sum is the same to the bit.

    Parameters
    ----------
    terms : Terms
        On which draws were measured.
    steps : tuple of StepName
        The pipeline's; none where nothing was measured.
    labels : tuple of str
        The labels of the objects that count, ascending. Somebody else's text.
    counts : Counts
        The tables.
    failed : Failed
        Draws in which the pipeline raised.
    worst, random : tuple of Row
        The draws that are kept in full: the worst, the worst first, and some picked at random.
    ruled : Ruled
        Samples that were judged by further rules, where these were asked for.
    """

    terms: Terms
    steps: tuple[StepName, ...]
    labels: tuple[str, ...]
    counts: Counts
    failed: Failed
    worst: tuple[Row, ...]
    random: tuple[Row, ...]
    ruled: Ruled = UNRULED

    @property
    def counted(self) -> Counted:
        """How many samples, objects and draws there were."""
        return totals_in(self.counts.totals)

    @property
    def whole(self) -> Whole:
        """How many draws were judged, and are damaged and emptied, at the measured limits."""
        return whole_of(self.counts.damage, self.counts.emptied, self.terms.labels)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The first thousand draws in which the pipeline raised, by sample and draw."""
        return self.failed.failures

    def __add__(self, other: "Summary") -> "Summary":
        return merged((self, other))

    def to_json(self) -> bytes:
        """Return the summary as JSON; equal summaries as equal bytes."""
        return written(self)

    @classmethod
    def from_json(cls, data: bytes, where: str = "") -> "Summary":
        """Return the summary that `to_json` wrote.

        Raises
        ------
        DataError
            Where it is none, or one of another version; it begins with `where`.
        """
        return cls(*read_summary(data, where))


def nothing(terms: Terms) -> Summary:
    """Return the summary of no draws, which adds nothing to others.

    Examples
    --------
    >>> nothing(Terms()).counted.draws
    0
    """
    return Summary(terms, (), (), Counts(*[EMPTY] * len(Counts._fields)), Failed({}, {}, ()), *NONE)


def summary_of(block: Block, terms: Terms, known: Picks = NONE) -> Summary:
    """Return the counts of a block.

    Parameters
    ----------
    block : Block
        What was measured.
    terms : Terms
        On which.
    known : Picks
        Draws picked of other blocks, with which this one will be added up: rows are made only of those that stand
        before the last of them. To make rows takes more time than to count.

    Raises
    ------
    PolicyError
        Where limits are by label, and one is not named.
    """
    seen = seen_of(block, terms)
    turns = turns_of(seen)
    steps = tuple(block.names) if block.valid.size else ()
    picks = picks_of(block, seen, turns, terms, known)
    return Summary(terms, steps, seen.vocabulary, counts_of(block, seen, turns), failed_of(block), *picks)


def summarised(blocks: Iterable[Block], terms: Terms) -> Summary:
    """Return the counts of many blocks. Each is let go when it has been counted.

    It is what adding up their summaries comes to, and quicker: no row is made of a draw that is not picked in the end.

    Raises
    ------
    PolicyError
        As `summary_of`.
    ContentError
        Where the blocks are not of one pipeline.
    """

    def parts() -> Iterator[Summary]:
        yield nothing(terms)
        picks = NONE
        for block in blocks:
            part = summary_of(block, terms, picks)
            picks = all_picks((picks, Picks(part.worst, part.random)), terms)
            yield part

    return merged(parts())


def merged(summaries: Iterable[Summary]) -> Summary:
    """Return the sum of summaries, at least one, of the same terms and the same pipeline.

    They may be handed over one by one: no more than 32 are held at once.

    Raises
    ------
    ContentError
        Where there is none, or they were not measured alike.

    Examples
    --------
    >>> merged([nothing(Terms()), nothing(Terms())]).counted.draws
    0
    >>> nothing(Terms(seed=1)) + nothing(Terms(seed=2))
    Traceback (most recent call last):
    safeaug.errors.ContentError: summaries add up where they were measured alike, got seed=1 and seed=2; audit both ...
    """
    parts: list[Summary] = []
    for summary in summaries:
        parts.append(summary)
        if len(parts) > TOGETHER:
            parts = [_sum(parts)]
    if not parts:
        raise ContentError("expected at least one summary to add up, got none")
    return _sum(parts)


def _sum(parts: Sequence[Summary]) -> Summary:
    steps = _alike(parts)
    if len(parts) == 1:
        return parts[0]
    labels = tuple(sorted({label for part in parts for label in part.labels}))
    number = {label: i for i, label in enumerate(labels, 1)}
    counts = [
        relabelled(part.counts, np.array([0, *(number[label] for label in part.labels)], np.int64)) for part in parts
    ]
    terms = parts[0].terms
    return Summary(
        terms,
        steps,
        labels,
        all_counts(counts),
        all_failed([part.failed for part in parts]),
        *all_picks([Picks(part.worst, part.random) for part in parts], terms),
        all_ruled(_rules_of(parts)),
    )


def _rules_of(parts: Sequence[Summary]) -> list[Ruled]:
    """Return what parts tell of rules; a part without draws that was not asked for any tells nothing.

    Raises
    ------
    ContentError
        Where some were asked for rules, and others that have draws were not.
    """
    bare = [part for part in parts if not part.ruled.asked and part.counted.draws]
    asked = [part.ruled for part in parts if part.ruled.asked]
    if asked and bare:
        raise ContentError(
            f"summaries add up where the same rules were asked for, got {','.join(asked[0].asked)} and none; audit "
            "both parts with the same rules"
        )
    return asked


def _alike(parts: Sequence[Summary]) -> tuple[StepName, ...]:
    """Return the steps of summaries, after a look at whether they can be added up."""
    first = parts[0]
    for part in parts[1:]:
        for name in Terms.__struct_fields__:
            ours, theirs = getattr(first.terms, name), getattr(part.terms, name)
            if ours != theirs:
                raise ContentError(
                    f"summaries add up where they were measured alike, got {name}={ours!r} and {name}={theirs!r}; "
                    "audit both parts on the same terms"
                )
    pipelines = {part.steps for part in parts if part.steps or part.counted.draws}
    if len(pipelines) > 1:
        one, other = sorted(pipelines)[:2]
        raise ContentError(
            "summaries add up where they were made of one pipeline, got one of the steps "
            f"{', '.join(map(str, one))}, and one of {', '.join(map(str, other))}; audit both parts with the same"
        )
    return next(iter(pipelines), ())
