"""The cards of a page, bound: all in the page itself while they fit, else in shards beside it."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import msgspec

from safeaug.errors import OutputError
from safeaug.report.gallery.card import Card, Shard, placed
from safeaug.report.gallery.folder import write
from safeaug.report.gallery.thumbs import FORMAT

PAGE = 25_000_000
"""Bytes that a page may have. Beyond that browsers take seconds to open it."""

ROOM = 1_000_000
"""Bytes of it that are left for all but the cards."""

CARDS, FILES = 200, 1000
"""Cards of a shard, and files of a folder of pictures, at most."""

ACTING = {
    b"<": b"\\u003c",
    b">": b"\\u003e",
    b"&": b"\\u0026",
    "\u2028".encode(): b"\\u2028",
    "\u2029".encode(): b"\\u2029",
}
"""What might end a script, or a line of one, as JSON may write it as well."""


class Book:
    """What cards are bound into, one after another.

    Parameters
    ----------
    run : str
        The run that they are of.
    stage : Path or None
        The folder that shards and pictures may be written into; None where all must fit into one page.
    page : int
        Bytes that the cards may have in the page.
    """

    def __init__(self, run: str, stage: Path | None, *, page: int = PAGE - ROOM) -> None:
        self.run, self.number, self.bytes = run, 0, 0
        self.shards: list[str] = []
        self._stage, self._page, self._inside = stage, page, True
        self._waiting: list[Card] = []
        self._known, self._files = _Pictures(), _Files(stage)

    @property
    def pictures(self) -> list[str]:
        """The pictures that stand in the page, each once; cards there call them by their places."""
        return self._known.pictures

    def add(self, card: Card) -> None:
        """Bind one more card."""
        self.number += 1
        self._waiting.append(card)
        if self._inside:
            self.bytes += len(msgspec.json.encode(placed(card, self._known.keep)))
            if self.bytes + self._known.bytes > self._page:
                self.part()
        elif len(self._waiting) == CARDS:
            self._shard()

    def part(self) -> None:
        """Part the cards from the page: from here on they go into files.

        Raises
        ------
        OutputError
            Where there is no folder for them.
        """
        if self._stage is None:
            raise OutputError(
                f"a page must be of at most {PAGE // 10**6} MB, and {self.number} cards are more; give a folder "
                "instead of a file, or show fewer"
            )
        self._inside, cards = False, self._waiting
        for first in range(0, len(cards), CARDS):
            self._waiting = cards[first : first + CARDS]
            if len(self._waiting) == CARDS:
                self._shard()
        self.bytes, self._known = 0, _Pictures()

    def inline(self) -> list[dict[str, Any]] | None:
        """Return the shards that stand in the page, as plain values; None where they are files."""
        if not self._inside:
            if self._waiting:
                self._shard()
            return None
        cards = [placed(card, self._known.keep) for card in self._waiting]
        parts = [Shard(run=self.run, first=i, cards=tuple(cards[i : i + CARDS])) for i in range(0, len(cards), CARDS)]
        plain: list[dict[str, Any]] = msgspec.to_builtins(parts)
        return plain

    def _shard(self) -> None:
        assert self._stage is not None
        cards = tuple(placed(card, self._files.keep) for card in self._waiting)
        name = f"data-{len(self.shards):03d}.js"
        write(self._stage / name, script_of(Shard(run=self.run, first=cards[0].n, cards=cards)))
        self.shards.append(name)
        self._waiting = []


class _Pictures:
    """Pictures as a page holds them in itself; the same picture stands there once."""

    def __init__(self) -> None:
        self.pictures, self.bytes = list[str](), 0
        self._known = dict[bytes, str]()

    def keep(self, name: str, file: bytes) -> str:
        """Put a picture among the others, and return its place."""
        if file not in self._known:
            self._known[file] = str(len(self.pictures))
            self.pictures.append(in_page(file))
            self.bytes += len(self.pictures[-1])
        return self._known[file]


class _Files:
    """Pictures as files, so many a folder; the same picture is one file."""

    def __init__(self, stage: Path | None) -> None:
        self._stage, self._known = stage, dict[bytes, str]()

    def keep(self, name: str, file: bytes) -> str:
        """Write a picture, and return how the page calls it."""
        assert self._stage is not None
        digest = hashlib.blake2b(file, digest_size=16).digest()
        if digest not in self._known:
            folder = f"thumbs-{len(self._known) // FILES:03d}"
            if len(self._known) % FILES == 0:
                (self._stage / folder).mkdir()
            self._known[digest] = f"{folder}/{name}.{FORMAT}"
            write(self._stage / folder / f"{name}.{FORMAT}", file)
        return self._known[digest]


def in_page(file: bytes) -> str:
    """Return a picture as a page holds it in itself.

    Examples
    --------
    >>> in_page(b"webp")
    'data:image/webp;base64,d2VicA=='
    """
    return f"data:image/{FORMAT};base64,{base64.b64encode(file).decode()}"


def script_of(shard: Shard) -> bytes:
    r"""Return a shard as a script that a page opened from a file can load; no text in it can end the script.

    Examples
    --------
    >>> card = Card(n=0, id="</script>", draw=0, key="0", tabs=(), status="FIRST")
    >>> b"<" in script_of(Shard(run="", first=0, cards=(card,)))
    False
    """
    return b"(window.safeaug = window.safeaug || []).push(" + escaped(msgspec.json.encode(shard)) + b");\n"


def escaped(json: bytes) -> bytes:
    """Return JSON in which no text can end a script. What is replaced stands in texts alone."""
    for acting, written in ACTING.items():
        json = json.replace(acting, written)
    return json
