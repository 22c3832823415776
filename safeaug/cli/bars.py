"""A bar on standard error that shows how far some work is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(what: str, total: int | None = None) -> Iterator[Callable[..., None] | None]:
    """Show how many of some things are done, and give what moves the bar; None where nobody looks.

    Parameters
    ----------
    what : str
        The things.
    total : int, optional
        How many there are, where that is known before.

    Yields
    ------
    callable or None
        Takes ``advance=``, how many more are done, or ``completed=`` and ``total=``; and ``said=``, what else is told.

    Examples
    --------
    >>> with bar("pictures", 3) as move:  # standard error is no terminal here
    ...     print(move)
    None
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total, said="")
        yield lambda **moved: progress.update(task, **moved)
