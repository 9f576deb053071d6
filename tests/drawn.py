"""How many examples Hypothesis draws for a test."""

import numba
from hypothesis import settings

__all__ = ["drawn"]


def drawn(count):
    """Return the settings of a test on so many examples; without the compiler, for its lines only, a fifth of them."""
    return settings(max_examples=count // 5 if numba.config.DISABLE_JIT else count, deadline=None)
