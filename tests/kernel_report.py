"""What a compiler makes of the kernel for a GPU that need not be there: registers, stack and memory."""

import re
import subprocess
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from safeaug.batch.rendering.fused import TILE, kernel
from safeaug.batch.rendering.fused.launch import BLOCK

VARIANTS = "bytes to half", "bytes to half, cubic", "list to single", "list to bytes, cubic", "brain", "masks"

_OBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"


def usage(name: str, capability: int) -> dict[str, int]:
    """Compile a variant, and return what it takes."""
    jit, constants, images, output = _variant(name)
    constants = {key: constants[key] for key in jit.arg_names if key in constants}
    types = {key: _type(key, images, output) for key in jit.arg_names}
    source = ASTSource(jit, types, {(jit.arg_names.index(key),): value for key, value in constants.items()})
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": TILE.warps})
    found = re.findall(r"(REG|STACK|SHARED|LOCAL):(\d+)", _reported(compiled.asm["cubin"]))
    return {key: int(value) for key, value in found} | {"SHARED": compiled.metadata.shared}


def _variant(name: str) -> tuple:
    """The kernel, its constants, and the types of what is read and written."""
    ragged, cubic = name.startswith("list"), name.endswith("cubic")
    if name == "masks":
        return kernel.nearest, {"RAGGED": False, "BLOCK": BLOCK}, "*u8", "*u8"
    images = "*bf16" if name == "brain" else "*u8"
    output = {"half": "*fp16", "single": "*fp32", "bytes": "*u8", "brain": "*bf16"}[
        re.findall(r"\w+", name)[-1 - cubic]
    ]
    constants = {"RAGGED": ragged, "CUBIC": cubic, "ANTIALIAS": True}
    constants |= {"BYTES_IN": images == "*u8", "BYTES_OUT": output == "*u8"}
    constants |= {"ROWS": TILE.rows, "COLUMNS": TILE.columns, "DEPTH": TILE.depth, "PRECISION": "tf32x3"}
    return kernel.crop, constants, images, output


def _type(name: str, images: str, output: str) -> str:
    if name.isupper():
        return "constexpr"
    if name in {"images", "maps"}:
        return images
    known = {"table": "*i64", "source": "*i64", "target": "*i64", "flipped": "*i1", "output": output}
    strides = "i64" if name.endswith("stride") else "i32"
    return known.get(name, "fp32" if name.startswith(("slope", "offset", "colour")) else strides)


def _reported(cubin: bytes) -> str:
    """What NVIDIA's own tool, which comes with Triton, says of a program."""
    file = Path(triton.knobs.cache.dir) / "safeaug.cubin"
    file.write_bytes(cubin)
    done = subprocess.run([_OBJDUMP, "-res-usage", file], capture_output=True, text=True, check=True)
    return done.stdout
