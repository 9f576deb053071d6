"""Data sets whose attributes are all 0 or 1."""

import numpy as np
import numpy.typing as npt

from ensembles.data.generators.stream import Made
from ensembles.data.table import Attribute, Table

__all__ = ["bits_made"]


def bits_made(name: str, codes: npt.NDArray[np.int32], labels: npt.NDArray[np.int64], classes: tuple[str, ...]) -> Made:
    """Return examples of the attributes A1, A2, ..., each 0 or 1; `codes` has the shape (n_examples, n_attributes)."""
    attributes = [Attribute(f"A{position}", "nominal", ("0", "1")) for position in range(1, codes.shape[1] + 1)]
    return Made(name, Table.from_columns(attributes, list(codes.T)), labels, classes)
