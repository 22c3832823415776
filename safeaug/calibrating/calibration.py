"""What a calibration comes to: shares of objects that are damaged, of all of them, by their area, and by class."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.bins import AREAS, area_of
from safeaug.calibrating.gain import WORTH, Gain, gain_of
from safeaug.calibrating.trial import Asked, Floats, Ints, Trial

Kind = Literal["all", "area", "class"]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """Of some objects, how often draws damage them that are guarded by one map.

    Parameters
    ----------
    damaged : float
        Share of objects, over all draws, of which less than the limit is left.
    matched : float
        The same of windows of the same sizes, anywhere.
    gain : Gain
        The difference, and whether the map is of use: whether it surely saves a tenth of what is damaged so.
    """

    damaged: float
    matched: float
    gain: Gain


class Stratum(msgspec.Struct, frozen=True, kw_only=True):
    """Some objects, and how often draws damage them.

    Parameters
    ----------
    kind : {"all", "area", "class"}
        How they are chosen.
    name : str
        For people; a class is somebody else's text, to be escaped where it is shown.
    pictures, objects : int
        How many.
    plain, truth : float
        Share of objects that are damaged, over all draws: unguarded, and guarded by the objects themselves.
    scores : dict of str to Score
        By the name of each map.
    """

    kind: Kind
    name: str
    pictures: int
    objects: int
    plain: float
    truth: float
    scores: dict[str, Score]


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What guarding by maps is worth.

    Parameters
    ----------
    pictures : int
        Those with objects; each was drawn from ``draws`` times.
    without : int
        Those looked at that have no object that counts.
    passed_over : tuple of str
        What could not be read, and why.
    draws, seed : int
        As they were asked for.
    min_retention : float
        Less than this share of an object is damage.
    min_rank, min_mass : float or None
        What windows must hold of a map; one of them.
    areas : dict of str to float
        The mean area of the windows as a share of the picture, unguarded (``"plain"``), guarded by the objects
        (``"truth"``), and by each map.
    auc : dict of str to float or None
        Of each map, the mean over pictures: see `safeaug.calibrating.agreement.auc`.
    no_evidence : dict of str to int
        Pictures of which each map says nothing; their draws are unguarded.
    strata : tuple of Stratum
        All objects; then by their area; then by class, the commonest first.
    """

    pictures: int
    without: int
    passed_over: tuple[str, ...]
    draws: int
    seed: int
    min_retention: float
    min_rank: float | None
    min_mass: float | None
    areas: dict[str, float]
    auc: dict[str, float | None]
    no_evidence: dict[str, int]
    strata: tuple[Stratum, ...]

    def to_json(self) -> bytes:
        """Return it as JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def calibration_of(
    trials: Sequence[Trial], without: int, names: Sequence[str], asked: Asked, passed_over: Sequence[str] = ()
) -> Calibration:
    """Return what the draws of pictures come to.

    Parameters
    ----------
    trials : sequence of Trial
        At least one, each of at least one object.
    without : int
        Pictures without objects.
    names : sequence of str
        Of the maps.
    asked : Asked
        What was asked of the draws.
    passed_over : sequence of str
        What could not be read, and why.
    """
    policy, makers = asked.policy, {name: [trial.guarded[name] for trial in trials] for name in names}
    areas = {"plain": _mean(trial.plain.area for trial in trials), "truth": _mean(trial.truth.area for trial in trials)}
    areas |= {name: _mean(each.way.area for each in of) for name, of in makers.items()}
    known = {name: [each.auc for each in of if each.auc is not None] for name, of in makers.items()}
    return Calibration(
        pictures=len(trials),
        without=without,
        passed_over=tuple(passed_over),
        draws=asked.draws,
        seed=asked.seed,
        min_retention=asked.min_retention,
        min_rank=policy.min_rank if policy.min_mass is None else None,
        min_mass=policy.min_mass,
        areas=areas,
        auc={name: _mean(of) if of else None for name, of in known.items()},
        no_evidence={name: sum(not each.evidence for each in of) for name, of in makers.items()},
        strata=tuple(_strata(trials, names, asked.draws)),
    )


def _strata(trials: Sequence[Trial], names: Sequence[str], draws: int) -> Iterator[Stratum]:
    labels = np.array([label for trial in trials for label in trial.labels], dtype=object)
    bins = area_of(np.concatenate([trial.areas for trial in trials]))
    everything = np.ones(len(labels), np.bool_)
    yield _stratum("all", "all", everything, trials, names, draws)
    for place, name in enumerate(AREAS):
        if (bins == place).any():
            yield _stratum("area", name, bins == place, trials, names, draws)
    classes, counts = np.unique(labels[labels != ""].astype(str), return_counts=True)
    for name in classes[np.argsort(-counts, kind="stable")].tolist():
        yield _stratum("class", name, labels == name, trials, names, draws)


def _stratum(
    kind: Kind,
    name: str,
    among: NDArray[np.bool_],
    trials: Sequence[Trial],
    names: Sequence[str],
    draws: int,
) -> Stratum:
    owner = np.repeat(np.arange(len(trials)), [len(trial.labels) for trial in trials])[among]
    counts = np.bincount(owner, minlength=len(trials)) * draws
    seen = counts > 0

    def of(parts: Sequence[Ints]) -> Floats:
        """Return how many are damaged of each picture that has any."""
        return np.bincount(owner, np.concatenate(parts)[among], len(trials))[seen].astype(np.float64)

    def share(damaged: Floats) -> float:
        return float(damaged.sum() / counts.sum())

    scores = {}
    for maker in names:
        damaged = of([trial.guarded[maker].way.damaged for trial in trials])
        matched = of([trial.guarded[maker].matched for trial in trials])
        gain = gain_of(matched - damaged, counts[seen], WORTH * share(matched))
        scores[maker] = Score(damaged=share(damaged), matched=share(matched), gain=gain)
    return Stratum(
        kind=kind,
        name=name,
        pictures=int(seen.sum()),
        objects=len(owner),
        plain=share(of([trial.plain.damaged for trial in trials])),
        truth=share(of([trial.truth.damaged for trial in trials])),
        scores=scores,
    )


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
