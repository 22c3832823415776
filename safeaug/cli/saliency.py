"""``safeaug saliency``: maps of what stands out in the pictures of a data set. ``build`` makes them and keeps them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from safeaug.cli import asked
from safeaug.cli.errors import told
from safeaug.cli.notes import notes
from safeaug.cli.reach import reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from safeaug.data import Sample
    from safeaug.saliency.building import Built

MOST = 10
"""Remarks of each kind that are told: of what was met while the data were opened, and of pictures passed over."""

app = typer.Typer(name="saliency", no_args_is_help=True)


class Method(StrEnum):
    """How a map is made: the methods of `safeaug.saliency.Method`."""

    auto = "auto"
    signature = "signature"
    mbd = "mbd"
    gradient = "gradient"
    spectral_residual = "spectral_residual"
    prior = "center"  # a text has a method `center`


@app.callback()
def root() -> None:
    """Make maps of what stands out, for pictures whose objects nobody drew."""


@app.command("build")
def build(
    data: Annotated[str, typer.Option(help=asked.DATA.replace("audited", "looked at"))],
    out: Annotated[Path, typer.Option(help="The folder of the maps, which is made, or added to.", file_okay=False)],
    images: asked.Images = None,
    split: asked.Split = None,
    one_based: asked.OneBased = None,
    method: Annotated[Method, typer.Option(help="How maps are made.")] = Method.auto,
    size: Annotated[int, typer.Option(help="Cells along each side of a map.")] = 48,
    processes: asked.Processes = 1,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Pass over and count what cannot be read.")] = False,
) -> None:
    """Make the maps of a data set's pictures that a folder lacks. A run that was interrupted goes on where it ended.

    Exit codes: 0 all maps are there; 2 the command cannot be carried out as given.
    """
    reach(data)
    with told():
        from safeaug.data import open_data
        from safeaug.data.remarks import printable
        from safeaug.saliency.building import Building, build

        with notes() as messages:
            samples = open_data(data, images=images, split=split, one_based=one_based, keep_going=keep_going)
            task = Building(samples, _file, _pixels, out, method.value, size, keep_going)
            with _shown(len(samples)) as progress:
                built = build(task, processes, progress)
        read = [f"{remark.where}: {remark.text}" for remark in samples.remarks[:MOST]]
        for message in (*messages, *read, *built.passed_over[:MOST]):
            typer.echo(f"Warning: {printable(message)}", err=True)
        typer.echo(_said(built, out))


def _said(built: "Built", out: Path) -> str:
    """Return what was done, in one line."""
    parts = [f"{built.made} made"]
    parts += [f"{built.there} there already"] if built.there else []
    parts += [f"{len(built.passed_over)} pictures passed over"] if built.passed_over else []
    parts += [f"{built.without} of the new ones are no evidence (one colour)"] if built.without else []
    return f"Maps: {', '.join(parts)}; in {out}"


def _file(sample: "Sample") -> str | PathLike[str] | None:
    return sample.path if sample.image is None else None


def _pixels(sample: "Sample") -> "NDArray[Any]":
    """Return the picture of a sample; one of more than 8 bits as floats in [0, 1]."""
    from safeaug.data import picture_of

    pixels = picture_of(sample)
    if pixels.dtype.kind in "iu" and pixels.dtype.itemsize > 1:
        return (pixels / max(65535, int(pixels.max()))).astype("float32")
    return pixels


@contextmanager
def _shown(total: int) -> "Iterator[Callable[[Built], None] | None]":
    """Show on standard error, if that is a terminal, how far the work is."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("pictures", total=total)
        yield lambda part: progress.update(task, advance=part.pictures)
