"""How much of a search is looked at at a time, so that no tensor on the way outgrows its use."""

from safeaug.batch.branchless.task import Task

ELEMENTS = 1 << 23
"""Numbers of eight bytes that one tensor may have: 64 MiB. A batch that is smaller goes in one piece."""


def ends(task: Task) -> int:
    """Return how many numbers stand for one column while positions are counted."""
    count = task.objects.boxes.shape[1]
    if task.each_counts:
        return count
    return 6 * count + 1 if task.policy.keep == "whole" else 2 * count + 1


def candidates_at_once(task: Task) -> int:
    """Return how many candidates of all samples are counted at once."""
    return max(1, ELEMENTS // (task.objects.boxes.shape[0] * task.extent * ends(task)))


def samples_at_once(task: Task) -> int:
    """Return how many samples are searched at once."""
    count = task.objects.boxes.shape[1]
    settled = max(task.extent * (2 * count + 1), (16 * count + 3) ** 2)  # the sweep, and the grid of the greatest sum
    return max(1, ELEMENTS // max(task.extent * ends(task), settled))
