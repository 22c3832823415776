"""Errors that say which step they come from."""

from typing import Any

from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.errors import PipelineError, SafeAugError
from safeaug.guarding.passage import Passage


def located(error: Exception, leaf: Leaf, passage: Passage, data: dict[str, Any]) -> Exception:
    """Return an error that says in which step, and on which sample, another was raised.

    What somebody else's code raises may be anything, and is told as a `PipelineError`; so is what a sample lacks. The
    host's own errors stay what they are, since callers may wait for them, and say the step in a note.

    Parameters
    ----------
    error : Exception
        What was raised.
    leaf : Leaf
        The step.
    passage : Passage
        The sample.
    data : dict
        What was handed to the step.
    """
    if isinstance(error, SafeAugError):
        return error
    where = f"step {leaf.name}, in call {passage.number} of the pipeline"
    missing = set(leaf.inner.targets_as_params) - data.keys() if hasattr(leaf.inner, "targets_as_params") else set()
    if missing and not (missing == {"image"} and "images" in data):
        told = f"{where}, needs {', '.join(sorted(missing))}, which the sample lacks: it has {', '.join(sorted(data))}"
    elif leaf.theirs:
        told = f"{where}, raised {type(error).__name__}: {error}"
    else:
        error.add_note(f"safeaug: raised by {where}")
        return error
    found = PipelineError(told, passage.number, leaf.name)
    found.__cause__ = error
    return found
