"""A page of the gallery as HTML: nothing in it acts, and pictures come from beside it."""

from collections.abc import Iterable
from html import escape

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
html { background: light-dark(#fff, #16181c); color: light-dark(#1c1e22, #e8eaed) }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
a { color: light-dark(#0645ad, #8ab4f8) }
img { max-width: 100%; height: auto }
.wide { overflow-x: auto }
td, th { padding: 0.1rem 1.5rem 0.1rem 0; text-align: left; font-variant-numeric: tabular-nums }
"""


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        Of the page, as text.
    parts : iterable of str
        What stands below it, as HTML.
    style : str, optional
        Rules of this page alone, besides those of all.
    """
    head = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self'; ",
        f"style-src 'unsafe-inline'\"><style>{STYLE}{style}</style><main><h1>{escape(title)}</h1>",
    ]
    return "".join([*head, *parts, "</main></html>\n"])


def picture(file: str, alt: str) -> str:
    """Return a picture that lies beside the page, with what it shows in words."""
    return f'<p><img src="{escape(file)}" alt="{escape(alt)}"></p>'


def row(name: str, cells: Iterable[str]) -> str:
    """Return the row of a table, which begins with its name: HTML, as it may be a link."""
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'


def table(heads: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table of rows, with what stands above its columns. Where it is too wide, it alone is scrolled."""
    above = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    return f'<div class="wide"><table><tr>{above}</tr>{"".join(rows)}</table></div>'
