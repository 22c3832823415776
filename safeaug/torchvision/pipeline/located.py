"""Errors that say which step they come from."""

from safeaug.errors import PipelineError, SafeAugError
from safeaug.guarding import Passage
from safeaug.torchvision.leaf import Leaf


def located(error: Exception, leaf: Leaf, passage: Passage) -> Exception:
    """Return an error that says in which step, and on which sample, another was raised.

    What somebody else's code raises may be anything, and is told as a `PipelineError`. The host's own errors stay what
    they are, since callers may wait for them, and say the step in a note.

    Parameters
    ----------
    error : Exception
        What was raised.
    leaf : Leaf
        The step.
    passage : Passage
        The sample.
    """
    if isinstance(error, SafeAugError):
        return error
    where = f"step {leaf.name}, in call {passage.number} of the pipeline"
    if not leaf.theirs:
        error.add_note(f"safeaug: raised by {where}")
        return error
    found = PipelineError(f"{where}, raised {type(error).__name__}: {error}", passage.number, leaf.name)
    found.__cause__ = error
    return found
