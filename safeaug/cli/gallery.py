"""``safeaug gallery``: what a pipeline makes of a data set, worst first, as a page with pictures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from safeaug.cli import asked
from safeaug.cli.audit import begin, code_of
from safeaug.cli.errors import stop, told
from safeaug.cli.reach import reach

if TYPE_CHECKING:
    from safeaug.auditing.record import Record
    from safeaug.auditing.source import Source
    from safeaug.cli.pages import Page
    from safeaug.cli.running import Ran, Run

OF_AN_AUDIT = (
    "draws", "seed", "min_retention", "ignore_smaller_than", "labels", "processes", "keep_going", "deny",
)  # fmt: skip
"""Options that say how an audit is made, which a record has behind it."""

OF_A_LOADER = frozenset({"loader", "out", "config"})
"""Options that are asked of a loader: all others are about audits."""


def gallery(
    context: typer.Context,
    out: Annotated[
        Path, typer.Option(help="Where the gallery is written: a folder, which is made; or a file that ends in .html.")
    ],
    data: Annotated[str | None, typer.Option(help=asked.DATA)] = None,
    pipeline: Annotated[str | None, typer.Option(help=asked.PIPELINE)] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="What safeaug audit --json wrote: it is shown, and nothing audited again.", dir_okay=False),
    ] = None,
    loader: Annotated[
        str | None,
        typer.Option(
            help="A loader, as pkg.mod:attr or file.py:attr, instead of data and pipeline: its first batch is shown as "
            "a model would see it."
        ),
    ] = None,
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
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst draws are shown.")] = 200,
    random: Annotated[int, typer.Option(min=0, help="How many draws are shown that the lot falls on.")] = 100,
    force: asked.Force = False,
    names: asked.WhatNames = asked.Names.short,
    config: asked.Config = None,
) -> None:
    """Show what a pipeline makes of a data set: the draws before and after, every step between, the worst first.

    Exit codes: as those of safeaug audit. 0 within the limits, or none set; 1 a limit exceeded; 2 the command cannot be
    carried out as given; 3 the pipeline raised; 4 too little was audited to say.
    """
    begin(*(spec for spec in (data, pipeline, loader) if spec is not None))
    with told():
        if loader is not None:
            _refuse(context, "a loader", {*context.params} - OF_A_LOADER)
            _show(loader, out)
            return
        from safeaug.auditing.record import Record
        from safeaug.cli.pages import Page
        from safeaug.cli.running import Run, policy_asked, source_asked
        from safeaug.cli.shares import limit_of

        allowed = limit_of(max_damaged, "max-damaged"), limit_of(max_emptied, "max-emptied")
        page = Page(out, names.value, force, worst, random).checked()
        if record is not None:
            _refuse(context, "a record", OF_AN_AUDIT)
            found = Record.from_json(record.read_bytes(), str(record))
            given = source_asked(data or "", images, split, one_based, protect, True, None)
            ran, source = _again(found, given, pipeline)
        elif data is None or pipeline is None:
            lacking = "--data" if data is None else "--pipeline"
            stop(f"a gallery takes --pipeline and --data, or --record, or --loader; {lacking} is missing")
        else:
            source = source_asked(data, images, split, one_based, protect, keep_going, deny)
            policy = policy_asked(min_retention, ignore_smaller_than)
            stands: Any = None if labels is None else labels.value
            ran = _audited(Run(pipeline, source, policy, draws, seed, stands, processes, worst, random))
        code = _write(ran, source, page, allowed)
    raise typer.Exit(code)


def _refuse(context: typer.Context, what: str, options: Any) -> None:
    """Refuse options that are given where they mean nothing."""
    for name in sorted(options):
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            stop(f"--{name.replace('_', '-')} says nothing beside {what}; leave it out")


def _show(loader: str, out: Path) -> None:
    from safeaug.data.remarks import printable
    from safeaug.showing.loader import shown_loader

    sheet = shown_loader(loader, out)
    for line in str(sheet).splitlines():
        typer.echo(printable(line))
    typer.echo(f"Sheet: {sheet.path}", err=True)


def _again(record: "Record", given: "Source", pipeline: str | None) -> "tuple[Ran, Source]":
    """Return a record with what it is of, opened by its names, or by others that are given."""
    from safeaug.auditing.pipelines import pipeline_of
    from safeaug.auditing.source import source_of
    from safeaug.cli.notes import notes
    from safeaug.cli.running import Ran

    about = record.about
    if pipeline is None and about.pipeline == record.counts.terms.pipeline:
        stop("the record is of objects of Python, not of names; say what they are: --pipeline and --data")
    # Everything else that is said of the data goes with their name.
    said = given if given.data else source_of(about.data)
    more = {name: value for name, value in given._asdict().items() if value is not None and value != ""}
    source = said._replace(**{**more, "keep_going": True, "deny": None})
    spec = pipeline or about.pipeline
    reach(source.data, spec)
    with notes() as messages:
        return Ran(record, messages, pipeline_of(spec), source.open()), source


def _audited(run: "Run") -> "Ran":
    from safeaug.cli.running import run_of

    return run_of(run, None)


def _write(ran: "Ran", source: "Source", page: "Page", allowed: tuple[float | None, float | None]) -> int:
    """Write a gallery, tell what it shows, and return the exit code."""
    from rich.console import Console

    from safeaug.report.text import Teller

    assessment = ran.record.summary(max_damaged=allowed[0], max_emptied=allowed[1])
    made = page.write(ran, assessment, source.protect)
    Teller(Console(highlight=False)).verdict(assessment)
    for message in ran.messages:
        typer.echo(f"Warning: {message}", err=True)
    without = f", {made.missing} of them without pictures" if made.missing else ""
    typer.echo(f"Gallery: {made.page} shows {made.cards} draws{without}", err=True)
    return code_of(assessment)
