"""How an audit can be repeated: the command that makes it again, or the call."""

import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from safeaug.auditing.assess import Assessment
from safeaug.auditing.record import Record


class Repeat(NamedTuple):
    """A sentence, and the lines that it is about."""

    sentence: str
    lines: list[str]


def repeat_of(record: Record, assessment: Assessment) -> Repeat:
    """Return how an audit can be repeated.

    Of one that was run by names, this is the command; of one that was run on objects, the call, which must be handed
    the same again.
    """
    about, by_name = record.about, record.about.pipeline != record.counts.terms.pipeline
    seeds = (
        "Every draw is made from the seed, the sample's id and the draw's number alone, so the same draws come again."
    )
    if not by_name:
        call = f"safeaug.audit(pipeline, data, {', '.join(_arguments(record, assessment))})"
        return Repeat(f"{seeds} The audit was run on objects of Python:", [call])
    lines = [
        " ".join(
            [
                "safeaug audit --data",
                about.data,
                "--pipeline",
                shlex.quote(about.pipeline),
                *_options(record, assessment),
            ]
        )
    ]
    if record.worst:
        worst = record.worst[0]
        lines.append(f"safeaug replay run.jsonl --id {shlex.quote(worst.id)} --draw {worst.draw} --out again")
    return Repeat(f"{seeds} With --jsonl run.jsonl all are written down; then any can be looked at:", lines)


def _options(record: Record, assessment: Assessment) -> Iterator[str]:
    about, allowed = record.about, assessment.limits
    yield f"--draws {about.draws} --seed {about.seed} --labels {assessment.labels}"
    if isinstance(assessment.retention, Mapping):
        for label, share in assessment.retention.items():
            yield f"--min-retention {shlex.quote(f'{label}={share:g}')}"
    else:
        yield f"--min-retention {assessment.retention:g}"
    rules = assessment.rules
    if rules is not None:
        most = record.counts.ruled.most
        yield f"--rules {','.join(rules.asked)} --rules-samples {'all' if most is None else most}"
    smallest = record.counts.terms.smallest
    for option, value in (
        ("ignore-smaller-than", smallest), ("max-damaged", allowed.max_damaged), ("max-emptied", allowed.max_emptied),
    ):  # fmt: skip
        if value is not None:
            yield f"--{option} {f'{100 * value:g}%' if option.startswith('max') else f'{value:g}'}"


def _arguments(record: Record, assessment: Assessment) -> Iterator[str]:
    terms = record.counts.terms
    yield f"draws={record.about.draws}"
    yield f"seed={record.about.seed}"
    yield f"labels={assessment.labels!r}"
    more = "" if terms.smallest is None else f", ignore_smaller_than={terms.smallest:g}"
    if assessment.rules is not None:
        yield f"rules={assessment.rules.asked!r}"
        yield f"rules_samples={record.counts.ruled.most!r}"
    yield f"policy=safeaug.Policy(min_retention={assessment.retention!r}{more})"
