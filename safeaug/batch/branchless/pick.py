"""Picking without a branch: the first that is true, the stretch that a mark falls in."""

import torch
from torch import Tensor


def at(values: Tensor, place: Tensor) -> Tensor:
    """Return one value of each row.

    Parameters
    ----------
    values : Tensor of shape (..., L)
        Rows.
    place : Tensor of shape (...), int64
        Which of its values each row gives.
    """
    return values.gather(-1, place[..., None])[..., 0]


def first_true(good: Tensor) -> tuple[Tensor, Tensor]:
    """Return where the first True of each row stands, and whether there is one.

    Parameters
    ----------
    good : Tensor of shape (..., L), bool
        Rows; L is at least 1.

    Returns
    -------
    place : Tensor of shape (...), int64
        The last place where there is none, so that it may be used to gather all the same.
    some : Tensor of shape (...), bool
        Whether there is one.

    Examples
    --------
    >>> place, some = first_true(torch.tensor([[False, True, True], [False, False, False]]))
    >>> place.tolist(), some.tolist()
    ([1, 2], [True, False])
    """
    length = good.shape[-1]
    number = torch.arange(length, device=good.device)
    place = torch.where(good, number, length).amin(-1)
    return place.clamp(max=length - 1), place < length


def stretch_of(lengths: Tensor, mark: Tensor) -> tuple[Tensor, Tensor]:
    """Return in which of consecutive stretches a mark falls, and how far into it.

    Parameters
    ----------
    lengths : Tensor of shape (..., L), int64
        Of stretches that follow one another from 0 on; those of length 0 hold no mark.
    mark : Tensor of shape (...), int64
        In [0, sum of the lengths).

    Returns
    -------
    place, rest : Tensor of shape (...), int64
        The stretch, and the mark counted from its beginning.

    Examples
    --------
    >>> place, rest = stretch_of(torch.tensor([2, 0, 3]), torch.tensor(4))
    >>> place.item(), rest.item()
    (2, 2)
    """
    upto = lengths.cumsum(-1)
    # As searchsorted on the right, which asks for a copy of the marks and does not fuse with what is around it.
    place = (upto <= mark[..., None]).sum(-1).clamp(max=lengths.shape[-1] - 1)
    return place, mark - at(upto - lengths, place)
