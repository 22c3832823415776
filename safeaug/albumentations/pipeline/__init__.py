"""A guarded pipeline: each of its steps keeps what must be left at the end, or says that it could not.

In the making, and not yet public: what stands here is tested, but fill, pixels and stretch at the last step, lists, and
numbers that differ by worker and epoch are still to come.

guard.py    guarded: a copy of a pipeline, with its steps replaced
root.py     Root: the host's pipeline, which begins and ends the passage of each sample
step.py     Step: a transform of it, whose draws are looked at before they are applied
guise.py    Guise: what both have in common: their instances stay instances of the host's classes
passage.py  Passage: one sample on its way, what is left of it, and how its steps ended
"""

from safeaug.albumentations.pipeline.guard import guarded

__all__ = ["guarded"]
