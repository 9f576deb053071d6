"""Means with their standard deviations as a LaTeX table (booktabs), the best of each data set bold."""

from __future__ import annotations

import numpy as np

from ensembles.experiments.results import Results, check_learners
from ensembles.reports import formatting
from ensembles.reports.markup import latex_table, latex_text
from ensembles.reports.tables import without_value
from ensembles.reports.unasked import unasked_heads

__all__ = ["means_latex"]


def means_latex(results: Results, measure: str) -> str:
    """Return a complete `table`: mean ± standard deviation over trials, one row a data set; bold is the best mean.

    Where several share the best mean, to the digits shown, all of them are bold.
    """
    check_learners("means_latex", results)
    means, spread = results.mean(measure).map(formatting.as_shown).to_numpy(), results.spread(measure).to_numpy()
    sign = -1.0 if formatting.lower_is_better(measure) else 1.0
    rows = []
    for name, own, sds in zip(results.datasets, means, spread, strict=True):
        known = own[np.isfinite(own)]
        best = (sign * known).max() if len(known) > 1 else np.inf
        cells = [_cell(mean, sd, is_best=bool(sign * mean == best)) for mean, sd in zip(own, sds, strict=True)]
        rows.append([latex_text(name), *cells])
    caption = f"{formatting.measure_name(measure)}, mean ± standard deviation over trials. Bold: the best mean."
    if not results.failed.empty:
        failed = formatting.pluralize(len(results.failed), "trial")
        caption += f" {failed} failed: a mean is of the splits that its learner finished."
    caption = " ".join([caption, *without_value(results, measure), *unasked_heads(results)])
    return "% needs \\usepackage{booktabs}\n" + latex_table(caption, results.learners, rows)


def _cell(mean: float, spread: float, *, is_best: bool) -> str:
    if not np.isfinite(mean):
        return latex_text(formatting.UNKNOWN)
    sd = rf" $\pm$ {formatting.number(spread)}" if np.isfinite(spread) else ""
    text = f"{latex_text(formatting.number(mean))}{sd}"
    return rf"\textbf{{{text}}}" if is_best else text
