"""SA6 of a user's own loader and data sets: draws that repeat, and evaluation that draws."""

import copy
import sys
from typing import Any

from safeaug.guarding import Guise
from safeaug.records import Finding
from safeaug.rules import facts_of
from safeaug.rules.chance import Drawn, by_chance, repeated
from safeaug.trace.pipelines import host_of
from safeaug.trace.states import drawn_from, own_generators, put_back, taken

TWICE = 4
"""Samples of evaluation that are made twice."""


class Recorder:
    """A data set that tells from which states its samples are drawn, instead of handing them on.

    Parameters
    ----------
    dataset : object
        With an index.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: Any) -> tuple[Any, int, int | None]:
        # Looked for here, since a worker's pipelines are copies of the parent's.
        parts = tuple(part for pipeline in pipelines_of(self.dataset) for part in own_generators(pipeline))
        before = taken(parts)
        self.dataset[index]
        return index, _worker(), drawn_from(before, taken(parts))


def repeated_draws(loader: Any, *, epochs: int = 2, samples: int = 64) -> list[Finding]:
    """Return what is wrong with the chance of a loader: workers, or epochs, that draw the same.

    It is run as it is set up: its sampler, its workers and how they are started and seeded.

    Parameters
    ----------
    loader : DataLoader
        Of a data set with an index. It is left as it is, and so are the generators of this process.
    epochs : int, default 2
        How often to go through it.
    samples : int, default 64
        After how many an epoch is cut short.

    Returns
    -------
    list of Finding
        ``SA6.repeated``, ``SA6.epochs``, ``SA6.cached``; empty where all is well.
    """
    made = copy.copy(loader)
    # Samples are not collated; see `loaders` for why these are set so.
    vars(made).update(dataset=Recorder(loader.dataset), collate_fn=list, _iterator=None, pin_memory=False)
    before, draws = taken(), list[Drawn]()
    try:
        for epoch in range(epochs):
            count = 0
            for batch in made:
                draws += [Drawn(epoch, worker, index, state) for index, worker, state in batch]
                count += len(batch)
                if count >= samples:
                    break
    finally:
        put_back(before)
    return repeated(draws)


def random_evaluation(dataset: Any) -> list[Finding]:
    """Return what is wrong with the samples of a data set for evaluation: they are drawn, or their labels steer them.

    Parameters
    ----------
    dataset : object
        With an index. Its first samples are made twice.
    """
    guards = any(isinstance(each, Guise) and _guards(each) for each in pipelines_of(dataset))
    before = taken()
    try:
        number = min(TWICE, len(dataset))
        differs = any(facts_of(dataset[i]) != facts_of(dataset[i]) for i in range(number))
    finally:
        put_back(before)
    return by_chance(differs, guards)


def pipelines_of(dataset: Any) -> list[Any]:
    """Return the pipelines that a data set, or the one that it is a part of, holds as attributes."""
    found = []
    while dataset is not None:
        held = vars(dataset) if hasattr(dataset, "__dict__") else {}
        found += [value for value in held.values() if host_of(value)]
        dataset = held.get("dataset")
    return found


def _guards(pipeline: Any) -> bool:
    return hasattr(pipeline, "guard_policy") or hasattr(pipeline, "guard_state")


def _worker() -> int:
    data = sys.modules.get("torch.utils.data")
    worker = None if data is None else data.get_worker_info()
    return 0 if worker is None else int(worker.id)
