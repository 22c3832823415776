"""The demonstration: what a plain random crop loses of a few pictures, and what the guarded one keeps.

It is the first thing that a visitor runs, so it uses only pictures that scikit-image ships, and measures with the same
functions that the guard itself goes by. Needs albumentations and scikit-image (``pip install "safeaug[demo]"``).
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
