"""``safeaug demo``: a thousand windows a picture, plain and guarded, as a table and as a sheet to look at."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from safeaug.cli.notes import notes
from safeaug.errors import MissingHostError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from safeaug.demo.trial import Trial

HINT = """The change is one line:
  - A.RandomResizedCrop((224, 224))
  + safeaug.albumentations.RandomResizedCrop((224, 224), min_retention=0.5)"""

LEGEND = """lost: nothing is left of an object; below half: less than half is left of one.
µs a draw: median of the whole call. A plain draw that loses its objects is
quicker, as no box is left to hand back."""

UNMET = (
    "UNMET: no window that the crop can draw keeps half of every object; the one taken keeps as many objects as "
    "can be kept, and says so."
)


def _png(path: Path) -> Path:
    """Refuse a path that could not be written before, not after, the windows are drawn."""
    if path.suffix.lower() != ".png":
        raise typer.BadParameter(f"must end in .png, got {path.name!r}")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"the folder {str(path.parent)!r} does not exist; make it, or write elsewhere")
    return path


def demo(
    windows: Annotated[int, typer.Option(min=1, help="Windows to draw for each picture, plain and guarded.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of both pipelines.")] = 0,
    out: Annotated[Path, typer.Option(help="Where to write the contact sheet.", callback=_png, dir_okay=False)] = Path(
        "safeaug_demo.png"
    ),
) -> None:
    """Show what a plain random crop loses of five pictures, and what the guarded one keeps."""
    from rich.console import Console

    console = Console(highlight=False)
    # The host asks the network for a newer version when it is imported. A demonstration needs no network.
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    try:
        trials, told = _trials(console, windows, seed)
    except MissingHostError as error:
        _stop(str(error))
    _tell(console, trials, told)
    _write(console, trials, seed, out)
    console.print(HINT, markup=False)


def _stop(message: str) -> NoReturn:
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(2)


def _trials(console: "Console", windows: int, seed: int) -> tuple[list["Trial"], list[str]]:
    """Draw all windows behind a progress bar; return the trials, and what safeaug logged of which picture."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from safeaug.demo.scenes import scenes
    from safeaug.demo.sheet import WIDE
    from safeaug.demo.trial import trial

    trials, told = [], []
    shown = scenes()
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=windows * len(shown))
        for scene in shown:
            progress.update(task, description=scene.name)
            with notes() as messages:
                trials.append(trial(scene, windows, seed, WIDE, lambda: progress.advance(task)))
            told += [f"{scene.name}: {message}" for message in messages]
    return trials, told


def _tell(console: "Console", trials: list["Trial"], told: list[str]) -> None:
    console.print(f"[bold]{_headline(trials[0])}[/bold]\n")
    console.print(_table(trials))
    console.print()
    console.print(LEGEND, style="dim")
    if any("UNMET" in trial.statuses for trial in trials):
        console.print(UNMET, style="dim")
    for message in told:
        console.print(f"Warning: {message}", style="yellow", markup=False)


def _headline(panorama: "Trial") -> str:
    """Return what happened to the first scene, in one sentence."""
    from safeaug.demo.tally import percent, tally

    height, width = panorama.scene.size
    plain, guarded = (tally(draws, panorama.scene.size).lost for draws in (panorama.plain, panorama.guarded))
    windows = len(panorama.pairs)
    return (
        f"On a {width} × {height} {panorama.scene.name}, plain lost the {panorama.scene.labels[0]} in "
        f"{percent(plain)} of {windows} windows; guarded in {round(guarded * windows)} of {windows}."
    )


def _table(trials: list["Trial"]) -> "Table":
    from rich import box
    from rich.table import Table

    from safeaug.policy import Status

    ends = [status.name for status in Status if any(status.name in trial.statuses for trial in trials)]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in ("picture", "crop"):
        table.add_column(heading, no_wrap=True)
    for heading in ("lost", "below\nhalf", "mean\narea", "µs a\ndraw", *ends):
        table.add_column(heading, justify="right", vertical="bottom", no_wrap=True)
    for trial in trials:
        for row in _rows(trial, ends):
            table.add_row(*row)
        table.add_section()
    return table


def _rows(trial: "Trial", ends: list[str]) -> list[list[str]]:
    """Return the two rows of a picture; only guarded draws say how they ended."""
    from safeaug.demo.tally import percent, tally

    rows = []
    for name, crop, draws in ((trial.scene.name, "plain", trial.plain), ("", "guarded", trial.guarded)):
        lost, below, area, micros = tally(draws, trial.scene.size)
        shares = [f"[{'red' if share else 'green'}]{percent(share)}[/]" for share in (lost, below)]
        rows.append([name, crop, *shares, percent(area), f"{micros:.0f}"])
    # Whole percents, so that the table fits a terminal of 80 columns even where a draw is UNMET.
    rows[1] += [percent(trial.statuses.get(status, 0) / len(trial.pairs), digits=0) for status in ends]
    return rows


def _write(console: "Console", trials: list["Trial"], seed: int, out: Path) -> None:
    from safeaug.demo.sheet import sheet

    try:
        sheet(trials, seed).save(out)
    except OSError as error:
        _stop(f"cannot write the contact sheet: {error}; choose another place with --out")
    console.print(f"\nContact sheet: {out.resolve()}\n", markup=False, soft_wrap=True)
