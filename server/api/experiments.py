"""Experiments: list, launch, look at, and everything that may become of one."""

import json
import re
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, Request, Response
from fastapi import Path as InPath

from ensembles.data import Dataset
from ensembles.data.catalogue import is_source, open_source
from ensembles.data.names import clean_text
from ensembles.errors import InvalidConfig, NotFound
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import check_installed
from ensembles.experiments.trials import check_streamed, count_trials
from ensembles.experiments.yaml_io import shown
from server.api.bodies import Document
from server.api.identity import AsAsked
from server.api.models import Experiment, ExperimentWithDocument, Page, Sorting, State, Visibility
from storage import ExperimentRecord, Wanted, default_visibility
from storage.running.turns import MOST_PRIORITY

__all__ = ["ExperimentId", "Limit", "Name", "Offset", "SeenBy", "experiment_routes", "told_experiment"]

ExperimentId = Annotated[str, InPath(pattern="^[A-Za-z0-9]{1,64}$", description="As in the link of its page.")]
Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Name = Annotated[str, Query(min_length=1, max_length=200, description="At most 200 characters.")]
SeenBy = Annotated[Visibility | None, Query(description="Who sees it, besides its owner; else as usual in this lab.")]
Priority = Annotated[
    int,
    Query(ge=-MOST_PRIORITY, le=MOST_PRIORITY, description="Each step doubles its share; above 0 is for admins."),
]
Launched = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern="^[!-~]{16,100}$",
        description="Something random, such as a UUID: what is sent again with it launches nothing more.",
    ),
]

# As they are, YAML refuses them, or takes them for the end of a line.
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")

_EXAMPLE = """name: Two learners on Iris
datasets: [iris]
learners:
  - {method: single, base: naive_bayes}
  - {method: bagging, base: naive_bayes, n_estimators: 10}
protocol: {kind: cross_validation, repeats: 1, folds: 5, orders: 1}
"""
_BODY = {
    "requestBody": {
        "required": True,
        "description": "The document that `docs/experiments.md` describes, without files of your own: upload these first.",
        "content": {
            "application/yaml": {"schema": {"type": "string"}, "example": _EXAMPLE},
            "application/json": {
                "schema": {"type": "object"},
                "example": ExperimentConfig.from_yaml(_EXAMPLE).to_dict(),
            },
        },
    }
}

experiment_routes = APIRouter(prefix="/experiments", tags=["experiments"])


@experiment_routes.get("")
def list_experiments(
    storage: AsAsked,
    q: Annotated[str, Query(max_length=200, description="Part of the name, the notes, a tag or a data set.")] = "",
    state: Annotated[list[State], Query()] = [],  # noqa: B006 - FastAPI copies it
    tag: Annotated[list[str], Query(max_length=20)] = [],  # noqa: B006
    starred: bool = False,
    archived: bool = False,
    sort: Sorting = "newest",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Page[Experiment]:
    """List the experiments that you may see."""
    tagged = tuple(clean_text(one) for one in tag)
    wanted = Wanted(clean_text(q), tuple(state), tagged=tagged, starred=starred, archived=archived, sort=sort)
    found = storage.find_experiments(wanted, limit, offset)
    items = [told_experiment(record) for record in found]
    return Page(items=items, total=storage.count_found(wanted), limit=limit, offset=offset)


@experiment_routes.post("", status_code=201, openapi_extra=_BODY)
def launch(
    request: Request,
    response: Response,
    storage: AsAsked,
    document: Document,
    visibility: SeenBy = None,
    tag: Annotated[list[str], Query(max_length=20)] = [],  # noqa: B006
    idempotency_key: Launched = None,
) -> ExperimentWithDocument:
    """Launch the experiment of a document in YAML or JSON."""
    config = _read(document, request.headers.get("content-type", ""))
    seen_by = visibility or default_visibility()
    try:
        _check_streams(config, storage)
        record = storage.create_experiment(
            config, n_trials=count_trials(config), tags=tag, visibility=seen_by, launch_key=idempotency_key
        )
    except NotFound as error:  # a data set that it names; the address itself is there
        raise InvalidConfig(f"datasets: {error}") from None
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/experiments/{record.id}"
    return _whole(record)


@experiment_routes.get("/{id}")
def get_experiment(storage: AsAsked, id: ExperimentId) -> ExperimentWithDocument:
    """Tell how an experiment stands."""
    return _whole(storage.get_experiment(id))


@experiment_routes.delete("/{id}", status_code=204)
def delete_experiment(storage: AsAsked, id: ExperimentId) -> None:
    """Put an experiment into the bin, from where it can be restored for 30 days; if it runs, it is stopped."""
    storage.delete_experiment(id)


@experiment_routes.post("/{id}/restore")
def restore_experiment(storage: AsAsked, id: ExperimentId) -> Experiment:
    """Take an experiment out of the bin, with its data sets; one that had not ended was cancelled."""
    return told_experiment(storage.restore_experiment(id))


@experiment_routes.post("/{id}/rename")
def rename_experiment(storage: AsAsked, id: ExperimentId, name: Name) -> Experiment:
    """Give an experiment another name."""
    return told_experiment(storage.rename_experiment(id, name))


@experiment_routes.post("/{id}/visibility")
def set_experiment_visibility(storage: AsAsked, id: ExperimentId, visibility: Visibility) -> Experiment:
    """Say who sees an experiment, besides its owner."""
    return told_experiment(storage.set_experiment_visibility(id, visibility))


@experiment_routes.post("/{id}/priority")
def set_experiment_priority(storage: AsAsked, id: ExperimentId, priority: Priority) -> Experiment:
    """Let an experiment go before others or behind them, whether it waits or runs."""
    return told_experiment(storage.set_priority(id, priority))


@experiment_routes.post("/{id}/cancel")
def cancel_experiment(storage: AsAsked, id: ExperimentId) -> Experiment:
    """Ask for its end: at once when nobody runs it, else within seconds. Trials that have ended stay."""
    return told_experiment(storage.request_cancel(id))


@experiment_routes.post("/{id}/pause")
def pause_experiment(storage: AsAsked, id: ExperimentId) -> Experiment:
    """Let nobody run it until it is resumed; what runs stops within seconds. Trials that have ended stay."""
    return told_experiment(storage.pause_experiment(id))


@experiment_routes.post("/{id}/resume")
def resume_experiment(storage: AsAsked, id: ExperimentId) -> Experiment:
    """Let a paused experiment go on."""
    return told_experiment(storage.resume_experiment(id))


@experiment_routes.post("/{id}/reopen")
def reopen_experiment(
    storage: AsAsked,
    id: ExperimentId,
    retry: Annotated[bool, Query(description="Whether trials that failed are run again.")] = False,
    from_snapshots: Annotated[
        bool, Query(description="Whether streams that failed go on from their snapshots then; else at the beginning.")
    ] = False,
) -> Experiment:
    """Let an experiment that is over go on with its missing trials."""
    return told_experiment(storage.reopen_experiment(id, retry=retry, from_snapshots=from_snapshots))


def told_experiment(record: ExperimentRecord) -> Experiment:
    """Return what the interface tells of an experiment."""
    return Experiment(**_facts(record))


def _read(text: str, content_type: str) -> ExperimentConfig:
    if content_type.partition(";")[0].strip().endswith("json"):
        try:
            plain = json.loads(text, object_pairs_hook=_given_once)
            line = json.dumps(plain, ensure_ascii=False, allow_nan=False)  # one line of JSON is YAML too
            text = _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", line)
        except InvalidConfig:
            raise
        except (ValueError, RecursionError):
            raise HTTPException(400, "the body must be JSON, as its Content-Type says, it is not") from None
    config = ExperimentConfig.from_yaml(text)
    check_installed(config)
    named = {f"datasets[{place}]": reference.file for place, reference in enumerate(config.datasets)}
    named["protocol.test_file"] = getattr(config.protocol, "test_file", None)
    for field, file in named.items():
        if file is not None:
            raise InvalidConfig(f"{field}: must be stored here, upload it and give its sha256, got the file {file!r}")
    return config


def _given_once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object of JSON; raise `InvalidConfig` where one is given twice, as in YAML."""
    found: dict[str, Any] = {}
    for name, value in fields:
        if name in found:
            raise InvalidConfig(f"experiment: {shown(name)} is given twice")
        found[name] = value
    return found


def _check_streams(config: ExperimentConfig, storage: AsAsked) -> None:
    """Raise `InvalidConfig` where an experiment cannot run on data sets that are read in batches."""
    storage = storage.acting_as(replace(storage.actor, scopes=None))  # a token may be good for launching alone
    for reference in config.datasets:
        if reference.key is not None and is_source(reference.key, reference.settings):
            check_streamed(config, open_source(reference.key, **reference.settings))
        if reference.sha256 is not None and storage.get_dataset_record(reference.sha256).in_batches:
            found = storage.open_dataset(reference.sha256)
            assert not isinstance(found, Dataset)
            check_streamed(config, found)
    test = getattr(config.protocol, "test_sha256", None)
    if test is not None and (record := storage.get_dataset_record(test)).in_batches:
        raise InvalidConfig(f"protocol.test_sha256: {record.name} is read in batches, but a test set is held in memory")


def _whole(record: ExperimentRecord) -> ExperimentWithDocument:
    return ExperimentWithDocument(**_facts(record), document=record.config.to_dict())


def _facts(record: ExperimentRecord) -> dict[str, Any]:
    own = {"owner": record.user_name, "trials": record.total, "stalled": record.is_stalled, "tags": list(record.tags)}
    return vars(record) | own
