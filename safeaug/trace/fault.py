"""All that is known of a fault, as one."""

import inspect
import json
import os
import shlex
import sys
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safeaug.errors import Fault
from safeaug.records import Finding
from safeaug.trace.making import Crumb, Making
from safeaug.trace.states import States

LONGEST = 120
"""Characters of a parameter that are told."""

MOST = 40
"""Crumbs that are told; of a longer way the last."""


def fault_of(
    finding: Finding,
    *,
    sample: Any,
    step: str,
    where: str,
    crumbs: Sequence[Crumb],
    params: dict[str, Any],
    making: Making | None,
    name: str,
) -> Fault:
    """Return a finding as an error that says where and how.

    Parameters
    ----------
    finding : Finding
        What is wrong.
    sample : Any
        Index or number of the sample.
    step, where : str
        Which step, and the ``file:line`` of its code.
    crumbs : sequence of Crumb
        The way up to it.
    params : dict
        Of the draw.
    making : Making or None
        The data set's sample of which this is a part, if a line that makes it again is asked for.
    name : str
        By which the data set is found again, if the user has said so.
    """
    fields = {
        "rule": finding.code,
        "text": f"{finding.path or 'the sample'} {finding.text}",
        "sample": _plain(sample),
        "step": step,
        "where": where,
        "crumbs": [str(crumb) for crumb in crumbs[-MOST:]],
        "params": {key: repr(value)[:LONGEST] for key, value in params.items()},
        "seed": _seed(),
        "replay": "" if making is None else _replay(making, finding, step, name),
    }
    return Fault.told(_text(fields), fields)


def site_of(called: Any) -> str:
    """Return ``file:line`` where a function, or the class of a callable, is defined; empty where nobody can tell.

    A library's own code is passed over: its line would lead nobody anywhere.
    """
    code = inspect.unwrap(called) if inspect.isroutine(called) else type(called)
    path = getattr(sys.modules.get(code.__module__ or ""), "__file__", None) or ""
    if _is_installed(path):
        return ""  # before its source is searched, which takes seconds in a large file
    try:
        lines, first = inspect.getsourcelines(code)
        path = inspect.getsourcefile(code) or ""
    except (OSError, TypeError):
        return ""
    below = next((i for i, line in enumerate(lines) if line.lstrip().startswith(("def ", "class ", "async def "))), 0)
    return f"{os.path.relpath(path) if _is_near(path) else path}:{first + below}"


def _is_installed(path: str) -> bool:
    return bool({"site-packages", "dist-packages"} & {*Path(path).parts})


def _is_near(path: str) -> bool:
    return Path(path).is_relative_to(Path.cwd())


def _text(fields: dict[str, Any]) -> str:
    step = f"{fields['step']} ({fields['where']})" if fields["where"] else fields["step"]
    lines = [
        f"{fields['rule']}: {fields['text']}",
        f"  sample  {fields['sample']}",
        f"  step    {step}",
        *(f"  {'crumbs' if not i else '      '}  {crumb}" for i, crumb in enumerate(fields["crumbs"])),
    ]
    if fields["params"]:
        lines.append("  params  " + ", ".join(f"{key}={value}" for key, value in fields["params"].items()))
    if fields["seed"] is not None:
        lines.append(f"  seed    {fields['seed']}")
    if fields["replay"]:
        lines.append(f"  replay  {fields['replay']}")
    return "\n".join(lines)


def _plain(sample: Any) -> Any:
    """Return an index as JSON knows it."""
    if isinstance(sample, str | int | float | type(None)):
        return sample
    return int(sample) if hasattr(sample, "__index__") else repr(sample)


def _seed() -> int | None:
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    data = sys.modules.get("torch.utils.data")
    worker = None if data is None else data.get_worker_info()
    return int(torch.initial_seed() if worker is None else worker.seed)


# The line that makes the sample again.


def _replay(making: Making, finding: Finding, step: str, name: str) -> str:
    """Write down what the sample was drawn from, and return the line for a shell that reads it."""
    name = name or _name_of(making.owners)
    if not name:
        return ""
    path = Path(tempfile.gettempdir()) / f"safeaug-fault-{uuid.uuid4().hex[:12]}.json"
    told = {
        "data": name,
        "sample": _plain(making.index),
        "rule": finding.code,
        "step": step,
        "states": None if making.states is None else told_states(making.states),
        "own": making.own,
    }
    path.write_text(json.dumps(told, default=str), encoding="utf-8")
    return f"{shlex.quote(sys.executable)} -m safeaug.trace.replay {shlex.quote(str(path))}"


def _name_of(owners: tuple[Any, ...]) -> str:
    """Return by which name in a module one of some objects is known, or a loader of it."""
    for name, module in sys.modules.copy().items():
        file = _vars_of(module).get("__file__")
        if not isinstance(file, str) or file.startswith((sys.prefix, sys.base_prefix)) or _is_installed(file):
            continue
        for attribute, value in _vars_of(module).copy().items():
            if any(value is owner or _vars_of(value).get("dataset") is owner for owner in owners):
                main = name in {"__main__", "__mp_main__"}
                return f"{os.path.abspath(file) if main else name}:{attribute}"
    return ""


def _vars_of(value: Any) -> dict[str, Any]:
    """Return the attributes that an object holds itself; none of what has no such thing.

    Its own way to look up attributes is passed by: some load a library then, or warn.
    """
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return held if isinstance(held, dict) else {}


def told_states(states: States) -> dict[str, Any]:
    """Return states of the global generators as JSON knows them."""
    kind, keys, *rest = states.numpy
    return {
        "python": states.python,
        "numpy": [kind, keys.tolist(), *rest],
        "torch": None if states.torch is None else states.torch.numpy().tobytes().hex(),
    }
