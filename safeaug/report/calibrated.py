"""What a calibration found, as tables for a terminal, or for a log."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from safeaug.calibrating import Calibration
from safeaug.calibrating.calibration import Stratum
from safeaug.report.tables import Tables
from safeaug.report.words import NONE, number, percent

STYLES = {"use": "bold green", "do not use": "bold red", "too few": "bold yellow"}

MOST_CLASSES = 12
"""Lines of the table of classes; what is left out is said, and stands in the JSON."""


def tell(console: Console, found: Calibration, asked: Sequence[str]) -> None:
    """Print what a calibration found, a verdict on each map that was asked for first.

    Parameters
    ----------
    console : Console
        Where to.
    found : Calibration
        What it found.
    asked : sequence of str
        The maps on which a verdict is told; others are there to compare with.
    """
    tables, (whole, *strata) = Tables(console), found.strata
    for name in asked:
        score = whole.scores[name]
        line = Text(score.gain.verdict.upper(), STYLES[score.gain.verdict])
        console.print(
            line.append(Text(f"  {tables.safe(name)}: {why(name, whole)}", "not bold default")), soft_wrap=True
        )
    for said in _counts(found, whole):
        tables.line(said)
    tables.put("Objects of which less is left", _ways(tables, found, whole))
    for kind, title, most in (("area", "By the object's area", None), ("class", "By class", MOST_CLASSES)):
        some = [stratum for stratum in strata if stratum.kind == kind]
        if len(some) > 1:
            ways = ("unguarded", *whole.scores, "true objects")
            table = tables.table("objects", ">count", *(f">{way}" for way in ways))
            for stratum in some[:most]:
                table.add_row(*map(tables.cell, _stratum(stratum)))
            tables.put(title, table, 0 if most is None else len(some) - most, "classes")


def why(name: str, whole: Stratum) -> str:
    """Return what the verdict on a map rests on, in a few sentences."""
    score = whole.scores[name]
    gain, shares = score.gain, f"{percent(score.damaged)} of objects damaged, area-matched {percent(score.matched)}"
    if gain.verdict == "too few":
        return f"{shares}; {number(whole.pictures)} pictures are too few to say whether that is chance."
    if gain.verdict == "use":
        said = f"{shares}: at least {points(gain.lower)} fewer than windows of that area do anywhere."
    else:
        said = f"{shares}: not shown to save a tenth of what windows of that area damage anywhere."
    center = whole.scores.get("center")
    if center is None or name == "center" or score.damaged < center.damaged:
        return said
    return f"{said} Guarding by center, which does not look at the picture, damages no more."


def points(difference: float) -> str:
    """Return a difference of two shares.

    Examples
    --------
    >>> points(0.0342), points(-0.2)
    ('3.4 points', '-20.0 points')
    """
    return f"{100 * difference:.1f} points"


def _counts(found: Calibration, whole: Stratum) -> list[str]:
    rule = f"windows of rank {found.min_rank:g}" if found.min_mass is None else f"{found.min_mass:g} of the map"
    lines = [
        f"{number(found.pictures)} pictures, {number(whole.objects)} objects, {found.draws} draws each; "
        f"seed {found.seed}; guarded to {rule}.",
        f"Damaged: less than {percent(found.min_retention)} of the object is left. The guard never saw the objects.",
    ]
    if found.without:
        lines.append(f"{number(found.without)} pictures have no object that counts.")
    if found.passed_over:
        lines.append(f"{number(len(found.passed_over))} pictures cannot be read.")
    return lines


def _ways(tables: Tables, found: Calibration, whole: Stratum) -> Table:
    table = tables.table(
        "guarded by", ">AUC", ">damaged", ">area-matched", ">gain", ">at least", ">area", "no evidence"
    )
    plain, truth = percent(found.areas["plain"]), percent(found.areas["truth"])
    table.add_row(*map(tables.cell, ("nothing", NONE, percent(whole.plain), NONE, NONE, NONE, plain, "")))
    for name, score in whole.scores.items():
        auc, gain, without = found.auc[name], score.gain, found.no_evidence[name]
        row = (
            name,
            NONE if auc is None else f"{auc:.3f}",
            percent(score.damaged),
            percent(score.matched),
            points(gain.value),
            points(gain.lower),
            percent(found.areas[name]),
            number(without) if without else "",
        )
        table.add_row(*map(tables.cell, row))
    table.add_row(*map(tables.cell, ("true objects", NONE, percent(whole.truth), NONE, NONE, NONE, truth, "")))
    return table


def _stratum(stratum: Stratum) -> list[str]:
    shares = [stratum.plain, *(score.damaged for score in stratum.scores.values()), stratum.truth]
    return [stratum.name, number(stratum.objects), *map(percent, shares)]
