"""One page that needs no network, no script and no other file: the verdict first, then where and why."""

import base64
import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

from safeaug.auditing.assess import Assessment
from safeaug.auditing.record import Record
from safeaug.data.remarks import printable
from safeaug.report.view import view_of

INDEX = "index.html"
"""What the page is called in a folder."""


def to_html(record: Record, path: str | Path, assessment: Assessment | None = None) -> Path:
    """Write a record as a page, and return where it lies.

    Parameters
    ----------
    record : Record
        Of `safeaug.audit`.
    path : path
        A file that ends in ``.html``; or a folder, which is made where it is not there yet.
    assessment : Assessment, optional
        By which limits the record is judged: what its ``summary`` has returned. By default there are none.

    Notes
    -----
    Labels, ids and file names are somebody else's text. They are escaped, what cannot be printed is written out, and
    the page forbids its browser to load or to run anything.
    """
    page = Path(path)
    if page.suffix.lower() not in {".html", ".htm"}:
        page.mkdir(parents=True, exist_ok=True)
        page /= INDEX
    page.write_text(page_of(record, assessment or record.summary()), encoding="utf-8")
    return page


def page_of(record: Record, assessment: Assessment) -> str:
    """Return the page of a record, judged as an assessment does."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def harmless(value: Any) -> Any:
        """Return a text in which nothing acts; the template's own parts are left as they are."""
        return printable(value) if type(value) is str else value

    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        loader=PackageLoader("safeaug.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=harmless,
    )
    shown = view_of(record, assessment)._asdict()
    template = environment.get_template("page.html.jinja")
    return template.render(page={**shown, "style": Markup(style), "hash": digest})
