"""Bias and variance beside the error they sum to."""

import pandas as pd

from ensembles.reports import words
from ensembles.reports.results import Results

__all__ = ["decomposition_table", "is_decomposed"]

_PARTS = ("error", "bias", "variance")


def is_decomposed(results: Results) -> bool:
    """Whether trials left bias and variance."""
    return set(_PARTS) <= set(results.measures)


def decomposition_table(results: Results) -> pd.DataFrame:
    """Return one row for each data set and learner: mean error, bias, variance, and the share of the error that is variance.

    Rows without a finished trial are left out; the share of no error is unknown.
    """
    means = {part: results.mean(part).to_numpy() for part in _PARTS}
    rows = [
        {"Data set": name, "Learner": learner, **{words.measure_name(part): means[part][d, m] for part in _PARTS}}
        for d, name in enumerate(results.datasets)
        for m, learner in enumerate(results.learners)
    ]
    table = pd.DataFrame(rows).dropna(ignore_index=True)
    error = table[words.measure_name("error")]
    table["Share of variance"] = (table[words.measure_name("variance")] / error).where(error > 0)
    return table
