"""The demonstration: what a plain random crop, or resize, loses of a few pictures, and what the guarded one keeps.

It is the first thing that a visitor runs, so it uses only pictures that scikit-image ships, and measures with the same
functions that the guard itself goes by. Needs albumentations and scikit-image (``pip install "safeaug[demo]"``).

scenes.py    pictures with boxes drawn by hand; masked.py, small.py: with what is found in the picture itself
draw.py      Draw, Pair: one draw measured, without the guard and with it
column.py    what is asked of draws, and what many come to
setting.py   Setting: pictures, transforms, policy, columns and words of one demonstration; settings.py: all of them
trial.py     all draws on one picture
sheet.py     the contact sheet, of picture.py, cell.py and caption.py; drawn with safeaug/report/ink.py
"""

import importlib

from safeaug.errors import MissingHostImportError

for _host in ("albumentations", "skimage.data"):
    try:
        importlib.import_module(_host)
    except ImportError as _error:
        raise MissingHostImportError(
            f"safeaug demo needs {_host.partition('.')[0].replace('skimage', 'scikit-image')}, which cannot be "
            f'imported ({_error}): pip install "safeaug[demo]"'
        ) from _error
