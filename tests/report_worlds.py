"""Records made of plain numbers, for reports: nothing is audited, so that a report must show what it is told."""

from types import SimpleNamespace
from typing import Any, cast

from safeaug.auditing.about import About
from safeaug.auditing.assess import Assessment, Limits
from safeaug.auditing.blamed import Blamed
from safeaug.auditing.block import Failure
from safeaug.auditing.curve import Point
from safeaug.auditing.pictures import Picture
from safeaug.auditing.rates import Rate, Share
from safeaug.auditing.record import Record
from safeaug.auditing.row import Row, RowStep
from safeaug.auditing.totals import Counted
from safeaug.data import Remark
from safeaug.draws import StepName

EVIL = "<script>alert(1)</script>[bold red]\x1b[31m\u202e&'\"]]>--><img src=x onerror=y>{{7*7}}{% if %}\n\x00\ud800"
"""Text that acts, somewhere: as HTML, as markup, on a terminal, in a template."""

CROP, AFFINE = StepName((0,), "RandomResizedCrop", "window"), StepName((2, 0), "Affine", "projective")


def share(count: int, draws: int, verdict: str = "no limit") -> Share:
    """Return a share whose bounds are plain to see: a tenth away."""
    rate = count / draws
    low, high = max(rate - 0.1, 0.0), min(rate + 0.1, 1.0)
    return Share(count=count, rate=rate, lower=low, upper=high, verdict=cast("Any", verdict))


def rate(kind: str, name: str, draws: int, damaged: int, verdict: str = "no limit", **more: Any) -> Rate:
    emptied = share(damaged // 3, draws) if kind in {"all", "aspect"} else None
    return Rate(
        kind=cast("Any", kind), name=name, draws=draws, damaged=share(damaged, draws, verdict), emptied=emptied, **more
    )


def assessment(label: str = EVIL, verdict: str = "fail", **changes: Any) -> Assessment:
    """Return what might be said of an audit, in which a class and a step bear a name of somebody else's."""
    fields: dict[str, Any] = {
        "verdict": verdict,
        "why": f"Of class {label} 62.8 % of 800 draws are damaged, where 1 % may be.",
        "limits": Limits(0.01, 0.001),
        "labels": "object",
        "retention": 0.5,
        "counted": Counted(
            samples=20010, objects=30020, counted=30000, draws=160080, failed=2, unknown=0, empty=78, judged=160000
        ),
        "rates": (
            rate("all", "all", 160000, 1200),
            rate("aspect", "about square", 150000, 300),
            rate("aspect", "4:1 and wider", 800, 500, "fail", step=str(CROP)),
            rate("class", label, 4000, 40, step=f"1 {label}"),
            rate("cell", f"4:1 and wider, 1 % to 5 %, {label}", 200, 120, "fail"),
        ),
        "fates": {"KEPT": 236000, "SLIVER": 900, "GHOST": 0, "ORPHAN": 300, "GONE": 2800},
        "blame": (blamed(CROP, 1000, label), blamed(AFFINE, 200, label), blamed(None, 3, label)),
        "curve": tuple(Point(limit=i / 200, damaged=400 * i, emptied=100 * i, area=1 - i / 400) for i in range(201)),
        "fates_by": {},
        "pictures": (picture(None, 160080), picture("4:1 and wider", 800)),
        "statuses": {"FIRST": 160080},
        "failed": {},
    }
    return Assessment(**{**fields, **changes})


def picture(aspect: str | None, draws: int) -> Picture:
    return Picture(
        aspect=aspect, draws=draws, area=0.4321, median=0.45, low=0.1, padding=0.0, padded=1, blank=0, stretched=7
    )


def blamed(step: StepName | None, damaged: int, label: str) -> Blamed:
    return Blamed(
        step=step,
        damaged=damaged,
        share=damaged / 1203,
        dropped=3,
        emptied=damaged // 4,
        applied=160000,
        taken=0.31,
        classes=((label, damaged),),
        aspects=(("4:1 and wider", damaged),),
    )


def row(label: str = EVIL, number: int = 0, **changes: Any) -> Row:
    fields: dict[str, Any] = {
        "id": f"{number}{label}",
        "draw": number % 8,
        "key": f"{number:016x}",
        "group": "",
        "size": (200, 2000),
        "output": (224, 224),
        "status": "FIRST",
        "steps": (RowStep((0,), "RandomResizedCrop", "window"), RowStep((2, 0), label, "projective")),
        "labels": ("cat", label),
        "counted": (True, True),
        "left": ((0.3, 0.0), (0.2, None)),
        "labelled": (True, False),
        "fates": ("SLIVER", "GONE"),
        "blamed": (1, None),
        "area": 0.1,
        "padded": 0.0,
        "stretch": 1.2,
        "unknown": False,
        "damaged": True,
        "emptied": True,
        "least": 0.0,
        "findings": ("SA1.sliver", "SA1.emptied"),
    }
    return Row(**{**fields, **changes})


def record(label: str = EVIL, rows: int = 3, **changes: Any) -> Record:
    """Return a record in which every text of somebody else's is one that is given."""
    about: dict[str, Any] = {
        "safeaug": "0.1.0",
        "host": "albumentations 2.0.8",
        "numpy": "2.1",
        "pipeline": "train.py:aug",
        "data": f"coco:{label}",
        "draws": 8,
        "samples": 20010,
        "started": "2026-01-01T00:00:00+00:00",
    }
    counts = SimpleNamespace(
        worst=tuple(row(label, i) for i in range(rows)),
        random=(),
        failures=(
            Failure(label, 3, 77, f"1 {label}", f"ValueError: {label}"),
            Failure("b", 3, 78, "", "KeyError: 'x'"),
        ),
        terms=SimpleNamespace(pipeline=f"Compose([\n  {label},\n])", smallest=None),
    )
    remarks = (Remark("outside", f"ann.json: {label}", f"the box {label} lies outside"),)
    return Record(About(**{**about, **changes}), cast("Any", counts), {"outside": 2, "missing": 1}, remarks)
