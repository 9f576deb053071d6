"""The results of an experiment as a file."""

import io
from collections.abc import Callable

from ensembles.errors import InvalidInput
from ensembles.reports import words
from ensembles.reports.results import Results
from ensembles.reports.tables import mean_table, to_csv, trial_table

__all__ = ["export_results"]

_LATEX = {
    "\\": r"\textbackslash ",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde ",
    "^": r"\textasciicircum ",
}


def export_results(results: Results, form: str, measure: str | None = None) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    form : {"csv", "parquet", "latex", "html", "yaml"}
        Every trial as a row (csv, parquet), the table of means (latex, html), or the experiment file (yaml).
    measure : str, optional
        Of the table of means; the first one of the experiment when not given.

    Raises
    ------
    InvalidInput
        The experiment has no such measure.
    """
    if form == "yaml":
        return results.config.to_yaml().encode()
    if form == "csv":
        return to_csv(trial_table(results)).encode()
    if form == "parquet":
        buffer = io.BytesIO()
        trial_table(results).to_parquet(buffer, index=False)
        return buffer.getvalue()
    tables: dict[str, Callable[[Results, str], str]] = {"latex": _latex_table, "html": _html_table}
    return tables[form](results, _checked_measure(results, measure)).encode()


def _checked_measure(results: Results, measure: str | None) -> str:
    measure = measure or results.config.measures[0]
    if measure not in results.measures:
        known = ", ".join(results.measures) or "none yet, no trial has ended"
        raise InvalidInput(f"measure must be one of the experiment's ({known}), got {measure!r}")
    return measure


def _html_table(results: Results, measure: str) -> str:
    table = mean_table(results, measure).map(words.number)
    return str(table.to_html(escape=True, border=0)) + "\n"


def _latex_table(results: Results, measure: str) -> str:
    table = mean_table(results, measure).map(words.number)
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\hline",
        _latex_row(["", *table.columns]),
        r"\hline",
        *(_latex_row([name, *cells]) for name, *cells in table.itertuples()),
        r"\hline",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: list[str]) -> str:
    return " & ".join(_latex_text(cell) for cell in cells) + r" \\"


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
