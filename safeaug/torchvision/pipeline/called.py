"""A plain function among the steps of a pipeline."""

from collections.abc import Callable
from typing import Any


class Called:
    """What stands for a function, or for anything else that is called and has no class to stand before.

    Parameters
    ----------
    function : callable
        What is called.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *inputs: Any) -> Any:
        """Call the function."""
        return self.function(*inputs)

    def __repr__(self) -> str:
        return repr(self.function)

    @property
    def name(self) -> str:
        """What the function is called."""
        return getattr(self.function, "__name__", type(self.function).__name__)
