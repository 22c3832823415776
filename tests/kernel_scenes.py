"""Scenes for the kernel, by group; run as a program, it draws those of one group in Triton's interpreter.

The interpreter has to be asked for before Triton is imported, for a whole process, and takes a second for a small
output. So each group has a process of its own: ``TRITON_INTERPRET=1 python -m tests.kernel_scenes GROUP FILE``.
"""

import sys

import torch

from safeaug.batch.rendering import Style
from tests.render_scenes import BRAIN, BYTES, HALF, SINGLE, laid_out, one, pictures

CUBIC, PLAIN = Style("bicubic"), Style(antialias=False)


def scenes(group: str) -> list:
    """The scenes of a group: no output has more than two tiles of a channel."""
    return {"filters": filters, "dtypes": dtypes, "memory": memory, "extremes": extremes}[group]()


def filters() -> list:
    """Every filter, where pictures shrink, grow, both and neither; mirrored, and beside a fill."""
    image, found = pictures((1, 1, 40, 50), BYTES), []
    for style in (Style(), PLAIN, CUBIC):
        found += [
            one(image, (3, 4, 45, 39), (13, 17), out=SINGLE, style=style, flipped=True),
            one(image, (20, 11, 27, 15), (14, 21), out=SINGLE, style=style, target=(2, 3, 20, 11)),
            one(image, (0, 0, 50, 7), (15, 9), out=SINGLE, style=style, target=(1, 0, 8, 14), flipped=True),
        ]
    return [*found, one(image, (7, 9, 23, 21), (12, 16), out=SINGLE), one(image, (5, 5, 5, 9), (4, 4), out=SINGLE)]


def dtypes() -> list:
    """Every dtype into every other, normalised too; more channels than one launch takes."""
    small, found = (1, 1, 21, 19), []
    for dtype, out in [(BYTES, BYTES), (BYTES, HALF), (BYTES, BRAIN), (HALF, HALF), (BRAIN, SINGLE), (SINGLE, BRAIN)]:
        found.append(one(pictures(small, dtype), (1, 2, 18, 20), (8, 6), out=out))
    found += [
        one(pictures(small, BYTES), (1, 2, 18, 20), (20, 26), style=CUBIC),
        one(pictures((1, 3, 9, 8), BYTES), (1, 0, 8, 7), (5, 6), out=SINGLE, normalise=True),
        one(pictures((1, 3, 9, 8), SINGLE), (1, 0, 8, 7), (5, 6), out=HALF, normalise=True, target=(0, 2, 5, 5)),
        one(pictures((1, 6, 9, 8), BYTES), (1, 0, 8, 7), (5, 6), out=SINGLE, normalise=True),
    ]
    return found


def memory() -> list:
    """Pictures of any strides."""
    images = pictures((2, 2, 12, 14), BYTES)
    layouts = "planes", "channels_last", "strided", "transposed", "expanded"
    return [one(laid_out(images, layout), (1, 2, 13, 11), (8, 9), out=SINGLE) for layout in layouts]


def extremes() -> list:
    """One pixel of many and many of one; long and thin; outputs of several tiles, each way."""
    return [
        one(pictures((1, 1, 32, 31), BYTES), (0, 0, 31, 32), (1, 1), out=SINGLE),
        one(pictures((1, 1, 32, 31), BYTES), (3, 1, 30, 32), (2, 3), out=SINGLE, style=CUBIC),
        one(pictures((1, 1, 5, 4), BYTES), (3, 4, 4, 5), (6, 7), out=SINGLE),
        one(pictures((1, 1, 2, 600), SINGLE), (1, 0, 600, 2), (2, 60), out=SINGLE),
        one(pictures((1, 1, 9, 30), BYTES), (0, 0, 30, 9), (3, 70), out=SINGLE, flipped=True),
        one(pictures((1, 1, 50, 9), BYTES), (0, 0, 9, 50), (33, 4), out=SINGLE, target=(0, 5, 3, 31)),
    ]


def main(group: str, file: str) -> None:
    """Draw a group's scenes twice, from one tensor and from a list of pictures, and write both down."""
    from safeaug.batch.rendering.fused import by_kernel, unable

    drawn = []
    for scene in scenes(group):
        assert unable(scene.images, scene.size, scene.finish.dtype) is None
        rest = *scene.tensors, scene.size, scene.finish, scene.style
        before = scene.images.clone()
        listed = by_kernel(list(scene.images), *rest) if group == "memory" else None
        drawn.append((by_kernel(scene.images, *rest), listed))
        assert torch.equal(scene.images, before)
    torch.save(drawn, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
