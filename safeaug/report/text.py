"""What an audit found, as tables for a terminal, or for a log.

Labels, ids and file names are somebody else's text: nothing in them acts, neither on the terminal nor as rich's markup.
"""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from safeaug.auditing.assess import Assessment
from safeaug.auditing.blamed import Blamed
from safeaug.auditing.pictures import Picture
from safeaug.auditing.rates import Rate
from safeaug.auditing.record import Record
from safeaug.report.tables import Tables
from safeaug.report.words import (
    FATES,
    NONE,
    VERDICTS,
    between,
    breaks,
    broken,
    damage,
    first_of,
    named,
    not_judged,
    number,
    percent,
    rule_cells,
    rules_said,
    step_named,
    to_blame,
    worst_first,
)

STYLES = {"pass": "bold green", "fail": "bold red", "too few": "bold yellow", "no limit": "bold"}
ROOMY = 100
"""The width from which on there is room for the steps to blame in a table of rates, and for shapes in one of blame."""

MOST_RATES, MOST_STEPS, MOST_FAILURES, MOST_RULES = 12, 12, 5, 30
"""Lines of each table; what is left out is said, and stands in the record."""


def tell_all(console: Console, record: Record, assessment: Assessment) -> None:
    """Print all that there is to say of a record, the verdict first.

    Parameters
    ----------
    console : Console
        Where to. What is no terminal gets plain characters; what its encoding lacks is escaped.
    record : Record
        Of an audit.
    assessment : Assessment
        What it comes to: what its ``summary`` has returned.
    """
    teller = Teller(console)
    teller.verdict(assessment)
    teller.counts(record, assessment)
    teller.rates(assessment)
    teller.fates(assessment)
    teller.blame(assessment)
    teller.rules(assessment)
    teller.pictures(assessment)
    teller.failures(record, assessment)
    teller.remarks(record)


class Teller(Tables):
    """What prints the parts of a record on a console."""

    def verdict(self, assessment: Assessment) -> None:
        """Print the verdict, in one line."""
        line = Text(VERDICTS[assessment.verdict], STYLES[assessment.verdict])
        self.console.print(line.append("  ").append(self.safe(assessment.why), "not bold default"), soft_wrap=True)

    def counts(self, record: Record, assessment: Assessment) -> None:
        """Print what was audited, and on what terms."""
        about, counted = record.about, assessment.counted
        others = "".join(f", {number(count)} {what}" for what, count in not_judged(assessment) if count)
        self.line(f"{about.data}: {number(counted.samples)} samples, {number(counted.counted)} objects asked for.")
        self.line(f"{number(counted.judged)} of {number(counted.draws)} draws judged{others}; seed {about.seed}.")
        self.line(damage(assessment))

    def rates(self, assessment: Assessment) -> None:
        """Print how often draws are damaged: of all, then of the strata, the worst first."""
        wide = self.console.width >= ROOMY
        table = self.table("where", ">draws", ">damaged", ">between", ">emptied", "", *["step to blame"] * wide)
        whole, *strata = assessment.rates
        some = [rate for rate in worst_first(strata) if rate.damaged.count or breaks(rate)][:MOST_RATES]
        for rate in (whole, *some):
            cells = [*_rate(rate)][: len(table.columns)]
            table.add_row(*map(self.cell, cells), style="bold" if rate is whole else "")
        left_out = strata_left_out(strata, some)
        self.put("Rates", table, *left_out)

    def fates(self, assessment: Assessment) -> None:
        """Print what became of the objects."""
        total = sum(assessment.fates.values())
        table = self.table("object", ">count", ">share", "what that is")
        for fate, count in assessment.fates.items():
            share = percent(count / total if total else None)
            table.add_row(*map(self.cell, (fate, number(count), share, FATES.get(fate, ""))))
        self.put("What became of the objects", table)

    def blame(self, assessment: Assessment) -> None:
        """Print which step took what: damaged objects, and where there are any, emptied draws."""
        some = [blamed for blamed in assessment.blame if blamed.damaged or blamed.emptied]
        if not some:
            return
        empties = any(blamed.emptied for blamed in some)
        draws = [">draws emptied"] * empties
        shapes = ["at most"] * (not empties or self.console.width >= ROOMY)
        table = self.table("step", ">damaged", ">share", *draws, ">applied", ">takes", "most of", *shapes)
        for blamed in some[:MOST_STEPS]:
            table.add_row(*map(self.cell, [*_blamed(blamed, empties)][: len(table.columns)]))
        self.put("Blame by step", table, len(some) - MOST_STEPS, "steps")

    def rules(self, assessment: Assessment) -> None:
        """Print which further rules are broken, where any were asked for."""
        rules = assessment.rules
        if rules is None:
            return
        if not rules.broken:
            self.console.print()
            self.line(f"Rules {rules_said(rules)} looked at; none is broken.")
            return
        table, some = self.table("rule", "what", "step", ">samples", ">share", ">between"), rules.broken[:MOST_RULES]
        for rule in some:
            table.add_row(*map(self.cell, rule_cells(rule)[:-1]))
        self.put("Rules", table, len(rules.broken) - MOST_RULES, "rules")
        for rule in some:
            self.line(f"{rule.code} at {rule.step}, the first: {rule_cells(rule)[-1]}")
        self.line(f"Looked at for {rules_said(rules)}, one draw each.")

    def pictures(self, assessment: Assessment) -> None:
        """Print how much of the pictures draws show, by their shape."""
        if len(assessment.pictures) < 2:
            return
        table = self.table("pictures", ">draws", ">show of it", ">half show", ">19 of 20 show", ">padded", ">blank")
        for picture in assessment.pictures:
            table.add_row(*map(self.cell, _picture(picture)))
        self.put("What draws show of the picture", table)

    def failures(self, record: Record, assessment: Assessment) -> None:
        """Print where the pipeline raised."""
        if not record.failures:
            return
        table = self.table("sample", ">draw", "step", "error")
        for failure in record.failures[:MOST_FAILURES]:
            row = failure.sample, str(failure.draw), failure.step or NONE, failure.error
            table.add_row(*map(self.cell, row))
        self.put("Where the pipeline raised", table, assessment.counted.failed - MOST_FAILURES, "draws")

    def remarks(self, record: Record) -> None:
        """Print what the readers met, of each kind the first."""
        if not record.remarks:
            return
        table = self.table("met", ">count", "the first")
        for kind, count in sorted(record.remarks.items(), key=lambda item: (-item[1], item[0])):
            table.add_row(*map(self.cell, (kind, number(count), first_of(record, kind))))
        self.put("Met while reading", table)


def strata_left_out(strata: Sequence[Rate], shown: Sequence[Rate]) -> tuple[int, str]:
    """Return how many strata are not shown, and what they are."""
    left_out = len(strata) - len(shown)
    damaged = sum(rate.damaged.count > 0 for rate in strata) - sum(rate.damaged.count > 0 for rate in shown)
    return left_out, "strata" if damaged else "strata, of which no draw is damaged"


def _rate(rate: Rate) -> Iterator[str]:
    yield named(rate)
    yield number(rate.draws)
    yield percent(rate.damaged.rate)
    yield between(rate.damaged)
    yield NONE if rate.emptied is None else percent(rate.emptied.rate)
    yield broken(rate)
    yield to_blame(rate)


def _blamed(blamed: Blamed, empties: bool) -> Iterator[str]:
    yield step_named(blamed.step)
    yield number(blamed.damaged)
    yield percent(blamed.share)
    if empties:
        yield number(blamed.emptied)
    yield number(blamed.applied)
    yield percent(blamed.taken)
    yield blamed.classes[0][0] if blamed.classes else ""
    yield blamed.aspects[0][0] if blamed.aspects else ""


def _picture(picture: Picture) -> Iterator[str]:
    yield picture.aspect or "all"
    yield number(picture.draws)
    yield percent(picture.area)
    yield percent(picture.median)
    yield percent(picture.low)
    yield number(picture.padded)
    yield number(picture.blank)
