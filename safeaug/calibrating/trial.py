"""The draws of one picture: how often each object is damaged unguarded, guarded by each map, and by the objects."""

from collections.abc import Mapping
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.measure import key_of
from safeaug.auditing.objects import objects_of
from safeaug.auditing.subject import Subject
from safeaug.calibrating.agreement import auc, covered_by
from safeaug.calibrating.crops import Crops, Source
from safeaug.content import Content, content_of_salience
from safeaug.data import Sample
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding.resized import placed
from safeaug.measures import measure
from safeaug.policy import Policy
from safeaug.search import search
from safeaug.shapes.salience import salience_of
from safeaug.task import Streams, Uniform

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Maps = Mapping[str, NDArray[np.uint8]]
"""Maps of one picture, by the name of what made each."""


class Asked(NamedTuple):
    """What is asked of the draws of every picture.

    Parameters
    ----------
    draws : int
        How many of each.
    min_retention : float
        The share of an object below which it counts as damaged.
    policy : Policy
        What windows must hold of a map.
    crops : Crops
        Which windows are drawn.
    seed : int
        From which every draw is made, with the sample's id.
    """

    draws: int
    min_retention: float
    policy: Policy
    crops: Crops
    seed: int


class Way(NamedTuple):
    """The draws of one picture, made in one way.

    Parameters
    ----------
    damaged : ndarray of shape (N,), int64
        In how many of them each object is damaged.
    area : float
        The mean area of their windows, as a share of the picture's.
    """

    damaged: Ints
    area: float


class Guarded(NamedTuple):
    """The draws of one picture that are guarded by a map.

    Parameters
    ----------
    way : Way
        What became of the objects.
    matched : ndarray of shape (N,), int64
        In how many draws each object is damaged by windows of the same sizes, but anywhere: the area-matched control.
    auc : float or None
        See `safeaug.calibrating.agreement.auc`.
    evidence : bool
        Whether the map says anything.
    """

    way: Way
    matched: Ints
    auc: float | None
    evidence: bool


class Trial(NamedTuple):
    """All draws of one picture of N objects that count.

    Parameters
    ----------
    labels : tuple of N str
        Of each object its class.
    areas : ndarray of shape (N,)
        Of each its area, as a share of the picture's.
    plain, truth : Way
        Unguarded; and guarded by the objects themselves, as if their boxes were known.
    guarded : dict of str to Guarded
        By each map.
    """

    labels: tuple[str, ...]
    areas: Floats
    plain: Way
    truth: Way
    guarded: dict[str, Guarded]


def tried(sample: Sample, subject: Subject, maps: Maps, asked: Asked) -> Trial:
    """Return the draws of a picture.

    Every way begins with the same windows; whatever else it draws is its own, so that no map's result hangs on which
    others are looked at.

    Parameters
    ----------
    sample : Sample
        Its picture is not looked at.
    subject : Subject
        What of it is an object.
    maps : mapping of str to ndarray of shape (h, w), uint8
        What guards.
    asked : Asked
        What is asked.
    """
    objects = objects_of([sample], subject)
    counts, content = ~objects.ignored, objects.given.content(0)
    truth = content.only([place for place, given in enumerate(content.origin) if counts[given]])
    truth = truth._replace(limits=[asked.min_retention] * len(truth.limits))
    first = [asked.crops.window(sample.size, _chance(asked, sample, i, "plain").random) for i in range(asked.draws)]
    covered = {size: covered_by(truth, sample.size, size) for size in {len(cells) for cells in maps.values()}}
    guarded = {}
    for name, cells in maps.items():
        salience = salience_of(cells, sample.size)
        salient = content_of_salience(salience, sample.size, asked.policy)
        windows = _guarded(name, first, salient, asked.policy, sample, asked)
        same_area = _area_matched(name, first, windows, sample, asked)
        guarded[name] = Guarded(
            _way(windows, truth, sample.size, asked),
            _way(same_area, truth, sample.size, asked).damaged,
            auc(cells, covered[len(cells)]),
            salience is not None,
        )
    by_objects = _guarded("truth", first, truth, Policy(min_retention=asked.min_retention), sample, asked)
    return Trial(
        tuple(label for label, one in zip(objects.labels, counts, strict=True) if one),
        objects.areas[counts] / (sample.size[0] * sample.size[1]),
        _way(first, truth, sample.size, asked),
        _way(by_objects, truth, sample.size, asked),
        guarded,
    )


def _guarded(
    name: str, first: list[Window], content: Content, policy: Policy, sample: Sample, asked: Asked
) -> list[Window]:
    """Return the windows that guarded draws take, given those that are drawn."""
    found = []
    for number, window in enumerate(first):
        uniform = _chance(asked, sample, number, name).random
        source = Source(asked.crops, sample.size, uniform)
        found.append(search(window, source, content, policy, _one_stream(uniform)).window)
    return found


def _area_matched(name: str, first: list[Window], windows: list[Window], sample: Sample, asked: Asked) -> list[Window]:
    """Return windows of the same sizes, anywhere.

    Of the size that was drawn that is the draw itself: where its position is all that the guard changes, it keeps the
    size or not whatever the position was. So the two are paired, and what is gained is known the better.
    """
    keeps = asked.policy.sampling == "keep_scale"
    return [
        drawn
        if keeps and size_of(drawn) == size_of(window)
        else placed(size_of(window), sample.size, _chance(asked, sample, number, f"{name}, area-matched").random)
        for number, (drawn, window) in enumerate(zip(first, windows, strict=True))
    ]


def _way(windows: list[Window], truth: Content, image_size: Size, asked: Asked) -> Way:
    """Return what windows leave of objects."""
    damaged = np.zeros(len(truth.boxes), np.int64)
    for window in windows:
        damaged += measure(truth, Policy(), window).retention[list(truth.origin)] < asked.min_retention - 1e-9
    whole = image_size[0] * image_size[1]
    return Way(damaged, float(np.mean([(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in windows])) / whole)


def _one_stream(uniform: Uniform) -> Streams:
    return lambda _: uniform


def _chance(asked: Asked, sample: Sample, draw: int, way: str) -> np.random.Generator:
    return np.random.default_rng((key_of(asked.seed, sample.id, draw), crc32(way.encode())))
