"""How users call safeaug. Never run: checked by mypy --strict and pyright."""

import random
from typing import assert_type

import numpy as np

import safeaug as sa

policy = sa.Policy(min_retention=0.5, keep="whole", min_fill=0.4, on_fail="enlarge")
per_label = sa.Policy(min_retention={"face": 0.9, "*": 0.5}, keep=2)
preset: sa.Policy = sa.Policy.detection()

outcome = sa.place((480, 640), [[10, 20, 110, 220]], (256, 256), policy, np.random.default_rng(0))
assert_type(outcome, sa.Outcome)
assert_type(outcome.status, sa.Status)
assert_type(outcome.draws, int)
again = sa.place((480, 640), np.zeros((0, 4)), (256, 256), policy, random.Random(0), box_format="xywh", labels=["a"])

if outcome.status is sa.Status.UNMET:
    worst = float(outcome.retention.min())

try:
    sa.place((10, 10), [], (20, 20), policy, random.Random(0))
except sa.ContentError as error:
    text: str = str(error)
except sa.RetentionError as error:
    left = error.outcome

crop = sa.albumentations.RandomResizedCrop(size=(224, 224), scale=(0.08, 1.0), min_retention=0.5, report_key="safeaug")
fixed = sa.albumentations.RandomCrop(256, 256, policy=policy, weights="weight")
counts: dict[str, int] = crop.report()

sa.Policy(min_retention="half")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sa.Policy(keep="most")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sa.albumentations.RandomCrop(256, 256, on_fail="ignore")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
