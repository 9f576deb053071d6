"""What experiments left behind: trials, their means, and both as files."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.reports.verdict import reads_predictions
from runner.commands.summary import summarise
from runner.exports import csv_of_trials, export_results
from server.api.experiments import ExperimentId, Offset
from server.api.files import FILE_FORMATS, attachment, file_answers
from server.api.identity import AsAsked
from server.api.models import Page, Summary, Trial
from server.api.turns import WRITING

__all__ = ["result_routes"]

result_routes = APIRouter(prefix="/experiments/{id}", tags=["results"])


@result_routes.get("/trials")
def list_trials(
    storage: AsAsked, id: ExperimentId, limit: Annotated[int, Query(ge=1, le=1000)] = 200, offset: Offset = 0
) -> Page[Trial]:
    """List the trials that have ended, in the order in which they did; repeats, folds and orders are counted from 0."""
    record = storage.get_experiment(id)
    datasets, learners = record.config.dataset_labels(), record.config.labels()
    found = storage.list_trials(id, limit, offset, with_curves=False)
    items = [_trial(plan, result, datasets[plan.dataset], learners[plan.learner]) for plan, result in found]
    return Page(items=items, total=record.done, limit=limit, offset=offset)


@result_routes.get("/results")
def get_results(storage: AsAsked, id: ExperimentId) -> Summary:
    """Tell means over the trials that have ended, and what can be concluded from them."""
    record = storage.get_experiment(id)
    with WRITING.turn():
        results = storage.load_results(id, with_curves=reads_predictions(record.config))
        return Summary(**summarise(record, results, record.seconds or 0.0))


@result_routes.get("/export", response_class=Response, responses=file_answers("application/yaml"))
def export_experiment(
    storage: AsAsked, id: ExperimentId, format: Literal["csv", "parquet", "yaml"] = "csv"
) -> Response:
    """Download every trial as a row (csv, parquet), or the document that was launched (yaml)."""
    record = storage.get_experiment(id)
    if format == "yaml":
        return attachment(record.document.to_yaml().encode(), record.name, format, "application/yaml")
    with WRITING.turn():
        results = storage.load_results(id, with_curves=False)
        content = csv_of_trials(results) if format == "csv" else export_results(results, format)
        return attachment(content, record.name, format, FILE_FORMATS[format])


def _trial(plan: TrialPlan, result: TrialResult, dataset: str, learner: str) -> Trial:
    facts = vars(plan) | vars(result) | {"dataset_label": dataset, "learner_label": learner}
    return Trial(**facts)
