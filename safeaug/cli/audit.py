"""``safeaug audit``: how often, where and why a pipeline damages the labels of a data set."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from safeaug.cli import asked
from safeaug.cli.errors import RAISED, TOO_FEW, told
from safeaug.cli.options import written
from safeaug.cli.reach import reach

if TYPE_CHECKING:
    from safeaug.auditing.assess import Assessment
    from safeaug.cli.pages import Page
    from safeaug.cli.running import Ran, Run

CODES = {"pass": 0, "no limit": 0, "fail": 1, "too few": TOO_FEW}
"""Exit codes of the verdicts."""

Allowed = tuple[float | None, float | None]


class Files(NamedTuple):
    """What is written, and where."""

    json: Path | None
    jsonl: Path | None
    html: "Page | None"


def audit(
    data: Annotated[str, typer.Option(help=asked.DATA)],
    pipeline: Annotated[str, typer.Option(help=asked.PIPELINE)],
    images: asked.Images = None,
    split: asked.Split = None,
    one_based: asked.OneBased = None,
    draws: asked.Draws = 8,
    seed: asked.Seed = 0,
    max_damaged: asked.MaxDamaged = None,
    max_emptied: asked.MaxEmptied = None,
    min_retention: asked.MinRetention = None,
    ignore_smaller_than: asked.IgnoreSmallerThan = None,
    labels: asked.WhatLabels = None,
    protect: asked.WhatProtects = None,
    processes: asked.Processes = 1,
    keep_going: asked.KeepGoing = False,
    deny: asked.Deny = None,
    worst: asked.Worst = 200,
    rules: asked.Rules = None,
    rules_samples: asked.RulesSamples = "200",
    json: Annotated[
        Path | None, typer.Option(help="Write the record as JSON.", callback=written, dir_okay=False)
    ] = None,
    jsonl: Annotated[
        Path | None,
        typer.Option(help="Write every draw as a line of JSON, for replay.", callback=written, dir_okay=False),
    ] = None,
    html: asked.Html = None,
    force: asked.Force = False,
    names: asked.WhatNames = asked.Names.short,
    config: asked.Config = None,
) -> None:
    """Say how often, where and by which step a pipeline damages the labels of a data set.

    Exit codes: 0 within the limits, or none set; 1 a limit exceeded, or a rule broken that was asked for (what is
    suspect breaks none); 2 the command cannot be carried out as given; 3 the pipeline raised; 4 too little was audited
    to say.
    """
    begin(data, pipeline)
    with told():
        from safeaug.cli.pages import Page
        from safeaug.cli.running import Run, policy_asked, rules_asked, source_asked
        from safeaug.cli.shares import limit_of

        allowed = limit_of(max_damaged, "max-damaged"), limit_of(max_emptied, "max-emptied")
        policy = policy_asked(min_retention, ignore_smaller_than)
        source = source_asked(data, images, split, one_based, protect, keep_going, deny)
        stands: Any = None if labels is None else labels.value
        run = Run(pipeline, source, policy, draws, seed, stands, processes, worst, **rules_asked(rules, rules_samples))
        # That a page cannot be written there is told before the work is done, not after.
        page = None if html is None else Page(html, names.value, force, run=jsonl).checked()
        check_apart(json, jsonl, html)
        code = _audited(run, allowed, Files(json, jsonl, page))
    raise typer.Exit(code)


def check_apart(*paths: Path | None) -> None:
    """Refuse to write two things to one place: the second would take the place of the first."""
    given = [path.resolve() for path in paths if path is not None]
    for path in given:
        if given.count(path) > 1:
            raise typer.BadParameter(f"--json, --jsonl and --html must be files of their own, got {str(path)!r} twice")


def begin(*specs: str) -> None:
    """Prepare for an audit of what texts name."""
    # The host asks the network for a newer version when it is imported. An audit needs no network.
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    reach(*specs)


def _audited(run: "Run", allowed: Allowed, files: Files) -> int:
    """Run an audit, tell what it found, write what is asked for, and return the exit code."""
    from rich.console import Console

    from safeaug.cli.running import run_of
    from safeaug.report.text import tell_all

    ran = run_of(run, files.jsonl)
    record = ran.record
    assessment = record.summary(max_damaged=allowed[0], max_emptied=allowed[1])
    console = Console(highlight=False)
    tell_all(console, record, assessment)
    for message in ran.messages:
        console.print(f"Warning: {message}", markup=False, soft_wrap=True)
    _write(ran, assessment, files, run)
    if files.jsonl is not None and record.worst and record.worst[0].damaged:
        worst = record.worst[0]
        # A name in which something acts is none to copy.
        if worst.id.isprintable():
            again = shlex.join(["safeaug", "replay", str(files.jsonl), "--id", worst.id, "--draw", str(worst.draw)])
            typer.echo(f"The worst draw again: {again}", err=True)
    return code_of(assessment)


def code_of(assessment: "Assessment") -> int:
    """Return the exit code of an assessment: that something raised goes before every verdict."""
    rules = assessment.rules
    if assessment.failed or (rules is not None and rules.raised):  # in measured draws, or in one made with pixels
        return RAISED
    if rules is not None and rules.proved:
        return CODES["fail"]
    return CODES[assessment.verdict] if assessment.counted.judged else TOO_FEW


def _write(ran: "Ran", assessment: "Assessment", files: Files, run: "Run") -> None:
    from safeaug.report.judged import to_json

    if files.json is not None:
        files.json.write_bytes(to_json(ran.record, assessment))
        typer.echo(f"Record: {files.json}", err=True)
    if files.jsonl is not None:
        typer.echo(f"Draws: {files.jsonl}", err=True)
    if files.html is not None:
        made = files.html.write(ran, assessment, run.source.protect)
        typer.echo(f"Page: {made.page}", err=True)
