"""Somebody else's text, as JSON can carry it."""


def as_text(text: str) -> str:
    r"""Return a text in which bytes that are no text, as file names may hold them, are escaped.

    Examples
    --------
    >>> as_text("caf\udce9"), as_text("café")
    ('caf\\udce9', 'café')
    """
    if text.isascii():  # mostly, and quicker
        return str(text)  # numpy has texts of its own, which JSON does not know
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
