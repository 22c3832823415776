"""``safeaug demo --audit``: both verdicts on the demonstration's own pictures."""

from pathlib import Path

import pytest

from tests.cli_worlds import run

pytest.importorskip("albumentations")
pytest.importorskip("skimage")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_demo_audit_prints_both_verdicts():
    result = run("demo", "--audit", "--windows", "100")
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert text.index("plain\nFAIL  All draws: ") < text.index("guarded\nPASS  All draws: 0 of 500 draws are damaged")
    assert "+ safeaug.albumentations.RandomResizedCrop((224, 224), min_retention=0.5)" in text
    assert not Path("safeaug_demo.png").exists()


def test_demo_audit_refuses_what_has_no_boxes():
    result = run("demo", "--audit", "--content", "masks")
    assert result.exit_code == 2
    assert "--audit goes with --content boxes or small, got masks" in result.output
