"""What safeaug logs while a progress bar is drawn: gathered, to be told after the bar and not through it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


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
