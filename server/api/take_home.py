"""Models to take home: learners of an experiment, trained on all examples of a data set, or as a stream has left them."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from runner.model_export import file_name_of, find_place, pack_model
from server.api.experiments import ExperimentId
from server.api.files import attachment
from server.api.identity import AsAsked
from server.api.models import TrainedModel
from server.api.turns import WRITING
from storage import ExperimentRecord, ModelRecord

__all__ = ["model_routes"]

_SUFFIX = ".model.zip"

model_routes = APIRouter(prefix="/experiments/{id}/models", tags=["models"])

Name = Annotated[str | None, Query(description="As the results show it, or its key; left out where there is only one.")]

OfTrial = Annotated[
    bool,
    Query(
        description="What the trial of the first order on a stream has ended with, or come to; else of all examples."
    ),
]


@model_routes.get("")
def list_models(storage: AsAsked, id: ExperimentId) -> list[TrainedModel]:
    """List the models that somebody wished for, or that trials on streams have left, as they stand."""
    record = storage.get_experiment(id)
    return [_told(record, model) for model in storage.list_models(id)]


@model_routes.post("", status_code=202)
def request_model(
    storage: AsAsked, id: ExperimentId, learner: Name = None, dataset: Name = None, of_trial: OfTrial = False
) -> TrainedModel:
    """Have a model made; one that is there, or comes, stays, and one that failed is tried again."""
    record = storage.get_experiment(id)
    place = find_place(record.config, dataset, learner)
    return _told(record, storage.request_model(id, *place, of_trial=of_trial))


@model_routes.get("/file", response_class=Response)
def download_model(
    storage: AsAsked, id: ExperimentId, learner: Name = None, dataset: Name = None, of_trial: OfTrial = False
) -> Response:
    """Download a model that is ready: a ZIP file of `model.skops`, `card.md`, `example.py` and `model.json`."""
    record = storage.get_experiment(id)
    place = find_place(record.config, dataset, learner)
    with WRITING.turn():
        content = pack_model(storage, record, *storage.load_model(id, *place, of_trial=of_trial))
    name = file_name_of(record, *place).removesuffix(_SUFFIX)
    return attachment(content, name, _SUFFIX.removeprefix("."), "application/zip")


def _told(record: ExperimentRecord, model: ModelRecord) -> TrainedModel:
    config = record.config
    return TrainedModel(
        **{name: getattr(model, name) for name in TrainedModel.model_fields if hasattr(model, name)},
        dataset_label=config.dataset_labels()[model.dataset],
        learner_label=config.labels()[model.learner],
    )
