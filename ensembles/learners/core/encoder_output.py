"""What an encoder returns: a Table, or a DataFrame of pandas or Polars as `set_output` of scikit-learn says."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.table import MISSING, Table
from ensembles.errors import InvalidParameter

__all__ = ["checked_output", "given_out"]


def checked_output(output: str) -> str:
    """Return the kind of output, if there is one of this name."""
    if output not in ("default", "pandas", "polars"):
        raise InvalidParameter(f"encode: output must be 'default', 'pandas' or 'polars', got {output!r}")
    return output


def given_out(table: Table, output: str, names: npt.NDArray[np.object_], index: Any) -> Any:
    """Return the encoded examples; in a DataFrame nominal attributes are categories, values never seen are missing.

    Parameters
    ----------
    output : {"default", "pandas", "polars"}
    names : shape (n_attributes,)
    index : of the DataFrame that was encoded, or None
    """
    if output == "default":
        return table
    columns: dict[int, Any] = {}
    for j, attribute in enumerate(table.schema.attributes):
        column: Any = table.column(j)
        if attribute.kind == "nominal":
            column = pd.Categorical.from_codes(
                np.maximum(column, MISSING), categories=pd.Index(attribute.categories, dtype=object)
            )
        columns[j] = column
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(table)) if index is None else index)
    frame.columns = pd.Index(names)
    return frame if output == "pandas" else import_module("polars").from_pandas(frame)
