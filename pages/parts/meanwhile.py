"""What takes long, done beside the page: Streamlit hears what is chosen meanwhile only between two calls of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from time import monotonic
from typing import TypeVar

__all__ = ["do_meanwhile"]

_PAUSE = 0.3  # seconds: so long a click may wait
_threads = ThreadPoolExecutor(8, thread_name_prefix="meanwhile")  # what pages that are gone wait for ends, one by one

_T = TypeVar("_T")


def do_meanwhile(work: Callable[[], _T], tell: Callable[[float], object]) -> _T:
    """Return what `work` returns, or raise what it raises.

    Parameters
    ----------
    work : callable
        Called in another thread, so without Streamlit and without who looks at the page.
    tell : callable
        Called again and again with the seconds gone, until that is done. It calls Streamlit, which ends the page there when
        something else was chosen; work that has not begun by then is left.
    """
    begun, working = monotonic(), _threads.submit(work)
    try:
        while not wait((working,), _PAUSE).done:
            tell(monotonic() - begun)
    finally:
        working.cancel()
    return working.result()
