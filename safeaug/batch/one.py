"""One sample of a batch as the single-image search sees it: its host, its chance, its content in plain numbers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from safeaug.batch.chance import HOST, Chance, reader
from safeaug.batch.cut import Cut
from safeaug.batch.resized import Resized
from safeaug.candidates import Law
from safeaug.content import Content
from safeaug.geometry import Domain, Size, Window
from safeaug.task import Uniform


@dataclass(frozen=True, slots=True)
class One:
    """The host of one sample: a `safeaug.candidates.Host` whose every number stands at a fixed address.

    Parameters
    ----------
    drawn_by : Resized or Cut
        How it draws.
    image_size : (int, int)
        Height and width of the image.
    table : list of int
        What it draws from.
    known : dict
        Words of some streams, by their number.
    further : callable
        Gives those of any other stream.
    """

    drawn_by: Resized | Cut
    image_size: Size
    table: list[int]
    known: dict[int, Any]
    further: Callable[[int], list[int]]

    @property
    def law(self) -> Law:
        """How it comes to its windows."""
        return self.drawn_by.law

    @property
    def redraws(self) -> bool:
        """Whether another draw may give another size."""
        return self.drawn_by.redraws

    @property
    def whole(self) -> Size | None:
        """The image's size where windows are resized."""
        return self.image_size if self.drawn_by.enlarges else None

    def domain(self, size: Size) -> Domain:
        """Return the positions that can be drawn for a window of this size."""
        return Domain(*self.drawn_by.domain(self.image_size, size))

    def within(self, size: Size) -> None:
        """Return no restriction: there is no promise of its own."""

    def output(self, size: Size) -> Size:
        """Return the size to which such a window is resized."""
        height, width = self.drawn_by.output(size)
        return height, width

    def redraw(self, number: int) -> Window:
        """Return the draw of this number."""
        return self.drawn_by.window(self._words(number)[HOST:], self.image_size, self.table)

    def lattice(self) -> Iterable[Size]:
        """Return the sizes inside its own range."""
        return self.drawn_by.lattice(self.image_size)

    def stream(self, purpose: int) -> Uniform:
        """Return the uniform numbers of a purpose, from their beginning."""
        reading: list[Uniform] = []  # words are looked up for who takes one: most streams are offered in vain

        def uniform() -> float:
            if not reading:
                reading.append(reader(self._words(purpose)))
            return reading[0]()

        return uniform

    def _words(self, number: int) -> list[int]:
        if number not in self.known:
            return self.further(number)
        words: list[int] = self.known[number].tolist()
        return words


def ones(
    host: Resized | Cut, table: list[int], sizes: Sequence[Size], streams: Sequence[int], chance: Chance
) -> Iterable[One]:
    """Yield the host of each sample.

    Parameters
    ----------
    host : Resized or Cut
        How they draw.
    table : list of int
        What they draw from.
    sizes : sequence of (int, int)
        Height and width of each image.
    streams : sequence of int
        Those whose words are looked up together; others are looked up one by one, at fifty times the price.
    chance : Chance
        Where numbers come from, on the CPU.
    """
    words = chance.words(chance.ids.new_tensor(streams)[None]).numpy()
    for i, (size, known) in enumerate(zip(sizes, words, strict=True)):

        def further(stream: int, i: int = i) -> list[int]:
            row = chance._replace(ids=chance.ids[i : i + 1])
            found: list[int] = row.words(chance.ids.new_tensor([[stream]]))[0, 0].tolist()
            return found

        yield One(host, size, table, dict(zip(streams, known, strict=True)), further)


def contents(objects: Any) -> Iterable[Content]:
    """Yield what must survive of each sample: `Objects` as the single-image search takes them."""
    counts, boxes, limits, weights, slack = (
        each.tolist() for each in (objects.counts, objects.boxes, objects.limits, objects.weights, objects.slack)
    )
    priors = [None] * len(counts) if objects.priors is None else objects.priors.tolist()
    for i, counted in enumerate(counts):
        origin = [place for place, counts_ in enumerate(counted) if counts_]
        rows = [tuple(row) for row in boxes[i]]
        yield Content(
            [rows[place] for place in origin],
            [limits[i][place] for place in origin],
            [weights[i][place] for place in origin],
            origin,
            rows,
            slack[i],
            priors=priors[i],
        )
