"""A page that a command writes, with a bar that shows how it goes."""

from pathlib import Path
from typing import NamedTuple

import typer

from safeaug.auditing.assess import Assessment
from safeaug.auditing.subject import Subject
from safeaug.cli.bars import bar
from safeaug.cli.notes import notes
from safeaug.cli.running import Ran
from safeaug.report.gallery.names import Names
from safeaug.report.gallery.writing import Told, Written, check_place, write_gallery

RUN = "run.jsonl"
"""What the file of all draws is called in what a page says, where none was written."""


class Page(NamedTuple):
    """A page that is asked for.

    Parameters
    ----------
    path : Path
        A file that ends in ``.html``, or a folder.
    names : {"short", "full"}
        How paths and ids are shown.
    force : bool
        Whether a folder will do that is somebody else's.
    worst, random : int, optional
        How many draws are shown at most.
    run : Path, optional
        The file of all draws, where one is written.
    """

    path: Path
    names: Names
    force: bool
    worst: int | None = None
    random: int | None = None
    run: Path | None = None

    def checked(self) -> "Page":
        """Return the page, or raise `OutputError` where it cannot be written there."""
        check_place(self.path, force=self.force)
        return self

    def write(self, ran: Ran, assessment: Assessment, protect: Subject | None) -> Written:
        """Write the page of an audit."""
        told = Told(ran.pipeline, ran.data, protect, self.worst, self.random, self.names, str(self.run or RUN))
        with notes() as messages, bar("pictures") as move:
            progress = move and (lambda done, total: move(completed=done, total=total))
            made = write_gallery(ran.record, assessment, told, self.path, force=self.force, progress=progress)
        for message in dict.fromkeys(messages):
            if message not in ran.messages:
                typer.echo(f"Warning: {message}", err=True)
        return made
