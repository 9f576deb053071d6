"""How many examples Hypothesis draws for a test."""

import os

import numba
from hypothesis import settings

__all__ = ["drawn"]


def drawn(count):
    """Return the settings of a test on so many examples if `DRAWN` is "whole", as in `make coverage`, or on half of them.

    Without the compiler, for its lines only, these are a fifth.
    """
    count = count if os.environ.get("DRAWN") == "whole" else count // 2
    return settings(max_examples=count // 5 if numba.config.DISABLE_JIT else count, deadline=None)
