"""An audit as the command line runs it: with a bar that shows how it goes, and a file of rows beside it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from safeaug.auditing.about import About
from safeaug.auditing.cut import cut_of, of_any
from safeaug.auditing.overall import audit
from safeaug.auditing.pipelines import pipeline_of
from safeaug.auditing.rates import tried
from safeaug.auditing.record import Record
from safeaug.auditing.ruled import MOST
from safeaug.auditing.source import Source
from safeaug.auditing.subject import checked_subject
from safeaug.auditing.summary import Summary
from safeaug.cli.bars import bar
from safeaug.cli.lines import Lines
from safeaug.cli.notes import notes
from safeaug.cli.shares import limits_of
from safeaug.data import Data
from safeaug.errors import PolicyError
from safeaug.policy import Policy
from safeaug.rules.codes import families_of
from safeaug.version import __version__

if TYPE_CHECKING:
    from safeaug.auditing.running import Part


class Run(NamedTuple):
    """What is asked of an audit.

    Parameters
    ----------
    pipeline : str
        As `safeaug.auditing.pipelines.pipeline_of` takes it.
    source : Source
        The data.
    policy : Policy
        What must be left of the objects.
    draws, seed, labels, processes, worst, random, rules, rules_samples
        As `safeaug.audit` takes them.
    """

    pipeline: str
    source: Source
    policy: Policy
    draws: int
    seed: int
    labels: Literal["object", "image"] | None
    processes: int
    worst: int
    random: int = 100
    rules: tuple[str, ...] = ()
    rules_samples: int | None = MOST


class Ran(NamedTuple):
    """What came of it.

    Parameters
    ----------
    record : Record
        The audit.
    messages : list of str
        What safeaug logged meanwhile.
    pipeline, data
        What was audited.
    """

    record: Record
    messages: list[str]
    pipeline: Any
    data: Data


def source_asked(
    data: str,
    images: Path | None,
    split: str | None,
    one_based: bool | None,
    protect: str | None,
    keep_going: bool,
    deny: Path | None,
) -> Source:
    """Return the data set that options ask for."""
    subject = None if protect is None else checked_subject(str(protect))
    return Source(
        data,
        None if images is None else str(images),
        split,
        one_based,
        subject,
        keep_going,
        None if deny is None else str(deny),
    )


def rules_asked(rules: str | None, samples: str) -> dict[str, Any]:
    """Return what options ask of rules, as fields of a `Run`.

    Examples
    --------
    >>> rules_asked("sa3,SA5", "all")
    {'rules': ('SA3', 'SA5'), 'rules_samples': None}
    """
    if samples != "all" and not (samples.isascii() and samples.isdigit() and int(samples)):
        raise PolicyError(f"--rules-samples must be a whole number of at least 1, or all, got {samples!r}")
    return {
        "rules": () if rules is None else families_of(rules),
        "rules_samples": None if samples == "all" else int(samples),
    }


def policy_asked(min_retention: list[str] | None, ignore_smaller_than: float | None) -> Policy:
    """Return what options ask of objects."""
    limits = limits_of(min_retention or ["0.5"], "min-retention")
    return Policy(min_retention=limits, ignore_smaller_than=ignore_smaller_than)


def run_of(run: Run, jsonl: Path | None) -> Ran:
    """Run an audit, and write its draws into a file where one is given.

    Raises
    ------
    SafeAugError
        As `safeaug.audit` does.
    """
    with notes() as messages:
        pipeline, data = pipeline_of(run.pipeline), run.source.open()
        named = run.pipeline, run.source.text
        about = About(
            safeaug=__version__,
            pipeline=named[0],
            data=named[1],
            seed=run.seed,
            draws=run.draws,
            policy=run.policy.to_dict(),
            labels=run.labels or "object",
        )
        with Lines(jsonl, about) as lines, _shown(len(data)) as progress:
            record = audit(
                pipeline,
                data,
                draws=run.draws,
                policy=run.policy,
                labels=run.labels,
                protect=run.source.protect,
                seed=run.seed,
                processes=run.processes,
                keep_going=run.source.keep_going,
                worst=run.worst,
                random=run.random,
                rules=run.rules,
                rules_samples=run.rules_samples,
                lines=None if jsonl is None else lines.take,
                progress=progress,
                named=named,
            )
            lines.about(record.about)
    return Ran(record, messages, pipeline, data)


@contextmanager
def _shown(total: int) -> Iterator["Callable[[Part], None] | None"]:
    """Show on standard error, if that is a terminal, how far an audit is, and the share of draws damaged so far."""
    from safeaug.report.words import percent

    draws = damaged = 0
    with bar("samples", total) as move:

        def take(part: "Part") -> None:
            nonlocal draws, damaged
            judged = judged_in(part.summary)
            draws, damaged = draws + judged[0], damaged + judged[1]
            assert move is not None
            said = f"damaged {percent(damaged / draws)}" if draws else ""
            move(advance=part.samples + part.passed_over, said=said)

        yield move and take


def judged_in(summary: Summary) -> tuple[int, int]:
    """Return how many draws of a summary are judged, and how many of these are damaged, without bounds."""
    cut = of_any(cut_of(None, summary.terms, summary.labels), summary.terms)
    found = tried(summary.counts.damage, cut, summary.terms.labels)
    return int(found.draws[0]), int(found.struck[0])
