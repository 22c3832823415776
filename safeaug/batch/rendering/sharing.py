"""A batch shared among threads: made for the call, gone after it."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch


def share(work: Callable[[int], None], count: int, threads: int) -> None:
    """Call ``work(0)`` to ``work(count - 1)``, each once, from several threads of which the calling one is the first.

    The threads do not outlive the call, so that a fork finds none, and nothing of the process is set. The first error
    stops the others after the number that they are at, and is raised here with a note of its own number.

    Examples
    --------
    >>> done = []
    >>> share(done.append, 3, threads=2)
    >>> sorted(done)
    [0, 1, 2]
    """
    left = deque(range(count))

    def run() -> None:
        while left:
            try:
                number = left.popleft()
            except IndexError:  # another thread was quicker
                return
            try:
                work(number)
            except BaseException as error:
                left.clear()
                error.add_note(f"at sample {number} of the batch")
                raise

    # What torch keeps for each thread: a helper is to be as its caller.
    gradients, inference = torch.is_grad_enabled(), torch.is_inference_mode_enabled()

    def help_out() -> None:
        with torch.inference_mode(inference), torch.set_grad_enabled(gradients):
            run()

    helpers = min(threads, count) - 1
    if helpers < 1:
        run()
        return
    with ThreadPoolExecutor(helpers, thread_name_prefix="safeaug") as pool:
        futures = [pool.submit(help_out) for _ in range(helpers)]
        run()
        for future in futures:
            future.result()
