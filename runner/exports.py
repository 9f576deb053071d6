"""The results of an experiment as a file."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ensembles.data import Dataset
from ensembles.data.source import Source as Stream
from ensembles.data.spreadsheets import csv_parts
from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import contents_of
from ensembles.experiments.results import Results
from ensembles.reports.html_report import Source, report_page
from ensembles.reports.latex_means import means_latex
from ensembles.reports.markup import frame_latex, marked_latex
from ensembles.reports.over_datasets import rank_learners, rank_table
from ensembles.reports.predictions import has_predictions, left_predictions, mcnemar_reads, mcnemar_table
from ensembles.reports.significance import Question, default_reference, marked_means
from ensembles.reports.tables import trial_table
from ensembles.reports.views import VIEWS
from storage import ExperimentRecord

__all__ = ["csv_of_trials", "export_results", "reads_curves", "sources_of", "state_notes"]


def reads_curves(form: str, config: ExperimentConfig) -> bool | tuple[str, ...]:
    """Return whether a file of this form holds anything of curves, or the names of those; else they need not be loaded."""
    if form == "html":
        return tuple(dict.fromkeys(name for view in VIEWS for name in view.names_of_curves(config)))
    return form == "latex" and has_predictions(config)


def export_results(
    results: Results,
    form: str,
    measure: str | None = None,
    *,
    find_stored: Callable[[str], Dataset | Stream] | None = None,
    sources: Sequence[Source] = (),
    notes: Sequence[str] = (),
) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    form : {"csv", "parquet", "latex", "html"}
        Every trial as a row (csv, parquet); means with their significance, ranks and McNemar's test (latex); or the report
        with all tables and figures, a page that needs no other file and no network (html).
    measure : str, optional
        Of the tables in latex and html; every one of the experiment when not given.
    find_stored : callable, optional
        From a content hash to the stored data set; raises `NotFound`. With it the report names classes and examples.
    sources : sequence of Source
        The experiments that a comparison in html puts together.
    notes : sequence of str
        What else has to be known of the results in html.

    Raises
    ------
    InvalidInput
        The experiment has no such measure.
    """
    if form == "csv":
        return b"".join(csv_of_trials(results))
    if form == "parquet":
        buffer = io.BytesIO()
        trial_table(results).to_parquet(buffer, index=False)
        return buffer.getvalue()
    measures = _checked_measures(results, measure)
    if form == "latex":
        return _latex(results, measures).encode()
    if find_stored is not None:
        results = replace(results, content=contents_of(results.config.datasets, find_stored))
    return report_page(results, measures, sources=sources, notes=notes).encode()


def csv_of_trials(results: Results) -> Iterator[bytes]:
    """Yield every trial as a row of CSV, some thousands at a time, so that the first are there at once."""
    return (part.encode() for part in csv_parts(trial_table(results)))


def sources_of(records: Sequence[ExperimentRecord]) -> list[Source]:
    """Return what the report of a comparison says of its experiments."""
    return [Source(one.id, one.name, one.state, one.done, one.document) for one in records]


def state_notes(record: ExperimentRecord) -> list[str]:
    """Return what a report has to say of an experiment that is not finished, or that ran elsewhere."""
    told = [record.message] if record.is_final and record.message else []
    if record.state == "finished":
        return told
    planned = f" of {record.total:,}" if record.total else ""
    return [f"Not all of it: the experiment was {record.state}, {record.done:,}{planned} trials had ended.", *told]


def _checked_measures(results: Results, measure: str | None) -> list[str]:
    if measure is None:
        return [wanted for wanted in results.config.measures if wanted in results.measures]
    if measure not in results.measures:
        known = ", ".join(results.measures) or "none yet, no trial has ended"
        raise InvalidInput(f"measure must be one of the experiment's ({known}), got {measure!r}")
    return [measure]


def _latex(results: Results, measures: list[str]) -> str:
    parts = [part for measure in measures for part in _latex_parts(results, Question(measure))]
    if parts and left_predictions(results):
        parts += [f"% {mcnemar_reads(results)}", frame_latex(mcnemar_table(results).drop(columns="Finding"))]
    return "\n".join(parts) or "% No trial has ended yet.\n"


def _latex_parts(results: Results, question: Question) -> list[str]:
    reference = default_reference(results)
    parts = [means_latex(results, question.measure), marked_latex(marked_means(results, question, reference))]
    ranks = rank_learners(results, question, reference)
    if ranks.has_answer:
        parts += [f"% {' '.join(ranks.sentence.split())}", frame_latex(rank_table(ranks))]
    return parts
