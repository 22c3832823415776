"""What is wrong with a sample, told from the facts of its parts: rules SA2 to SA7, as pure functions.

Nothing here keeps, samples or raises anything. `facts_of` looks at a sample once; each rule reads what it noted before
a step and after it. A rule that could be wrong about a healthy pipeline is worse than none: what one sample cannot
prove is *suspect*, and is told apart.

fact.py       Fact: what is noted of one part
facts.py      facts_of: the facts of a nested sample
parts.py      the parts of a nested sample, and where each stands in it
roles.py      what a part is: picture, mask, boxes, points
pictures.py   where height, width and channels of a picture are; a probe of its values
types.py      SA2: None, the type of a part, channels, layout
values.py     SA3: NaN, range against dtype, scaled twice, wrapped around
labels.py     SA3: new labels in a mask
geometry.py   SA4: boxes without area, outside, much too large; labels that are not one a box
crops.py      SA4: crops larger than their picture
agreement.py  SA5: targets that stay where they were while the picture moves; unknown keys
chance.py     SA6: draws repeated over workers and epochs; samples that should be drawn, or should not
sources.py    SA7: orientation, palettes and 16 bits that a loader loses; files that cannot be read
fills.py      with what a step fills masks
codes.py      what each code says; which families are asked for
judging.py    all rules about one step, and about a sample that has no step before it
"""

from safeaug.rules.fact import Fact, Facts
from safeaug.rules.facts import facts_of
from safeaug.rules.judging import ending_findings, source_findings, step_findings

__all__ = ["Fact", "Facts", "ending_findings", "facts_of", "source_findings", "step_findings"]
