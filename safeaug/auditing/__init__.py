"""The audit: how often, where and why a pipeline damages its labels.

Measured once, judged at any limit: a part of the data becomes a `Block`, what each draw left of each object; a block
becomes a `Summary`, whole numbers that add up in any order to the same; `assess` judges a summary, without data.

What is audited::

    source.py, subject.py      a data set by its text; what of it is followed: boxes, outlines, masks, pictures
    pipelines.py               a pipeline by its text
    deny.py, ids.py            decisions of a review: rejected samples are left out; ids without their folder
    objects.py, covered.py     the objects of samples in columns; what they cover that are more than boxes

Measuring::

    measure.py                 draws of samples, each from a key of its own
    block.py                   Block: what they left; Failure: a draw that raised
    running.py, overall.py     processes, each on parts of the data; the audit as one call
    looking.py, replaying.py   the worst draws with pixels; any draw made again
    lots.py                    which samples further rules are asked of
    ruling.py, boxes_ruled.py  one draw with pixels, judged by rules SA2 to SA7; its boxes

Counting::

    terms.py                   Terms: what must agree between summaries that are added up
    bins.py                    limits, shapes, sizes; sums in millionths
    table.py                   Table: counts by key, sparse
    seen.py                    the objects of a block that count, in bins
    fates.py                   Fate: what became of an object
    turns.py                   from which limit on a draw is damaged, and emptied
    strata.py                  draws by stratum
    fate_counts.py             objects by fate
    blame.py, emptiers.py      which step took it, and what each takes when it is drawn; which step emptied an image
    curve.py, pictures.py      what each limit would make of the draws; what of the picture they show
    totals.py, failed.py       how many there were; draws that raised
    picks.py                   the worst draws, and some at random
    ruled.py                   samples that rules were asked of, and what these break
    counts.py, summary.py      all tables; Summary, which adds up
    summary_json.py            a summary as JSON

Judging::

    bounds.py                  exact bounds, Holm's procedure, how many draws it takes
    cut.py                     at which limits
    rates.py, whole.py         how often, by stratum and against limits; of all draws
    blamed.py                  what is laid at each step's door
    assess_rules.py            which rules are broken, at which step, how often
    assess.py, why.py          Assessment: the verdict, and the sentence why

Records::

    findings.py                codes of the rules that a draw breaks
    row.py, rows.py            Row: one draw in full; rows of a block
    row_files.py               files of rows
    about.py, record.py        what an audit was made of; Record: that, and all that was counted
    text.py                    somebody else's text, as JSON can carry it
"""
