"""A guarded pipeline: each of its steps keeps what must be left at the end, or says that it could not.

guard.py    guarded: a copy of a pipeline, with its steps replaced
tracing.py  tracer: what each step of a pipeline does to one sample
stored.py   guarded pipelines as plain data

root.py     Root: the host's pipeline, which begins and ends the passage of each sample
step.py     Step: a transform of it, whose draws are looked at before they are applied; Still, Opaque
guise.py    Guise: what both have in common: their instances are the host's, as plain data too
leaf.py     Leaf: what is known of a step, and its chance
tree.py     which steps may come behind which
dry.py      a step without pixels
streams.py  chance of its own for every part of a pipeline, for as long as a draw takes
workers.py  what tells a worker from its siblings
located.py  errors that say which step they come from

What is the same in pipelines of all hosts (a passage, what a step does where its draw breaks the promise) stands in
`safeaug.guarding`.
"""

from safeaug.albumentations.pipeline.guard import guarded
from safeaug.albumentations.pipeline.stored import Stored as _Stored  # noqa: F401  # the host finds it by its name
from safeaug.albumentations.pipeline.tracing import tracer

__all__ = ["guarded", "tracer"]
