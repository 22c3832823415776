"""A record with what it comes to, as JSON: for programs, which then need not judge it themselves."""

import msgspec

from safeaug.auditing.assess import Assessment
from safeaug.auditing.record import Record


def to_json(record: Record, assessment: Assessment) -> bytes:
    """Return a record and its assessment as JSON, which `Record.from_json` reads as the record.

    Parameters
    ----------
    record : Record
        Of an audit.
    assessment : Assessment
        What its ``summary`` has returned; it stands under ``assessment``.
    """
    parts = msgspec.json.decode(record.to_json(), type=dict[str, msgspec.Raw])
    head = {name: parts.pop(name) for name in ("schema", "about")}
    return msgspec.json.encode({**head, "assessment": msgspec.Raw(msgspec.json.encode(assessment)), **parts})
