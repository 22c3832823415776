"""``safeaug saliency check`` as its users meet it."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli_worlds import EVIL, ann, begun, run
from tests.saliency_worlds import noise

OWN = """
import numpy as np
def wrong(picture):
    return 255.0 - picture.astype(float).max(axis=2)
def nothing(picture):
    return None
number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a COCO file of forty dark pictures whose boxes are bright."""
    folder = begun(tmp_path, monkeypatch)
    data = ann(40)
    Path("ann.json").write_text(json.dumps(data))
    Path("own.py").write_text(OWN)
    (folder / "pics").mkdir()
    for number, annotation in enumerate(data["annotations"]):
        pixels = noise((120, 160, 3), number) // 16
        x, y, width, height = annotation["bbox"]
        pixels[y : y + height, x : x + width] = 255
        Image.fromarray(pixels).save(folder / "pics" / f"{number}.png")
    return folder


def check(*args, data="coco:ann.json"):
    images = ("--images", "pics") if data.startswith("coco") else ()
    return run("saliency", "check", "--data", data, *images, *args)


def test_maps_that_find_the_objects_are_of_use(here):
    done = check("--min-rank", "80%", "--json", "found.json")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("USE  auto: ")
    assert "windows of rank 0.8" in done.stdout
    found = json.loads(Path("found.json").read_text())
    assert (found["pictures"], found["draws"]) == (40, 8)
    whole = found["strata"][0]
    assert set(whole["scores"]) == {"center", "auto"}
    assert whole["scores"]["auto"]["damaged"] < whole["scores"]["auto"]["matched"] == whole["plain"]
    rows = {line[:14].strip(): line for line in done.stdout.splitlines()}
    for name in ("nothing", "center", "auto", "true objects"):
        assert name in rows
    assert f"{found['auc']['auto']:.3f}" in rows["auto"]


def test_maps_that_do_not_are_not(here):
    done = check("--method", "own.py:wrong", "--method", "auto", "--min-rank", "0.8")
    assert done.exit_code == 1
    assert "DO NOT USE  own.py:wrong: " in done.stdout
    assert "USE  auto: " in done.stdout
    assert "not shown to save a tenth of what windows of that area damage anywhere" in done.stdout
    assert "center, which does not look at the picture, damages no more" in done.stdout


def test_few_pictures_say_nothing(here):
    done = check("--pictures", "5")
    assert done.exit_code == 4
    assert done.stdout.startswith("TOO FEW  auto: ")


def test_a_share_of_the_map_can_be_asked_for(here):
    done = check("--min-mass", "60%", "--scale", "0.3", "1", "--ratio", "1", "1", "--draws", "2")
    assert "guarded to 0.6 of the map" in done.stdout


def test_what_cannot_be_read_stops_or_is_told(here):
    Path("pics/2.png").write_bytes(b"no picture")
    done = check()
    assert done.exit_code == 2
    assert "2.png" in done.stderr
    done = check("--keep-going")
    assert done.exit_code == 0
    assert "1 pictures cannot be read" in done.stdout
    assert "2.png" in done.stderr


def test_text_that_would_act_does_not(here):
    Path("ann.json").write_text(json.dumps(ann(40, name=EVIL)))
    done = check()
    assert "\x1b" not in done.output
    data = ann(40)
    data["categories"].append({"id": 4, "name": EVIL})
    data["annotations"][0]["category_id"] = 4
    Path("ann.json").write_text(json.dumps(data))
    done = check()
    assert "<script>alert(1)</script>[red]" in done.stdout
    assert "\x1b" not in done.output


@pytest.mark.parametrize(
    "args, said",
    [
        (("--method", "centre"), "method must be one of auto"),
        (("--method", "own.py:number"), "expected a provider"),
        (("--method", "own.py:nothing"), "got None from nothing for sample"),
        (("--method", "gone.py:maps"), "gone.py"),
        (("--min-rank", "60"), "min-rank must be a percentage"),
        (("--min-mass", "2"), "min-mass must be a percentage"),
        (("--scale", "0.5", "0.1"), "scale must be two numbers above 0, the least first"),
        (("--protect", "masks"), "needs samples that have it"),
        (("--draws", "0"), "--draws"),
        (("--json", "nowhere/found.json"), "does not exist"),
    ],
)
def test_what_makes_no_sense_is_refused(here, args, said):
    done = check(*args)
    assert done.exit_code == 2
    assert said in done.stderr


def test_pictures_alone_cannot_be_judged(here):
    done = check(data="folder:pics")
    assert done.exit_code == 2
    assert "expected objects to judge by" in done.stderr


def test_pictures_of_more_than_eight_bits_are_looked_at(here):
    for number in range(40):
        pixels = np.asarray(Image.open(f"pics/{number}.png"))[..., 0].astype(np.uint16) * 200
        Image.fromarray(pixels).save(f"pics/{number}.png")
    assert check("--min-rank", "0.8").exit_code == 0
