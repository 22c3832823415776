"""``safeaug demo``: a thousand windows a picture, plain and guarded, as a table and as a sheet to look at."""

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from safeaug.cli.notes import notes
from safeaug.errors import MissingHostError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from safeaug.demo.setting import Setting
    from safeaug.demo.trial import Trial


class Host(StrEnum):
    """Whose transforms are shown; ``safeaug.demo.hosts`` holds a module of each of these names."""

    albumentations = "albumentations"
    torchvision = "torchvision"


class Kind(StrEnum):
    """The demonstrations; each host's ``SETTINGS`` hold one under each of these names."""

    boxes = "boxes"
    masks = "masks"
    small = "small"
    resize = "resize"


def _png(path: Path) -> Path:
    """Refuse a path that could not be written before, not after, the windows are drawn."""
    if path.suffix.lower() != ".png":
        raise typer.BadParameter(f"must end in .png, got {path.name!r}")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"the folder {str(path.parent)!r} does not exist; make it, or write elsewhere")
    return path


def demo(
    content: Annotated[
        Kind,
        typer.Option(
            help="What is at stake: boxes that a crop loses; instance masks that it cuts to pieces; small objects, of "
            "which it cuts a part or shows too few pixels; or objects that a resize makes too small to be seen."
        ),
    ] = Kind.boxes,
    host: Annotated[
        Host | None,
        typer.Option(
            help="Whose transforms are shown. Default: albumentations, or torchvision where only that is installed.",
            show_default=False,
        ),
    ] = None,
    windows: Annotated[int, typer.Option(min=1, help="Windows to draw for each picture, plain and guarded.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of both pipelines.")] = 0,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Audit the plain crop and the guarded one on these pictures, as safeaug audit does."
        ),
    ] = False,
    out: Annotated[Path, typer.Option(help="Where to write the contact sheet.", callback=_png, dir_okay=False)] = Path(
        "safeaug_demo.png"
    ),
) -> None:
    """Show what a plain random crop, or resize, loses of a few pictures, and what the guarded one keeps."""
    from rich.console import Console

    console = Console(highlight=False)
    # The host asks the network for a newer version when it is imported. A demonstration needs no network.
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    if audit:
        _auditable(host, content)
        host = Host.albumentations
    try:
        from safeaug.demo.hosts import settings_of

        setting = settings_of(host and host.value)[content.value]
    except MissingHostError as error:
        _stop(str(error))
    if audit:
        _audit(console, setting, windows, seed)
        return
    trials, told = _trials(console, setting, windows, seed)
    _tell(console, setting, trials, told)
    _write(console, setting, trials, seed, out)
    before, after = setting.words.hint
    console.print(f"The change is one line:\n  - {before}\n  + {after}", markup=False, soft_wrap=True)


AUDITED = Kind.boxes, Kind.small
"""The demonstrations whose objects are boxes, which a crop cuts."""


def _auditable(host: Host | None, content: Kind) -> None:
    """Refuse to audit what an audit does not take."""
    if host is Host.torchvision:
        raise typer.BadParameter(
            f"--audit goes with --host {Host.albumentations}, got {host}: an audit draws without pixels, which only "
            "pipelines of albumentations can do so far"
        )
    if content not in AUDITED:
        raise typer.BadParameter(f"--audit goes with --content {' or '.join(AUDITED)}, got {content}")


def _audit(console: "Console", setting: "Setting", draws: int, seed: int) -> None:
    """Audit the setting's pictures, plain and guarded, and print both verdicts."""
    from safeaug.demo.audited import LIMIT, audits
    from safeaug.report.text import Teller
    from safeaug.report.words import percent

    console.print(
        f"{draws} draws of each picture, of which at most {percent(LIMIT)} may be damaged, or keep no object:\n",
        markup=False,
        soft_wrap=True,
    )
    teller = Teller(console)
    for name, record in audits(setting, draws, seed):
        assessment = record.summary(max_damaged=LIMIT, max_emptied=LIMIT)
        console.print(f"[bold]{name}[/bold]")
        teller.verdict(assessment)
        teller.rates(assessment)
        console.print()
    before, after = setting.words.hint
    console.print(f"The change is one line:\n  - {before}\n  + {after}", markup=False, soft_wrap=True)


def _stop(message: str) -> NoReturn:
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(2)


def _trials(console: "Console", setting: "Setting", windows: int, seed: int) -> tuple[list["Trial"], list[str]]:
    """Draw all windows behind a progress bar; return the trials, and what safeaug logged of which picture."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from safeaug.demo.sheet import WIDE
    from safeaug.demo.trial import trial

    trials, told = [], []
    shown = setting.scenes()
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=windows * len(shown))
        for scene in shown:
            progress.update(task, description=scene.name)
            with notes() as messages:
                trials.append(trial(scene, setting, windows, seed, WIDE, lambda: progress.advance(task)))
            told += [f"{scene.name}: {message}" for message in messages]
    return trials, told


def _tell(console: "Console", setting: "Setting", trials: list["Trial"], told: list[str]) -> None:
    console.print(f"[bold]{headline(setting, trials[0])}[/bold]\n")
    console.print(_table(setting, trials))
    console.print()
    console.print(setting.words.legend, style="dim", markup=False)
    if any("UNMET" in trial.statuses for trial in trials):
        console.print(setting.words.unmet, style="dim", markup=False)
    for message in told:
        console.print(f"Warning: {message}", style="yellow", markup=False)


def headline(setting: "Setting", first: "Trial") -> str:
    """Return what happened to the first picture, in one sentence."""
    from safeaug.demo.column import percent

    height, width = first.scene.size
    plain, guarded = (sum(map(setting.headline, draws)) for draws in (first.plain, first.guarded))
    windows = len(first.pairs)
    return setting.words.headline.format(
        height=height,
        width=width,
        name=first.scene.name,
        label=first.scene.labels[0],
        count=len(first.scene.labels),
        plain=percent(plain / windows),
        guarded=guarded,
        windows=windows,
    )


def _table(setting: "Setting", trials: list["Trial"]) -> "Table":
    from rich import box
    from rich.table import Table

    from safeaug.policy import Status

    ends = [status.name for status in Status if any(status.name in trial.statuses for trial in trials)]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in ("picture", "crop" if setting.cuts else "scale"):
        table.add_column(heading, no_wrap=True)
    for heading in (*(column.heading for column in setting.columns), *ends):
        table.add_column(heading, justify="right", vertical="bottom", no_wrap=True)
    for trial in trials:
        for row in _rows(setting, trial, ends):
            table.add_row(*row)
        table.add_section()
    return table


def _rows(setting: "Setting", trial: "Trial", ends: list[str]) -> list[list[str]]:
    """Return the two rows of a picture; only guarded draws say how they ended."""
    from safeaug.demo.column import percent

    rows = []
    for name, crop, draws in ((trial.scene.name, "plain", trial.plain), ("", "guarded", trial.guarded)):
        figures = [
            f"[{'red' if column.value(draws) else 'green'}]{column.text(draws)}[/]"
            if column.says
            else column.text(draws)
            for column in setting.columns
        ]
        rows.append([name, crop, *figures])
    # Whole percents, so that the table fits a terminal of 80 columns even where a draw is UNMET.
    rows[1] += [percent(trial.statuses.get(status, 0) / len(trial.pairs), digits=0) for status in ends]
    return rows


def _write(console: "Console", setting: "Setting", trials: list["Trial"], seed: int, out: Path) -> None:
    from safeaug.demo.sheet import sheet

    try:
        sheet(trials, setting, seed).save(out)
    except OSError as error:
        _stop(f"cannot write the contact sheet: {error}; choose another place with --out")
    console.print(f"\nContact sheet: {out.resolve()}\n", markup=False, soft_wrap=True)
