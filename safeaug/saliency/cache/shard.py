r"""One file of maps.

It holds, one after the other: a line of JSON, which says how the maps were made, how many there are, how many keys, and
the CRC-32 of what follows it up to the maps; for each key its 16 bytes and the number of its map; for each map its
CRC-32; and the maps. Numbers are little-endian, of 32 bits.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import DataError
from safeaug.saliency.cache.keys import KEY

FORMAT = 1
"""Version of the layout."""

SUFFIX = ".maps"

LONGEST = 4096
"""Bytes that the first line may have."""

ENTRY = np.dtype([("key", f"V{KEY}"), ("map", "<u4")])
NUMBER = np.dtype("<u4")


class Terms(NamedTuple):
    """How maps were made.

    Parameters
    ----------
    method : str
        The method's name, or what its user calls it.
    size : int
        Cells along each side.
    formulas : int
        Version of the formulas.
    """

    method: str
    size: int
    formulas: int


class Shard(NamedTuple):
    """What is known of a file without its maps.

    Parameters
    ----------
    path : Path
        The file.
    start : int
        Where in it the maps begin.
    keys : sequence of (bytes, int)
        Keys, and the numbers of their maps.
    sums : ndarray of shape (maps,), uint32
        Check sums of the maps.
    """

    path: Path
    start: int
    keys: Sequence[tuple[bytes, int]]
    sums: NDArray[np.uint32]


class TornError(Exception):
    """A file is not whole."""


def write_shard(folder: Path, terms: Terms, maps: NDArray[np.uint8], keys: Sequence[tuple[bytes, int]]) -> Path:
    """Write maps into a file of their own, whole or not at all, and return its path.

    Raises
    ------
    OSError
        Where it cannot be written.
    """
    index = np.array(keys, ENTRY).tobytes()
    index += np.array([crc32(each) for each in maps], NUMBER).tobytes()
    about = {"safeaug_maps": FORMAT, **terms._asdict(), "maps": len(maps), "keys": len(keys), "crc": crc32(index)}
    path = folder / f"{uuid4().hex}{SUFFIX}"
    part = path.with_suffix(".part")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with part.open("wb") as file:
            file.write(json.dumps(about).encode() + b"\n" + index + maps.tobytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    return path


def read_shard(path: Path, terms: Terms) -> Shard:
    """Return what is known of a file.

    Raises
    ------
    TornError
        Where it is not whole.
    DataError
        Where its maps were made otherwise.
    OSError
        Where it cannot be read.
    """
    with path.open("rb") as file:
        line = file.readline(LONGEST)
        about = _about(line)
        _check_terms(about, terms, path)
        maps, keys = about["maps"], about["keys"]
        length = keys * ENTRY.itemsize + maps * NUMBER.itemsize
        start = len(line) + length
        if os.fstat(file.fileno()).st_size != start + maps * terms.size**2:
            raise TornError("it has another length than it says")
        index = file.read(length)
    entries = np.frombuffer(index, ENTRY, keys)
    numbers = entries["map"].tolist()
    if crc32(index) != about["crc"] or any(number >= maps for number in numbers):
        raise TornError("its index is not as it was written")
    sums = np.frombuffer(index, NUMBER, maps, keys * ENTRY.itemsize)
    return Shard(path, start, [(bytes(key), number) for key, number in zip(entries["key"], numbers, strict=True)], sums)


def read_map(shard: Shard, number: int, size: int) -> NDArray[np.uint8]:
    """Return a map of a file.

    Raises
    ------
    TornError
        Where it is not as it was written.
    OSError
        Where it cannot be read.
    """
    with shard.path.open("rb", buffering=0) as file:
        file.seek(shard.start + number * size**2)
        content = file.read(size**2)
    if content is None or len(content) != size**2 or crc32(content) != shard.sums[number]:
        raise TornError(f"its map {number} is not as it was written")
    return np.frombuffer(content, np.uint8).reshape(size, size)


def _about(line: bytes) -> Mapping[str, Any]:
    """Return what the first line says: the version of the layout, and where that is ours how much there is."""
    try:
        about = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        about = None
    if isinstance(about, dict) and isinstance(about.get("safeaug_maps"), int):
        counts = [about.get(name) for name in ("maps", "keys", "crc")]
        if about["safeaug_maps"] != FORMAT or all(isinstance(each, int) and each >= 0 for each in counts):
            return about
    raise TornError("its first line is not whole")


def _check_terms(about: Mapping[str, Any], terms: Terms, path: Path) -> None:
    """Refuse maps that were made in another way, or laid out by another version."""
    wanted = {"safeaug_maps": FORMAT, **terms._asdict()}
    other = {name: about.get(name) for name, value in wanted.items() if about.get(name) != value}
    if not other:
        return
    said = ", ".join(f"{name} {value!r} where {wanted[name]!r} is asked for" for name, value in other.items())
    advice = (
        "another version of safeaug made it: build the cache again, into another folder, or delete this one"
        if other.keys() & {"safeaug_maps", "formulas"}
        else "ask for what it holds, or take a folder for each method and size"
    )
    raise DataError(f"the cache holds maps of {said}; {advice}", str(path))
