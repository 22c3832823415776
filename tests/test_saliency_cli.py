"""``safeaug saliency build`` as its users meet it."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from safeaug.saliency import MapCache, map_of
from safeaug.saliency.cache import pixels_key
from tests.cli_worlds import ann, begun, run
from tests.saliency_worlds import METHODS, noise


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a COCO file of six pictures, and the pictures."""
    folder = begun(tmp_path, monkeypatch)
    (folder / "pics").mkdir()
    for number in range(6):
        Image.fromarray(noise((120, 160, 3), number)).save(folder / "pics" / f"{number}.png")
    return folder


def build(*args, data="coco:ann.json"):
    images = ("--images", "pics") if data.startswith("coco") else ()
    return run("saliency", "build", "--data", data, *images, "--out", "maps", *args)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_maps_are_made_and_then_they_are_there(here, processes):
    done = build("--processes", processes)
    assert (done.exit_code, done.stdout) == (0, "Maps: 6 made; in maps\n")
    cache = MapCache("maps")
    assert np.array_equal(cache.of_file("pics/3.png"), map_of(noise((120, 160, 3), 3)))
    assert pixels_key(noise((120, 160, 3), 5)) in cache
    assert build().stdout == "Maps: 0 made, 6 there already; in maps\n"


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_asked_for(here, method):
    assert build("--method", method, "--size", "16").exit_code == 0
    assert np.array_equal(
        MapCache("maps", method, 16).of_file("pics/1.png"), map_of(noise((120, 160, 3), 1), method, 16)
    )


def test_other_readers_are_read_too(here):
    Image.fromarray(noise((40, 50)).astype(np.uint16) * 200).save("pics/deep.png")
    Image.new("L", (40, 50)).save("pics/black.png")
    assert build(data="folder:pics").stdout == (
        "Maps: 8 made, 1 of the new ones are no evidence (one colour); in maps\n"
    )
    pictures = "[(np.random.default_rng(i).integers(0, 256, (9, 9, 3), 'u1'), i) for i in range(3)]"
    Path("own.py").write_text(f"import numpy as np\ndata = {pictures}\n")
    done = build(data="own.py:data")
    assert (done.exit_code, done.stdout) == (0, "Maps: 3 made; in maps\n"), done.stderr


def test_what_cannot_be_read_stops_or_is_told(here):
    Path("pics/2.png").write_bytes(b"no picture")
    done = build()
    assert done.exit_code == 2
    assert "2.png" in done.stderr
    done = build("--keep-going")
    assert done.exit_code == 0
    assert "Maps: " in done.stdout
    assert "2.png" in done.stderr


def test_text_that_would_act_does_not(here):
    data = ann()
    data["images"][0]["file_name"] = "\x1b[31mred.png"
    Path("ann.json").write_text(json.dumps(data))
    for args in ((), ("--keep-going",)):
        done = build(*args)
        assert "red.png" in done.stderr
        assert "\x1b" not in done.output


@pytest.mark.parametrize(
    "args, said",
    [
        (("--method", "centre"), "centre"),
        (("--size", "3"), "from 8 to 256"),
        (("--processes", "0"), "--processes"),
        (("--split", "train"), "split belongs to yolo"),
    ],
)
def test_what_makes_no_sense_is_refused(here, args, said):
    done = build(*args)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not Path("maps").exists()


def test_a_folder_of_other_maps_is_refused(here):
    build("--method", "mbd")
    done = build()
    assert done.exit_code == 2
    assert "method 'mbd' where 'auto' is asked for" in done.stderr
    Path("file").write_text("")
    assert run("saliency", "build", "--data", "folder:pics", "--out", "file").exit_code == 2
    done = run("saliency", "build", "--data", "folder:pics", "--out", "file/maps")
    assert done.exit_code == 2
    assert "Error: " in done.stderr


def test_help_names_the_commands(here):
    assert "build" in run("saliency").output
    assert "saliency" in run("--help").output
