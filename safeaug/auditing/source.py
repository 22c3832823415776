"""A data set by the text that a run was given, with all that says how it is read: by it the run can be made again."""

import shlex
from typing import Any, NamedTuple

from safeaug.auditing.deny import read_decisions, without_rejected
from safeaug.auditing.subject import Subject, checked_subject
from safeaug.data import Data, open_data
from safeaug.data.remarks import place, shown
from safeaug.errors import DataError

_FLAGS = {
    "--one-based": ("one_based", True),
    "--zero-based": ("one_based", False),
    "--keep-going": ("keep_going", True),
}
_VALUES = {"--images": "images", "--split": "split", "--protect": "protect", "--deny": "deny"}


class Source(NamedTuple):
    """A data set, and how it is read.

    Parameters
    ----------
    data : str
        As `safeaug.data.open_data` takes it.
    images, split : str, optional
        Likewise.
    one_based : bool, optional
        Likewise.
    protect : Subject, optional
        What of it is followed; None: what `safeaug.auditing.subject.subject_of` finds.
    keep_going : bool
        Whether what is malformed is left out.
    deny : str, optional
        A file of decisions: samples with a rejected draw are left out.

    Examples
    --------
    >>> Source("coco:ann.json", images="my pictures").text
    "coco:ann.json --images 'my pictures'"
    >>> source_of(_).images
    'my pictures'
    """

    data: str
    images: str | None = None
    split: str | None = None
    one_based: bool | None = None
    protect: Subject | None = None
    keep_going: bool = False
    deny: str | None = None

    @property
    def text(self) -> str:
        """The options of the command line that say the same, quoted as a shell reads them."""
        words = [self.data]
        for option, name in _VALUES.items():
            value = getattr(self, name)
            words += [] if value is None else [option, value]
        words += [option for option, (name, value) in _FLAGS.items() if getattr(self, name) is value]
        return shlex.join(words)

    def open(self) -> Data:
        """Return the samples."""
        if self.deny is None:
            return self._all()
        decisions = read_decisions(self.deny)  # first, as opening the data may take its time
        return without_rejected(self._all(), decisions, place(self.deny))

    def _all(self) -> Data:
        return open_data(
            self.data, images=self.images, split=self.split, one_based=self.one_based, keep_going=self.keep_going
        )


def source_of(text: str) -> Source:
    """Return the data set that `Source.text` wrote down.

    Raises
    ------
    DataError
        Where it is none: of a run that was not started by name, there is only a description.
    """
    try:
        words, said = iter(shlex.split(text)), dict[str, Any]()
        spec = next(words, "")
        for word in words:
            name, value = _FLAGS[word] if word in _FLAGS else (_VALUES[word], next(words))
            said[name] = checked_subject(str(value)) if name == "protect" else value
    except (KeyError, ValueError, StopIteration):
        raise DataError(f"expected a data set as safeaug audit writes it down, got {shown(text)}") from None
    return Source(spec, **said)
