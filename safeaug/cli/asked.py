"""Options that commands have in common: an audit's, whatever is made of it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from safeaug.cli.options import configured, written

DATA = (
    "What is audited: coco:FILE, yolo:data.yaml, voc:DIR, folder:DIR, masks:DIR, or a data set of Python as "
    "pkg.mod:attr or file.py:attr."
)
PIPELINE = (
    "The pipeline: pkg.mod:attr or file.py:attr, itself or a function that returns it; or a .json or .yaml file that "
    "albumentations has saved."
)


class Labels(StrEnum):
    """What a label stands for."""

    object = "object"
    image = "image"


class Protect(StrEnum):
    """What of the data is followed."""

    boxes = "boxes"
    outlines = "outlines"
    masks = "masks"
    mask = "mask"
    picture = "picture"


class Names(StrEnum):
    """How paths and ids are shown."""

    short = "short"
    full = "full"


class Method(StrEnum):
    """How a map is made: the methods of `safeaug.saliency.Method`."""

    auto = "auto"
    signature = "signature"
    mbd = "mbd"
    gradient = "gradient"
    spectral_residual = "spectral_residual"
    prior = "center"  # a text has a method `center`


Images = Annotated[Path | None, typer.Option(help="The folder of the pictures, where it is needed.")]
Split = Annotated[str | None, typer.Option(help="Of yolo: which split. By default train.")]
OneBased = Annotated[
    bool | None,
    typer.Option("--one-based/--zero-based", help="Of voc: whether pixels are counted from 1. By default they are."),
]
Draws = Annotated[int, typer.Option(min=1, help="Draws of each sample.")]
Seed = Annotated[int, typer.Option(min=0, help="From which every draw is made, with the sample's id.")]
MaxDamaged = Annotated[
    str | None, typer.Option(metavar="SHARE", help="The most draws that may be damaged: 1% or 0.01.")
]
MaxEmptied = Annotated[
    str | None, typer.Option(metavar="SHARE", help="The most draws that may keep no object: 0.1% or 0.001.")
]
MinRetention = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SHARE",
        help="What must be left of an object; again and again as LABEL=SHARE for each label, * for all others. By "
        "default 0.5.",
        show_default=False,
    ),
]
IgnoreSmallerThan = Annotated[
    float | None, typer.Option(min=0, help="Objects of fewer source pixels are not asked for.")
]
WhatLabels = Annotated[
    Labels | None,
    typer.Option(
        help="What a label stands for: an object, which may go with its label; or the whole image, whose label stays. "
        "By default object where there are boxes."
    ),
]
WhatProtects = Annotated[
    Protect | None,
    typer.Option(
        help="What is followed: boxes; outlines, what the objects of boxes cover; instance masks; the classes of a "
        "semantic mask; or the picture. By default the first of boxes, masks and mask that the data have."
    ),
]
Processes = Annotated[int, typer.Option(min=1, help="How many processes share the work.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Leave out and count what cannot be read, and draws that raise.")
]
Worst = Annotated[int, typer.Option(min=0, help="How many of the worst draws the record holds.")]
Deny = Annotated[
    Path | None,
    typer.Option(help="Decisions that the gallery has exported: samples with a rejected draw are left out."),
]
Rules = Annotated[
    str | None,
    typer.Option(
        metavar="RULES",
        help="What else is judged than content: all, or of SA2 (types), SA3 (values), SA4 (boxes), SA5 (targets), SA6 "
        "(chance, of data that are a DataLoader), SA7 (files), as SA3,SA5. One draw of each of some samples is made "
        "with pixels. One that is broken for certain makes the exit code 1.",
        show_default=False,
    ),
]
RulesSamples = Annotated[
    str,
    typer.Option(metavar="COUNT", help="Of how many samples rules are asked, picked by a hash of their ids; or all."),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Write the page into a folder that is there and no gallery of safeaug's. Other files in it stay.",
    ),
]
WhatNames = Annotated[
    Names, typer.Option(help="Whether the page shows paths and ids without the folders above them, or in full.")
]
Html = Annotated[
    Path | None,
    typer.Option(
        help="Write a page, with pictures where they can be had: a file that ends in .html, or a folder.",
        callback=written,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        help=r"The TOML file whose \[tool.safeaug] gives defaults of these options by their names. By default "
        "pyproject.toml.",
        show_default=False,
        is_eager=True,
        callback=configured,
    ),
]
