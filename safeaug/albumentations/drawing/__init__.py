"""Many draws of a pipeline, and what they leave: what an audit is made of.

drawer.py     Drawer: samples in, columns out
walk.py       a copy of the pipeline that only draws: the host's composes and samplers, nothing applied
told.py       what one draw of the commonest transforms does, in plain numbers
moves.py      what the host makes of boxes, and its filter, for many draws at once
labels.py     which objects still have a label behind all that
maps.py       windows and matrices as one kind of map
followed.py   one draw by the host's own code, for all that is not told in numbers
feeding.py    a sample of a data set as a pipeline is called with it
columns.py    both kinds of draws as columns
"""

from safeaug.albumentations.drawing.drawer import Drawer, Raised

__all__ = ["Drawer", "Raised"]
