"""What an audit found, for people: tables on a terminal, one page that needs no network, sheets of single draws.

words.py     shares, verdicts and fates in words
text.py      tables for a terminal, or for a log
view.py      the same as plain values, for a template
page.py      to_html: a page of a record; without pictures, of page.html.jinja and page.css
gallery/     the page with pictures of the draws that a record holds in full
chart.py     what a chart is drawn from: ticks, points, bars
judged.py    to_json: a record with what it comes to
again.py     how an audit can be repeated
replayed.py  a draw that was made again, as a sheet; pair.py: the picture as it came in, and what became of it
pixels.py    what a pipeline hands on, as a picture that can be looked at
ink.py       marks on a picture
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from safeaug.report.page import to_html

__all__ = ["to_html"]


def __getattr__(name: str) -> Any:
    # Only when it is asked for: whoever wants a table need not wait for templates and pictures.
    if name == "to_html":
        from safeaug.report.page import to_html

        return to_html
    raise AttributeError(f"module 'safeaug.report' has no attribute {name!r}")
