"""SA6: draws that repeat over workers and epochs, or that never change; chance where there should be none."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from safeaug.records import Finding

REPEATS = 4
"""Draws that must repeat before it is said: two of them may be one sample, drawn twice on purpose."""


class Drawn(NamedTuple):
    """From what one sample was drawn.

    Parameters
    ----------
    epoch, worker : int
        When, and by which process; 0 for the loader's own.
    sample : hashable
        Its index.
    state : int or None
        In which state all generators were, of those from which numbers were taken; None where none were.
    """

    epoch: int
    worker: int
    sample: Hashable
    state: int | None


def repeated(draws: Sequence[Drawn]) -> list[Finding]:
    """Return findings where samples are drawn from the same numbers, or not any more.

    Generators in one state draw one and the same, so equal states are a proof, whatever the pictures look like.

    Examples
    --------
    >>> twins = [Drawn(0, worker, 2 * number + worker, number) for worker in (0, 1) for number in range(4)]
    >>> [str(each) for each in repeated(twins)]  # doctest: +ELLIPSIS
    ['SA6.repeated: the sample is one of 8 that share 4 draws in epoch 1: 2 workers draw the same numbers. ...']
    >>> repeated([Drawn(0, 0, number, number) for number in range(8)])
    []
    """
    found = []
    first = [draw for draw in draws if draw.epoch == 0]
    chance = [draw for draw in first if draw.state is not None]
    states = {draw.state for draw in chance}
    if len(chance) - len(states) >= REPEATS:
        workers = len({draw.worker for draw in chance})
        text = (
            f"is one of {len(chance)} that share {len(states)} draws in epoch 1: {workers} workers draw the same "
            "numbers. Seed each worker (worker_init_fn), or use safeaug.guard, which repairs it"
        )
        found.append(Finding("SA6.repeated", text))
    later = [draw for draw in draws if draw.epoch > 0]
    if len([draw for draw in later if draw.state in states]) >= REPEATS:
        text = "is drawn in a later epoch from the numbers of the first: every epoch is the same"
        found.append(Finding("SA6.epochs", text))
    again = {draw.sample for draw in later if draw.state is None} & {draw.sample for draw in chance}
    if len(again) >= REPEATS:
        text = "is drawn in the first epoch and never again: it is kept after augmentation. Keep what comes before it"
        found.append(Finding("SA6.cached", text))
    return found


def by_chance(differs: bool, depends: bool) -> list[Finding]:
    """Return what is wrong with a sample for evaluation.

    Parameters
    ----------
    differs : bool
        Whether it comes out differently when it is made twice.
    depends : bool
        Whether its labels pick what is shown of it.
    """
    if depends:
        text = "is shown by a guarded transform, which its labels steer: evaluate on plain ones"
        return [Finding("SA6.label", text)]
    if differs:
        text = (
            "comes out differently when it is made again: evaluation draws at random. Does it share the data set, and "
            "so the transform, of training (random_split, Subset)?"
        )
        return [Finding("SA6.training", text)]
    return []
