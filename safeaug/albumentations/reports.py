"""What a draw says of itself: to the sample, to replays, and where it is left out."""

from typing import Any

from safeaug.errors import ContentError
from safeaug.policy import Status

REPORT = "safeaug"
"""Key of the host's parameters under which a draw's outcome travels to the sample and into replays."""


class LeftOut(Exception):  # noqa: N818  # not an error: a way out of the host's call
    """A draw that ``on_fail="skip"`` leaves out."""

    def __init__(self, params: dict[str, Any], report: dict[str, Any]) -> None:
        super().__init__()
        self.params = params
        self.report = report


def worse(key: str, before: Any, report: dict[str, Any]) -> dict[str, Any]:
    """Return the report with the greater status, of an earlier step's and this one's: a pipeline's is its worst.

    Parameters
    ----------
    key : str
        Where the sample holds it.
    before : dict or None
        What stands there.
    report : dict
        Of this step.

    Raises
    ------
    ContentError
        Where something else than a report stands there.

    Examples
    --------
    >>> worse("safeaug", {"status": "UNMET"}, {"status": "FIRST"})
    {'status': 'UNMET'}
    """
    if before is None:
        return report
    if not (isinstance(before, dict) and before.get("status") in Status.__members__):
        raise ContentError(
            f"{key!r} of the sample must be free for the report, got {type(before).__name__}; "
            "rename it, or choose another report_key"
        )
    return report if Status[before["status"]] <= Status[report["status"]] else before
