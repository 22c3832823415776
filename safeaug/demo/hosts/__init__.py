"""The demonstrations of each host: a module a host, which holds ``SETTINGS``, by the names of ``--content``."""

import importlib
from collections.abc import Mapping

from safeaug.demo.setting import Setting
from safeaug.errors import MissingHostError, MissingHostImportError

HOSTS = {
    "albumentations": 'pip install "safeaug[demo]"',
    "torchvision": 'pip install "safeaug[torchvision,skimage]"',
}
"""By name, what installs a host and the pictures. The first that is there is shown where none is asked for."""


def settings_of(host: str | None) -> Mapping[str, Setting]:
    """Return the demonstrations of a host.

    Parameters
    ----------
    host : {"albumentations", "torchvision"} or None
        None: the first of them that can be imported.

    Raises
    ------
    MissingHostError
        Where it cannot be imported, or none of them.
    """
    if host is not None:
        return _imported(host)
    missing = []
    for name in HOSTS:
        try:
            return _imported(name)
        except MissingHostError as error:
            missing.append(error)
    raise MissingHostImportError(f"safeaug demo needs albumentations or torchvision. {missing[0]}") from missing[0]


def _imported(host: str) -> Mapping[str, Setting]:
    try:
        importlib.import_module(host)
    except ImportError as error:
        raise MissingHostImportError(
            f"safeaug demo --host {host} needs {host}, which cannot be imported ({error}): {HOSTS[host]}"
        ) from error
    settings: Mapping[str, Setting] = importlib.import_module(f"{__name__}.{host}").SETTINGS
    return settings
