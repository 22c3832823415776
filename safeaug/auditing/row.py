"""One draw in full, for people and tools: a line of JSON, whose schema is versioned."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from safeaug.auditing.about import SCHEMA, About

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class RowStep(msgspec.Struct, frozen=True, array_like=True):
    """A step that changed the picture, as ``[path, name, kind]``: places in the pipeline, class, in which way."""

    path: tuple[int, ...]
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))} {self.name}"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One draw of one sample: what each step left of every object, and what became of it.

    Labels, ids and groups are somebody else's text, to be escaped where they are shown.
    """

    id: Annotated[str, Meta(description="The sample.")]
    draw: Annotated[int, Meta(description="Which draw of it, from 0.", ge=0)]
    key: Annotated[str, Meta(description="What makes the draw again: 16 hexadecimal digits.")]
    group: Annotated[str, Meta(description="The class of the whole picture, where it has one.")]
    size: Annotated[tuple[int, int], Meta(description="Height and width of the picture.")]
    output: Annotated[tuple[int, int], Meta(description="Height and width of the output.")]
    status: Annotated[str, Meta(description="How the draw ended, by the name of its safeaug.Status.")]
    steps: Annotated[tuple[RowStep, ...], Meta(description="The steps that changed the picture, in order.")]
    labels: Annotated[tuple[str, ...], Meta(description="Of each object its class.")]
    counted: Annotated[tuple[bool, ...], Meta(description="Of each object, whether it is asked for.")]
    left: Annotated[
        tuple[tuple[float | None, ...], ...],
        Meta(
            description="After each step, the share of each object, as it came in, that is visible; null where nobody "
            "can tell, and of an object outside of the picture. Without steps all is left."
        ),
    ]
    labelled: Annotated[tuple[bool, ...], Meta(description="Of each object, whether its label is handed on.")]
    fates: Annotated[
        tuple[str | None, ...],
        Meta(description="What became of each: KEPT, SLIVER, GHOST, ORPHAN, GONE; null where not counted or unknown."),
    ]
    blamed: Annotated[
        tuple[int | None, ...],
        Meta(
            description="Of each damaged object, and in an emptied draw of each that is gone, which of the steps took "
            "the most of it; if none took anything, the last, which dropped its label. Null of others, and if there "
            "are no steps."
        ),
    ]
    area: Annotated[float | None, Meta(description="Share of the picture that is visible in the end.")]
    padded: Annotated[float | None, Meta(description="Share of the output that shows nothing of the picture.")]
    stretch: Annotated[
        float | None, Meta(description="Scale along one axis over the other, at least 1; null where it differs.")
    ]
    unknown: Annotated[bool, Meta(description="Whether nobody can tell what is left of an object that counts.")]
    damaged: Annotated[bool, Meta(description="Whether an object that counts is damaged.")]
    emptied: Annotated[bool, Meta(description="Whether there are objects that count and none is kept.")]
    least: Annotated[
        float | None,
        Meta(description="The least that is left of a damaged object; of one that counts where none is damaged."),
    ]
    findings: Annotated[tuple[str, ...], Meta(description="Codes of the rules that the draw breaks.")]

    @property
    def final(self) -> tuple[float | None, ...]:
        """What is left of each object in the end; None where nobody can tell."""
        return self.left[-1] if self.left else (1.0,) * len(self.labels)


class Header(msgspec.Struct, frozen=True):
    """The first line of a file of rows."""

    schema: Annotated[str, Meta(description="Layout of the lines that follow.")]
    about: Annotated[About, Meta(description="What the audit was made of.")]


def row_schema() -> dict[str, Any]:
    """Return the JSON schema of the lines of a file of rows: a header, then rows.

    Examples
    --------
    >>> schema = row_schema()
    >>> schema["title"], sorted(schema["$defs"])
    ('safeaug.audit/1', ['About', 'Header', 'Row', 'RowStep'])
    """
    references, parts = msgspec.json.schema_components([Header, Row], ref_template="#/$defs/{name}")
    description = "A line of a file of audited draws: the first is the header, all others are rows."
    return {
        "$schema": DIALECT,
        "title": SCHEMA,
        "description": description,
        "oneOf": [*references],
        "$defs": dict(parts),
    }
