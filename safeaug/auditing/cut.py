"""At which limits a summary is judged: those with which it was measured, or one of the two hundred."""

from typing import NamedTuple

import numpy as np

from safeaug.auditing.bins import STEPS, Ints, limit_index
from safeaug.auditing.seen import Bools, limits_of
from safeaug.auditing.terms import Terms, named
from safeaug.errors import PolicyError
from safeaug.policy import Policy

MIXED = -1
"""Stands for the limit of objects of any label, where labels differ in theirs."""


class Cut(NamedTuple):
    """At which limits a summary is judged.

    Parameters
    ----------
    places : ndarray of shape (labels + 1,), int64, or None
        Of each label the limit, as an index into ``LIMITS``; the first is that of objects of any label, `MIXED` where
        labels differ. None: the limits with which the summary was measured, whatever they are.
    """

    places: Ints | None

    def keeps(self, label: Ints, kept: Ints, bins: Ints) -> Bools:
        """Return whether what is left reaches the limit, of keys with such digits."""
        return kept == 1 if self.places is None else bins >= self.places[label]

    def strikes(self, label: Ints, struck: Ints, turn: Ints) -> Bools:
        """Return whether a limit damages, or empties, draws of keys with such digits."""
        return struck == 1 if self.places is None else turn < 1 + self.places[label]


def cut_at(index: int, labels: tuple[str, ...]) -> Cut:
    """Return the cut at one limit for all."""
    return Cut(np.full(len(labels) + 1, index, np.int64))


def cut_of(policy: Policy | None, terms: Terms, labels: tuple[str, ...]) -> Cut:
    """Return where a policy cuts a summary of these terms and labels.

    Parameters
    ----------
    policy : Policy or None
        Its ``min_retention`` is asked for; None stands for that with which the summary was measured.

    Raises
    ------
    PolicyError
        Where a limit is neither one that the summary was measured with nor a multiple of 0.005, or the policy counts
        other objects than were counted.

    Examples
    --------
    >>> from safeaug.auditing.terms import terms_of
    >>> cut_of(Policy(min_retention=0.7), terms_of(Policy(min_retention=0.5)), ("cat",)).places.tolist()
    [140, 140]
    >>> cut_of(Policy(min_retention=1 / 3), terms_of(), ("cat",))
    Traceback (most recent call last):
    safeaug.errors.PolicyError: a summary judges min_retention at what it was measured with, 0.5, and at ...
    """
    if policy is None:
        return Cut(None)
    if policy.ignore_smaller_than != terms.smallest:
        raise PolicyError(
            f"objects were counted with ignore_smaller_than={terms.smallest}, got {policy.ignore_smaller_than}; give "
            "the same, or audit again: what was not counted cannot be judged"
        )
    limits = limits_of(_named(policy), labels).tolist()
    if limits == limits_of(terms.policy, labels).tolist():
        return Cut(None)
    indices = [_index(limit, terms) for limit in limits]
    return Cut(np.array([indices[0] if len(set(indices)) == 1 else MIXED, *indices], np.int64))


def of_any(cut: Cut, terms: Terms) -> Cut:
    """Return a cut that can judge draws, in which objects of several labels meet.

    Raises
    ------
    PolicyError
        Where labels differ in their limits, and these are not those with which the summary was measured.
    """
    if cut.places is not None and cut.places[0] == MIXED:
        raise PolicyError(
            "limits by label can be judged for objects of one label, but not for draws, in which labels meet, unless "
            f"they are those of the measurement, min_retention={terms.retention}; give one number, or audit again "
            "with this policy"
        )
    return cut


def _named(policy: Policy) -> Policy:
    """Return a policy in which labels are named as in summaries."""
    limits = policy.min_retention
    return Policy(min_retention=named(limits) if isinstance(limits, dict) else limits)


def _index(limit: float, terms: Terms) -> int:
    index = limit_index(limit)
    if index is None:
        raise PolicyError(
            f"a summary judges min_retention at what it was measured with, {terms.retention}, and at multiples of "
            f"{1 / STEPS}, got {limit}; give one of these, or audit again"
        )
    return index
