"""A guarded pipeline of torchvision: each of its steps keeps what must be left at the end, or says that it could not.

guard.py    guarded: a copy of a pipeline, with its steps replaced
tracing.py  tracer: what each step of a pipeline does to one sample

root.py     Root: the host's pipeline, which begins and ends the passage of each sample; State: what it knows
step.py     Step: a transform of v2, whose draws are looked at before they are applied; Still, Opaque
older.py    Older: the same for transforms of v1, and timm's crop
called.py   Called: what stands for a plain function
tree.py     the parts of a pipeline, and which steps may come behind which
dry.py      a sample without pixels
moved.py    whether what nobody knows has moved the picture
located.py  errors that say which step they come from
"""

from safeaug.torchvision.pipeline.guard import guarded
from safeaug.torchvision.pipeline.tracing import tracer

__all__ = ["guarded", "tracer"]
