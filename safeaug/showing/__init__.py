"""What a model will see, just before it does: a batch as a loader hands it over, on one sheet.

torch is never imported: tensors are known by what they can do.

overall.py    show: the whole in one call
loader.py     shown_loader: the first batch of a loader that is known by name; worker.py: what fails in its workers
structure.py  pictures and what is said of each, out of whatever structure they came in; paired.py: what is said
              of a batch, shared out among its pictures
arrays.py     numbers of any library as an array; told.py: types and shapes of what was given, in words
marks.py      boxes, masks, keypoints and labels of one picture; boxes.py, labels.py: of what came as these
pixels.py     pixels, channels last, and what is odd about their values
scale.py      how values become grey levels: as told, or by a guess that is said
cell.py       one picture with its marks; masked.py: masks on it; tags.py: names on it; text.py: text that fits
laid.py       the sheet; words.py: what it says
sheet.py      Sheet: what is handed back; written.py: the file it is written to
"""
