"""Paths as a page shows them: without the folders that say where, and whose, a machine's files are."""

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from safeaug.auditing.assess import Assessment
from safeaug.auditing.record import Record
from safeaug.auditing.row import Row
from safeaug.auditing.ruled import Ruled, Told

Names = Literal["short", "full"]
"""Whether folders are taken off, or paths are shown as they are."""

PATH = re.compile(r"(?<![\w./~\\-])(?:/|[A-Za-z]:[\\/])(?:[^\s/\\:'\"<>|,;()]+[/\\])+([^\s/\\:'\"<>|,;()]*)")
"""An absolute path in a text: one folder of it at least, and what stands behind the last."""

CUT = ".../"
"""Stands for the folders that are taken off."""


class Shortener(NamedTuple):
    """How names are shortened.

    Parameters
    ----------
    id : callable
        Returns the id of a sample without the folder that all absolute ids have in common.
    text : callable
        Returns a text without the folders of its paths.
    """

    id: Callable[[str], str]
    text: Callable[[str], str]


AS_THEY_ARE = Shortener(str, str)


def shortener(names: Names, data: str, ids: Iterable[str]) -> Shortener:
    """Return how names are shortened.

    Parameters
    ----------
    names : {"short", "full"}
        Whether they are.
    data : str
        The data set, as it was named: folders above its files are taken off every text.
    ids : iterable of str
        Of the samples that are shown.

    Examples
    --------
    >>> short = shortener("short", "coco:/home/ann/cats/ann.json --images /home/ann/cats/val", [])
    >>> short.text("coco:/home/ann/cats/ann.json --images /home/ann/cats/val, and not /usr/lib/python/x.py")
    'coco:ann.json --images val, and not .../x.py'
    >>> shortener("short", "", ["/a/b/c.jpg", "/a/d.jpg"]).id("/a/b/c.jpg")
    'b/c.jpg'
    """
    if names == "full":
        return AS_THEY_ARE
    common = common_folder(ids)
    roots = {*_folders(data), common, os.getcwd(), str(Path.home())}
    known = sorted({root.rstrip("/\\") for root in roots if len(Path(root).parts) > 1}, key=len, reverse=True)
    inner = [re.compile(rf"(?<![\w./\\-]){re.escape(root)}(?:([/\\])|(?![\w.-]))") for root in known]

    def text(given: str) -> str:
        for root in inner:
            given = root.sub(lambda found: "" if found.group(1) else CUT, given)
        return PATH.sub(lambda found: f"{CUT}{found.group(1)}", given)

    return Shortener(lambda given: inside(given, common), text)


def common_folder(ids: Iterable[str]) -> str:
    """Return the folder that all absolute ids have in common; empty where there are none.

    Examples
    --------
    >>> common_folder(["/a/b/c.jpg", "/a/b/d/e.jpg", "f.jpg"])
    '/a/b'
    """
    folders = [os.path.dirname(each) for each in ids if os.path.isabs(each)]
    try:
        return os.path.commonpath(folders) if folders else ""
    except ValueError:  # of several drives
        return ""


def inside(name: str, folder: str) -> str:
    """Return an absolute name from a folder on that it lies in; any other one as it is."""
    if not folder or not os.path.isabs(name):
        return name
    rest = name.removeprefix(folder)
    return rest.lstrip("/\\") or name


def _ruled(ruled: Ruled, short: Shortener) -> Ruled:
    """Return the samples that rules were asked of with names shortened."""

    def told(each: Told) -> Told:
        return msgspec.structs.replace(each, text=short.text(each.text))

    samples = tuple(
        msgspec.structs.replace(
            each,
            id=short.text(short.id(each.id)) if each.unread else short.id(each.id),
            told=tuple(map(told, each.told)),
            failure=each.failure
            and each.failure._replace(sample=short.id(each.id), error=short.text(each.failure.error)),
        )
        for each in ruled.samples
    )
    return msgspec.structs.replace(ruled, samples=samples, loader=tuple(map(told, ruled.loader)))


def assessed_shortly(assessment: Assessment, short: Shortener) -> Assessment:
    """Return an assessment in which the names that rules tell are shortened."""
    rules = assessment.rules
    if rules is None:
        return assessment
    broken = tuple(
        msgspec.structs.replace(rule, example=short.text(short.id(rule.example)), text=short.text(rule.text))
        for rule in rules.broken
    )
    return msgspec.structs.replace(assessment, rules=msgspec.structs.replace(rules, broken=broken))


def _folders(data: str) -> Iterable[str]:
    """Yield the folders in which the absolute paths of a named data set lie."""
    try:
        words: Collection[str] = shlex.split(data)
    except ValueError:
        words = data.split()
    for word in words:
        path = word if os.path.isabs(word) else word.partition(":")[2]
        if os.path.isabs(path):
            yield os.path.dirname(path.rstrip("/\\"))


def shortened(record: Record, short: Shortener) -> Record:
    """Return a record in which names are shortened."""
    about, counts = record.about, record.counts

    def rows(given: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(msgspec.structs.replace(row, id=short.id(row.id)) for row in given)

    failures = tuple(
        each._replace(sample=short.id(each.sample), error=short.text(each.error)) for each in counts.failed.failures
    )
    firsts = {
        step: each._replace(sample=short.id(each.sample), error=short.text(each.error))
        for step, each in counts.failed.firsts.items()
    }
    return replace(
        record,
        about=msgspec.structs.replace(about, data=short.text(about.data), pipeline=short.text(about.pipeline)),
        counts=replace(
            counts,
            worst=rows(counts.worst),
            ruled=_ruled(counts.ruled, short),
            random=rows(counts.random),
            failed=counts.failed._replace(failures=failures, firsts=firsts),
            terms=msgspec.structs.replace(counts.terms, pipeline=short.text(counts.terms.pipeline)),
        ),
        remarked=tuple(
            each._replace(where=short.text(each.where), text=short.text(each.text)) for each in record.remarked
        ),
    )
