"""Write the project's own gallery: a page for each pipeline of each story, a sheet a story, and a page of them all.

Run as ``python gallery/build.py [--out DIR] [--draws N] [--only STORY]``. Needs albumentations 2.0.8 and scikit-image,
whose pictures it shows; nothing is downloaded.
"""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Annotated, NamedTuple

import albumentations as A
import chain
import masks
import panorama
import small_objects
import typer
from rich.console import Console
from rich.table import Table
from sheet import sheet, small
from story import Story

import safeaug as sa
from safeaug.auditing.assess import Assessment
from safeaug.report.page import to_html
from safeaug.report.words import VERDICTS, percent

STORIES = (panorama.STORY, small_objects.STORY, chain.STORY, masks.STORY)

OUT = Path("gallery-pages")
"""Where pages are written, if not said otherwise."""

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
img { max-width: 100%; height: auto }
td, th { padding: 0.1rem 1.5rem 0.1rem 0; text-align: left; font-variant-numeric: tabular-nums }
"""


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
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>The gallery of safeaug</title>',
        '<meta name="viewport" content="width=device-width">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self'; ",
        f"style-src 'unsafe-inline'\"><style>{STYLE}</style><main><h1>The gallery of safeaug</h1>",
    ]
    for story, found in pages:
        rows = "".join(
            f'<tr><th scope="row"><a href="{escape(each.path.name)}">{escape(each.name)}</a></th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in each.cells)
            for each in found
        )
        heads = "".join(
            f'<th scope="col">{head}</th>' for head in ("pipeline", "verdict", "draws", "damaged", "emptied")
        )
        alt = f"Draws of {story.shown}, plain on the left and guarded on the right"
        parts.append(
            f"<h2>{escape(story.title)}</h2><p>{escape(story.text)}</p><table><tr>{heads}</tr>{rows}</table>"
            f'<p><img src="{story.name}.png" alt="{escape(alt)}"></p>'
        )
    return "".join([*parts, "</main></html>\n"])


def main(
    out: Annotated[Path, typer.Option(help="The folder to write to; it is made.", file_okay=False)] = OUT,
    draws: Annotated[int, typer.Option(min=1, help="Draws of each picture.")] = 100,
    cards: Annotated[int, typer.Option(min=2, help="How many of the worst draws a page shows.")] = 60,
    only: Annotated[list[str] | None, typer.Option(help="Write this story alone, and no page of all.")] = None,
) -> None:
    """Write the project's own gallery."""
    names = [story.name for story in STORIES]
    if strange := sorted({*(only or [])} - {*names}):
        raise typer.BadParameter(f"there is no story {strange[0]!r}; there are {', '.join(names)}", param_hint="--only")
    out.mkdir(parents=True, exist_ok=True)
    table = Table("story", "pipeline", "verdict", "draws", "damaged", "emptied", "page")
    pages: list[tuple[Story, list[Page]]] = []
    for story in STORIES:
        if only and story.name not in only:
            continue
        pages.append((story, built(story, out, draws, cards)))
        for each in pages[-1][1]:
            table.add_row(story.name, each.name, *each.cells, f"{each.path.stat().st_size / 1e6:.1f} MB")
    if not only:
        (out / "index.html").write_text(index(pages), encoding="utf-8")
    console = Console()
    console.print(table)
    console.print(f"Written to {out}", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
