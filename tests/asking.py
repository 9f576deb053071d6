"""Run what is asynchronous, such as an application of the server without a server, in tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["run"]


def run(coroutine: Coroutine[Any, Any, object]) -> None:
    """Run to the end in a thread of its own: browser tests keep a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()
