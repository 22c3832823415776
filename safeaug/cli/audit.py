"""``safeaug audit``: how often, where and why a pipeline damages the labels of a data set."""

import os
import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from safeaug.cli.errors import RAISED, TOO_FEW, told
from safeaug.cli.options import configured, written
from safeaug.cli.reach import reach

if TYPE_CHECKING:
    from safeaug.auditing.assess import Assessment
    from safeaug.auditing.record import Record
    from safeaug.cli.running import Run

CODES = {"pass": 0, "no limit": 0, "fail": 1, "too few": TOO_FEW}
"""Exit codes of the verdicts."""


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


def audit(
    data: Annotated[
        str,
        typer.Option(
            help="What is audited: coco:FILE, yolo:data.yaml, voc:DIR, folder:DIR, masks:DIR, or a data set of Python "
            "as pkg.mod:attr or file.py:attr."
        ),
    ],
    pipeline: Annotated[
        str,
        typer.Option(
            help="The pipeline: pkg.mod:attr or file.py:attr, itself or a function that returns it; or a .json or "
            ".yaml file that albumentations has saved."
        ),
    ],
    images: Annotated[Path | None, typer.Option(help="The folder of the pictures, where it is needed.")] = None,
    split: Annotated[str | None, typer.Option(help="Of yolo: which split. By default train.")] = None,
    one_based: Annotated[
        bool | None,
        typer.Option(
            "--one-based/--zero-based", help="Of voc: whether its pixels are counted from 1. By default they are."
        ),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, help="Draws of each sample.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="From which every draw is made, with the sample's id.")] = 0,
    max_damaged: Annotated[
        str | None, typer.Option(metavar="SHARE", help="The most draws that may be damaged: 1% or 0.01.")
    ] = None,
    max_emptied: Annotated[
        str | None, typer.Option(metavar="SHARE", help="The most draws that may keep no object: 0.1% or 0.001.")
    ] = None,
    min_retention: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="What must be left of an object; again and again as LABEL=SHARE for each label, * for all others. "
            "By default 0.5.",
            show_default=False,
        ),
    ] = None,
    ignore_smaller_than: Annotated[
        float | None, typer.Option(min=0, help="Objects of fewer source pixels are not asked for.")
    ] = None,
    labels: Annotated[
        Labels | None,
        typer.Option(
            help="What a label stands for: an object, which may go with its label; or the whole image, whose label "
            "stays. By default object where there are boxes."
        ),
    ] = None,
    protect: Annotated[
        Protect | None,
        typer.Option(
            help="What is followed: boxes; outlines, what the objects of boxes cover; instance masks; the classes of a "
            "semantic mask; or the picture. By default the first of boxes, masks and mask that the data have."
        ),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 1,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Leave out and count what cannot be read, and draws that raise.")
    ] = False,
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst draws the record holds.")] = 200,
    json: Annotated[
        Path | None, typer.Option(help="Write the record as JSON.", callback=written, dir_okay=False)
    ] = None,
    jsonl: Annotated[
        Path | None,
        typer.Option(help="Write every draw as a line of JSON, for replay.", callback=written, dir_okay=False),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page: a file that ends in .html, or a folder.", callback=written)
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="The TOML file whose [tool.safeaug] gives defaults of these options by their names. By default "
            "pyproject.toml.",
            show_default=False,
            is_eager=True,
            callback=configured,
        ),
    ] = None,
) -> None:
    """Say how often, where and by which step a pipeline damages the labels of a data set.

    Exit codes: 0 within the limits, or none set; 1 a limit exceeded; 2 the command cannot be carried out as given;
    3 the pipeline raised; 4 too little was audited to say.
    """
    # The host asks the network for a newer version when it is imported. An audit needs no network.
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    reach(data, pipeline)
    with told():
        from safeaug.auditing.source import Source
        from safeaug.auditing.subject import checked_subject
        from safeaug.cli.running import Run
        from safeaug.cli.shares import limit_of, limits_of
        from safeaug.policy import Policy

        allowed = limit_of(max_damaged, "max-damaged"), limit_of(max_emptied, "max-emptied")
        policy = Policy(
            min_retention=limits_of(min_retention or ["0.5"], "min-retention"), ignore_smaller_than=ignore_smaller_than
        )
        subject = None if protect is None else checked_subject(protect.value)
        source = Source(data, None if images is None else str(images), split, one_based, subject, keep_going)
        stands: Any = None if labels is None else labels.value
        run = Run(pipeline, source, policy, draws, seed, stands, processes, worst)
        code = _audited(run, allowed, json, jsonl, html)
    raise typer.Exit(code)


def _audited(
    run: "Run", allowed: tuple[float | None, float | None], json: Path | None, jsonl: Path | None, html: Path | None
) -> int:
    """Run an audit, tell what it found, write what is asked for, and return the exit code."""
    from rich.console import Console

    from safeaug.cli.running import run_of
    from safeaug.report.text import tell_all

    record, messages = run_of(run, jsonl)
    assessment = record.summary(max_damaged=allowed[0], max_emptied=allowed[1])
    console = Console(highlight=False)
    tell_all(console, record, assessment)
    for message in messages:
        console.print(f"Warning: {message}", markup=False, soft_wrap=True)
    _write(record, assessment, json, jsonl, html)
    if jsonl is not None and record.worst and record.worst[0].damaged:
        worst = record.worst[0]
        # A name in which something acts is none to copy.
        if worst.id.isprintable():
            again = shlex.join(["safeaug", "replay", str(jsonl), "--id", worst.id, "--draw", str(worst.draw)])
            typer.echo(f"The worst draw again: {again}", err=True)
    return code_of(assessment)


def code_of(assessment: "Assessment") -> int:
    """Return the exit code of an assessment: that something raised goes before every verdict."""
    if assessment.counted.failed:
        return RAISED
    return CODES[assessment.verdict] if assessment.counted.judged else TOO_FEW


def _write(
    record: "Record", assessment: "Assessment", json: Path | None, jsonl: Path | None, html: Path | None
) -> None:
    from safeaug.report.judged import to_json
    from safeaug.report.page import to_html

    if json is not None:
        json.write_bytes(to_json(record, assessment))
        typer.echo(f"Record: {json}", err=True)
    if jsonl is not None:
        typer.echo(f"Draws: {jsonl}", err=True)
    if html is not None:
        typer.echo(f"Page: {to_html(record, html, assessment)}", err=True)
