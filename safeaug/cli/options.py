"""What options of commands have in common: defaults from a file, and files that are written at the end."""

from pathlib import Path
from typing import Any

import typer

from safeaug.cli.defaults import FILE, defaults_of
from safeaug.errors import DataError


def configured(context: typer.Context, path: Path | None) -> Path | None:
    """Read the defaults of a command's options, as the callback of its option ``--config``, which is eager."""
    if context.resilient_parsing:
        return path
    command = context.info_name or ""
    others = {name: names for name, names in _commands(context).items() if name != command}
    try:
        context.default_map = defaults_of(
            path or Path(FILE), command, options_of(context.command), must=path is not None, others=others
        )
    except DataError as error:
        raise typer.BadParameter(str(error)) from None
    return path


def _commands(context: typer.Context) -> dict[str, set[str]]:
    """Return the commands that take defaults, and their options."""
    group = context.parent.command if context.parent is not None else None
    commands = getattr(group, "commands", {})
    return {name: options_of(each) for name, each in commands.items() if any(p.name == "config" for p in each.params)}


def options_of(command: Any) -> set[str]:
    """Return the names of the options of a command that may have a default."""
    return {parameter.name for parameter in command.params if parameter.name} - {"config", "help"}


def written(path: Path | None) -> Path | None:
    """Refuse a file whose folder is not there before, not after, the work is done."""
    if path is not None and not path.parent.is_dir():
        raise typer.BadParameter(f"the folder {str(path.parent)!r} does not exist; make it, or write elsewhere")
    return path
