"""A part of a data set, measured: what every draw of each of its samples left of every object."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.data import Sample
from safeaug.draws import Drawn, StepName


class Failure(NamedTuple):
    """A draw in which the pipeline raised.

    Parameters
    ----------
    sample : str
        Id of the sample.
    draw : int
        Which draw of it.
    key : int
        The number that draws it again.
    step : str
        Index path and name of the step; empty where nobody can tell.
    error : str
        Type and text of the error, ``"ValueError: ..."``.
    """

    sample: str
    draw: int
    key: int
    step: str
    error: str


class Block(NamedTuple):
    """A part of a data set, measured: S samples, n draws of each, O objects of all samples one behind another.

    Measuring decides nothing. A data set without boxes has one object a sample: the whole picture, with the sample's
    group as its label. It is judged with ``labels="image"``.

    Parameters
    ----------
    samples : tuple of S Sample
        What was measured.
    starts : ndarray of shape (S + 1,), int64
        The objects of sample i are ``starts[i]:starts[i + 1]`` of O.
    keys : ndarray of shape (S, n), uint64
        The number that makes each draw again.
    first : int
        Number of the first draw.
    tolerance : ndarray of shape (O,), float64
        Share of each object that may be missing without anybody asking.
    counted : ndarray of shape (O,), bool
        Objects that are asked for: inside the image, not to be ignored, not smaller than the policy's
        ``ignore_smaller_than``.
    labels : tuple of O str
        Of each object its class; the sample's group where none is known; empty without either.
    areas : ndarray of shape (O,), float64
        Area of each object over that of its image; 0 of a point.
    drawn : Drawn
        What was measured. NaN in ``left`` of a counted object makes its draw *unknown*: nobody can tell what is left.
    names : tuple of StepName
        The pipeline's steps, which ``drawn.steps`` counts.
    milliseconds : float
        That measuring took.
    failures : tuple of Failure
        Draws in which the pipeline raised.
    valid : ndarray of shape (S, n), bool
        Whether a draw was measured; of those in which the pipeline raised, the columns say nothing.

    Examples
    --------
    One cat, in two draws: a crop leaves half of it, then a fifth.

    >>> two = np.ones((1, 2))
    >>> drawn = Drawn(
    ...     steps=np.zeros((1, 2, 1), np.int16),
    ...     left=np.array([[[0.5], [0.2]]], np.float32),
    ...     labelled=two > 0,
    ...     area=two / 4,
    ...     padded=two * 0,
    ...     stretch=two,
    ...     size=np.full((1, 2, 2), 224),
    ...     status=np.full((1, 2), 2),
    ... )
    >>> block = Block(
    ...     samples=(Sample("a.jpg", (480, 640)),),
    ...     starts=np.array([0, 1]),
    ...     keys=np.array([[7, 8]], np.uint64),
    ...     first=0,
    ...     tolerance=np.array([1e-6]),
    ...     counted=np.array([True]),
    ...     labels=("cat",),
    ...     areas=np.array([0.1]),
    ...     drawn=drawn,
    ...     names=(StepName((0,), "RandomCrop", "window"),),
    ...     milliseconds=0.1,
    ...     failures=(),
    ...     valid=two > 0,
    ... )
    >>> from safeaug.auditing.summary import summary_of
    >>> from safeaug.auditing.terms import terms_of
    >>> summary_of(block, terms_of()).whole
    Whole(draws=2, damaged=1, emptied=1)
    >>> from safeaug import Policy
    >>> from safeaug.auditing.rows import rows_of
    >>> [(row.left, row.fates) for row in rows_of(block, Policy(min_retention=0.5))]
    [(((0.5,),), ('KEPT',)), (((0.20000000298023224,),), ('SLIVER',))]
    """

    samples: tuple[Sample, ...]
    starts: NDArray[np.int64]
    keys: NDArray[np.uint64]
    first: int
    tolerance: NDArray[np.float64]
    counted: NDArray[np.bool_]
    labels: tuple[str, ...]
    areas: NDArray[np.float64]
    drawn: Drawn
    names: tuple[StepName, ...]
    milliseconds: float
    failures: tuple[Failure, ...]
    valid: NDArray[np.bool_]

    @property
    def owner(self) -> NDArray[np.int64]:
        """Index of the sample of each object, of shape (O,)."""
        return np.repeat(np.arange(len(self.samples)), np.diff(self.starts))
