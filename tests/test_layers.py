"""A room imports only downward; what is not needed is not imported; and the house is as the map says."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import safeaug

ROOT = Path(safeaug.__file__).parent

FLOORS = {
    "version": 0, "errors": 0, "arrays": 0, "splitmix": 0,
    "policy": 1, "geometry": 1,
    "shapes": 1.25, "traits": 1.25,
    "records": 1.5, "counts": 1.5, "draws": 1.5,
    "content": 2, "placement": 2,
    "objects": 2.1,
    "measures": 2.25,
    "candidates": 2.5, "settle": 2.5,
    "task": 2.6,
    "laws": 2.75,
    "search": 3, "ledger": 3, "scales": 3.25, "plain": 3.25,
    "by_hand": 4,
    "saliency": 4,
    "rules": 4,
    "batch": 5,
    "data": 5.5,
    "handing": 5.6,
    "guarding": 5.75,
    "albumentations": 6, "torchvision": 6, "kornia": 6,
    "dispatch": 7,
    "trace": 8,
    "auditing": 9, "calibrating": 9.5,
    "report": 10,
    "showing": 10.25,
    "demo": 10.5,
    "cli": 11, "__main__": 12,
}  # fmt: skip
"""Records are made of what policy and geometry define, so they stand half a floor above them."""

CORE = [name for name, floor in FLOORS.items() if floor < 4]
HOSTS = {"albumentations", "torch", "torchvision", "kornia", "cv2", "skimage"}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the room's full name"
            yield node.module
            if node.module == "safeaug":
                yield from (f"safeaug.{alias.name}" for alias in node.names)


FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.name != "__init__.py")


def test_every_room_is_on_the_map():
    rooms = {room_of(path) for path in FILES}
    assert rooms == set(FLOORS)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for room in rooms:
        assert f"{room}.py" in text or f"{room}/" in text, f"{room} is missing in safeaug/README.md"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path):
    own = room_of(path)
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "safeaug" and len(parts) > 1 and parts[1] in FLOORS and parts[1] != own:
            assert FLOORS[parts[1]] < FLOORS[own], f"{path}: {own} imports {name}"


@pytest.mark.parametrize("room", CORE)
def test_the_core_needs_numpy_only(room):
    allowed = {"numpy", "safeaug"} | sys.stdlib_module_names
    for path in FILES:
        if room_of(path) == room:
            assert {name.split(".")[0] for name in imports_of(path)} <= allowed


def test_each_host_is_imported_in_its_own_room_or_above():
    for path in FILES:
        hosts = {name.split(".")[0] for name in imports_of(path)} & HOSTS
        if hosts:
            rooms = {"albumentations", "torchvision", "kornia", "batch", "handing", "saliency", "trace", "demo", "cli"}
            assert room_of(path) in rooms, path
            assert room_of(path) not in {"batch", "handing", "saliency", "trace"} or hosts == {"torch"}, path
            assert room_of(path) != "torchvision" or hosts <= {"torch", "torchvision"}, path
            assert room_of(path) != "kornia" or hosts <= {"torch", "kornia"}, path


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_import_is_free_of_hosts():
    loaded = run("import sys, safeaug; safeaug.Policy; safeaug.place; safeaug.Outcome; print(*sys.modules)").split()
    assert not {name.split(".")[0] for name in loaded} & (HOSTS | {"PIL", "rich", "typer", "jinja2", "msgspec"})


def test_no_folder_shadows_a_host():
    top = ROOT.parent
    for folder in ("tests", "benchmarks", "gallery"):
        names = {path.name for path in (top / folder).rglob("*") if path.is_dir()} if (top / folder).exists() else set()
        assert not names & HOSTS


def test_the_project_does_not_say_where_it_was_made():
    words = ["/work" + "/", "/root" + "/", "pypi" + "-more"]
    for path in [*ROOT.rglob("*.py"), *ROOT.rglob("*.md"), ROOT.parent / "README.md", ROOT.parent / "pyproject.toml"]:
        text = path.read_text(encoding="utf-8")
        assert not [word for word in words if word in text], path
