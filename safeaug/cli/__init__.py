"""The command line: one file a subcommand, each a thin skin over a room that can be used without it.

No host library is imported here, so that ``safeaug --help`` answers at once; a subcommand imports what it needs when
it runs. Exit code 2 says that the command could not be carried out as it was given.
"""

from typing import Annotated

import typer

from safeaug.cli import audit, demo, gallery, replay, saliency
from safeaug.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(name="safeaug", no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"safeaug {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Augmentation in which every draw keeps its object, or says that it could not."""


app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.command("replay")(replay.replay)
app.command("gallery")(gallery.gallery)
app.add_typer(saliency.app)


def main() -> None:
    """Run the command line."""
    app(prog_name="safeaug")
