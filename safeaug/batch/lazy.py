"""The search of a batch on the CPU: what fails is looked at, one sample after the other, and nothing else is."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from safeaug.batch.chance import Chance
from safeaug.batch.first import Host, Opened
from safeaug.batch.found import Found
from safeaug.batch.one import One, contents, ones
from safeaug.content import Content
from safeaug.errors import ContentError, RetentionError
from safeaug.geometry import Size, Window, size_of
from safeaug.measures import demand_of, ranked_demands, ranks
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand
from safeaug.records import Found as FoundOne
from safeaug.search import elsewhere as elsewhere_of_one
from safeaug.search import search as search_one
from safeaug.task import SETTLE


def elsewhere(
    opened: Opened, host: Host, table: Sequence[int], policy: Policy, sizes: Sequence[Size], chance: Chance
) -> Found:
    """Return where the draws of a batch go; those that fail by the single-image search.

    Parameters
    ----------
    opened : Opened
        The host's own draws, on the CPU.
    host : Host
        How they are drawn.
    table : sequence of int
        What it draws from.
    policy : Policy
        What must be kept.
    sizes : sequence of (int, int)
        Height and width of each image.
    chance : Chance
        Where numbers come from.

    Raises
    ------
    RetentionError
        Where a promise cannot be met and ``policy.on_fail`` is "raise"; it names the sample.
    """
    rows = opened.fails.nonzero()[:, 0]
    failing = rows.tolist()
    if not failing:
        return opened.found
    objects = opened.objects.of(rows)
    firsts: list[list[int]] = opened.found.window[rows].tolist()
    hosts = ones(host, list(table), [sizes[i] for i in failing], _streams(host, policy), chance.of(rows))
    found = []
    for i, first, one, content in zip(failing, firsts, hosts, contents(objects), strict=True):
        window: Window = (first[0], first[1], first[2], first[3])
        size = size_of(window)
        demand = demand_of(content, policy, size, one.output(size))
        read = partial(_same, content)
        try:
            found.append(elsewhere_of_one(window, one, demand, read, policy, one.stream))
        except RetentionError as error:
            raise RetentionError(f"sample {i} of the batch: {error}", error.outcome) from None
    return _written(opened.found, rows, found)


def _same(content: Content) -> Content:
    return content


def search(
    first: Tensor,
    applied: Tensor,
    host: Host,
    table: Sequence[int],
    content: Sequence[Content],
    policy: Policy,
    sizes: Sequence[Size],
    chance: Chance,
) -> Found:
    """Return where the draws of a batch go, whatever their objects are: each sample by the single-image search.

    Parameters
    ----------
    first : Tensor of shape (B, 4), int64
        The host's own draws.
    applied : Tensor of shape (B,), bool
        Which of them are wanted. What is said of the others does not hold.
    content : sequence of Content
        What must survive of each sample.
    host, table, policy, sizes, chance
        As in `elsewhere`.

    Raises
    ------
    RetentionError, ContentError
        As the single-image search does; they name the sample.
    """
    windows: list[Window] = [(x0, y0, x1, y1) for x0, y0, x1, y1 in first.tolist()]
    hosts = list(ones(host, list(table), sizes, (0,), chance))
    demands = _ranked(windows, hosts, content, policy)
    found = []
    for i, (drawn, one, objects, wanted) in enumerate(zip(windows, hosts, content, applied.tolist(), strict=True)):
        try:
            end = search_one(drawn, one, objects, policy, one.stream, demands[i]) if wanted else _unsearched(drawn)
        except RetentionError as error:
            raise RetentionError(f"sample {i} of the batch: {error}", error.outcome) from None
        except ContentError as error:
            raise ContentError(f"sample {i} of the batch: {error}") from None
        found.append(end)
    none = torch.zeros_like(first[:, 0])
    blank = Found(first, none.to(torch.int8), none.to(torch.int8), none)
    return _written(blank, torch.arange(len(first)), found)


def _ranked(
    windows: Sequence[Window], hosts: Sequence[One], content: Sequence[Content], policy: Policy
) -> list[Demand | None]:
    """Return what windows must hold of saliency maps that rank them: of all samples at once, at half the cost."""
    demands: list[Demand | None] = [None] * len(content)
    places = [i for i, each in enumerate(content) if ranks(each, policy)]
    if places:
        drawn = [size_of(windows[i]) for i in places]
        domains = [hosts[i].domain(size) for i, size in zip(places, drawn, strict=True)]
        for i, demand in zip(places, ranked_demands([content[i] for i in places], policy, drawn, domains), strict=True):
            demands[i] = demand
    return demands


def _unsearched(window: Window) -> FoundOne:
    return FoundOne(window, Status.NOT_APPLIED, Stage.DRAWN, 1)


def _streams(host: Host, policy: Policy) -> tuple[int, ...]:
    """Return the streams that a draw which fails may well ask for: those of what is drawn, and where it settles."""
    return (*range(1 + (policy.tries if host.redraws else 0)), SETTLE)


def _written(found: Found, rows: Tensor, ends: Sequence[FoundOne]) -> Found:
    """Return how the draws of some samples ended, written over those of all."""
    window, status, stage, draws = (list(each) for each in zip(*ends, strict=True))
    return Found(
        found.window.index_copy(0, rows, torch.tensor(window)),
        found.status.index_copy(0, rows, torch.tensor(status, dtype=torch.int8)),
        found.stage.index_copy(0, rows, torch.tensor(stage, dtype=torch.int8)),
        found.draws.index_copy(0, rows, torch.tensor(draws)),
    )
