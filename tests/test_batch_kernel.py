"""The kernel for CUDA without a GPU: its pixels in Triton's interpreter, and what a compiler makes of it for real ones.

What only a device can show, `benchmarks/device_check.sh` looks at.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from tests import kernel_report, kernel_scenes  # noqa: E402
from tests.render_scenes import BRAIN, COMPUTED, STORED, check  # noqa: E402

ROOT = Path(__file__).parent.parent

INTERPRETED = {BRAIN: 2 * STORED[BRAIN]}
"""Triton's interpreter cuts bfloat16 off where devices round."""


def interpreted(*arguments):
    """Run a module of the tests in Triton's interpreter."""
    command = [sys.executable, "-W", "error", "-W", "ignore::RuntimeWarning:triton", "-m", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("group", ["filters", "dtypes", "memory", "extremes"])
def test_pixels(group, tmp_path):
    interpreted("tests.kernel_scenes", group, str(tmp_path / "drawn.pt"))
    drawn = torch.load(tmp_path / "drawn.pt")
    scenes = kernel_scenes.scenes(group)
    assert len(scenes) == len(drawn) >= 5
    for scene, (output, listed) in zip(scenes, drawn, strict=True):
        check(output, scene, COMPUTED + INTERPRETED.get(scene.finish.dtype, STORED[scene.finish.dtype]))
        assert (listed is not None) == (group == "memory")
        assert listed is None or torch.equal(output, listed)


def test_a_module_draws_by_the_kernel_what_it_draws_otherwise():
    interpreted("tests.kernel_module")


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("name", kernel_report.VARIANTS)
def test_compiled_ahead_it_spills_nothing(name, capability, tmp_path, monkeypatch):
    """On GPUs of these generations numbers stay in registers, and so many programs find room on a processor."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    usage = kernel_report.usage(name, capability)
    assert usage["STACK"] == usage["LOCAL"] == 0, usage
    assert usage["REG"] <= 128, usage  # 512 threads of 65536 registers: four programs of four warps at a time
    assert usage["SHARED"] <= 48 * 1024, usage
