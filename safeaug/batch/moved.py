"""Numbers and records on another device."""

from typing import TypeVar, cast

import torch
from torch import Tensor

T = TypeVar("T")

NO_FLOAT64 = {"mps"}
"""Devices without float64: geometry stays on the CPU, and only pixels are on them."""


def moved(record: T, device: torch.device) -> T:
    """Return a record with all its tensors, in lists and tuples too, on a device; float64 as what that has."""
    if isinstance(record, Tensor):
        single = device.type in NO_FLOAT64 and record.dtype is torch.float64
        return cast(T, record.to(device, torch.float32 if single else record.dtype))
    if isinstance(record, tuple) and hasattr(record, "_fields"):
        return type(record)(*(moved(each, device) for each in record))
    if isinstance(record, list | tuple):
        return type(record)(moved(each, device) for each in record)
    return record


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on a device, without waiting for that: to CUDA a copy starts from page-locked memory."""
    if device.type == "cuda" and tensor.device.type == "cpu":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
