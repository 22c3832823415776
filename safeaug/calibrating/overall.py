"""What guarding by maps is worth on the pictures of a data set, whose objects the guard never sees."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from safeaug.auditing.subject import Subject, check_has, subject_of
from safeaug.calibrating.calibration import Calibration, calibration_of
from safeaug.calibrating.crops import Crops
from safeaug.calibrating.trial import Asked, Trial, tried
from safeaug.data import Sample, scaled_picture_of
from safeaug.errors import DataError, PolicyError
from safeaug.policy import Policy
from safeaug.saliency import Method, map_of
from safeaug.saliency.methods import SIZE

Maker = Method | Callable[..., Any]

PICTURES = 500
"""As many as tell a difference of a few per cent."""


def calibrate(
    data: Sequence[Sample],
    makers: Mapping[str, Maker],
    *,
    pictures: int | None = PICTURES,
    draws: int = 8,
    min_retention: float = 0.5,
    policy: Policy | None = None,
    crops: Crops | None = None,
    protect: Subject | None = None,
    size: int = SIZE,
    seed: int = 0,
    keep_going: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Calibration:
    """Return what guarding by maps is worth, judged by objects that the guard never sees.

    Parameters
    ----------
    data : sequence of Sample
        Pictures with objects.
    makers : mapping of str to Method or callable
        How maps are made, by the name that each has in the result; see `safeaug.saliency.map_of`. ``center``, which
        does not look at the picture, should be among them: it is what every other must be better than.
    pictures : int, optional
        As many are chosen by the seed; None: all.
    draws : int, default 8
        Of each picture.
    min_retention : float, default 0.5
        Less than this share of an object is damage.
    policy : Policy, optional
        Its ``min_rank``, or ``min_mass``, is what windows must hold of a map; ``Policy()`` by default.
    crops : Crops, optional
        Which windows are drawn; ``Crops()`` by default.
    protect : {"boxes", "outlines", "masks", "mask"}, optional
        What an object is; by default the first of these that the data have.
    size : int, default 48
        Cells along each side of a map.
    seed : int, default 0
        From which pictures and draws are chosen.
    keep_going : bool, default False
        Whether pictures that cannot be read are passed over.
    progress : callable, optional
        Is handed the number of pictures that were looked at since it was last called.

    Raises
    ------
    DataError
        Where there are no objects, or a picture cannot be read.
    PolicyError
        Where there is no map to be judged, or an argument is out of its range.

    Examples
    --------
    A map that knows where the objects are, and one that is wrong:

    >>> image = np.zeros((80, 80, 3), np.uint8)
    >>> image[10:30, 10:30] = 255
    >>> box, crowd = np.array([[10.0, 10, 30, 30]]), np.array([False])
    >>> data = [Sample(str(i), (80, 80), boxes=box, labels=("dot",), ignore=crowd, image=image) for i in range(40)]
    >>> makers = {"signature": "signature", "inverse": lambda picture: 255 - picture[..., 0]}
    >>> found = calibrate(data, makers)
    >>> {name: (round(found.auc[name], 2), score.gain.verdict) for name, score in found.strata[0].scores.items()}
    {'signature': (0.9, 'use'), 'inverse': (0.0, 'do not use')}
    """
    if not makers:
        raise PolicyError("makers must name at least one method to be judged, got none")
    if draws < 1 or (pictures is not None and pictures < 1):
        raise PolicyError(f"draws and pictures must be at least 1, got {draws} and {pictures}")
    subject = subject_of(data) if protect is None else protect
    if subject == "picture":
        raise DataError("expected objects to judge by, got pictures alone; give boxes or masks", kind="missing")
    check_has(data, subject)
    asked = Asked(draws, Policy(min_retention=min_retention).limit_of(None), policy or Policy(), crops or Crops(), seed)
    trials, passed_over = [], []
    for place in _chosen(len(data), pictures, seed):
        try:
            trials.append(_tried(data[place], subject, makers, size, asked))
        except DataError as error:
            if not keep_going:
                raise
            passed_over.append(str(error))
        if progress is not None:
            progress(1)
    having = [trial for trial in trials if trial.labels]
    if not having:
        raise DataError(f"expected objects that count, got none in {len(trials)} pictures", kind="missing")
    return calibration_of(having, len(trials) - len(having), list(makers), asked, passed_over)


def _chosen(count: int, pictures: int | None, seed: int) -> list[int]:
    """Return the places of the pictures that are looked at, in their order."""
    if pictures is None or pictures >= count:
        return list(range(count))
    chosen: list[int] = np.sort(np.random.default_rng(seed).choice(count, pictures, replace=False)).tolist()
    return chosen


def _tried(sample: Sample, subject: Subject, makers: Mapping[str, Maker], size: int, asked: Asked) -> Trial:
    if not len(sample.boxes) and sample.masks is None and sample.mask is None:
        return tried(sample, subject, {}, asked)  # of a picture without objects not a pixel is read
    picture = scaled_picture_of(sample)
    maps = {name: map_of(picture, maker, size, key=sample.id) for name, maker in makers.items()}
    return tried(sample, subject, maps, asked)
