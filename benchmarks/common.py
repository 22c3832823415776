"""What the benchmarks share: paired timing, the record of a run, and its table.

The contract is ``benchmarks/README.md``. Times are microseconds per call throughout. A verdict is always computed from
the numbers, so no file can claim one.
"""

import gc
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

SCHEMA: Final = 1
"""Version of the JSON schema. A reader refuses every other one."""

WIDTH = 140
"""Characters that a table needs."""

HOSTS = ("albumentations", "albucore", "cv2", "kornia", "PIL", "skimage", "torch", "torchvision", "triton")
"""Libraries whose version is recorded where a benchmark has imported them."""

COMPILED = ("safeaug.plain", "safeaug.splitmix")
"""Modules that a wheel may hold in compiled form."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
"""Environment variables that set how many threads a library starts."""

Value = str | int | float
"""What a flat record holds."""

Kind = Literal["ratio", "difference", "time"]
"""What a comparison compares: a quotient, microseconds more, or microseconds alone."""

Verdict = Literal["beyond", "within", "over", "none"]
"""Goal reached; limit reached; limit missed; no limit set."""

Contender = Callable[[int], object]
"""One side of a comparison: called with the number of the call, which says which input it gets."""


class Environment(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a run took place, as far as times depend on it. Names of hosts, users and folders are left out.

    Parameters
    ----------
    safeaug, python, numpy : str
        Versions.
    hosts : dict
        Versions of the libraries in `HOSTS` that were imported.
    platform, cpu : str
        Operating system, machine type and C library; model of the processor.
    cores : int
        Processors that this process may use.
    load : (float, float, float)
        Mean number of running processes over 1, 5 and 15 minutes when the run began.
    threads : dict
        Thread settings: of the environment, and of the libraries that were imported.
    time : str
        When the run began, UTC, ISO 8601.
    commit : str or None
        Commit of the code; ends in ``+`` where safeaug or the benchmarks differ from it. None outside a repository.
    compiled : bool, default False
        Whether safeaug is a compiled wheel. Files that do not say are older than the first of them.
    gpu : str or None
        Model of the CUDA device that torch sees, where it was imported. Files that do not say knew of none.
    """

    safeaug: str
    python: str
    numpy: str
    hosts: dict[str, str]
    platform: str
    cpu: str
    cores: int
    load: tuple[float, float, float]
    threads: dict[str, Value]
    time: str
    commit: str | None
    compiled: bool = False
    gpu: str | None = None


class Metadata(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was run, and where.

    Parameters
    ----------
    schema : int
        Version of the schema.
    benchmark : str
        Name of the script.
    seed : int
        All inputs and draws derive from it.
    arguments : dict
        The settings that the run was given, or took by default.
    environment : Environment
        Where it ran.
    """

    schema: Literal[1]
    benchmark: str
    seed: int
    arguments: dict[str, Value]
    environment: Environment


class Timing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Median and quartiles, over the rounds, of one contender's microseconds per call."""

    contender: str
    median: float
    q1: float
    q3: float

    def __post_init__(self) -> None:
        _check_quartiles(self)


class Comparison(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Median and quartiles of one contender set against another round by round, and what was promised.

    Parameters
    ----------
    kind : {"ratio", "difference", "time"}
        ``of / against``; ``of - against`` in microseconds; ``of`` alone in microseconds.
    of, against : str
        The contenders; ``against`` is None for a time.
    median, q1, q3 : float
        Over the rounds.
    limit, goal : float or None
        The contract's reach, and its go beyond. Neither may be passed by the median.
    """

    kind: Kind
    of: str
    against: str | None
    median: float
    q1: float
    q3: float
    limit: float | None = None
    goal: float | None = None

    def __post_init__(self) -> None:
        _check_quartiles(self)
        if (self.against is None) != (self.kind == "time"):
            raise ValueError(f"a {self.kind} of {self.of!r} cannot be against {self.against!r}")
        if self.goal is not None and (self.limit is None or self.goal > self.limit):
            raise ValueError(f"goal must be at most limit, got goal {self.goal} and limit {self.limit}")

    @property
    def verdict(self) -> Verdict:
        """What the median says about limit and goal."""
        if self.limit is None:
            return "none"
        if self.median > self.limit:
            return "over"
        return "within" if self.goal is None or self.median > self.goal else "beyond"


class Row(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One case.

    Parameters
    ----------
    case : dict
        What was asked for.
    observed : dict
        What was seen besides times, such as the share of each status.
    rounds, calls : int
        Timed rounds, and calls of each contender in a round.
    timings : tuple of Timing
        One for each contender.
    comparisons : tuple of Comparison
        What the case is about.
    """

    case: dict[str, Value]
    observed: dict[str, Value]
    rounds: int
    calls: int
    timings: tuple[Timing, ...]
    comparisons: tuple[Comparison, ...]

    def __post_init__(self) -> None:
        names = [timing.contender for timing in self.timings]
        strangers = {name for each in self.comparisons for name in (each.of, each.against or each.of)} - set(names)
        if strangers or len(names) != len(set(names)):
            raise ValueError(f"comparisons must be among the timed contenders {names}, got {sorted(strangers)} besides")


class Run(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One run of one benchmark: what a result file holds."""

    metadata: Metadata
    rows: tuple[Row, ...]


def _check_quartiles(summary: Timing | Comparison) -> None:
    if not summary.q1 <= summary.median <= summary.q3:
        raise ValueError(f"quartiles must be in order, got {summary.q1}, {summary.median}, {summary.q3}")


class Measured(NamedTuple):
    """Raw times: for each contender the microseconds per call of every round, of shape (rounds,)."""

    calls: int
    micros: dict[str, NDArray[np.float64]]


class Claim(NamedTuple):
    """A comparison to be made, and what its median is promised to be at most."""

    of: str
    against: str | None
    kind: Kind = "ratio"
    limit: float | None = None
    goal: float | None = None


def measure(
    contenders: Mapping[str, Contender],
    *,
    rounds: int,
    calls: int,
    warmup: int,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> Measured:
    """Time contenders against each other, in rounds.

    In every round each contender makes the same calls, one contender after the other; over the whole measurement each
    call number from 0 to ``(warmup + rounds) * calls - 1`` is used once by each, in ascending order.

    Parameters
    ----------
    contenders : mapping of callables
        By name. Each is called with the number of the call.
    rounds : int
        Timed rounds: a multiple of the number of contenders, so that each comes first equally often.
    calls : int
        Calls of each contender in a round.
    warmup : int
        Rounds before the timed ones.
    clock : callable
        Nanoseconds.

    Raises
    ------
    ValueError
        Where the rounds cannot be shared out evenly.
    """
    names = list(contenders)
    if rounds < 1 or rounds % len(names):
        raise ValueError(f"rounds must be a multiple of {len(names)}, the number of contenders, got {rounds}")
    micros: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(-warmup, rounds):
        start = (warmup + turn) * calls
        for name in order(names, turn):
            spent = _timed(contenders[name], range(start, start + calls), clock)
            if turn >= 0:
                micros[name].append(spent / 1000 / calls)
    return Measured(calls, {name: np.array(values) for name, values in micros.items()})


def order(names: Sequence[str], turn: int) -> list[str]:
    """Return the order of a round: rotated by one each round, and read backwards in every other cycle.

    Examples
    --------
    >>> ["".join(order("abc", turn)) for turn in range(6)]
    ['abc', 'bca', 'cab', 'cba', 'acb', 'bac']
    """
    cycle, shift = divmod(turn, len(names))
    rotated = [*names[shift:], *names[:shift]]
    # Were it only rotated, a contender would nearly always follow the same other one, and inherit its caches.
    return rotated[::-1] if cycle % 2 else rotated


def _timed(contender: Contender, indices: Iterable[int], clock: Callable[[], int]) -> int:
    """Return the nanoseconds that a contender's calls take together."""
    with _collector_off():
        start = clock()
        for index in indices:
            contender(index)
        return clock() - start


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the garbage collector, which one contender would run for another, out of the timed section."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def row(
    measured: Measured,
    claims: Iterable[Claim],
    *,
    case: Mapping[str, Value],
    observed: Mapping[str, Value] | None = None,
) -> Row:
    """Return the record of a case: each contender's times, and the claims judged round by round."""
    timings = tuple(
        Timing(contender=name, median=median, q1=q1, q3=q3)
        for name, (q1, median, q3) in ((name, quartiles(values)) for name, values in measured.micros.items())
    )
    return Row(
        case=dict(case),
        observed=dict(observed or {}),
        rounds=len(next(iter(measured.micros.values()))),
        calls=measured.calls,
        timings=timings,
        comparisons=tuple(compare(measured, claim) for claim in claims),
    )


def compare(measured: Measured, claim: Claim) -> Comparison:
    """Return a comparison: made in every round first, then summed up, so that what slows a round slows both sides."""
    values = measured.micros[claim.of]
    if claim.against is not None:
        other = measured.micros[claim.against]
        values = values / other if claim.kind == "ratio" else values - other
    q1, median, q3 = quartiles(values)
    return Comparison(
        kind=claim.kind,
        of=claim.of,
        against=claim.against,
        median=median,
        q1=q1,
        q3=q3,
        limit=claim.limit,
        goal=claim.goal,
    )


def quartiles(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the three quartiles, to four decimals: more would only be noise in a file."""
    q1, median, q3 = np.percentile(values, (25, 50, 75)).round(4).tolist()
    return q1, median, q3


def describe(benchmark: str, *, seed: int, arguments: Mapping[str, Value]) -> Metadata:
    """Return the metadata of a run that is about to begin."""
    return Metadata(schema=SCHEMA, benchmark=benchmark, seed=seed, arguments=dict(arguments), environment=environment())


def environment() -> Environment:
    """Return what times depend on in this process, here and now."""
    return Environment(
        safeaug=version("safeaug"),
        python=platform.python_version(),
        numpy=np.__version__,
        hosts={name: str(sys.modules[name].__version__) for name in HOSTS if name in sys.modules},
        platform=_platform(),
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        load=_load(),
        threads=_threads(),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=_commit(Path(__file__).parent.parent),
        compiled=all(map(_is_compiled, COMPILED)),
        gpu=_gpu(),
    )


def _is_compiled(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES))


def _platform() -> str:
    # platform.platform() would add the kernel's build, which can carry the name of a machine.
    return "-".join(filter(None, (platform.system(), platform.machine(), "".join(platform.libc_ver()))))


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _gpu() -> str | None:
    torch = sys.modules.get("torch")
    return str(torch.cuda.get_device_name()) if torch is not None and torch.cuda.is_available() else None


def _load() -> tuple[float, float, float]:
    return os.getloadavg() if hasattr(os, "getloadavg") else (-1.0, -1.0, -1.0)


def _threads() -> dict[str, Value]:
    threads: dict[str, Value] = {name: os.environ[name] for name in THREAD_VARIABLES if name in os.environ}
    if "cv2" in sys.modules:
        threads["cv2"] = int(sys.modules["cv2"].getNumThreads())
    if "torch" in sys.modules:
        threads["torch"] = int(sys.modules["torch"].get_num_threads())
    return threads


def _commit(root: Path) -> str | None:
    # Only what is timed counts as a change, and not the result files, which are written after the run.
    commit = _git(root, "rev-parse", "HEAD")
    if not commit:
        return None
    changes = _git(root, "status", "--porcelain", "--", "safeaug", "benchmarks/*.py")
    return f"{commit}+" if changes else commit


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def write(path: Path, run: Run) -> None:
    """Write a run as JSON that a person can read."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def read(path: Path) -> Run:
    """Return the run that a file holds.

    Raises
    ------
    msgspec.ValidationError
        Where a field is unknown, missing, of another type, or contradicts another.
    """
    return msgspec.json.decode(path.read_bytes(), type=Run)


def table(run: Run) -> Table:
    """Return the run as a table: one row per case, in it one line per comparison, those that lose among them."""
    about, where = run.metadata, run.metadata.environment
    safeaug = f"safeaug {where.safeaug}{', compiled' if where.compiled else ''}"
    out = Table(
        title=", ".join(filter(None, (about.benchmark, safeaug, where.cpu, where.gpu, f"seed {about.seed}"))),
        caption="medians, and quartiles in brackets, over the rounds; comparisons are made within a round",
        show_lines=True,
    )
    for heading in ("case", "seen"):
        out.add_column(heading)
    out.add_column("comparison", no_wrap=True)  # else its lines would no longer stand beside their numbers
    for heading in ("µs per call", "result", "limit", "goal", "verdict"):
        out.add_column(heading, justify="right", no_wrap=True)
    for each in run.rows:
        medians = {timing.contender: timing.median for timing in each.timings}
        lines = [_cells(comparison, medians) for comparison in each.comparisons]
        out.add_row(
            _lines(each.case), _lines(each.observed), *("\n".join(column) for column in zip(*lines, strict=True))
        )
    return out


def show(run: Run) -> None:
    """Print the table of a run, whole even where the terminal, or a pipe, is narrower."""
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(table(run))


def _cells(comparison: Comparison, medians: Mapping[str, float]) -> tuple[str, ...]:
    sides = [name for name in (comparison.of, comparison.against) if name is not None]
    sign = " − " if comparison.kind == "difference" else " / "
    digits = 3 if comparison.kind == "ratio" else 0
    low, middle, high = (f"{value:.{digits}f}" for value in (comparison.q1, comparison.median, comparison.q3))
    return (
        sign.join(sides),
        sign.join(f"{medians[name]:.0f}" for name in sides),
        f"{middle} ({low}–{high})",
        "" if comparison.limit is None else f"{comparison.limit:g}",
        "" if comparison.goal is None else f"{comparison.goal:g}",
        "" if comparison.verdict == "none" else comparison.verdict,
    )


def _lines(record: Mapping[str, Value]) -> str:
    return "\n".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in record.items()
    )
