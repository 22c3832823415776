"""Where the pictures of a list are: numbers for the kernel, which reads any of them through one table."""

from collections.abc import Sequence

import torch
from torch import Tensor

from safeaug.batch.moved import sent
from safeaug.errors import ContentError


def table_of(pictures: Sequence[Tensor]) -> Tensor:
    """Return the address of each picture, and its strides of channel, row and column, on the pictures' device.

    It is copied there without waiting for it. A captured graph would read it again at each replay, when it is long
    gone, so a list cannot be captured; nor may a picture be freed before the kernel has run, which the allocator is
    told of pictures from other streams.

    Parameters
    ----------
    pictures : sequence of Tensor of shape (C, Hi, Wi)
        All on one device.

    Returns
    -------
    Tensor of shape (B, 4), int64

    Raises
    ------
    ContentError
        In the capture of a graph.

    Examples
    --------
    >>> picture = torch.zeros(3, 4, 5)
    >>> table_of([picture])[0, 1:].tolist()
    [20, 5, 1]
    """
    device = pictures[0].device
    table = torch.tensor([(picture.data_ptr(), *picture.stride()) for picture in pictures], dtype=torch.int64)
    if device.type != "cuda":
        return table
    if torch.cuda.is_current_stream_capturing():
        raise ContentError(
            f"a list of {len(pictures)} images cannot be captured into a graph, which would keep their addresses; pad "
            "them into one tensor, and pass their sizes="
        )
    stream = torch.cuda.current_stream(device)
    for picture in pictures:
        picture.record_stream(stream)
    return sent(table, device)
