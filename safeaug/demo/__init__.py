"""The demonstration: what a plain random crop, or resize, loses of a few pictures, and what the guarded one keeps.

It is the first thing that a visitor runs, so it uses only pictures that scikit-image ships, and measures with the same
functions that the guard itself goes by. Needs scikit-image and a host: albumentations (``pip install
"safeaug[demo]"``), or torchvision.

scenes.py    pictures with boxes drawn by hand; masked.py, small.py: with what is found in the picture itself
draw.py      Draw, Pair: one draw measured, without the guard and with it
column.py    what is asked of draws, and what many come to
made.py      Made, Shot: what is of one host; hosts/: a module a host, with all its demonstrations
setting.py   Setting: pictures, transforms, policy, columns and words of one demonstration; settings.py makes all
trial.py     all draws on one picture
sheet.py     the contact sheet, of picture.py, cell.py and caption.py; drawn with safeaug/report/ink.py
"""

import importlib

from safeaug.errors import MissingHostImportError

try:
    importlib.import_module("skimage.data")
except ImportError as _error:
    raise MissingHostImportError(
        f'safeaug demo needs scikit-image, which cannot be imported ({_error}): pip install "safeaug[demo]"'
    ) from _error
