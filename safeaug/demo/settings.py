"""The four demonstrations, by the name that ``safeaug demo --content`` has for each, of any host.

In all of them the guarded transform differs from the plain one by the promise alone, and one seed makes the same draws.
"""

from statistics import median

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
from safeaug.demo.made import FLOOR, LARGE, LIMIT, SMALL_LIMIT, Calling, Made
from safeaug.demo.masked import masked
from safeaug.demo.scenes import scenes
from safeaug.demo.setting import Setting, Words
from safeaug.demo.small import shrinking, small
from safeaug.policy import Policy

SHOWN = (
    "One above the other: the same draw, without the guard and with it. Shown are the first draws that the guard left "
    "alone, then the first that it changed."
)


def settings(calling: Calling, *, boxes: Made, masks: Made, small: Made, resize: Made) -> dict[str, Setting]:
    """Return the demonstrations of a host, by name.

    Parameters
    ----------
    calling : callable
        How its transforms are called.
    boxes, masks, small, resize : Made
        Its transforms.
    """
    return {
        "boxes": _boxes(boxes, calling),
        "masks": _masks(masks, calling),
        "small": _small(small, calling),
        "resize": _resize(resize, calling),
    }


def _boxes(made: Made, calling: Calling) -> Setting:
    """Return the demonstration of boxes that a crop loses."""
    return Setting(
        scenes=scenes,
        policy=Policy(min_retention=LIMIT),
        plain=made.plain,
        guarded=made.guarded,
        calling=calling,
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
                f"{made.said}, seed {{seed}}: plain, and guarded by safeaug with min_retention={LIMIT}.",
                SHOWN,
                "Below each crop: what is left of the object that lost most.",
            ),
            bad="an object keeps less than half",
            good="every object keeps half or more",
            headline="On a {width} × {height} {name}, plain lost the {label} in {plain} of {windows} windows; guarded "
            "in {guarded} of {windows}.",
            legend=f"""lost: nothing is left of an object; below half: less than half is left of one.
{made.times}""",
            unmet="UNMET: no window that the crop can draw keeps half of every object; the one taken keeps as many "
            "objects as can be kept, and says so.",
            hint=made.hint,
        ),
    )


def _masks(made: Made, calling: Calling) -> Setting:
    """Return the demonstration of instance masks that it cuts to pieces."""
    return Setting(
        scenes=masked,
        policy=Policy(min_retention=LIMIT, keep="whole"),
        plain=made.plain,
        guarded=made.guarded,
        calling=calling,
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
                f'{made.said}, seed {{seed}}: plain, and guarded by safeaug with keep="whole", protect="masks".',
                SHOWN,
                "Below each crop: what is left of the mask that lost most, of those of which more than 5 % is there; a "
                "coin is to keep half, or to be gone.",
            ),
            bad="a piece of an object, or none",
            good="each keeps half or more, or is gone",
            headline="On {count} {label} masks, plain left a piece of a {label}, or no {label} at all, in {plain} of "
            "{windows} windows; guarded in {guarded} of {windows}.",
            legend=f"""Counted in the pixels of the masks. none kept: no object keeps half of its mask;
a piece left: of some object more than 5 % and less than half is left.
Policy.segmentation(), half of every mask, would leave large windows only: half
of all 24 coins fits into no other. So keep="whole" is promised: each keeps half
or is gone, and one is kept; of a single horse that is the same.
{made.times}
Each mask is cropped too. To move a window the guard looks where all masks allow
it: longer, the more there are.""",
            unmet="UNMET: every window that the crop can draw leaves a piece of an object or none; the one taken keeps "
            "as many objects as can be kept, and says so.",
            hint=made.hint,
        ),
    )


def _small(made: Made, calling: Calling) -> Setting:
    """Return the demonstration of small objects, of which it cuts a part or shows too few pixels."""
    return Setting(
        scenes=small,
        policy=Policy.small_objects(),
        plain=made.plain,
        guarded=made.guarded,
        calling=calling,
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
                f"{made.said}, seed {{seed}}: plain, and guarded by safeaug with policy=Policy.small_objects().",
                SHOWN,
                "Below each crop: what is left of the object that is worst off, as a share of it or in pixels of the "
                f"{LARGE[1]} x {LARGE[0]} output, whichever is scarcer.",
            ),
            bad="one is below 0.7 or 64 pixels",
            good="each keeps 0.7 and 64 pixels",
            headline="With {count} small objects in a {width} × {height} picture, plain left one with less than 0.7 of "
            "it, or fewer than 64 pixels, in {plain} of {windows} windows; guarded in {guarded} of {windows}.",
            legend=f"""below 0.7: less than that is left of some object; under 64 px: some object
covers fewer pixels of the output. Too small a window cuts, too large a one
shows too little: so the guard often needs another size (RESIZED).
hubble: of its sources only the bright ones in a part of it are labelled.
{made.times}""",
            unmet="UNMET: no window that the crop can draw keeps 0.7 and 64 pixels of every object; the one taken "
            "keeps as many objects as can be kept, and says so.",
            hint=made.hint,
        ),
    )


def _resize(made: Made, calling: Calling) -> Setting:
    """Return the demonstration of objects that a resize makes too small to be seen."""
    return Setting(
        scenes=shrinking,
        policy=Policy(min_visible_pixels=FLOOR),
        plain=made.plain,
        guarded=made.guarded,
        calling=calling,
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
                f"{made.said}, seed {{seed}}: plain, and guarded by safeaug with "
                f"min_visible_pixels={FLOOR}. Nothing is cut, but objects may shrink.",
                SHOWN,
                "Shown of each output: the object with the fewest pixels, and what is around it, enlarged. Below it: "
                "how many pixels it has, and at which scale.",
            ),
            bad="an object has fewer than 64 pixels",
            good="every object has 64 pixels or more",
            headline="Of {count} objects in a {width} × {height} picture, plain showed one in fewer than 64 pixels in "
            "{plain} of {windows} scales; guarded in {guarded} of {windows}.",
            legend=f"""Nothing is cut, but objects may shrink. under 64 px: some object covers fewer
pixels of the output; median px, least px: how many the object with the fewest
has, in the median draw and in the worst. RESIZED: another scale was drawn, from
those that show every object in 64 pixels.
hubble: of its sources only the bright ones in a part of it are labelled.
{made.times}
A larger output takes longer to make.""",
            unmet="UNMET: no scale in the range shows every object in 64 pixels; the one taken shows as many objects "
            "so as can be shown, and says so.",
            hint=made.hint,
        ),
    )
