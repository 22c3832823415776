"""Maps on disk: what is put is found, by any process; what is damaged is made again; a build goes on where it ended."""

import errno
import json
import logging
import multiprocessing
import os
import pickle
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from safeaug.errors import ContentError, DataError, PolicyError, SafeAugError
from safeaug.saliency import ByKey, Cached, MapCache, map_of
from safeaug.saliency.building import PART, Building, Built, build
from safeaug.saliency.cache import file_key, pixels_key, shard, store
from tests.saliency_worlds import noise

SIZE = 8


def key(number):
    return number.to_bytes(16, "little")


def values(number):
    return noise((SIZE, SIZE), number)


def filled(folder, numbers):
    with MapCache(folder, size=SIZE) as cache:
        for number in numbers:
            cache.put([key(number)], values(number))
    return cache


def shards(folder):
    return sorted(folder.glob("*.maps"))


def held(folder):
    """Return for every map that is written in which file it is."""
    return [path for path in shards(folder) for _ in range(json.loads(path.read_bytes().partition(b"\n")[0])["maps"])]


# Keys.


def test_keys_tell_content_apart():
    image = noise((6, 4, 3))
    others = [image.astype(np.float32), image[..., 0], image.reshape(4, 6, 3), image[::-1], image.astype(np.int8)]
    keys = [pixels_key(each) for each in (image, *others)] + [file_key(image.tobytes())]
    assert len(set(keys)) == len(keys)
    assert {len(each) for each in keys} == {16}
    assert pixels_key(np.asfortranarray(image)) == pixels_key(image) == pixels_key(image[:, :, :])
    assert pixels_key(image.astype(">f8")) == pixels_key(image.astype("<f8"))


# What is put is found.


def test_what_is_put_is_found_at_once_and_by_others(tmp_path):
    cache = MapCache(tmp_path / "new", size=SIZE)
    assert cache.get(key(1)) is None
    assert not (tmp_path / "new").exists()
    cache.put([key(1), key(2)], values(1))
    assert np.array_equal(cache.get(key(2)), values(1))
    assert MapCache(tmp_path / "new", size=SIZE).get(key(1)) is None
    cache.flush()
    other = MapCache(tmp_path / "new", size=SIZE)
    for each in (cache, other, pickle.loads(pickle.dumps(other))):
        assert np.array_equal(each.get(key(1)), values(1))
        assert np.array_equal(each.get(key(2)), values(1))
        assert not each.get(key(1)).flags.writeable
        assert key(3) not in each


def test_maps_that_others_write_are_seen(tmp_path):
    first = MapCache(tmp_path, size=SIZE)
    os.utime(tmp_path, ns=(0, 0))  # so that the next write changes it, however coarse the clock of the file system
    filled(tmp_path, range(3))
    assert np.array_equal(first.get(key(2)), values(2))


def test_maps_are_written_in_few_files_and_few_are_lost(tmp_path):
    cache = MapCache(tmp_path, size=SIZE)
    one = values(0)
    for number in range(1200):
        cache.put([key(number)], one)
        if number in (20, 100, 300):
            assert number / 2 - store.FEWEST <= len(held(tmp_path)) <= number + 1
    assert sorted(Counter(held(tmp_path)).values()) == [8, 16, 32, 64, 128, 256, 256, 256]


@pytest.mark.parametrize("wrong", [np.zeros((SIZE, SIZE)), np.zeros((SIZE, 9), np.uint8), np.zeros(64, np.uint8)])
def test_what_is_no_map_of_the_cache_is_refused(tmp_path, wrong):
    with pytest.raises(ContentError, match=r"uint8 and shape \(8, 8\)"):
        MapCache(tmp_path, size=SIZE).put([key(0)], wrong)
    with pytest.raises(PolicyError, match="size"):
        MapCache(tmp_path, size=3)


def _fill(folder, numbers):
    filled(folder, numbers)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_many_processes_write_at_once(tmp_path, method):
    context = multiprocessing.get_context(method)
    ranges = [range(start, start + 40) for start in (0, 20, 40)]  # some maps are made by two
    processes = [context.Process(target=_fill, args=(tmp_path, numbers)) for numbers in ranges]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    cache = MapCache(tmp_path, size=SIZE)
    assert not cache.torn
    assert all(np.array_equal(cache.get(key(number)), values(number)) for number in range(80))
    assert {path.suffix for path in tmp_path.iterdir()} == {".maps"}


# Damage.


def test_a_file_cut_anywhere_is_found_out_and_made_again(tmp_path, caplog):
    filled(tmp_path, range(3))
    (path,) = shards(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        cache = MapCache(tmp_path, size=SIZE)
        assert cache.torn == {path}
        assert all(cache.get(key(number)) is None for number in range(3))
    assert f"{path} is damaged" in caplog.text
    path.write_bytes(whole[: len(whole) // 2])
    filled(tmp_path, range(3))
    again = MapCache(tmp_path, size=SIZE)
    assert all(np.array_equal(again.get(key(number)), values(number)) for number in range(3))


def test_no_changed_byte_ever_makes_a_wrong_map(tmp_path):
    """Every byte of a file in turn: what it changes is not found, or the file is told to be of another cache."""
    filled(tmp_path, range(2))
    (path,) = shards(tmp_path)
    whole = path.read_bytes()
    missing = refused = 0
    for place in range(len(whole)):
        for change in (1, 128):
            changed = bytearray(whole)
            changed[place] ^= change
            path.write_bytes(changed)
            try:
                cache = MapCache(tmp_path, size=SIZE)
            except DataError:
                refused += 1
                continue
            for number in range(2):
                found = cache.get(key(number))
                assert found is None or np.array_equal(found, values(number)), place
                missing += found is None
    assert missing > 2 * 2 * SIZE**2
    assert 0 < refused < 200


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}\n", b"[" * 3000 + b"\n", b"\xff\xfe\n", b'{"safeaug_maps": "1"}\n']
)
def test_files_of_something_else_are_passed_over(tmp_path, content):
    (tmp_path / "other.maps").write_bytes(content)
    cache = filled(tmp_path, range(2))
    assert np.array_equal(MapCache(tmp_path, size=SIZE).get(key(1)), values(1))
    assert cache.torn == {tmp_path / "other.maps"}


def test_counts_that_lie_are_found_out(tmp_path):
    filled(tmp_path, range(2))
    (path,) = shards(tmp_path)
    line, _, rest = path.read_bytes().partition(b"\n")
    for name, value in (("maps", -1), ("keys", -1), ("maps", 10**12), ("keys", 10**18), ("maps", 2.0), ("crc", None)):
        path.write_bytes(json.dumps({**json.loads(line), name: value}).encode() + b"\n" + rest)
        assert MapCache(tmp_path, size=SIZE).torn == {path}


def test_a_file_that_is_deleted_is_no_error(tmp_path):
    filled(tmp_path, range(2))
    cache = MapCache(tmp_path, size=SIZE)
    shards(tmp_path)[0].unlink()
    assert cache.get(key(1)) is None
    assert not cache.torn


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    cache = MapCache(tmp_path, size=SIZE)
    cache.put([key(0)], values(0))
    monkeypatch.setattr(shard.os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        cache.flush()
    assert list(tmp_path.iterdir()) == []


# Other caches.


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"method": "mbd"}, "method 'auto' where 'mbd' is asked for.*a folder for each method"),
        ({"size": 16}, "size 8 where 16 is asked for.*a folder for each method and size"),
    ],
)
def test_another_method_or_size_is_refused(tmp_path, asked, said):
    filled(tmp_path, range(1))
    with pytest.raises(DataError, match=said) as caught:
        MapCache(tmp_path, **{"size": SIZE, **asked})
    assert caught.value.where == str(shards(tmp_path)[0])


@pytest.mark.parametrize("module, name", [(store, "VERSION"), (shard, "FORMAT")])
def test_another_version_is_refused_with_guidance(tmp_path, monkeypatch, module, name):
    with monkeypatch.context() as patch:
        patch.setattr(module, name, 7)
        filled(tmp_path, range(1))
    with pytest.raises(
        DataError, match=r" 7 where 1 is asked for; another version of safeaug.*another folder, or delete"
    ):
        MapCache(tmp_path, size=SIZE)


# The provider.


def test_a_cached_provider_makes_a_map_once(tmp_path):
    made = []

    def look(image):
        made.append(image.shape)
        return image[..., 0]

    image = noise((9, 12, 3))
    provider = Cached(MapCache(tmp_path, "red"), look)
    maps = [map_of(image, provider) for _ in range(3)]
    provider.cache.flush()
    maps.append(map_of(image, Cached(MapCache(tmp_path, "red", read_only=True), look)))
    assert made == [(9, 12, 3)]
    assert all(np.array_equal(each, map_of(image, look)) for each in maps)


def test_a_cache_that_is_read_only_keeps_nothing(tmp_path):
    image = noise((9, 12, 3))
    provider = Cached(MapCache(tmp_path / "none", read_only=True))
    assert np.array_equal(map_of(image, provider), map_of(image))
    provider.cache.flush()
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path, monkeypatch, caplog):
    def refused(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(store, "write_shard", refused)
    provider = Cached(MapCache(tmp_path))
    with caplog.at_level(logging.WARNING, "safeaug"):
        for seed in range(3 * store.FEWEST):
            assert map_of(noise((9, 12), seed), provider).any()
    assert caplog.text.count("Read-only file system") == 1


def test_the_map_of_a_file(tmp_path):
    path, image = tmp_path / "a.png", noise((9, 12, 3))
    Image.fromarray(image).save(path)
    with MapCache(tmp_path / "maps") as cache:
        cache.put([file_key(path.read_bytes())], map_of(image))
    assert np.array_equal(map_of(image, ByKey(cache.of_file), key=path), map_of(image))
    path.write_bytes(b"changed")
    with pytest.raises(DataError, match=r"a\.png: expected a map of this file.*safeaug saliency build"):
        cache.of_file(path)


# Building.


def pictures(folder, count):
    paths = []
    for number in range(count):
        paths.append(folder / f"{number:03d}.png")
        Image.fromarray(noise((10, 14, 3), number)).save(paths[-1])
    return paths


def itself(path):
    return path


def pixels(path):
    return np.asarray(Image.open(path))


def task(paths, folder, **how):
    return Building(paths, **{"file": itself, "pixels": pixels, "folder": folder, "size": SIZE, **how})


@pytest.mark.parametrize("processes", [1, 2])
def test_all_maps_are_built_and_only_once(tmp_path, processes):
    paths = pictures(tmp_path, PART + 7)
    Image.new("RGB", (9, 9)).save(tmp_path / "black.png")
    paths.append(tmp_path / "black.png")
    parts = []
    built = build(task(paths, tmp_path / "maps"), processes, parts.append)
    assert built == Built(made=PART + 8, there=0, without=1)
    assert [part.pictures for part in parts] == [PART, 8]
    assert len(shards(tmp_path / "maps")) == 2
    cache = MapCache(tmp_path / "maps", size=SIZE)
    for path in paths[::20]:
        assert np.array_equal(cache.of_file(path), map_of(pixels(path), "auto", SIZE))
        assert np.array_equal(cache.get(pixels_key(pixels(path))), cache.of_file(path))
    assert build(task(paths, tmp_path / "maps"), processes) == Built(there=PART + 8)


def test_a_build_goes_on_where_it_ended_and_decodes_nothing_twice(tmp_path):
    paths = pictures(tmp_path, 20)
    decoded = []

    def interrupted(path):
        if len(decoded) == 12:
            raise KeyboardInterrupt
        decoded.append(path)
        return pixels(path)

    with pytest.raises(KeyboardInterrupt):
        build(task(paths, tmp_path / "maps", pixels=interrupted))
    assert build(task(paths, tmp_path / "maps", pixels=lambda path: decoded.append(path) or pixels(path))) == Built(
        made=8, there=12
    )
    assert sorted(decoded) == paths


def test_pictures_without_files_and_files_of_the_same_picture(tmp_path):
    images = [noise((10, 14, 3), number) for number in (0, 1, 0)]
    built = build(task(images, tmp_path, file=lambda _: None, pixels=itself))
    assert built == Built(made=2, there=1)
    Image.fromarray(images[0]).save(tmp_path / "a.png")
    assert build(task([tmp_path / "a.png"], tmp_path)) == Built(there=1)
    assert np.array_equal(MapCache(tmp_path, size=SIZE).of_file(tmp_path / "a.png"), map_of(images[0], "auto", SIZE))


def failing(path):
    if path.name == "003.png":
        raise DataError("expected a whole picture", str(path), "unreadable")
    return pixels(path).astype(np.int32) if path.name == "005.png" else pixels(path)


@pytest.mark.parametrize("processes", [1, 2])
def test_what_cannot_be_read_stops_or_is_counted(tmp_path, processes):
    paths = pictures(tmp_path, PART + 1)
    paths[7].unlink()
    given = task(paths, tmp_path / "maps", pixels=failing, keep_going=True)
    built = build(given, processes)
    assert built.made == PART - 2
    for said in (
        r"003.png: expected a whole picture",
        "005.png: image must be of uint8",
        "007.png: expected a picture",
    ):
        assert sum(said in text for text in built.passed_over) == 1
    with pytest.raises(DataError, match=r"003\.png"):
        build(task(paths, tmp_path / "maps", pixels=failing), processes)


def dying(path):
    os._exit(9)


def test_a_process_that_dies_is_told(tmp_path):
    paths = pictures(tmp_path, PART + 1)
    with pytest.raises(SafeAugError, match="ended on its own"):
        build(task(paths, tmp_path / "maps", pixels=dying), 2)


def test_a_build_that_cannot_be_is_refused_before_a_picture_is_read(tmp_path):
    with pytest.raises(PolicyError, match="method must be"):
        build(task([None], tmp_path, method="centre", file=dying))
    filled(tmp_path, range(1))
    with pytest.raises(DataError, match="is asked for"):
        build(task([None], tmp_path, method="mbd", file=dying))
