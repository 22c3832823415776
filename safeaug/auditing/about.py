"""What an audit was made of: the head of its files."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from safeaug.auditing.terms import Labels, named
from safeaug.policy import Policy

SCHEMA = "safeaug.audit/1"
"""Names the layout of rows and records. The number grows when one who reads the old would misread the new."""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit was made of."""

    schema: Annotated[str, Meta(description="Layout of the file.")] = SCHEMA
    safeaug: Annotated[str, Meta(description="Version of safeaug.")] = ""
    host: Annotated[str, Meta(description="Library of the pipeline, and its version.")] = ""
    numpy: Annotated[str, Meta(description="Version of numpy.")] = ""
    pipeline: Annotated[str, Meta(description="The pipeline, as it prints.")] = ""
    data: Annotated[str, Meta(description="The data set, as it was named.")] = ""
    seed: Annotated[int, Meta(description="From which the key of every draw is made.")] = 0
    draws: Annotated[int, Meta(description="Draws of each sample.")] = 0
    samples: Annotated[int, Meta(description="Samples that were audited.")] = 0
    policy: Annotated[dict[str, Any], Meta(description="The fields of the policy; limits by label as pairs.")] = {}
    labels: Annotated[Labels, Meta(description="What a label stands for.")] = "object"
    seconds: Annotated[float, Meta(description="That it took.")] = 0.0
    started: Annotated[str, Meta(description="When, ISO 8601.")] = ""


def policy_fields(policy: Policy) -> Mapping[str, Any]:
    """Return the fields of a policy as JSON can carry them; a callable ``keep`` as it prints.

    Examples
    --------
    >>> policy_fields(Policy(min_retention={"cat": 0.7}))["min_retention"]
    [['cat', 0.7]]
    """
    out = {field.name: getattr(policy, field.name) for field in fields(policy)}
    if policy.per_label:
        out["min_retention"] = [[*pair] for pair in named(out["min_retention"]).items()]
    if callable(policy.keep):
        out["keep"] = repr(policy.keep)
    return out
