"""Text that fits: cut where there is little room, and else in as many lines as it takes."""

from collections.abc import Sequence

from safeaug.data.remarks import printable
from safeaug.report import ink


def short(text: str, longest: int) -> str:
    """Return as much of a text as there is room for, in which nothing acts.

    Examples
    --------
    >>> short("a long label", 8), short("cat", 8)
    ('a lon...', 'cat')
    """
    whole = printable(text[: longest + 1])
    return whole if len(whole) <= longest else f"{whole[: longest - 3]}..."


def marked(texts: Sequence[str], size: float, width: float) -> list[tuple[str, bool]]:
    """Return texts in as many lines as they take, each with whether a text begins there."""
    return [(piece, not number) for text in texts for number, piece in enumerate(folded(text, size, width))]


def folded(text: str, size: float, width: float) -> list[str]:
    """Return a text in as many lines as it takes; a word that is longer than a line is broken.

    Examples
    --------
    >>> folded("values 0 to 1", 13, 60)
    ['values 0', 'to 1']
    """
    lines, font = [""], ink.font(size)
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if font.getlength(lines[-1] + letter) > width and lines[-1]:
                lines.append("")
            lines[-1] += letter
    return lines
