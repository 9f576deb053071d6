"""Compile every learner beside a worker, so that trials find their kernels on the disk.

The process has the lowest priority, ends with the worker, and there is one of them for each folder of kernels, however many
workers start. Where all is compiled already, none is started.
"""

import gc
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ensembles.experiments.warm_up import warm_all
from ensembles.jit import compiler_version, kernels_folder
from runner.program import program
from runner.switches import WARM, is_on
from runner.worker_process.parent_watchdog import shut_down_with_parent

try:
    import fcntl
except ImportError:  # on Windows two workers that start together compile the same twice
    fcntl = None  # type: ignore[assignment]

__all__ = ["is_warm", "warm_and_tell", "warm_beside", "warm_in_turn", "warming"]


_LOWEST_PRIORITY = 19


@contextmanager
def warming(niceness: int = _LOWEST_PRIORITY) -> Iterator[None]:
    """Have every learner compiled by another process while the block runs; not with `ENSEMBLE_LAB_WARM=0`."""
    if not is_on(WARM) or is_warm():
        yield
        return
    command, environment = program("warm", "--beside")
    with subprocess.Popen(  # in our session: priorities count within one, where each has its share of the processors
        command,
        stdin=subprocess.PIPE,  # its end tells the process that we are gone
        stdout=subprocess.DEVNULL,
        env=environment,
        creationflags=getattr(subprocess, "IDLE_PRIORITY_CLASS", 0),  # on Windows
    ) as process:
        if hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
        try:
            yield
        finally:
            process.kill()  # Numba puts files in place whole


def warm_beside() -> None:
    """Compile every learner, until it is done or the parent has gone, unless another one is at it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is for the worker
    shut_down_with_parent(lambda: os._exit(0))
    with _alone(wait=False) as is_alone:
        if is_alone and not is_warm():
            warm_and_tell()


def warm_in_turn() -> int:
    """Do as `warm_and_tell`, once nobody else is at it: what two compile at the same time is compiled twice."""
    with _alone(wait=True):
        return warm_and_tell()


@contextmanager
def _alone(*, wait: bool) -> Iterator[bool]:
    """Let one process at a time compile for this folder of kernels; tell whether this is the one, if it does not wait."""
    kernels_folder().mkdir(parents=True, exist_ok=True)
    with (kernels_folder() / "warming.lock").open("a") as lock:
        try:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True


def warm_and_tell() -> int:
    """Compile every learner, leave a mark that it was done, and return how many pairs of method and base model there are."""
    # What the compiler keeps is not looked through again and again: a sixth of the time went there, and a tenth to the rest.
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 20)
    try:
        pairs = warm_all(lambda *_: gc.freeze())
    finally:
        gc.set_threshold(*before)
    kernels_folder().mkdir(parents=True, exist_ok=True)
    _mark().touch()
    return pairs


def is_warm() -> bool:
    """Return whether every learner was compiled by these sources, with this Numba, for this processor."""
    return _mark().exists()


def _mark() -> Path:
    return kernels_folder() / f"warm-{compiler_version()}"
