"""What the interface answers, declared: `openapi.json` says the same."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from storage.access import Role, Scope, Visibility
from storage.records import Sorting, State
from storage.running.records import ModelState

__all__ = [
    "CatalogueEntry",
    "Dataset",
    "Experiment",
    "ExperimentWithDocument",
    "Health",
    "Learner",
    "Page",
    "Sorting",
    "State",
    "Summary",
    "TrainedModel",
    "Trial",
    "Visibility",
    "WhoAmI",
]

_Item = TypeVar("_Item")


class Page(BaseModel, Generic[_Item]):
    """A part of a list."""

    items: list[_Item]
    total: Annotated[int, Field(description="How many there are in all.")]
    limit: int
    offset: int


class Experiment(BaseModel):
    """An experiment as it stands; moments are in UTC."""

    id: str
    name: str
    state: State
    owner: Annotated[str | None, Field(description="Who launched it; null: nobody who signs in.")]
    visibility: Visibility
    priority: int
    paused: bool
    created: datetime
    started: datetime | None
    finished: datetime | None
    trials: Annotated[int | None, Field(description="How many there will be; null until that is known.")]
    done: Annotated[int, Field(description="Trials that have ended, failed ones too.")]
    failed: int
    seconds_left: Annotated[
        float | None, Field(description="An estimate, while it runs; the last, where it waits again.")
    ]
    seconds: Annotated[
        float | None, Field(description="How long it ran, without the turn that it is in; null in its first.")
    ]
    message: Annotated[str | None, Field(description="Why it failed or waits again, or that it was imported.")]
    stalled: Annotated[bool, Field(description="Whether its runner has gone silent and no other has taken it yet.")]
    starred: bool
    archived: bool
    notes: Annotated[str, Field(description="Markdown of a user.")]
    tags: list[str]
    best_learner: Annotated[int | None, Field(description="Position of the learner with the lowest mean error.")]
    best_error: float | None
    deleted: Annotated[datetime | None, Field(description="Since when it is in the bin.")]
    unreadable: Annotated[
        str | None, Field(description="Why this installation cannot open it, but cancel and delete it; null: it can.")
    ]


class ExperimentWithDocument(Experiment):
    """An experiment as it stands, with the document that was launched."""

    document: Annotated[dict[str, Any], Field(description="What `docs/experiments.md` describes.")]


class _Pair(BaseModel):
    """A learner on a data set of an experiment."""

    dataset: Annotated[int, Field(description="Position among the data sets of the document.")]
    dataset_label: str
    learner: Annotated[int, Field(description="Position among the learners of the document.")]
    learner_label: str


class TrainedModel(_Pair):
    """A learner of an experiment trained on all examples of a data set, or as a stream has left it, or the wish for it."""

    of_trial: Annotated[bool, Field(description="Whether it is what a trial on a stream has ended with, or come to.")]
    state: ModelState
    asked: datetime
    ended: Annotated[datetime | None, Field(description="When it was ready, or had failed.")]
    message: Annotated[str | None, Field(description="Why it failed.")]
    size: Annotated[int, Field(description="Bytes of `model.skops`; 0 until it is ready.")]


class Trial(_Pair):
    """One learner on one split in one order."""

    repeat: int
    fold: int
    order: int
    measures: dict[str, float | None]
    fit_seconds: float | None
    predict_seconds: float | None
    fit_cpu_seconds: float | None
    predict_cpu_seconds: float | None
    members_used: int
    n_train: int
    n_test: int
    stopped: Annotated[str | None, Field(description="Why training ended early.")]
    error: Annotated[str | None, Field(description="Why it failed.")]


class SummaryLearner(BaseModel):
    """A learner of a summary."""

    method: str
    base: str | None
    key: str
    label: str


class Mean(BaseModel):
    """How well a learner did on a data set, over its trials."""

    dataset: str
    dataset_label: str
    learner: SummaryLearner
    measure: str
    mean: float | None
    sd: float | None
    n: int


class Summary(BaseModel):
    """What `python -m runner run --json` prints."""

    experiment: str
    name: str
    state: State
    trials: int
    failed: int
    seconds: float
    verdict: Annotated[dict[str, Any] | None, Field(description="What can be concluded, if anything can.")]
    results: list[Mean]
    failures: list[dict[str, Any]]
    notes: Annotated[
        list[str], Field(description="Which means are not of the same examples, and which data sets count as one.")
    ]


class Dataset(BaseModel):
    """A stored data set."""

    sha256: str
    name: str
    rows: int
    nominal: int
    numeric: int
    classes: int
    missing_cells: int
    source: str
    created: datetime
    experiments: Annotated[int, Field(description="How many experiments that you may see use it.")]
    owner: str | None
    visibility: Visibility
    packed_bytes: int
    deleted: Annotated[datetime | None, Field(description="Since when it is in the bin.")]
    in_batches: Annotated[bool, Field(description="Whether it is a file that is read in batches where it lies.")]


class UploadedDataset(Dataset):
    """A data set that was just stored."""

    notices: Annotated[list[str], Field(description="Which columns were left out though nobody asked for it.")]


class Learner(BaseModel):
    """A method or a base model."""

    key: str
    kind: Literal["method", "base"]
    name: str
    family: str
    summary: str
    source: str
    online: bool
    order_matters: bool
    weighted: bool
    binary_only: bool
    installed: bool
    bases: list[str]
    parameters: list[dict[str, Any]]


class CatalogueEntry(BaseModel):
    """A data set that comes along, is generated, or can be fetched."""

    key: str
    name: str
    rows: int
    attributes: int
    nominal: int
    numeric: int
    classes: int
    origin: str
    offline: bool
    citation: str
    licence: str
    note: str
    settings: list[dict[str, Any]]


class WhoAmI(BaseModel):
    """Who asks, and what the token is good for."""

    kind: Literal["program", "user", "link", "nobody"]
    name: str
    role: Role | None
    scopes: Annotated[list[Scope] | None, Field(description="Of the token; null without one.")]


class Health(BaseModel):
    """Whether the interface can be used."""

    status: Literal["ok", "unavailable"]
    problems: list[str]
