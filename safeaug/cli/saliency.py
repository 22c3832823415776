"""``safeaug saliency``: maps of what stands out in pictures; ``build`` keeps them, ``check`` says if they help."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from safeaug.cli import asked
from safeaug.cli.bars import bar
from safeaug.cli.errors import told
from safeaug.cli.notes import notes, warn
from safeaug.cli.reach import reach
from safeaug.cli.saliency_check import check

if TYPE_CHECKING:
    from safeaug.data import Sample
    from safeaug.saliency.building import Built

app = typer.Typer(name="saliency", no_args_is_help=True)


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
    method: Annotated[asked.Method, typer.Option(help="How maps are made.")] = asked.Method.auto,
    size: Annotated[int, typer.Option(help="Cells along each side of a map.")] = 48,
    processes: asked.Processes = 1,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Pass over and count what cannot be read.")] = False,
) -> None:
    """Make the maps of a data set's pictures that a folder lacks. A run that was interrupted goes on where it ended.

    Exit codes: 0 all maps are there; 2 the command cannot be carried out as given.
    """
    reach(data)
    with told():
        from safeaug.data import open_data, scaled_picture_of
        from safeaug.saliency.building import Building, build

        with notes() as messages:
            samples = open_data(data, images=images, split=split, one_based=one_based, keep_going=keep_going)
            task = Building(samples, _file, scaled_picture_of, out, method.value, size, keep_going)
            with bar("pictures", len(samples)) as move:
                built = build(task, processes, move and (lambda part: move(advance=part.pictures)))
        warn(messages, samples.remarks, built.passed_over)
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


app.command("check")(check)
