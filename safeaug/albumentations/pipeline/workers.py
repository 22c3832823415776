"""Whether this is another process than the one in which a pipeline was made, and what tells it from its siblings.

A loader's workers are copies, and each would draw what all others draw, in every epoch again.
"""

import hashlib
import multiprocessing
import sys


def worker_key() -> int | None:
    """Return a number that differs by worker and by epoch; None where this is no worker.

    In a worker of torch's loader it is the seed that torch gives it, which derives from ``torch.manual_seed``; in any
    other child of multiprocessing it is made from the name of the process, which counts up in its parent.
    """
    torch = sys.modules.get("torch.utils.data")
    worker = None if torch is None else torch.get_worker_info()
    if worker is not None:
        return int(worker.seed)
    if multiprocessing.parent_process() is None:
        return None
    name = multiprocessing.current_process().name.encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")
