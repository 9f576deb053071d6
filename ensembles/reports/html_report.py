"""The report: every table and figure of an experiment on one page that needs no other file and no network."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from plotly.io import to_json
from plotly.offline import get_plotlyjs

from ensembles.evaluation.curves import CURVES
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.results import Results, check_learners
from ensembles.reports import formatting
from ensembles.reports.charts import Chart, first_pair, rank_chart
from ensembles.reports.early_stops import early_stops
from ensembles.reports.first_defaults import first_defaults
from ensembles.reports.formatting import pluralize
from ensembles.reports.html_page import PAGE, SCRIPT, STYLE
from ensembles.reports.leaderboard import win_rate_chart
from ensembles.reports.markup import frame_html, marked_html
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.predictions import left_predictions, mcnemar_reads, mcnemar_table
from ensembles.reports.significance import Question, all_pairs, default_reference, marked_means
from ensembles.reports.tables import LEFT_OUT, failure_table, summary_table, without_value
from ensembles.reports.unasked import unasked_heads
from ensembles.reports.views import View, views_of

__all__ = ["Source", "report_page"]

_PLOTLY_HEIGHT = 450  # of a figure that does not say


@dataclass(frozen=True)
class Source:
    """An experiment of which a comparison is made.

    Attributes
    ----------
    id : str
        By which it is found.
    name : str
    state : str
        How it stands: "finished".
    trials : int
        How many of its trials have ended.
    config : ExperimentConfig
    """

    id: str
    name: str
    state: str
    trials: int
    config: ExperimentConfig


def report_page(
    results: Results, measures: Sequence[str], *, sources: Sequence[Source] = (), notes: Sequence[str] = ()
) -> str:
    """Return the page; figures of curves are there when `results` hold them.

    Parameters
    ----------
    measures : sequence of str
        Which to compare learners by, with marks, pairs and ranks.
    sources : sequence of Source
        The experiments that `results` put together; empty for an experiment.
    notes : sequence of str
        What has to be known of the results, in sentences; may hold text of users.
    """
    check_learners("report_page", results)
    name = results.config.name
    first, *others = views_of(results)
    body = [_heading(1, name), _said(_facts(results, sources)), *map(_said, notes)]
    remarks = [*early_stops(results), *unasked_heads(results), *first_defaults(results.config.learners)]
    body += [*([_table(_source_table(sources))] if sources else []), *map(_said, remarks)]
    body += _view_parts(first, results)
    for measure in measures:
        body += _measure_parts(results, Question(measure))
    if left_predictions(results):
        # without the sentences: p says the same, and there is one for each pair of learners on each data set
        table = mcnemar_table(results).drop(columns="Finding")
        body += [_heading(2, CURVES["predictions"].name), _said(mcnemar_reads(results)), _table(table)]
    for view in others:
        body += _view_parts(view, results)
    body += [_heading(2, "Summary"), _said("Mean and standard deviation over trials."), _table(summary_table(results))]
    if not results.failed.empty:
        body += [_heading(2, "Failed trials"), _said(f"They are {LEFT_OUT}."), _table(failure_table(results))]
    body += _documents(results, sources)
    return PAGE.format(
        title=html.escape(name), style=STYLE, plotly=get_plotlyjs(), body=_numbered("\n".join(body)), script=SCRIPT
    )


def _facts(results: Results, sources: Sequence[Source]) -> str:
    """Return in a sentence what the page is about; experiments of a comparison have protocols and seeds of their own."""
    config = results.config
    own = [f"{config.protocol.sentence}, seed {config.seed}"] if not sources else []
    parts = [
        *([pluralize(len(sources), "experiment")] if sources else []),
        pluralize(len(config.datasets), "data set"),
        pluralize(len(config.learners), "learner"),
        *own,
        pluralize(len(results.trials), "trial"),
    ]
    return f"{', '.join(parts)}."


def _source_table(sources: Sequence[Source]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Experiment": [source.name for source in sources],
            "Protocol": [f"{source.config.protocol.sentence}, seed {source.config.seed}" for source in sources],
            "State": [source.state for source in sources],
            "Id": [source.id for source in sources],
            "Trials": [source.trials for source in sources],
        }
    )


def _documents(results: Results, sources: Sequence[Source]) -> list[str]:
    """Return the experiment as a file that runs again; of a comparison that of each experiment."""
    if not sources:
        return [_heading(2, "Experiment"), _code(results.config.to_yaml())]
    parts = [_heading(2, "Experiments")]
    for source in sources:
        parts += [_heading(3, source.name), _code(source.config.to_yaml())]
    return parts


def _measure_parts(results: Results, question: Question) -> list[str]:
    table, pairs = marked_means(results, question, default_reference(results)), all_pairs(results, question)
    name = formatting.measure_name(question.measure)
    parts = [
        _heading(2, name),
        f"<div>{marked_html(table)}</div>",
        _said(" ".join([table.caption, *without_value(results, question.measure)])),
    ]
    parts += [_heading(3, f"{name}: all pairs"), _figure(win_rate_chart(results, question.measure))]
    wins = f"<div>{frame_html(pairs.to_frame(), index='')}</div>{_said(pairs.sentence)}"
    parts.append(f"<details><summary>Significant wins</summary>{wins}</details>")
    return parts if len(results.datasets) == 1 else [*parts, *_over_datasets(results, question, name)]


def _over_datasets(results: Results, question: Question, name: str) -> list[str]:
    """Return what only several data sets can tell: ranks, and tests of the first two learners."""
    ranks = rank_learners(results, question, default_reference(results))
    parts = [_heading(3, f"{name}: ranks over data sets")]
    if ranks.has_answer:
        parts.append(_figure(rank_chart(results, ranks, question.measure)))
    parts.append(_said(f"{ranks.sentence} {ranks.holm_sentence if ranks.has_answer else ''} {ranks.assumes}"))
    first, second = first_pair(results)
    if first != second:
        pair = f"{results.learners[first]} and {results.learners[second]}"
        parts.append(_heading(3, f"{name}: {pair} over data sets"))
        findings = compare_over_datasets(results, question, first, second).findings
        parts += [_said(f"{finding.sentence} {finding.assumes}") for finding in findings]
    return parts


def _view_parts(view: View, results: Results) -> list[str]:
    """Return the charts of a view under their headings."""
    parts = []
    note = view.note(results)
    for heading, charts in view.sections(results).items():
        parts += [_heading(2, heading), *_noted(note)]
        figures = [_figure(chart) for chart in charts]
        parts += ['<div class="pairs">', *figures, "</div>"] if view.side_by_side else figures
    return parts


def _noted(note: str) -> list[str]:
    """Return what stands above charts; of several lines, as a verdict has, each begins with what it is about."""
    lines = note.split("\n")
    if len(lines) == 1:
        return [_said(note)] if note else []
    cut = [line.partition(": ") for line in lines]
    return [f'<p class="note"><b>{html.escape(lead)}:</b> {html.escape(text)}</p>' for lead, _, text in cut]


def _figure(chart: Chart) -> str:
    """Return a figure in both themes, its words, and its numbers to unfold; without numbers, why there are none."""
    if chart.numbers.empty:
        return _said(chart.caption)
    themes = {theme: json.loads(to_json(chart.draw(theme))) for theme in ("light", "dark")}
    height = themes["light"]["layout"].get("height", _PLOTLY_HEIGHT)
    content = json.dumps(themes).replace("<", "\\u003c")
    means = "" if chart.means is None else _table(chart.means)
    return (
        f'<figure><div class="plot" data-name="{chart.file_name}" style="min-height: {height}px"></div>'
        f'<script type="application/json">{content}</script>\n'
        f"<figcaption>{_said(chart.caption)}</figcaption>{means}"
        f"<details><summary>Numbers</summary>{_table(chart.numbers)}</details></figure>"
    )


def _numbered(body: str) -> str:
    """Return the page with a number behind the names of pictures that are there already: long names may be cut alike."""
    seen: Counter[str] = Counter()

    def told_apart(found: re.Match[str]) -> str:
        seen[found[0]] += 1
        return found[0] if seen[found[0]] == 1 else f"{found[0]}-{seen[found[0]]}"

    return re.sub(r'(?<=<div class="plot" data-name=")[^"]+', told_apart, body)


def _heading(level: int, text: str) -> str:
    return f"<h{level}>{html.escape(text)}</h{level}>"


def _said(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _code(text: str) -> str:
    return f"<div><pre>{html.escape(text)}</pre></div>"


def _table(frame: pd.DataFrame) -> str:
    return f"<div>{frame_html(frame)}</div>"
