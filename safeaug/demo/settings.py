"""The four demonstrations, by the name that ``safeaug demo --content`` has for each.

In all of them the guarded transform differs from the plain one by the promise alone, and one seed makes the same draws.
"""

from functools import partial
from statistics import median

import albumentations as A

from safeaug.albumentations import RandomResizedCrop, RandomScale
from safeaug.demo.caption import fewest_pixels, least_left, least_there, worst_off
from safeaug.demo.column import (
    AREA,
    MICROS,
    Column,
    below,
    broken,
    fewest,
    lost,
    none_left,
    percent,
    slivers,
    under,
)
from safeaug.demo.masked import masked
from safeaug.demo.scenes import scenes
from safeaug.demo.setting import Setting, Words
from safeaug.demo.small import shrinking, small
from safeaug.geometry import Size
from safeaug.policy import Policy

OUTPUT: Size = (224, 224)
"""Height and width of what the network would see."""

LARGE: Size = (512, 512)
"""The same where objects are small, for which larger inputs are customary."""

SCALE = (0.08, 1.0)
"""Share of the image that a window covers: what training on ImageNet uses, and the host's default."""

LIMIT, SMALL_LIMIT, FLOOR = 0.5, 0.7, 64
"""Share of every object that a guarded crop promises, of small ones, and their pixels."""

SHRINK = (-0.9, 0.0)
"""What is added to a scale of 1: pictures are made up to ten times smaller."""

SHOWN = (
    "One above the other: the same draw, without the guard and with it. Shown are the first draws that the guard left "
    "alone, then the first that it changed."
)

BOXES = Setting(
    scenes=scenes,
    policy=Policy(min_retention=LIMIT),
    plain=partial(A.RandomResizedCrop, OUTPUT, scale=SCALE),
    guarded=partial(RandomResizedCrop, OUTPUT, scale=SCALE, min_retention=LIMIT),
    headline=lost,
    columns=(
        Column("lost", lost, percent, says="lost an object"),
        Column("below\nhalf", broken, percent, says="kept less than half of one"),
        AREA,
        MICROS,
    ),
    caption=least_left,
    cuts=True,
    words=Words(
        title="What a random crop keeps of the labelled objects",
        lines=(
            f"RandomResizedCrop({OUTPUT}, scale={SCALE}) of albumentations, seed {{seed}}: plain, and guarded by "
            f"safeaug with min_retention={LIMIT}.",
            SHOWN,
            "Below each crop: what is left of the object that lost most.",
        ),
        bad="an object keeps less than half",
        good="every object keeps half or more",
        headline="On a {width} × {height} {name}, plain lost the {label} in {plain} of {windows} windows; guarded in "
        "{guarded} of {windows}.",
        legend="""lost: nothing is left of an object; below half: less than half is left of one.
µs a draw: median of the whole call. A plain draw that loses its objects is
quicker, as no box is left to hand back.""",
        unmet="UNMET: no window that the crop can draw keeps half of every object; the one taken keeps as many "
        "objects as can be kept, and says so.",
        hint=(
            "A.RandomResizedCrop((224, 224))",
            "safeaug.albumentations.RandomResizedCrop((224, 224), min_retention=0.5)",
        ),
    ),
)

MASKS = Setting(
    scenes=masked,
    policy=Policy(min_retention=LIMIT, keep="whole"),
    plain=partial(A.RandomResizedCrop, OUTPUT, scale=SCALE),
    guarded=partial(RandomResizedCrop, OUTPUT, scale=SCALE, min_retention=LIMIT, keep="whole", protect="masks"),
    headline=broken,
    columns=(
        Column("none\nkept", none_left(LIMIT), percent, says="kept no object"),
        Column("a piece\nleft", slivers(LIMIT), percent, says="left a piece of one"),
        AREA,
        MICROS,
    ),
    caption=least_there,
    cuts=True,
    words=Words(
        title="What a random crop keeps of instance masks",
        lines=(
            f"RandomResizedCrop({OUTPUT}, scale={SCALE}) of albumentations, seed {{seed}}: plain, and guarded by "
            'safeaug with keep="whole", protect="masks".',
            SHOWN,
            "Below each crop: what is left of the mask that lost most, of those of which more than 5 % is there; a "
            "coin is to keep half, or to be gone.",
        ),
        bad="a piece of an object, or none",
        good="each keeps half or more, or is gone",
        headline="On {count} {label} masks, plain left a piece of a {label}, or no {label} at all, in {plain} of "
        "{windows} windows; guarded in {guarded} of {windows}.",
        legend="""Counted in the pixels of the masks. none kept: no object keeps half of its mask;
a piece left: of some object more than 5 % and less than half is left.
Policy.segmentation(), half of every mask, would leave large windows only: half
of all 24 coins fits into no other. So keep="whole" is promised: each keeps half
or is gone, and one is kept; of a single horse that is the same.
µs a draw: median of the whole call, which crops every mask too. To move a
window the guard looks where all masks allow it: longer, the more there are.""",
        unmet="UNMET: every window that the crop can draw leaves a piece of an object or none; the one taken keeps "
        "as many objects as can be kept, and says so.",
        hint=(
            "A.RandomResizedCrop((224, 224))",
            'safeaug.albumentations.RandomResizedCrop((224, 224), keep="whole", protect="masks")',
        ),
    ),
)

SMALL = Setting(
    scenes=small,
    policy=Policy.small_objects(),
    plain=partial(A.RandomResizedCrop, LARGE, scale=SCALE),
    guarded=partial(RandomResizedCrop, LARGE, scale=SCALE, policy=Policy.small_objects()),
    headline=broken,
    columns=(
        Column("below\n0.7", below(SMALL_LIMIT), percent, says=f"kept less than {SMALL_LIMIT} of an object"),
        Column("under\n64 px", under(FLOOR), percent, says=f"showed one in fewer than {FLOOR} pixels"),
        AREA,
        MICROS,
    ),
    caption=worst_off(SMALL_LIMIT, FLOOR),
    cuts=True,
    words=Words(
        title="What a random crop keeps of small objects",
        lines=(
            f"RandomResizedCrop({LARGE}, scale={SCALE}) of albumentations, seed {{seed}}: plain, and guarded by "
            "safeaug with policy=Policy.small_objects().",
            SHOWN,
            "Below each crop: what is left of the object that is worst off, as a share of it or in pixels of the "
            f"{LARGE[1]} x {LARGE[0]} output, whichever is scarcer.",
        ),
        bad="one is below 0.7 or 64 pixels",
        good="each keeps 0.7 and 64 pixels",
        headline="With {count} small objects in a {width} × {height} picture, plain left one with less than 0.7 of it, "
        "or fewer than 64 pixels, in {plain} of {windows} windows; guarded in {guarded} of {windows}.",
        legend="""below 0.7: less than that is left of some object; under 64 px: some object
covers fewer pixels of the output. Too small a window cuts, too large a one
shows too little: so the guard often needs another size (RESIZED).
hubble: of its sources only the bright ones in a part of it are labelled.
µs a draw: median of the whole call. A plain draw that loses its objects is
quicker, as no box is left to hand back.""",
        unmet="UNMET: no window that the crop can draw keeps 0.7 and 64 pixels of every object; the one taken keeps "
        "as many objects as can be kept, and says so.",
        hint=(
            "A.RandomResizedCrop((512, 512))",
            "safeaug.albumentations.RandomResizedCrop((512, 512), policy=safeaug.Policy.small_objects())",
        ),
    ),
)

RESIZE = Setting(
    scenes=shrinking,
    policy=Policy(min_visible_pixels=FLOOR),
    plain=partial(A.RandomScale, SHRINK, p=1),
    guarded=partial(RandomScale, SHRINK, p=1, min_visible_pixels=FLOOR),
    headline=broken,
    columns=(
        Column("under\n64 px", under(FLOOR), percent, says=f"showed an object in fewer than {FLOOR} pixels"),
        Column("median\npx", fewest, "{:.0f}".format, median),
        Column("least\npx", fewest, "{:.1f}".format, min),
        Column("mean\nscale", lambda draw: draw.scale, "{:.2f}".format),
        MICROS,
    ),
    caption=fewest_pixels,
    cuts=False,
    words=Words(
        title="What a random scale shows of small objects",
        lines=(
            f"RandomScale({SHRINK}, p=1) of albumentations, seed {{seed}}: plain, and guarded by safeaug with "
            f"min_visible_pixels={FLOOR}. Nothing is cut, but objects shrink.",
            SHOWN,
            "Shown of each output: the object with the fewest pixels, and what is around it, enlarged. Below it: how "
            "many pixels it has, and at which scale.",
        ),
        bad="an object has fewer than 64 pixels",
        good="every object has 64 pixels or more",
        headline="Of {count} objects in a {width} × {height} picture, plain showed one in fewer than 64 pixels in "
        "{plain} of {windows} scales; guarded in {guarded} of {windows}.",
        legend="""Nothing is cut, but objects shrink. under 64 px: some object covers fewer
pixels of the output; median px, least px: how many the object with the fewest
has, in the median draw and in the worst. RESIZED: another scale was drawn, from
those that show every object in 64 pixels.
hubble: of its sources only the bright ones in a part of it are labelled.
µs a draw: median of the whole call. A larger output takes longer to make.""",
        unmet="UNMET: no scale in the range shows every object in 64 pixels; the one taken shows as many objects so "
        "as can be shown, and says so.",
        hint=(
            "A.RandomScale((-0.9, 0), p=1)",
            "safeaug.albumentations.RandomScale((-0.9, 0), p=1, min_visible_pixels=64)",
        ),
    ),
)

SETTINGS: dict[str, Setting] = {"boxes": BOXES, "masks": MASKS, "small": SMALL, "resize": RESIZE}
