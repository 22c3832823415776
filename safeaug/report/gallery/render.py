"""A page of an audit with its pictures: a template, a style and a script, bound so that nothing else can act."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any
from urllib.parse import urlencode

import msgspec

from safeaug.auditing.assess import Assessment
from safeaug.auditing.blamed import NO_STEP
from safeaug.auditing.record import Record
from safeaug.data.remarks import printable
from safeaug.report.gallery.book import escaped
from safeaug.report.gallery.charts import boxes_of, heat_of, histogram_of
from safeaug.report.gallery.spread import bands_of
from safeaug.report.view import MOST_RATES, view_of
from safeaug.report.words import between, number, percent, step_named, worst_first

TABS = {
    "worst": "Worst",
    "random": "Random",
    "findings": "Findings",
    "guarded": "Plain against guarded",
    "all": "All",
}
"""Under which names cards are found; the last is of all of them."""

MARKS = {
    "accept": "accepted",
    "reject": "rejected",
    "flag": "flagged",
    "note": "with a note",
    "open": "not decided",
}
"""What a review says of a draw."""

FIRST = 8
"""Rows of a long table that are seen at once; the others can be opened."""


def render(
    record: Record,
    assessment: Assessment,
    *,
    inline: Sequence[Any] | None = None,
    shards: Sequence[str] = (),
    title: str = "",
    replay: str = "safeaug replay run.jsonl",
    pictures: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the page of a record.

    Parameters
    ----------
    record : Record
        Of an audit.
    assessment : Assessment
        What it comes to.
    inline : sequence of Shard or dict, optional
        The cards that stand in the page itself.
    shards : sequence of str
        Without them, the scripts beside the page that hold the cards: ``data-000.js`` and so on.
    title : str, optional
        What the page is called; by default what was audited.
    replay : str
        How the command begins that makes a draw again.
    pictures : sequence of str
        Those of the cards that stand in the page itself, each once: where a card's ``src`` is a place in this list, it
        is that picture.
    notes : sequence of str
        What there is to say of the pictures.

    Notes
    -----
    The browser is told to load and to run nothing but what stands in the page, pictures, and scripts that lie beside
    it where there are shards. Labels, ids and file names are somebody else's text: here they are escaped, and the
    script only ever makes text of them.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("safeaug.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.filters["address"] = address_of
    template = environment.get_template("gallery/gallery.html.jinja")
    parts = _parts(record, assessment, inline, shards, title, replay)
    return template.render(**parts, pictures=_json(pictures), notes=notes)


def address_of(choice: Mapping[str, str]) -> str:
    """Return the address behind which the page shows the cards of a choice.

    Examples
    --------
    >>> address_of({"class": "black & white", "aspect": ""})
    '#tab=all&class=black+%26+white'
    """
    chosen = {name: value.encode("utf-8", "backslashreplace") for name, value in choice.items() if value}
    return f"#{urlencode({'tab': 'all', **chosen})}"


def _parts(
    record: Record,
    assessment: Assessment,
    inline: Sequence[Any] | None,
    shards: Sequence[str],
    title: str,
    replay: str,
) -> dict[str, Any]:
    """Return everything that the template puts together."""
    style, script = (_text(name) for name in ("gallery.css", "app.js"))
    page = view_of(record, assessment)
    summary, drawn = record.counts, bool(assessment.counted.judged)
    by_name = record.about.pipeline != summary.terms.pipeline
    said = {
        "run": "",
        "shards": [] if inline is not None else [*shards],
        "none": NO_STEP,
        "tabs": TABS,
        "marks": MARKS,
        "replay": replay,
        "more": " --out again" if by_name else " --out again --pipeline FILE.py:NAME --data FORMAT:PATH",
    }
    bands = {by: boxes_of(bands_of(summary, assessment, by), assessment) for by in ("aspect", "area")} if drawn else {}
    return {
        "page": page,
        "boards": {board.id: board for board in page.tables},
        "title": title or f"Audit of {record.about.data}",
        "style": _markup(style),
        "script": _markup(script),
        "policy": _policy(style, script, local=inline is None and bool(shards)),
        "about": _json(said),
        "marks": MARKS,
        "inline": None if inline is None else _json(inline),
        "cards": bool(inline or shards),
        "first": FIRST,
        "shapes": _shapes(assessment),
        "choices": _choices(assessment),
        "left": histogram_of(summary, assessment) if drawn else None,
        "by_aspect": bands.get("aspect"),
        "by_area": bands.get("area"),
        "heat": heat_of(summary, assessment) if drawn else None,
    }


def _shapes(assessment: Assessment) -> list[tuple[str, ...]]:
    """Return how often draws are damaged, by shape of image, in words."""
    return [
        (rate.name, number(rate.draws), number(rate.damaged.count), percent(rate.damaged.rate), between(rate.damaged))
        for rate in assessment.rates
        if rate.kind == "aspect"
    ]


def _choices(assessment: Assessment) -> dict[str, list[dict[str, str]]]:
    """Return, of each row of the tables of rates and of steps, which cards it is about; nothing where that is all."""
    whole, *strata = assessment.rates
    broken = () if assessment.rules is None else assessment.rules.broken
    return {
        "rates": [
            {"class": rate.label or "", "aspect": rate.aspect or "", "area": rate.area or ""}
            for rate in [whole, *worst_first(strata)[:MOST_RATES]]
        ],
        "blame": [{"step": step_named(blamed.step)} for blamed in assessment.blame],
        "rules": [{"finding": rule.code} if rule.example else {} for rule in broken],
    }


def _policy(style: str, script: str, *, local: bool) -> str:
    """Return what the browser may do. Beside the page lie pictures, and scripts, only where there are shards."""
    own = "'self' " if local else ""
    return "; ".join(
        [
            "default-src 'none'",
            f"img-src {own}data:",
            f"style-src '{_hash(style)}'",
            f"script-src {own}'{_hash(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types safeaug",
        ]
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _json(value: Any) -> Any:
    """Return a value as JSON that may stand in a script, where no text of it can end that."""
    return _markup(escaped(msgspec.json.encode(value)).decode())


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)


def _harmless(value: Any) -> Any:
    """Return a text in which nothing acts; the template's own parts are left as they are."""
    return printable(value) if type(value) is str else value
