"""A gallery, from a record and what it is of."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from safeaug.auditing.assess import Assessment
from safeaug.auditing.record import Record
from safeaug.auditing.subject import Subject, subject_of
from safeaug.data import Sample
from safeaug.data.remarks import shown
from safeaug.errors import DataError, OutputError
from safeaug.report.gallery.book import PAGE, Book
from safeaug.report.gallery.card import Card, run_id
from safeaug.report.gallery.folder import INDEX, MARKER, check_folder, marker, staged, write, write_file
from safeaug.report.gallery.names import Names, Shortener, assessed_shortly, shortened, shortener
from safeaug.report.gallery.pairs import Pair, Studio
from safeaug.report.gallery.picks import Pick, picks_of
from safeaug.report.gallery.places import places_of
from safeaug.report.gallery.telling import card_of

PAGES = frozenset({".html", ".htm"})
"""How the name of a page ends; any other is a folder's."""


class Told(NamedTuple):
    """What a gallery is of, and what of it is shown.

    Parameters
    ----------
    pipeline : Any
        What was audited, as `safeaug.audit` takes it.
    data : sequence of Sample
        From which.
    subject : Subject, optional
        What of it was followed, if that was said.
    worst, random : int, optional
        How many draws are shown at most; by default all that the record holds.
    names : {"short", "full"}
        Whether folders are taken off.
    run : str
        The file of all draws, from which one can be made again.
    """

    pipeline: Any
    data: Sequence[Sample]
    subject: Subject | None = None
    worst: int | None = None
    random: int | None = None
    names: Names = "short"
    run: str = "run.jsonl"


class Written(NamedTuple):
    """What has been written: the page, how many cards it has, how many without pictures, and whether it is one file."""

    page: Path
    cards: int
    missing: int
    single: bool


Progress = Callable[[int, int], None]
"""Is told how many cards are done, and how many there are."""


def write_gallery(
    record: Record,
    assessment: Assessment,
    told: Told,
    path: Path,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Written:
    """Write a page with pictures of the draws that a record holds in full.

    Parameters
    ----------
    record : Record
        Of an audit.
    assessment : Assessment
        What it comes to.
    told : Told
        What it is of.
    path : Path
        A file that ends in ``.html``, or a folder.
    force : bool
        Whether a folder that is somebody else's will do.
    progress : callable, optional
        Is told how far it is.

    Raises
    ------
    OutputError
        Where it cannot be written, or is too large for a page of its own.
    DataError
        Where the data have none of the samples.
    """
    check_place(path, force=force)
    picks = picks_of(record, worst=told.worst, random=told.random)
    short = shortener(told.names, record.about.data, (pick.id for pick in picks))
    replay = f"safeaug replay {shlex.quote(short.text(told.run))}"
    page = _Page(record, assessment, replay)
    if told.names == "short":
        page = _Page(shortened(record, short), assessed_shortly(assessment, short), replay)
    single = path.suffix.lower() in PAGES
    run, studio = run_id(record), _studio_of(record, told)
    with nullcontext(None) if single else staged(path, force=force) as stage:
        book, missing = Book(run, stage), 0
        sides = 0
        for number, card in enumerate(_cards(studio, told, picks, short), 1):
            book.add(card)
            missing += bool(card.missing)
            sides += card.guarded is not None
            if progress is not None:
                progress(number, len(picks))
        html = page.of(book, _notes(studio, sides, short))
        if stage is None:
            write_file(path, html)
        else:
            write(stage / INDEX, html)
            write(stage / MARKER, marker(run))
    return Written(path if single else path / INDEX, book.number, missing, not book.shards)


def check_place(path: Path, *, force: bool) -> None:
    """Refuse a place for a page before any work is done for it.

    Raises
    ------
    OutputError
        Where it is a folder that is somebody else's, a folder that is to be a file, or a file that is to be a folder.
    """
    if path.suffix.lower() not in PAGES:
        check_folder(path, force=force)
    elif path.is_dir():
        raise OutputError(f"expected a file to write to, got the folder {shown(str(path))}; give another name")


class _Page(NamedTuple):
    """What stands on a page besides its cards."""

    record: Record
    assessment: Assessment
    replay: str

    def of(self, book: Book, notes: Sequence[str]) -> bytes:
        """Return the page of a book and what there is to say; cards go into files where they make it too large."""
        html = self._with(book, notes)
        if len(html) > PAGE and not book.shards:
            book.part()
            html = self._with(book, notes)
        return html

    def _with(self, book: Book, notes: Sequence[str]) -> bytes:
        inline = book.inline()
        html = page_with(self.record, self.assessment, inline, book.shards, self.replay, book.pictures, notes)
        return html.encode("utf-8", "backslashreplace")


def page_with(
    record: Record,
    assessment: Assessment,
    inline: list[dict[str, Any]] | None,
    shards: list[str],
    replay: str,
    pictures: Sequence[str],
    notes: Sequence[str],
) -> str:
    """Return a page with cards, in itself or in files beside it, and the command that makes one of them again."""
    from safeaug.report.gallery.render import render

    return render(record, assessment, inline=inline, shards=shards, replay=replay, pictures=pictures, notes=notes)


def _studio_of(record: Record, told: Told) -> Studio:
    """Return where draws of a record are made again."""
    return Studio(told.pipeline, record.about, told.subject or subject_of(told.data))


def _notes(studio: Studio, sides: int, short: Shortener) -> list[str]:
    """Return what there is to say of the guarded side, where some draws have none that one would look for."""
    why = short.text(studio.unguarded)
    said = "There is no tab of plain against guarded" if not sides else "Some draws have no guarded side"
    return [f"{said}: {why}."] if why else []


def _cards(studio: Studio, told: Told, picks: Sequence[Pick], short: Shortener) -> Iterator[Card]:
    """Yield the cards of draws, each drawn again."""
    data, subject = told.data, studio.subject
    places = places_of(data, {pick.id for pick in picks})
    known = [pick for pick in picks if not pick.told]  # of a file that cannot be read, there is no sample
    if known and not places:
        raise DataError(
            f"expected the data that the record is of, with a sample {shown(known[0].id)}; they hold {len(data)} "
            "others, or none that can be read"
        )
    for n, pick in enumerate(picks):
        sample, why = _sample_of(data, places.get(pick.id))
        if pick.row is None and pick.told:
            why = why and pick.told[0].text
            pick = pick if sample is None else pick._replace(row=studio.row(sample, pick.draw))
        pair = Pair(missing=why) if sample is None else studio.pair(pick, sample)
        yield card_of(n, pick, sample, pair, subject, short)


def _sample_of(data: Sequence[Sample], at: int | None) -> tuple[Sample | None, str]:
    """Return a sample, or why there is none."""
    try:
        return (None, _none_of(data)) if at is None else (data[at], "")
    except DataError as error:
        return None, str(error)


def _none_of(data: Sequence[Sample]) -> str:
    counts = getattr(data, "counts", {})
    met = "; what was met: " + ", ".join(f"{number} {kind}" for kind, number in counts.items()) if counts else ""
    return f"expected the sample in the data, which hold none of this id that can be read{met}"
