"""``safeaug saliency check``: whether guarding by maps keeps objects that the guard never sees."""

from pathlib import Path
from typing import Annotated, Any

import typer

from safeaug.cli import asked
from safeaug.cli.bars import bar
from safeaug.cli.errors import TOO_FEW, told
from safeaug.cli.notes import notes, warn
from safeaug.cli.options import written
from safeaug.cli.reach import reach


def check(
    data: Annotated[str, typer.Option(help=asked.DATA.replace("audited", "looked at") + " With boxes or masks.")],
    images: asked.Images = None,
    split: asked.Split = None,
    one_based: asked.OneBased = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="How maps are made: a method, or a provider as pkg.mod:attr or file.py:attr; again and again for "
            "several. By default auto. center, which does not look, is always told beside them.",
            show_default=False,
        ),
    ] = None,
    min_rank: Annotated[str, typer.Option(metavar="SHARE", help="What the guard asks of windows.")] = "0.5",
    min_mass: Annotated[
        str | None, typer.Option(metavar="SHARE", help="In place of it: the share of the map that a window must hold.")
    ] = None,
    min_retention: Annotated[
        str, typer.Option(metavar="SHARE", help="Less than this share of an object is damage.")
    ] = "0.5",
    scale: Annotated[tuple[float, float], typer.Option(help="Areas of crops, as shares of the picture.")] = (0.08, 1.0),
    ratio: Annotated[tuple[float, float], typer.Option(help="Widths of crops over their heights.")] = (0.75, 4 / 3),
    pictures: Annotated[int, typer.Option(min=1, help="How many are chosen, where there are more.")] = 500,
    draws: asked.Draws = 8,
    seed: asked.Seed = 0,
    protect: asked.WhatProtects = None,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Pass over and count what cannot be read.")] = False,
    json: Annotated[
        Path | None, typer.Option(help="Write what was found as JSON.", callback=written, dir_okay=False)
    ] = None,
) -> None:
    """Say whether guarding random resized crops by maps keeps objects that the guard never sees.

    It is of use where it surely saves at least a tenth of those that windows of the same area damage anywhere. Where
    that is not shown, do not use it.

    Exit codes: 0 every method is of use; 1 some is not; 2 the command cannot be carried out as given; 4 too few
    pictures to say.
    """
    names = list(dict.fromkeys(method or ["auto"]))
    reach(data, *names)
    with told():
        from rich.console import Console

        from safeaug.auditing.subject import checked_subject
        from safeaug.calibrating import Crops, calibrate
        from safeaug.cli.shares import share_of
        from safeaug.data import open_data
        from safeaug.policy import Policy
        from safeaug.report.calibrated import tell

        mass = None if min_mass is None else share_of(min_mass, "min-mass")
        policy = Policy(min_rank=share_of(min_rank, "min-rank"), min_mass=mass)
        with notes() as messages:
            samples = open_data(data, images=images, split=split, one_based=one_based, keep_going=keep_going)
            with bar("pictures", min(len(samples), pictures)) as move:
                found = calibrate(
                    samples,
                    {name: _maker(name) for name in dict.fromkeys(["center", *names])},
                    pictures=pictures,
                    draws=draws,
                    min_retention=share_of(min_retention, "min-retention"),
                    policy=policy,
                    crops=Crops(scale, ratio),
                    protect=None if protect is None else checked_subject(protect.value),
                    seed=seed,
                    keep_going=keep_going,
                    progress=move and (lambda count: move(advance=count)),
                )
        tell(Console(highlight=False), found, names)
        warn(messages, samples.remarks, found.passed_over)
        if json is not None:
            json.write_bytes(found.to_json())
            typer.echo(f"Found: {json}", err=True)
    verdicts = {found.strata[0].scores[name].gain.verdict for name in names}
    raise typer.Exit(1 if "do not use" in verdicts else TOO_FEW if "too few" in verdicts else 0)


def _maker(name: str) -> Any:
    """Return a method, or the provider that a text names."""
    from safeaug.data import named
    from safeaug.errors import DataError, PolicyError

    methods = [method.value for method in asked.Method]
    if name in methods:
        return name
    if ":" not in name:
        raise PolicyError(f"method must be one of {', '.join(methods)}, or pkg.mod:attr or file.py:attr, got {name!r}")
    found = named(name)
    if not callable(found):
        raise DataError(f"expected a provider, which is called with a picture, got {type(found).__name__}", name)
    return found
