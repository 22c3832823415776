"""``safeaug replay``: the very picture of a draw again, plain and guarded."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from safeaug.cli.errors import told
from safeaug.cli.reach import reach

if TYPE_CHECKING:
    from safeaug.auditing.replaying import Replay

LONGEST = 60
"""Characters of a sample's id in the name of a file."""


def replay(
    run: Annotated[Path, typer.Argument(help="What safeaug audit --jsonl wrote.", dir_okay=False)],
    sample_id: Annotated[str, typer.Option("--id", help="The sample.")],
    draw: Annotated[int, typer.Option(min=0, help="Which draw of it.")] = 0,
    out: Annotated[Path, typer.Option(help="The folder to write to; it is made.", file_okay=False)] = Path(),
    pipeline: Annotated[
        str | None, typer.Option(help="The pipeline, where it is found elsewhere than in the run.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="The data, likewise, with the options that it needs.")] = None,
) -> None:
    """Make a draw of an audit again: the picture before, with both windows, and after, plain and guarded.

    Exit codes: 0 made, and the same as in the run; 2 it cannot be made, or is another; 3 the pipeline raised.
    """
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")
    with told():
        from safeaug.auditing.pipelines import pipeline_of
        from safeaug.auditing.replaying import replay as again
        from safeaug.auditing.replaying import told_by
        from safeaug.auditing.source import source_of

        draw_told = told_by(run, sample_id, draw)
        source, spec = source_of(data or draw_told.about.data), pipeline or draw_told.about.pipeline
        reach(source.data, spec)
        made = again(draw_told, pipeline_of(spec), source.open(), source.protect)
        _write(made, out)
    _say(made)


def _write(made: "Replay", out: Path) -> None:
    from PIL import Image

    from safeaug.report.pixels import shown_of
    from safeaug.report.replayed import sheet_of

    out.mkdir(parents=True, exist_ok=True)
    stem = stem_of(made.plain.row.id, made.plain.row.draw, made.plain.row.key)
    pictures = {"before": made.picture, "plain": made.plain.image, "guarded": made.guarded.image}
    for name, image in pictures.items():
        Image.fromarray(shown_of(image).pixels).save(out / f"{stem}.{name}.png")
    sheet = out / f"{stem}.png"
    sheet_of(made).save(sheet)
    typer.echo(f"Sheet: {sheet}")


def _say(made: "Replay") -> None:
    from safeaug.data.remarks import printable
    from safeaug.report.words import percent

    for name, again in (("plain", made.plain), ("guarded", made.guarded)):
        row = again.row
        objects = ", ".join(
            f"{label or 'object'} {percent(left)} {fate}"
            for label, left, fate in zip(row.labels, row.final, row.fates, strict=True)
            if fate is not None
        )
        typer.echo(printable(f"{name}: {row.status}; {objects or 'no objects'}"))
    if made.compared:
        typer.echo("The draw is that of the run: the same steps, the same output, and as much is left of every object.")
    else:
        typer.echo("The run does not tell of this draw: it raised there.")


def stem_of(sample_id: str, draw: int, key: str) -> str:
    """Return the name of a file for a draw: of the sample's id what any file system takes, and of its key a part.

    Examples
    --------
    >>> stem_of("cats/a b.jpg", 3, "00000000deadbeef"), stem_of("../../etc", 0, "0123456789abcdef")
    ('cats_a_b.jpg-3-00000000', 'etc-0-01234567')
    """
    text = re.sub(r"[^A-Za-z0-9._-]+", "_", sample_id).strip("._-")[-LONGEST:] or "sample"
    return f"{text}-{draw}-{key[:8]}"
