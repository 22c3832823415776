"""Tripwires: planted faults, raised at the step where each starts, and what becomes of them where nobody watches."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import albumentations as A
from document import document, picture
from faults import (
    MALFORMED,
    PLANTED,
    SILENT,
    Conditional,
    Planted,
    called,
    embedding,
    embedding_mended,
    fault_of,
    in_a_loader,
    part,
    train,
)
from film import TILE, Tile, absent, film, tile
from paper import GAP, MARGIN, below, beside, framed
from paper import written as lines_of
from PIL import Image, ImageDraw
from sheet import small

import safeaug as sa
from safeaug.report import ink

NAME, TITLE = "tripwires", "Tripwires, where a fault starts"
"""Of the page; its pictures begin with the same name."""

HOME = f"{Path(__file__).parent.parent}/"
"""What is left out of paths, as the page is read elsewhere."""

STYLE = """
:root { --fault: light-dark(#a83e00, #ffa266); --ground: light-dark(#f3f4f6, #24262b);
  --rule: light-dark(#6b7280, #9ca3af) }
.film { display: flex; flex-wrap: wrap; gap: 0.75rem; padding: 0; list-style: none }
.film li { box-sizing: border-box; width: min(11.75rem, 47%); padding: 0.375rem; font-size: 0.875rem;
  border: 3px solid transparent }
.film img { display: block; width: 100%; margin: 0 }
.film span { display: block; overflow-wrap: anywhere }
.film .fault { border-color: var(--fault) }
strong.fault, .fault strong { color: var(--fault) }
pre { padding: 0.75rem; background: var(--ground); border-left: 3px solid var(--rule); font-size: 0.875rem;
  white-space: pre-wrap; overflow-wrap: anywhere }
pre.fault { border-color: var(--fault) }
section { margin-top: 2.5rem }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); column-gap: 2rem }
h3 { margin-bottom: 0.25rem }
code { overflow-wrap: anywhere }
"""

SAYS = (
    "What is raised late, or never, costs most. Each fault here was planted in what makes samples, and run twice: with "
    "<code>safeaug.watch</code>, and without. The pictures are the sample behind each step; the framed one is where "
    "<code>watch</code> says that it begins. Amber outlines the target. Magenta is what is no number, or a label that "
    "nobody gave."
)
"""What stands below the verdict, as HTML."""

ORIGIN = (
    "A helper looks up what a model is conditioned on. It has a branch for each kind of subset, and in one of them a "
    "condition: a subset of texts that came without its words falls through all of them, to the end of the function, "
    "which returns None. Nobody sees it there. It surfaces when a loader puts a batch together, in code that nobody "
    "here wrote, and without the number of the sample. So watch what makes samples, and not what consumes them."
)
"""The story of the first, as text."""


class Told(NamedTuple):
    """A fault, as the page tells it.

    Parameters
    ----------
    name, title, text : str
        Of its files, of its section, and its story.
    tiles : list of Tile
        The sample behind each step.
    fault : Fault
        What watching raised.
    without : str
        What became of it without.
    findings, samples : int
        Of the mended version: how many, in how many.
    """

    name: str
    title: str
    text: str
    tiles: list[Tile]
    fault: sa.Fault
    without: str
    findings: int
    samples: int

    @property
    def silent(self) -> bool:
        """Whether nothing at all was raised without watching."""
        return self.without.startswith(SILENT)

    @property
    def at(self) -> int:
        """Which picture is the one at fault."""
        return [each.step for each in self.tiles].index(self.fault.step)


def told(planted: Planted, samples: int) -> Told:
    """Run a pipeline with its fault, watched and not, and the mended one."""
    given = planted.given(0)
    fault = fault_of(lambda: called(sa.watch(planted.make(planted.steps())), given))
    without = planted.result(given, called(planted.make(planted.steps()), given))
    watched = sa.watch(planted.make(planted.mended()), on_fault="record", every=1)
    for number in range(samples):
        called(watched, planted.given_mended(number % 64), seed=number)
    findings = len(watched.report()["faults"])
    return Told(planted.name, planted.title, planted.text, film(planted), fault, without, findings, samples)


def origin(samples: int) -> Told:
    """Run the data set with the helper that returns None, watched and not, and with the mended one."""
    fault = fault_of(lambda: list(sa.watch(Conditional(sa.watch(embedding), train(), 64))))
    watched = sa.watch(Conditional(sa.watch(embedding_mended), train(), samples), on_fault="record", every=1)
    findings = len([*watched]) - samples + len(watched.report()["faults"])
    steps, image = list(train().transforms), part(MALFORMED)[0]
    went = [A.Compose(steps[:number])(image=image) for number in range(len(steps) + 1)]
    names = ["input", *(f"{number} {type(step).__name__}" for number, step in enumerate(steps))]
    tiles = [tile(name, made) for name, made in zip(names, went, strict=True)]
    tiles.append(
        Tile(embedding.__name__, None, "what the helper returns, for this sample", "a sheet that is crossed out: None")
    )
    without = in_a_loader(Conditional(embedding, train(), 64))
    return Told("origin", "A helper that returns None", ORIGIN, tiles, fault, without, findings, samples)


def written(out: Path, samples: int) -> list[Path]:
    """Write the page, the overview, and a picture a step; return all these files, the page first.

    Parameters
    ----------
    out : Path
        The folder, which is there.
    samples : int
        That each mended version makes.
    """
    all_told = [origin(samples), *(told(each, samples) for each in PLANTED)]
    page, over = out / f"{NAME}.html", out / f"{NAME}.png"
    page.write_text(html(all_told), encoding="utf-8")
    over.write_bytes(small(overview(all_told)))
    files = []
    for each in all_told:
        for number, one in enumerate(each.tiles):
            files.append(out / file_of(each, number))
            (one.image or absent()).save(files[-1], quality=88, method=6)
    return [page, over, *files]


def file_of(each: Told, number: int) -> str:
    """Return the name of the file that holds the picture behind a step."""
    return f"{NAME}-{each.name}-{number}.webp"


def html(all_told: Sequence[Told]) -> str:
    """Return the page."""
    items = "".join(f"<li>{_line(each)}</li>" for each in all_told)
    parts = [f"<p><strong>{escape(verdict(all_told))}</strong></p><p>{SAYS}</p><ul>{items}</ul>"]
    return document(TITLE, [*parts, *map(_section, all_told)], STYLE)


def verdict(all_told: Sequence[Told]) -> str:
    """Return what all of it comes to."""
    silent = sum(each.silent for each in all_told)
    findings, samples = sum(each.findings for each in all_told), sum(each.samples for each in all_told)
    return (
        f"{len(all_told)} faults, and each is raised at the step where it starts. Without watching, {silent} of them "
        f"raise nothing at all. In the mended versions: {findings} findings over {samples} samples."
    )


def text_of(fault: sa.Fault) -> str:
    """Return a fault as a terminal shows it, without the line for machines, and without where this was run."""
    lines = [line for line in str(fault).splitlines() if not line.lstrip().startswith(("safeaug-fault:", "replay "))]
    return "\n".join(lines).replace(HOME, "")


def entry() -> str:
    """Return what the page of all pages says of this one, as HTML."""
    text = (
        "A helper that returns None, a gamma that makes NaN, a mask that stays where it was: raised at the step where "
        "each starts, with the sample and the way up to there."
    )
    link = f'<p><a href="{NAME}.html">All faults, step by step</a></p>'
    alt = "The sample behind each step of six pipelines; in each the step is framed at which the fault starts"
    return f"<h2>{escape(TITLE)}</h2><p>{escape(text)}</p>{link}{picture(f'{NAME}.png', alt)}"


def overview(all_told: Sequence[Told]) -> Image.Image:
    """Return the strips of all faults, two side by side, each below its title and what was told of it."""
    cells = [_strip(each) for each in all_told]
    width = max(cell.width for cell in cells)
    rows = [beside([_wide(cell, width) for cell in cells[i : i + 2]], 2 * MARGIN) for i in range(0, len(cells), 2)]
    return framed(below(rows))


def _strip(each: Told) -> Image.Image:
    tiles = []
    for number, one in enumerate(each.tiles):
        image = (one.image or absent()).resize((SMALL, SMALL), Image.Resampling.LANCZOS)
        if number == each.at:
            ImageDraw.Draw(image).rectangle((0, 0, SMALL - 1, SMALL - 1), outline=ink.BAD, width=5)
        tiles.append(below([image, lines_of(fitted(one.step), 12, SMALL)]))
    heads = lines_of([each.title], 17, WIDE)
    return below([heads, beside(tiles), lines_of([f"{each.fault.rule} at step {each.fault.step}"], 14, WIDE)])


def fitted(step: str) -> list[str]:
    """Return the name of a step in lines that a picture has room for: broken before a word of it."""
    words = re.findall(r"^.[^A-Z]*(?:[A-Z][^A-Z]*)?|[A-Z][^A-Z]*", step)
    lines = [words[0]]
    for word in words[1:]:
        if ink.font(12).getlength(lines[-1] + word) <= SMALL:
            lines[-1] += word
        else:
            lines.append(word)
    return lines


SMALL = TILE * 3 // 4
"""Side of a picture on the overview."""

WIDE = 4 * SMALL + 3 * GAP
"""Width of the longest strip."""


def _wide(image: Image.Image, width: int) -> Image.Image:
    paper = ink.blank(width, image.height)
    paper.paste(image, (0, 0))
    return paper


def _line(each: Told) -> str:
    """Return an item of the list above: what was planted, and what was told of it."""
    fault = each.fault
    return (
        f'<a href="#{each.name}">{escape(each.title)}</a>: <code>{escape(fault.rule)}</code> at '
        f"<code>{escape(fault.step)}</code>, sample {fault.sample}"
    )


def _section(each: Told) -> str:
    tiles = "".join(_tile(each, number) for number in range(len(each.tiles)))
    return (
        f'<section id="{each.name}"><h2>{escape(each.title)}</h2><p>{escape(each.text)}</p>'
        f'<ol class="film">{tiles}</ol>'
        f'<div class="two"><div><h3>Watched</h3><p>Raised: <strong class="fault">{escape(each.fault.rule)}</strong> at '
        f'step <code>{escape(each.fault.step)}</code>.</p><pre class="fault">{escape(text_of(each.fault))}</pre></div>'
        f"<div><h3>Not watched</h3><p>{_loud(each)}</p><pre>{escape(each.without)}</pre>"
        f"<h3>Mended</h3><p>{each.findings} findings over {each.samples} samples.</p></div></div></section>"
    )


def _loud(each: Told) -> str:
    """Return whether anything was raised where nobody watched, and where from."""
    if each.silent:
        return "Silent: training goes on, with this."
    return "Loud, but later, and without the number of the sample."


def _tile(each: Told, number: int) -> str:
    """Return the picture behind a step, as an item of a list."""
    one, here = each.tiles[number], number == each.at
    alt = f"{'What went in' if number == 0 else f'Behind {one.step}'}: {one.shows}"
    mark = "<strong>✗ starts here</strong>" if here else ""
    return (
        f'<li{" class=fault" if here else ""}><img src="{escape(file_of(each, number))}" width="{TILE}" '
        f'height="{TILE}" alt="{escape(alt)}"><span><code>{escape(one.step)}</code></span>'
        f"<span>{escape(one.said)}</span>{mark}</li>"
    )
