"""How users call safeaug. Never run: checked by mypy --strict and pyright."""

import random
from typing import assert_type

import numpy as np
import torch

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
safe = sa.albumentations.Safe(fixed, min_retention={"cat": 0.8, "*": 0.3}, protect="masks", report_key="safeaug")
people = sa.albumentations.CenterCrop(64, 64, policy=sa.Policy.keypoints(), protect="keypoints", instances="person")
small = sa.albumentations.Resize(64, 64, min_visible_pixels=16, ignore_smaller_than=4, apply_rate=0.9)
salient = sa.albumentations.RandomCrop(64, 64, protect="saliency", saliency="mbd", min_rank=0.7, min_mass=None)
fields = sa.albumentations.RandomCrop(64, 64, protect=lambda data: {"polygons": data["fields"]})
whole_or_gone = sa.Policy(keep=lambda retention: ((retention > 0.99) | (retention < 0.01)).all(-1))
shapes = sa.place(
    (480, 640),
    None,
    (256, 256),
    sa.Policy.segmentation(),
    np.random.default_rng(0),
    polygons=[[(10, 10), (90, 20), (40, 80)]],
    masks=np.zeros((1, 480, 640), bool),
    keypoints=[[(5, 5, 2)]],
    prior_visibility=[1.0, 0.5, 1.0],
)
pixels = float(shapes.visible_pixels[0])

seen = sa.torchvision.RandomResizedCrop(
    224, (0.08, 1.0), min_retention=0.5, labels="labels", generator=torch.Generator()
)
seen_counts: dict[str, int] = seen.report()

train = sa.guard(crop, policy, move_fixed=True)
assert_type(train, sa.albumentations.RandomResizedCrop)
both = sa.guard([crop, crop], min_retention={"cat": 0.8, "*": 0.3}, labels="labels", repair_randomness=False)
for step in sa.steps(train, {"image": np.zeros((8, 8, 3), np.uint8)}, np.random.default_rng(0), pixels=False):
    assert_type(step, sa.Step)
    least = float(step.left.min()) if step.status is not sa.Status.UNMET else 0.0
try:
    sa.steps(train, {}, random.Random(0), protect="masks")
except sa.PipelineError as error:
    place: str | None = error.step

listed = ["a", "b"]
handed = sa.with_content(listed, boxes=lambda i: [[0, 0, 9, 9]], box_format="xywh", labels=[["cat"], None])
assert_type(handed, list[str])
sa.with_content(listed, maps=[np.ones((8, 8)), None])
sa.with_content(listed, boxes=np.zeros((2, 1, 4)), weights=torch.ones(2, 1))

batched = sa.batch.RandomResizedCrop(224, min_retention=0.5, mean=(0.5, 0.5, 0.5), std=0.5, dtype=torch.float16, seed=1)
crops, left_of_each = batched(torch.zeros(2, 3, 64, 64), boxes=[torch.zeros(0, 4)] * 2, sample_ids=[1, 2])
assert_type(crops, torch.Tensor)
assert_type(left_of_each, sa.batch.BatchOutcome)
trusted: torch.Tensor = left_of_each.confidence(chance=0.1)
cut = sa.batch.RandomCrop((32, 64), padding=(4, 8), pad_if_needed=True, policy=policy, protect="masks")
keyed = sa.kornia.RandomResizedCrop((64, 64), data_keys=["input", "bbox_xyxy"], policy=policy, same_on_batch=True)
kept_boxes = keyed(torch.zeros(2, 3, 64, 64), torch.zeros(2, 1, 4))[1]
drawn, told = sa.kornia.guarded_params(
    torch.nn.Identity(), torch.zeros(2, 3, 64, 64), {"mask": torch.zeros(2, 1, 64, 64)}, policy
)
assert_type(told, sa.kornia.Outcome)
sa.kornia.RandomCrop(32, padding=(4, 8), pad_if_needed=True, protect="keypoints", ignore_index=None)
block = sa.batch.collate([torch.zeros(3, 5, 6)]).to("cuda", non_blocking=True)

sa.Policy(min_retention="half")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sa.Policy(keep="most")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sa.albumentations.Safe(fixed, protect="cats")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
sa.albumentations.RandomCrop(256, 256, on_fail="ignore")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
