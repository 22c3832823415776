"""Rendering by one kernel of a GPU: bytes are read once, and the finished crop is written once.

Of a batch on CUDA the cost is launches, waiting, copies as floats and memory, not arithmetic. Here a whole batch is one
launch for each four channels, of images in one tensor or of any sizes in a list, and nothing is copied but the
addresses of a list's images. The kernel is written in Triton, so it needs Triton; it draws what
`safeaug.batch.rendering.dense` draws, to a hundredth of a grey level.

kernel.py   what runs on the device
launch.py   how it is called, also from a compiled module
table.py    where the pictures of a list are
able.py     what it can draw, and why not what it cannot
tile.py     how much one program draws
"""

from safeaug.batch.rendering.fused.able import unable, unable_there
from safeaug.batch.rendering.fused.launch import by_kernel, nearest_by_kernel
from safeaug.batch.rendering.fused.tile import TILE, Tile

__all__ = ["TILE", "Tile", "by_kernel", "nearest_by_kernel", "unable", "unable_there"]
