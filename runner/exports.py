"""The results of an experiment as a file."""

import html
import io

import pandas as pd

from ensembles.errors import InvalidInput
from ensembles.reports import words
from ensembles.reports.markup import frame_html, frame_latex, marked_html, marked_latex
from ensembles.reports.results import Results
from ensembles.reports.significance import Question, all_pairs, marked_means, rank_learners, rank_table
from ensembles.reports.tables import failure_table, summary_table, to_csv, trial_table

__all__ = ["export_results"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; color: light-dark(#1d2326, #e8e8e3); background: light-dark(#fcfcfa, #15191b); }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.8rem; text-align: right; border-bottom: 1px solid light-dark(#e4e4dd, #2c3336); }
.left { text-align: left; }
.better { color: light-dark(#007a59, #2cc295); }
.worse { color: light-dark(#b34f00, #ff8a45); }
p { max-width: 46rem; color: light-dark(#5f676b, #a3abae); }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def export_results(results: Results, form: str, measure: str | None = None) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    form : {"csv", "parquet", "latex", "html", "yaml"}
        Every trial as a row (csv, parquet); means with their significance, pairs and ranks (latex, html: a page that
        needs no other file and no network); or the experiment file (yaml).
    measure : str, optional
        Of the tables in latex and html; every one of the experiment when not given.

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
    measures = _checked_measures(results, measure)
    return (_latex(results, measures) if form == "latex" else _page(results, measures)).encode()


def _checked_measures(results: Results, measure: str | None) -> list[str]:
    if measure is None:
        return [wanted for wanted in results.config.measures if wanted in results.measures]
    if measure not in results.measures:
        known = ", ".join(results.measures) or "none yet, no trial has ended"
        raise InvalidInput(f"measure must be one of the experiment's ({known}), got {measure!r}")
    return [measure]


def _latex(results: Results, measures: list[str]) -> str:
    parts = [part for measure in measures for part in _latex_parts(results, Question(measure))]
    return "\n".join(parts) or "% No trial has ended yet.\n"


def _latex_parts(results: Results, question: Question) -> list[str]:
    parts = [marked_latex(marked_means(results, question))]
    ranks = rank_learners(results, question)
    if ranks.has_answer:
        parts += [f"% {' '.join(ranks.sentence.split())}", frame_latex(rank_table(ranks))]
    return parts


def _page(results: Results, measures: list[str]) -> str:
    config = results.config
    facts = (
        f"{words.plural(len(config.datasets), 'data set')}, {words.plural(len(config.learners), 'learner')}, "
        f"{config.protocol.sentence}, seed {config.seed}, {words.plural(len(results.trials), 'trial')}."
    )
    body = [_heading(1, config.name), _said(facts)]
    for measure in measures:
        body += _measure_parts(results, Question(measure))
    body += [_heading(2, "Summary"), _said("Mean and standard deviation over trials."), _table(summary_table(results))]
    if not results.failed.empty:
        body += [_heading(2, "Failed trials"), _said("Left out of every mean."), _table(failure_table(results))]
    body += [_heading(2, "Experiment"), f"<div><pre>{html.escape(config.to_yaml())}</pre></div>"]
    return _PAGE.format(title=html.escape(config.name), style=_STYLE, body="\n".join(body))


def _measure_parts(results: Results, question: Question) -> list[str]:
    table, pairs, ranks = (
        marked_means(results, question),
        all_pairs(results, question),
        rank_learners(results, question),
    )
    name = words.measure_name(question.measure)
    parts = [_heading(2, name), f"<div>{marked_html(table)}</div>"]
    parts.append(_said(f"{table.legend()} {table.sentence} {table.assumes}"))
    parts += [_heading(3, f"{name}: all pairs"), f"<div>{frame_html(pairs.to_frame(), index='')}</div>"]
    parts += [_said(pairs.sentence), _heading(3, f"{name}: ranks over data sets")]
    if ranks.has_answer:
        parts.append(_table(rank_table(ranks)))
    return [*parts, _said(f"{ranks.sentence} {ranks.holm_sentence if ranks.has_answer else ''} {ranks.assumes}")]


def _heading(level: int, text: str) -> str:
    return f"<h{level}>{html.escape(text)}</h{level}>"


def _said(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _table(frame: pd.DataFrame) -> str:
    return f"<div>{frame_html(frame)}</div>"
