"""Draws in which the pipeline raised: how many by step, the first of each, and the first of all."""

from collections.abc import Sequence
from typing import NamedTuple

from safeaug.auditing.block import Block, Failure
from safeaug.auditing.text import as_text

FIRST = 1000
"""How many failures are kept in full."""


class Failed(NamedTuple):
    """Draws in which the pipeline raised.

    Parameters
    ----------
    counts : dict of str to int
        By step.
    firsts : dict of str to Failure
        By step the first, by sample and draw.
    failures : tuple of Failure
        The first thousand of all, by sample and draw.
    """

    counts: dict[str, int]
    firsts: dict[str, Failure]
    failures: tuple[Failure, ...]


def failed_of(block: Block) -> Failed:
    """Return the failures of a block."""
    failures = [
        Failure(as_text(each.sample), int(each.draw), int(each.key), as_text(each.step), as_text(each.error))
        for each in block.failures
    ]
    return all_failed([Failed({each.step: 1}, {each.step: each}, (each,)) for each in failures])


def all_failed(parts: Sequence[Failed]) -> Failed:
    """Return the failures of parts together.

    Examples
    --------
    >>> one = Failed({"0 Crop": 2}, {"0 Crop": Failure("b", 0, 1, "0 Crop", "ValueError: no")}, ())
    >>> other = Failed({"0 Crop": 1}, {"0 Crop": Failure("a", 3, 2, "0 Crop", "ValueError: no")}, ())
    >>> both = all_failed([one, other])
    >>> both.counts, both.firsts["0 Crop"].sample
    ({'0 Crop': 3}, 'a')
    """
    counts: dict[str, int] = {}
    firsts: dict[str, Failure] = {}
    for part in parts:
        for step, count in part.counts.items():
            counts[step] = counts.get(step, 0) + count
            firsts[step] = min(firsts.get(step, part.firsts[step]), part.firsts[step])
    failures = sorted(failure for part in parts for failure in part.failures)
    return Failed(dict(sorted(counts.items())), dict(sorted(firsts.items())), tuple(failures[:FIRST]))
