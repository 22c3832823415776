"""Objects of samples whose transform sees only an image: ImageFolder, and whatever else calls ``transform(image)``.

`with_content` wraps a data set. While one of its samples is made, what is known of that sample's objects is at hand,
and the root of a guarded pipeline reads it: only there is the picture certain to be as it was loaded, which is the
frame that the objects are in.

wrapping.py     with_content(): what may be given, checked
given.py        Given: what was given, one entry a sample
handed.py       Handed: the objects of the sample that is being made; what guarded pipelines ask for
sets.py         the wrapped data set: map-style or a stream
torch_sets.py   the same as data sets of torch; loaded where torch is
"""

from safeaug.handing.handed import Handed, content_of_handed, handed, refuse_unguarded
from safeaug.handing.wrapping import with_content

__all__ = ["Handed", "content_of_handed", "handed", "refuse_unguarded", "with_content"]
