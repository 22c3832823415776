"""Tripwires: what breaks a rule is raised where that starts, with the sample, the step and a line that replays it.

overall.py    watch(): which kind of thing is watched, and how
settings.py   Settings: what is done about faults, how often values are looked at
expect.py     Expect: what a part of a sample must be, where the user says so
watcher.py    Watcher: what is kept of one watched thing; what becomes of findings
book.py       Book: recorded faults, of all processes
trail.py      Trail: a sample's way through steps, crumb by crumb
glance.py     Glance: the same where values are not looked at, at hardly any cost
place.py      Place: what is known of one step
making.py     Making: the sample that is being made, for whoever finds fault with a part of it
fault.py      fault_of: all that is known of a fault, as one
states.py     the generators from which draws are made: taken, put back
moving.py     whether a target stayed while the picture moved: a mark through the same draw

carried.py    watched functions and generators, such that other processes and fingerprints can have them
steps.py      watched pipelines: what stands before the classes of a host's transforms
pipelines.py  a pipeline copied, with each of its steps watched
sets.py       watched data sets: map-style and streams; torch_sets.py: those of torch
hugging.py    those of Hugging Face, and the functions of their map
collating.py  watched collate functions
loaders.py    watched loaders
apart.py      whether a picture and its mask, by two calls, went through one draw
chance.py     SA6: repeated_draws() of a loader, random_evaluation() of a data set
replay.py     a fault made again: python -m safeaug.trace.replay
"""

from safeaug.errors import Fault
from safeaug.trace.chance import random_evaluation, repeated_draws
from safeaug.trace.expect import Expect
from safeaug.trace.overall import watch

__all__ = ["Expect", "Fault", "random_evaluation", "repeated_draws", "watch"]
