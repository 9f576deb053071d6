"""The report: every table and figure of an experiment on one page that needs no other file and no network."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence

import pandas as pd
from plotly.io import to_json
from plotly.offline import get_plotlyjs

from ensembles.evaluation.curves import CURVES
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import Chart, first_pair, rank_chart
from ensembles.reports.early_stops import early_stops
from ensembles.reports.formatting import pluralize
from ensembles.reports.leaderboard import win_rate_chart
from ensembles.reports.markup import frame_html, marked_html
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.predictions import MCNEMAR_READS, left_predictions, mcnemar_table
from ensembles.reports.significance import Question, all_pairs, marked_means
from ensembles.reports.tables import failure_table, summary_table
from ensembles.reports.views import View, views_of

__all__ = ["report_page"]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; color: light-dark(#11171a, #e8e8e3); background: light-dark(#fcfcfa, #15191b); }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.8rem; text-align: right; border-bottom: 1px solid light-dark(#e4e4dd, #2c3336); }
.left { text-align: left; }
.better { color: light-dark(#007a59, #2cc295); }
.worse { color: light-dark(#b34f00, #ff8a45); }
p { max-width: 46rem; color: light-dark(#5f676b, #a3abae); }
figure { margin: 1.5rem 0; }
summary { cursor: pointer; }
@page { margin: 15mm; }
@media print {
  :root { color-scheme: light; }
  body { margin: 0; max-width: none; font-size: 10pt; background: #fff; }
  div { overflow: visible; }
  h1, h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  details, .modebar { display: none !important; }
  th, td { padding: 0.15rem 0.4rem; }
  pre { white-space: pre-wrap; }
}
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
"""

# Figures are drawn when they come into sight, all of them, on white, before printing: a report may have hundreds.
_SCRIPT = """
const own = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const draw = (place, theme) => {
  seen.unobserve(place);
  const figure = JSON.parse(place.nextElementSibling.textContent)[theme];
  const png = {name: "Download as PNG", icon: Plotly.Icons.disk,
    click: plot => Plotly.downloadImage(plot, {format: "png", scale: 3, filename: place.dataset.name})};
  Plotly.react(place, figure.data, figure.layout, {displaylogo: false, responsive: true,
    toImageButtonOptions: {format: "svg", filename: place.dataset.name}, modeBarButtonsToAdd: [png]});
};
const seen = new IntersectionObserver(
  found => found.filter(one => one.isIntersecting).forEach(one => draw(one.target, own)), {rootMargin: "600px"});
const all = () => document.querySelectorAll(".plot");
all().forEach(place => seen.observe(place));
addEventListener("beforeprint", () => all().forEach(place => draw(place, "light")));
addEventListener("afterprint", () => all().forEach(place => draw(place, own)));
"""

_PLOTLY_HEIGHT = 450  # of a figure that does not say

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
<script>{plotly}</script>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


def report_page(results: Results, measures: Sequence[str]) -> str:
    """Return the page; figures of curves are there when `results` hold them.

    Parameters
    ----------
    measures : sequence of str
        Which to compare learners by, with marks, pairs and ranks.
    """
    config = results.config
    facts = (
        f"{pluralize(len(config.datasets), 'data set')}, {pluralize(len(config.learners), 'learner')}, "
        f"{config.protocol.sentence}, seed {config.seed}, {pluralize(len(results.trials), 'trial')}."
    )
    first, *others = views_of(results)
    body = [_heading(1, config.name), _said(facts), *map(_said, early_stops(results)), *_view_parts(first, results)]
    for measure in measures:
        body += _measure_parts(results, Question(measure))
    if left_predictions(results):
        body += [_heading(2, CURVES["predictions"].name), _said(MCNEMAR_READS), _table(mcnemar_table(results))]
    for view in others:
        body += _view_parts(view, results)
    body += [_heading(2, "Summary"), _said("Mean and standard deviation over trials."), _table(summary_table(results))]
    if not results.failed.empty:
        body += [_heading(2, "Failed trials"), _said("Left out of every mean."), _table(failure_table(results))]
    body += [_heading(2, "Experiment"), f"<div><pre>{html.escape(config.to_yaml())}</pre></div>"]
    return _PAGE.format(
        title=html.escape(config.name), style=_STYLE, plotly=get_plotlyjs(), body="\n".join(body), script=_SCRIPT
    )


def _measure_parts(results: Results, question: Question) -> list[str]:
    table, pairs, ranks = (
        marked_means(results, question),
        all_pairs(results, question),
        rank_learners(results, question),
    )
    name = formatting.measure_name(question.measure)
    parts = [_heading(2, name), f"<div>{marked_html(table)}</div>", _said(table.caption)]
    parts += [_heading(3, f"{name}: all pairs"), _figure(win_rate_chart(results, question.measure))]
    parts.append(f"<details><summary>Significant wins</summary>{frame_html(pairs.to_frame(), index='')}</details>")
    parts += [_said(pairs.sentence), _heading(3, f"{name}: ranks over data sets")]
    if ranks.has_answer:
        parts.append(_figure(rank_chart(results, ranks)))
    parts.append(_said(f"{ranks.sentence} {ranks.holm_sentence if ranks.has_answer else ''} {ranks.assumes}"))
    first, second = first_pair(results)
    if first != second:
        parts.append(_heading(3, f"{name}: two learners over data sets"))
        findings = compare_over_datasets(results, question, first, second).findings
        parts += [_said(f"{finding.sentence} {finding.assumes}") for finding in findings]
    return parts


def _view_parts(view: View, results: Results) -> list[str]:
    """Return the charts of a view under their headings."""
    parts = []
    for heading, charts in view.sections(results).items():
        note = view.note(results)
        parts += [_heading(2, heading), *([_said(note)] if note else [])]
        figures = [_figure(chart) for chart in charts]
        parts += ['<div class="pairs">', *figures, "</div>"] if view.side_by_side else figures
    return parts


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


def _heading(level: int, text: str) -> str:
    return f"<h{level}>{html.escape(text)}</h{level}>"


def _said(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _table(frame: pd.DataFrame) -> str:
    return f"<div>{frame_html(frame)}</div>"
