"""What options of commands have in common: defaults from a file, and files that are written at the end."""

from pathlib import Path

import typer

from safeaug.cli.defaults import FILE, defaults_of
from safeaug.errors import DataError


def configured(context: typer.Context, path: Path | None) -> Path | None:
    """Read the defaults of a command's options, as the callback of its option ``--config``, which is eager."""
    if context.resilient_parsing:
        return path
    options = {parameter.name for parameter in context.command.params if parameter.name} - {"config", "help"}
    try:
        command = context.info_name or ""
        context.default_map = defaults_of(path or Path(FILE), command, options, must=path is not None)
    except DataError as error:
        raise typer.BadParameter(str(error)) from None
    return path


def written(path: Path | None) -> Path | None:
    """Refuse a file whose folder is not there before, not after, the work is done."""
    if path is not None and not path.parent.is_dir():
        raise typer.BadParameter(f"the folder {str(path.parent)!r} does not exist; make it, or write elsewhere")
    return path
