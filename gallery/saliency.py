"""Saliency, where nobody drew a box: the map of each method, and what windows hold that are guarded by one."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from document import document, picture, row, table
from heat import OUTLINED, overview, sheet
from look import METHODS, MIN_RANK, PAIRS, Look, looked
from masks import PARTS
from sheet import small
from skimage import data
from story import part_of

from safeaug.demo.column import percent
from safeaug.demo.masked import coins
from safeaug.demo.scenes import Scene, labelled
from safeaug.geometry import Box

NAME, TITLE = "saliency", "Saliency, where nobody drew a box"
"""Of the page; its pictures begin with the same name."""

GARAGE: dict[str, Box] = {
    "bottle": (400, 51, 420, 93),
    "can": (454, 67, 475, 88),
    "box": (634, 75, 681, 101),
    "socket": (139, 20, 158, 41),
    "wheel": (0, 165, 43, 231),
}
"""Small things around the motorcycle, whose boxes were drawn by hand for this page."""

TEXTS = {
    "rocket": "One thing before a quiet sky. Most of what stands out are the lights at its foot, and windows that keep "
    "these hold more of the rocket, too. It stands in the middle, so center agrees as well.",
    "coins": "Six things on a quiet ground, and all of them stand out.",
    "coffee": "The cup stands out, and what is around it does not.",
    "camera": "Edges stand out, and the inside of the coat does not. Windows hold hardly more than before.",
    "chelsea": "Nobody drew a box, and then no figure says whether a map is right: one has to look. The eyes and the "
    "nose stand out.",
    "astronaut": "The patch and the helmet stand out, and the face does less. So windows move down, and hold more of "
    "the person, and less of the face and of the shuttle. Which of them matters no map can know.",
    "astronaut in detail": "The same windows, with boxes of small things. All lie on the person, who stands out, so "
    "maps agree with them well; but windows keep the patch, and lose the eyes more often. That a map agrees with boxes "
    "is no promise of what windows hold.",
    "garage": "Small things in a busy scene. The motorcycle stands out, and of what lies around it the maps say next "
    "to nothing. Windows hold more of what is on the shelf, which happens to be above the seat, and less of what is "
    "on the left.",
}
"""What is to be seen on each picture, by its name."""

KEPT = ("rocket", "coins", "chelsea", "astronaut in detail")
"""Pictures of the overview, which is kept with the source. No rights are known on any of them."""

SAYS = (
    "Where nobody drew a box, a map of what stands out can stand in for the objects: "
    '<code>protect="saliency"</code>. It is a stand-in, and no more. It finds things that stand alone. Of small '
    "objects in a busy scene it says little, and windows that go by it may hold less of them than windows that go by "
    "nothing. A few pictures prove nothing either way: whoever has boxes for some of their own should try it on these "
    "before they rely on it, with <code>safeaug saliency check</code>.",
    "Boxes are white. A map lies over its picture: the lighter a place, the more it stands out. <em>AUC</em> is the "
    "chance that a map is higher at a place in a box than at one outside: 0.5 says nothing of the boxes, 1 finds them "
    "and nothing else. <code>center</code> does not look at the picture, and is what every other must be better than.",
    "Windows are those of <code>RandomResizedCrop((224, 224))</code>: plain in amber, and in blue the same draws "
    "guarded by <code>auto</code>, with <code>min_rank={rank}</code>, which moves a window and leaves its size. The "
    "crops are of the first draws that the guard left alone, then of the first that it changed. <em>Held</em> is the "
    "share of an object in a window, in the mean over objects and over {draws} draws. The guard sees no box.",
)
"""What stands above the pictures: paragraphs, as HTML."""


def pictures() -> list[Scene]:
    """Return pictures that scikit-image ships: those of things that stand alone first, and a busy one last."""
    named = {scene.name: scene for scene in labelled("scenes.json")}
    [in_detail] = labelled("details.json")
    return [
        named["rocket"],
        part_of(coins()._replace(masks=None), PARTS[0])._replace(name="coins"),
        named["coffee"],
        named["camera"],
        Scene("chelsea", data.chelsea(), [], []),
        named["astronaut"],
        in_detail._replace(name="astronaut in detail"),
        Scene("garage", data.stereo_motorcycle()[0], list(GARAGE.values()), list(GARAGE)),
    ]


def written(out: Path, draws: int) -> list[Path]:
    """Write the page, the overview, and a sheet a picture; return all these files, the page first.

    Parameters
    ----------
    out : Path
        The folder, which is there.
    draws : int
        Of each picture.
    """
    looks = [looked(scene, draws) for scene in pictures()]
    page, over = out / f"{NAME}.html", out / f"{NAME}.png"
    page.write_text(html(looks, draws), encoding="utf-8")
    over.write_bytes(small(overview([look for look in looks if look.scene.name in KEPT])))
    sheets = [out / file_of(look.scene) for look in looks]
    for look, file in zip(looks, sheets, strict=True):
        sheet(look).save(file, quality=88, method=6)
    return [page, over, *sheets]


def file_of(scene: Scene) -> str:
    """Return the name of the file that holds the sheet of a picture."""
    return f"{NAME}-{scene.name.replace(' ', '-')}.webp"


def html(looks: Sequence[Look], draws: int) -> str:
    """Return the page."""
    heads = ("AUC of", *METHODS, "held, plain", "held, guarded")
    parts = [f"<p>{text.format(rank=MIN_RANK, draws=draws)}</p>" for text in SAYS]
    parts.append(table(heads, map(_row, looks)))
    for look in looks:
        name = look.scene.name
        parts.append(f"<h2>{escape(name)}</h2><p>{escape(TEXTS[name])}</p>{picture(file_of(look.scene), _alt(name))}")
    return document(TITLE, parts)


def entry() -> str:
    """Return what the page of all pages says of this one, as HTML."""
    text = (
        "A map of what stands out can stand in for objects that nobody drew. It finds things that stand alone, and "
        "says little of small ones in a busy scene."
    )
    alt = "Pictures with their boxes, the maps of each as heat, and what windows hold, plain and guarded"
    link = f'<p><a href="{NAME}.html">All maps, and windows</a></p>'
    return f"<h2>{escape(TITLE)}</h2><p>{escape(text)}</p>{link}{picture(f'{NAME}.png', alt)}"


def _row(look: Look) -> str:
    """Return what was found of a picture, as a row of the table."""
    if look.held is None:
        return row(escape(look.scene.name), ["no box", *["–"] * (len(METHODS) + 1)])
    agreements = [f"{look.agreements[name]:.2f}" for name in METHODS]
    return row(escape(look.scene.name), [*agreements, *(percent(share, 0) for share in look.held)])


def _alt(name: str) -> str:
    return (
        f"{name}: the picture with {OUTLINED} plain and {OUTLINED} guarded windows, its {len(METHODS)} maps as heat, "
        f"and {PAIRS} crops, plain above guarded"
    )
