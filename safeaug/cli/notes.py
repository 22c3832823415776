"""What safeaug logs while a progress bar is drawn: gathered, to be told after the bar and not through it."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from safeaug.data import Remark

MOST = 10
"""Remarks of each kind that are told: of what was met while the data were opened, and of pictures passed over."""


class _Gatherer(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def notes() -> Iterator[list[str]]:
    """Gather the messages of the logger ``safeaug`` in a list, for as long as the block runs.

    Handlers that were there before still get every message.

    Examples
    --------
    >>> with notes() as told:
    ...     logging.getLogger("safeaug").warning("%d of %d", 6, 100)
    >>> told
    ['6 of 100']
    """
    logger, gatherer = logging.getLogger("safeaug"), _Gatherer()
    logger.addHandler(gatherer)
    try:
        yield gatherer.messages
    finally:
        logger.removeHandler(gatherer)


def warn(messages: Sequence[str], remarks: "Sequence[Remark]", passed_over: Sequence[str]) -> None:
    """Tell on standard error what was logged, what was met while data were opened, and what was passed over."""
    from safeaug.data.remarks import printable

    met = [f"{remark.where}: {remark.text}" for remark in remarks[:MOST]]
    for message in (*messages, *met, *passed_over[:MOST]):
        typer.echo(f"Warning: {printable(message)}", err=True)
