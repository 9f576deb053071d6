"""The end of a worker process, whatever it does."""

import os
import signal
from typing import Any

__all__ = ["end_process", "leave"]


def end_process(dask_worker: Any) -> None:
    """End the process of a worker; runs in the nanny beside it, which then starts another one.

    The nanny's own restart first asks nicely, and waits for seconds.
    """
    os.kill(dask_worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


async def leave(dask_worker: Any) -> None:
    """End a worker beside which there is no nanny, with its process if that has no other; runs in the worker."""
    await dask_worker.close(nanny=False, executor_wait=False, reason="a trial went beyond its limits")
