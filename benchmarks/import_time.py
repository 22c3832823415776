"""What ``import safeaug`` costs beyond ``import numpy``, each in a process of its own.

Run as ``python benchmarks/import_time.py [--rounds 30] [--json FILE]``.
"""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import common
import typer

LIMIT = 50_000.0
"""Microseconds over numpy."""

STATEMENTS = {
    "numpy": "import numpy",
    "safeaug": "import numpy, safeaug",
    # Names are loaded when they are first asked for; this is what was put off.
    "safeaug_all": "import numpy; from safeaug import *",
}


def start(statement: str, _: int) -> None:
    """Run a statement in a fresh interpreter."""
    subprocess.run([sys.executable, "-c", statement], check=True)


def main(
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 3.")] = 30,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time imports against each other, and print the table."""
    about = common.describe("import_time", seed=0, arguments={"rounds": rounds, "calls": 1, "warmup": 2})
    contenders = {name: partial(start, statement) for name, statement in STATEMENTS.items()}
    # The first rounds fill the file cache, and write the byte code.
    measured = common.measure(contenders, rounds=rounds, calls=1, warmup=2)
    claims = [
        common.Claim("safeaug", "numpy", "difference", limit=LIMIT),
        common.Claim("safeaug_all", "numpy", "difference"),
    ]
    run = common.Run(metadata=about, rows=(common.row(measured, claims, case={"what": "import"}),))
    common.show(run)
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
