"""One draw of a sample, made with pixels and judged by rules SA2 to SA7: what breaks which, at which step."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

from safeaug.auditing.block import Failure
from safeaug.auditing.boxes_ruled import box_breaks, facts_of_boxes
from safeaug.auditing.lots import Lot
from safeaug.auditing.measure import Drawer
from safeaug.auditing.ruled import SOURCE, Looked, Told, told_of
from safeaug.auditing.subject import WITH_BOXES, Subject
from safeaug.auditing.text import as_text
from safeaug.data import Sample, picture_of, read_mask
from safeaug.data.header import header_of
from safeaug.data.torch_boxes import array_of, is_a
from safeaug.data.torch_target import KEYS
from safeaug.errors import DataError
from safeaug.records import Step
from safeaug.rules import Fact, Facts, facts_of, source_findings, step_findings
from safeaug.rules.agreement import unknown
from safeaug.rules.codes import is_asked
from safeaug.rules.crops import declared
from safeaug.rules.fills import fills_of
from safeaug.rules.geometry import by_quarter
from safeaug.rules.sources import corrupt, stored
from safeaug.trace.pipelines import targets_of

DEEP = {"I": "int32", "F": "float32"}
"""Numbers of Pillow's modes of more than 8 bits, by their first letter; those of 16 bits have a longer name."""


class Bench(NamedTuple):
    """What samples are judged with.

    Parameters
    ----------
    pipeline : Any
        The user's.
    drawer : Drawer
        Of it.
    data : sequence of Sample
        From which.
    subject : Subject
        What of them is followed.
    asked : tuple of str
        The families of rules.
    """

    pipeline: Any
    drawer: Drawer
    data: Sequence[Sample]
    subject: Subject
    asked: tuple[str, ...]


def looked_of(bench: Bench, lot: Lot) -> Looked:
    """Return what one draw of a sample breaks: its first, of which the audit has measured the geometry.

    Parameters
    ----------
    bench : Bench
        What it is judged with.
    lot : Lot
        Which sample.
    """
    about: dict[str, Any] = {"lot": lot.lot, "id": lot.id, "key": f"{lot.key:016x}"}
    try:
        sample = bench.data[lot.place]
    except DataError as error:
        return Looked(**about, told=_asked(_corrupt(error), bench), unread=True)
    told = [*_of_files(sample), *_of_item(bench, lot.place)]
    boxes = (0, 0)
    if bench.subject in WITH_BOXES:
        boxes = by_quarter([(x0, y0, x1, y1) for x0, y0, x1, y1 in sample.boxes.tolist()], sample.size)
        told += told_of(source_findings(facts_of_boxes(sample)), SOURCE)
    try:
        given = {"image": picture_of(sample), **_masks(bench, sample)}
    except DataError as error:
        told += _corrupt(error)
        return Looked(**about, told=_asked(told, bench), boxes=boxes, unseen=error.kind != "unreadable")
    found = _drawn(bench, sample, given, lot)
    failure = found if isinstance(found, Failure) else None
    told += [] if isinstance(found, Failure) else found
    return Looked(**about, told=_asked(told, bench), boxes=boxes, failure=failure)


def _asked(told: Sequence[Told], bench: Bench) -> tuple[Told, ...]:
    """Return what was asked for, each once, as text that JSON can carry."""
    some = dict.fromkeys(each for each in told if is_asked(each.code, bench.asked))
    return tuple(
        Told(each.code, as_text(each.step), as_text(each.path), as_text(each.text), each.suspect) for each in some
    )


# Before the first step.


def _corrupt(error: DataError) -> list[Told]:
    """Return a finding of a file that cannot be read; of one that is not there, nothing is found."""
    return told_of(corrupt(error.where, error.message), SOURCE) if error.kind == "unreadable" else []


def _of_files(sample: Sample) -> Iterator[Told]:
    """Yield what loaders make different things of in the files of a sample."""
    for path, role in ((sample.path, "image"), (sample.mask, "mask")):
        if not isinstance(path, str | PathLike) or (role == "image" and sample.image is not None):
            continue
        try:
            header = header_of(path, sample.where)
        except DataError:  # being asked for its pixels, it says why
            continue
        mode = header.mode
        deep = "uint16" if mode.startswith("I;16") else DEEP.get(mode[0], "uint8")
        kind: Any = role
        fact = Fact(role, kind, f"Image({mode})", header.stored, deep, orientation=header.orientation)
        yield from told_of(stored(fact), SOURCE)


def _of_item(bench: Bench, place: int) -> list[Told]:
    """Return targets that a data set hands over by names that the pipeline does not know: they would stay as they are.

    What the audit itself reads of an item, under whatever name, it hands on by the right one.
    """
    known, given = targets_of(bench.pipeline), _behind(bench.data)
    given = given.dataset if is_a(given, "DataLoader", "torch") else given
    if given is None or not known or "SA5" not in bench.asked:
        return []
    try:
        item = given[getattr(bench.data, "keys", range(len(bench.data)))[place]]
    except Exception:  # it was read before; what it raises now, it raises by chance
        return []
    read = {name for names in KEYS.values() for name in names}
    if not isinstance(item, Mapping):
        return []
    others = {name: value for name, value in item.items() if name not in read}
    return told_of(unknown(facts_of(others), known), SOURCE)


def _behind(data: Sequence[Sample]) -> Any:
    """Return the data set of somebody else's that stands behind samples; None where there is none."""
    return getattr(data, "given", None)


def _masks(bench: Bench, sample: Sample) -> dict[str, Any]:
    """Return the semantic mask of a sample, where its pipeline takes one: it goes through too, so that it is judged."""
    if sample.mask is None or "mask" not in targets_of(bench.pipeline):
        return {}
    if isinstance(sample.mask, str | PathLike):
        return {"mask": read_mask(sample.mask, sample.where)}
    return {"mask": array_of(sample.mask, "a mask", sample.where)}


# Step by step.


class _Noted(list[Step]):
    """Steps as they are applied, each with facts of what it handed on, before a later one can write into that."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__()
        self.names, self.facts = names, list[Facts]()

    def append(self, step: Step) -> None:
        """Note one more step."""
        super().append(step)
        self.facts.append(facts_behind(step, self.names))


def facts_behind(step: Step, names: frozenset[str]) -> Facts:
    """Return the facts of what a step handed on, by these names."""
    return facts_of({name: value for name, value in (step.sample or {}).items() if name in names})


def _drawn(bench: Bench, sample: Sample, given: Mapping[str, Any], lot: Lot) -> list[Told] | Failure:
    """Return what a draw breaks, or how the pipeline raised."""
    before = facts_of(given)
    told = told_of(source_findings(before), SOURCE)
    noted = _Noted(frozenset(given))
    also = {name: value for name, value in given.items() if name != "image"}
    sample = sample._replace(image=given["image"])
    try:
        steps, labelled = bench.drawer.trace(sample, lot.key, pixels=True, also=also, into=noted)
    except Exception as error:  # it is the user's pipeline, which may raise anything
        where, text = bench.drawer.told_of(error)
        return Failure(lot.id, 0, lot.key, as_text(where), as_text(text))
    # A guarded pipeline may draw once more, on a record of its own.
    behind = noted.facts if steps is noted else [facts_behind(step, noted.names) for step in steps]
    for step, after in zip(steps, behind, strict=True):
        node = node_at(bench.pipeline, step.path)
        told += told_of(step_findings(before, after, fills_of(node), declared(node)), named(step))
        before = after
    if bench.subject in WITH_BOXES and len(sample.boxes):
        boxes = [bench.drawer.boxes_behind(step, len(sample.boxes)) for step in steps]
        told += [
            each
            for at, some in box_breaks(sample, steps, boxes, labelled)
            for each in told_of([some], named(steps[at]))
        ]
    return told


def named(step: Step) -> str:
    """Return a step as it is called: its index path and its name."""
    return f"{'.'.join(map(str, step.path))} {step.name}"


def node_at(pipeline: Any, path: Sequence[int]) -> Any:
    """Return the part of a pipeline that stands at a path; None where there is none. One transform is its own part."""
    node = pipeline
    for place in path:
        inside = getattr(node, "transforms", None)
        if inside is None:
            return node if node is pipeline and tuple(path) == (0,) else None
        if not isinstance(inside, list | tuple) or place >= len(inside):
            return None
        node = inside[place]
    return node
