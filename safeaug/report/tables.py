"""Tables on a console: of a terminal, or of a log.

Labels, ids and file names are somebody else's text: nothing in them acts, neither on the terminal nor as rich's markup.
"""

import os

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from safeaug.data.remarks import printable
from safeaug.report.words import number

ASCII_HEAD = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""A line below the headings, and nothing else."""

WIDTH = 110
"""Of what is no terminal, and says no width: a log."""


class Tables:
    """What prints tables and lines on a console.

    Parameters
    ----------
    console : Console
        Where to. What is no terminal gets plain characters, and `WIDTH` where nothing says a width; what its encoding
        lacks is escaped.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        if not console.is_terminal and "COLUMNS" not in os.environ:
            console.width = WIDTH

    def put(self, title: str, table: Table, left_out: int = 0, what: str = "") -> None:
        """Print a table under its title, and below it how many lines were left out."""
        self.console.print()
        self.console.print(Text(title, "bold"))
        self.console.print(table)
        if left_out > 0:
            self.line(f"... and {number(left_out)} more {what}")

    def line(self, text: str) -> None:
        """Print a line."""
        self.console.print(Text(self.safe(text)), soft_wrap=True)

    def table(self, *headings: str) -> Table:
        """Return an empty table; a heading that begins with > is one of numbers."""
        plain = not self.console.is_terminal
        table = Table(box=ASCII_HEAD if plain else box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
        for heading in headings:
            numbers = heading.startswith(">")
            table.add_column(
                heading.removeprefix(">"),
                justify="right" if numbers else "left",
                no_wrap=numbers,
                overflow="fold",
            )
        return table

    def cell(self, text: str) -> Text:
        """Return a text as it stands in a table."""
        return Text(self.safe(text))

    def safe(self, text: str) -> str:
        """Return a text in which nothing acts, and which the console can write."""
        encoding = self.console.encoding
        return printable(text).encode(encoding, "backslashreplace").decode(encoding)
