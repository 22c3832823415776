"""The README's examples run, in order, as one program a file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ["README.md", "safeaug/RECIPES.md"])
def test_examples_run(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)


def test_links_lead_somewhere():
    for page in [*ROOT.glob("**/README.md"), ROOT / "safeaug" / "RECIPES.md"]:
        if any(part.startswith(".") or part == "node_modules" for part in page.relative_to(ROOT).parts):
            continue
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_gate_runs_the_readmes_own_command():
    readme, gate = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    command = re.search(r"python -m pip install -e \"\.\[test\]\" && python -m pytest", readme)
    assert command
    assert command.group() in gate
