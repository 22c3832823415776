"""Write the project's own gallery: a page for each pipeline of each story, its sheet, others, and a page of them all.

Run as ``python gallery/build.py [--out DIR] [--draws N] [--only NAME]``. Needs albumentations 2.0.8, torchvision, and
scikit-image, whose pictures it shows; nothing is downloaded.
"""

from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Annotated, NamedTuple

import albumentations as A
import chain
import masks
import panorama
import saliency
import small_objects
import tripwires
import typer
from document import document, picture, row, table
from rich.console import Console
from rich.table import Table
from sheet import sheet, small
from story import Story

import safeaug as sa
from safeaug.auditing.assess import Assessment
from safeaug.report.page import to_html
from safeaug.report.words import VERDICTS, percent

STORIES = (panorama.STORY, small_objects.STORY, chain.STORY, masks.STORY)

OTHERS = (saliency, tripwires)
"""Scripts of pages that no audit makes."""

OUT = Path("gallery-pages")
"""Where pages are written, if not said otherwise."""


class Page(NamedTuple):
    """A page of a pipeline, and what it says.

    Parameters
    ----------
    name : str
        Of the pipeline.
    path : Path
        Of the page.
    assessment : Assessment
        What the audit came to.
    """

    name: str
    path: Path
    assessment: Assessment

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """How it went, in words: verdict, draws, and shares of them that are damaged, and emptied."""
        judged = self.assessment.rates[0]
        damaged, emptied = (percent(None if each is None else each.rate) for each in (judged.damaged, judged.emptied))
        return VERDICTS[self.assessment.verdict], str(judged.draws), damaged, emptied


def built(story: Story, out: Path, draws: int, cards: int) -> list[Page]:
    """Write the pages of a story, and its sheet."""
    (out / f"{story.name}.png").write_bytes(small(sheet(story)))
    return [page(story, name, make, out, draws, cards) for name, make in story.pipelines.items()]


def page(story: Story, name: str, make: Callable[[], A.Compose], out: Path, draws: int, cards: int) -> Page:
    """Audit a pipeline of a story, and write its page."""
    pipeline, data = make(), story.samples()
    here = f"gallery/{story.name}.py"
    record = sa.audit(
        pipeline,
        data,
        draws=draws,
        policy=story.policy,
        protect=story.protect,
        worst=cards,
        random=cards // 2,
        named=(f"{here}:{make.__name__}", f"{here}:{story.samples.__name__}"),
    )
    found = record.summary(max_damaged=story.max_damaged, max_emptied=story.max_emptied)
    path = out / f"{story.name}-{name.replace(' ', '-')}.html"
    return Page(name, to_html(record, path, found, pipeline=pipeline, data=data, protect=story.protect), found)


def index(pages: list[tuple[Story, list[Page]]]) -> str:
    """Return the page that leads to all others."""
    parts = []
    for story, found in pages:
        heads = ("pipeline", "verdict", "draws", "damaged", "emptied")
        rows = [row(f'<a href="{escape(each.path.name)}">{escape(each.name)}</a>', each.cells) for each in found]
        alt = f"Draws of {story.shown}, plain on the left and guarded on the right"
        parts.append(
            f"<h2>{escape(story.title)}</h2><p>{escape(story.text)}</p>{table(heads, rows)}"
            f"{picture(f'{story.name}.png', alt)}"
        )
    return document("The gallery of safeaug", [*parts, saliency.entry(), tripwires.entry()])


def megabytes(files: Iterable[Path]) -> str:
    """Return how large files are, all together."""
    return f"{sum(file.stat().st_size for file in files) / 1e6:.1f} MB"


def main(
    out: Annotated[Path, typer.Option(help="The folder to write to; it is made.", file_okay=False)] = OUT,
    draws: Annotated[int, typer.Option(min=1, help="Draws of each picture.")] = 100,
    cards: Annotated[int, typer.Option(min=2, help="How many of the worst draws a page shows.")] = 60,
    only: Annotated[list[str] | None, typer.Option(help="Write this alone, and no page of all.")] = None,
) -> None:
    """Write the project's own gallery."""
    names = [*(story.name for story in STORIES), *(page.NAME for page in OTHERS)]
    if strange := sorted({*(only or [])} - {*names}):
        raise typer.BadParameter(f"there is no {strange[0]!r}; there are {', '.join(names)}", param_hint="--only")
    out.mkdir(parents=True, exist_ok=True)
    told = Table("story", "pipeline", "verdict", "draws", "damaged", "emptied", "page")
    pages: list[tuple[Story, list[Page]]] = []
    for story in STORIES:
        if only and story.name not in only:
            continue
        pages.append((story, built(story, out, draws, cards)))
        for each in pages[-1][1]:
            told.add_row(story.name, each.name, *each.cells, megabytes([each.path]))
    for other in OTHERS:
        if not only or other.NAME in only:
            told.add_row(other.NAME, *[""] * 5, megabytes(other.written(out, draws)))
    if not only:
        (out / "index.html").write_text(index(pages), encoding="utf-8")
    console = Console()
    console.print(told)
    console.print(f"Written to {out}", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
