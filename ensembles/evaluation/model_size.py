"""How many bytes a learner takes."""

import pickle
from typing import Any

__all__ = ["bytes_of"]


def bytes_of(learner: Any) -> int:
    """Return the bytes of all arrays that a learner holds, and those of its library beside them."""
    # Arrays leave a pickle of this protocol by the side door, each once, however deep they hide.
    arrays: list[pickle.PickleBuffer] = []
    pickle.dumps(learner, protocol=5, buffer_callback=arrays.append)
    return int(getattr(learner, "model_bytes_outside_", 0)) + sum(array.raw().nbytes for array in arrays)
