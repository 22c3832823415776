"""The host's own draws of a batch, and which of them will do: what `safeaug.search.search` begins with, on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.chance import HOST, WORDS, Chance
from safeaug.batch.cut import Cut
from safeaug.batch.found import Found
from safeaug.batch.judging import allowed, held, needs_of, passes
from safeaug.batch.objects import Objects, single
from safeaug.batch.resized import Resized
from safeaug.policy import Policy, Stage, Status
from safeaug.task import APPLY, PICK

Host = Resized | Cut
"""How windows are drawn where nothing guards them."""


class Opened(NamedTuple):
    """The draws of a batch, so far.

    Parameters
    ----------
    found : Found
        The host's draws.
    objects : Objects
        What must survive; under ``keep="one"`` one object of each sample counts.
    fails : Tensor of shape (B,), bool
        Which draws do not do. What is said of them in ``found`` does not hold.
    """

    found: Found
    objects: Objects
    fails: Tensor


def drawn(host: Host, table: Tensor, sizes: Tensor, chance: Chance) -> Tensor:
    """Return the host's own draw for each sample, of shape (B, 4), int64."""
    streams = torch.zeros((1, 1), dtype=torch.int64, device=sizes.device)
    return host.windows(chance.words(streams, HOST, WORDS - HOST), sizes, table)[:, 0]


def judged(first: Tensor, host: Host, objects: Objects, policy: Policy, chance: Chance) -> Opened:
    """Return which of the host's draws will do.

    Parameters
    ----------
    first : Tensor of shape (B, 4), int64
        The host's draws.
    host : Host
        How they are drawn.
    objects : Objects
        What must survive.
    policy : Policy
        How much of it must.
    chance : Chance
        Where numbers come from.
    """
    empty = ~objects.counts.any(-1)
    status = torch.where(empty, int(Status.EMPTY), int(Status.FIRST)).to(torch.int8)
    fails = ~empty
    if policy.apply_rate < 1:
        spared = ~empty & (chance.once(APPLY) >= policy.apply_rate)
        status, fails = torch.where(spared, int(Status.UNGUARDED), status).to(torch.int8), fails & ~spared
    if policy.keep == "one":
        objects = single(objects, chance.once(PICK))
    window = first[:, None]
    size = window[..., 3] - window[..., 1], window[..., 2] - window[..., 0]
    output = host.output(size)
    good = passes(objects, needs_of(objects, policy, size, output), held(objects, window))
    unstretched = allowed(policy, size, output)
    if unstretched is not None:
        good = good & unstretched
    stage = torch.full_like(status, int(Stage.DRAWN))
    found = Found(first, status, stage, torch.ones_like(first[:, 0]))
    return Opened(found, objects, fails & ~good[:, 0])
