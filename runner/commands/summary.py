"""The summary of a run: one object for scripts, a few tables for people."""

import math
import shutil
import sys
from typing import Any

import pandas as pd

from ensembles.experiments.learner_keys import learner_keys
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.markup import marked_text
from ensembles.reports.shared_means import counted_once
from ensembles.reports.significance import Question, default_reference, marked_means
from ensembles.reports.tables import failure_table, without_value
from ensembles.reports.unasked import unasked_heads
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import verdict_sentences
from storage import ExperimentRecord

__all__ = ["results_text", "summarise"]


def summarise(record: ExperimentRecord, results: Results, seconds: float) -> dict[str, Any]:
    """Return what `run --json` prints.

    `dataset` is the key of the catalogue, or the name of a file; `sd` is over trials; what is unknown is null.
    """
    return {
        "experiment": record.id,
        "name": record.name,
        "state": record.state,
        "trials": record.done,
        "failed": record.failed,
        "seconds": round(seconds, 3),
        "verdict": verdict_of(results).to_plain(),
        "results": [one for measure in _measures(results) for one in _cells(results, measure)],
        "failures": failure_table(results).to_dict(orient="records"),
        "notes": [
            *unasked_heads(results),
            *(f"Counted as one data set: {told}" for told in [counted_once(results)] if told),
        ],
    }


def results_text(record: ExperimentRecord, results: Results, seconds: float) -> str:
    """Return what `run` prints: the outcome, and a table of means for each measure."""
    failed = f", {record.failed:,} failed" if record.failed else ""
    total = record.total if record.total is not None else record.done
    parts = [
        f"{record.name} ({record.id}): {record.state}, {record.done:,} of {total:,} trials{failed}, "
        f"{formatting.seconds(seconds)}",
        "\n".join([*verdict_sentences(verdict_of(results)), *unasked_heads(results)]),
    ]
    for measure in _measures(results):
        table = marked_means(results, Question(measure), default_reference(results))
        legend = f"\n{table.sentence} {table.legend('+', '−')}" if table.is_tested else ""
        missing = "".join(f"\n{sentence}" for sentence in without_value(results, measure))
        parts.append(f"{formatting.measure_name(measure)}, mean\n{_on_terminal(marked_text(table))}{legend}{missing}")
    if record.failed:
        failures = failure_table(results)[["Learner", "Data set", "Trials", "Failure"]].itertuples(index=False)
        told = [f"{learner} on {dataset}: {n:,} x {failure}" for learner, dataset, n, failure in failures]
        parts.append("\n".join(["Failed trials", *told]))
    return "\n\n".join(parts)


def _on_terminal(table: pd.DataFrame) -> str:
    """Return a table; where its columns are too many for the terminal, with a line a learner, and data sets in blocks.

    In a file or a pipe there is room for all of them.
    """
    width = shutil.get_terminal_size((sys.maxsize, 0)).columns
    with pd.option_context("display.unicode.east_asian_width", True):  # such signs, and emoji, are two places wide
        text = table.to_string()
        return text if len(text.partition("\n")[0]) <= width else table.T.to_string(line_width=width)


def _measures(results: Results) -> list[str]:
    wanted = dict.fromkeys((*results.config.measures, *results.config.protocol.own_measures))
    return [measure for measure in wanted if measure in results.measures]


def _cells(results: Results, measure: str) -> list[dict[str, Any]]:
    grids = (results.mean(measure), results.spread(measure), results.n_trials(measure))
    keys = learner_keys(results.config.learners)
    means, spreads, counts = (grid.to_numpy() for grid in grids)
    return [
        {
            "dataset": reference.key or results.dataset_names[d],
            "dataset_label": results.datasets[d],
            "learner": {"method": learner.method, "base": learner.base, "key": keys[m], "label": results.learners[m]},
            "measure": measure,
            "mean": _plain(means[d, m]),
            "sd": _plain(spreads[d, m]),
            "n": int(counts[d, m]),
        }
        for d, reference in enumerate(results.config.datasets)
        for m, learner in enumerate(results.config.learners)
    ]


def _plain(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
