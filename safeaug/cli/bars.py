"""A bar on standard error that shows how far some work is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def counted(what: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """Show how many of some things are done, and give what is told of each; None where nobody looks.

    Examples
    --------
    >>> with counted("pictures", 3) as progress:  # standard error is no terminal here
    ...     print(progress)
    None
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, advance=done)
