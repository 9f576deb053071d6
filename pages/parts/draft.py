"""What the form of a new experiment starts from: nothing, another experiment, a data set, or an experiment file."""

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

import streamlit as st

from ensembles.data import catalogue
from ensembles.errors import EnsembleLabError
from ensembles.experiments.config import (
    CrossValidation,
    DatasetRef,
    ExperimentConfig,
    GivenSplit,
    LearnerSpec,
    Protocol,
)
from pages.parts.choose_datasets import ref_of, stored_reference
from pages.parts.extension import extended
from pages.parts.store import store
from pages.parts.streamed_data import stream_protocol
from storage import DatasetRecord

__all__ = ["FILE", "PLAIN", "Draft", "Start", "find_start", "generated_reference", "start_from_file", "usable"]

_PROTOCOL = CrossValidation()


@dataclass(frozen=True)
class Draft:
    """The fields of the form; unlike an `ExperimentConfig`, they may still be empty."""

    name: str = ""
    seed: int = 1
    datasets: tuple[DatasetRef, ...] = ()
    learners: tuple[LearnerSpec, ...] = tuple(
        LearnerSpec(method=method, base="naive_bayes") for method in ("single", "online_bagging", "online_boosting")
    )
    protocol: Protocol = _PROTOCOL
    measures: tuple[str, ...] = ("accuracy", "error")
    curves: tuple[str, ...] = ("learning_curve",)

    @classmethod
    def of(cls, config: ExperimentConfig) -> "Draft":
        """Return the draft that shows `config`."""
        return cls(**{name: getattr(config, name) for name in cls.__dataclass_fields__})


class Start(NamedTuple):
    """A draft, a prefix that makes the keys of its widgets its own, and a sentence when something could not be taken."""

    draft: Draft
    prefix: str
    problem: str | None = None


FILE = "new_file_upload"
"""The key of the upload that the form starts from."""
PLAIN = "new"
"""The prefix of a form that starts from nothing."""
_KNOWN = "new_known"


def find_start(records: list[DatasetRecord]) -> Start:
    """Return what the uploaded file says the form starts from; without one, and of one that says nothing, the address.

    The upload alone knows whether there is one: it is gone when the page is left.
    """
    if file := st.session_state.get(FILE):
        start = start_from_file(file.getvalue().decode("utf-8", errors="replace"), records)
        return start if start.prefix != PLAIN else _start_from_address(records)._replace(problem=start.problem)
    return _start_from_address(records)


def _start_from_address(records: list[DatasetRecord]) -> Start:
    """Return what the address says the form starts from; where that was deleted meanwhile, what it said before."""
    address = {name: st.query_params.get(name) for name in ("clone", "extend", "dataset", "settings")}
    start = _read_address(records)
    known: tuple[dict[str, str | None], Start] | None = st.session_state.get(_KNOWN)
    if start.prefix != PLAIN:
        st.session_state[_KNOWN] = (address, start)
    elif known is not None and known[0] == address:
        before = usable(known[1].draft, records, known[1].prefix)
        return before._replace(problem=start.problem) if extended() else before
    return start


def _read_address(records: list[DatasetRecord]) -> Start:
    if clone := (st.query_params.get("clone") or extended()):
        try:
            record = store().get_experiment(clone)
        except EnsembleLabError as error:
            return Start(Draft(), PLAIN, str(error))
        draft = Draft.of(record.config)
        draft = replace(draft, name=f"{record.name} ({'extended' if extended() else 'copy'})"[:200])
        return usable(draft, records, f"new_{'extend_' * bool(extended())}{clone}")
    if ref := st.query_params.get("dataset"):
        settings = st.query_params.get("settings", "{}")
        reference = generated_reference(ref, settings) if ref in catalogue() else _stored_reference(ref, records)
        if reference is None:
            return Start(Draft(), PLAIN, "The data set of this link does not exist, or not any more.")
        draft = Draft(datasets=(reference,))
        if any(record.sha256 == ref and record.in_batches for record in records):
            draft = replace(draft, protocol=stream_protocol(), curves=("prequential_error",))
        return Start(draft, f"new_{ref[:12]}_{sha256(settings.encode()).hexdigest()[:6]}")
    return Start(Draft(), PLAIN)


def start_from_file(text: str, records: list[DatasetRecord]) -> Start:
    """Return a start from the text of an experiment file."""
    try:
        config = ExperimentConfig.from_yaml(text)
    except EnsembleLabError as error:
        return Start(Draft(), PLAIN, f"this file cannot be used:\n{error}")
    return usable(Draft.of(config), records, f"new_{sha256(text.encode()).hexdigest()[:12]}")


def usable(draft: Draft, records: list[DatasetRecord], prefix: str) -> Start:
    """Leave out the data sets that the page cannot read, and say which."""
    known = {*catalogue(), *(record.sha256 for record in records)}
    kept = tuple(reference for reference in draft.datasets if ref_of(reference) in known)
    problems = [_why_left_out(reference) for reference in draft.datasets if reference not in kept]
    protocol = draft.protocol
    if isinstance(protocol, GivenSplit) and _names_a_test(protocol) and protocol.test_sha256 not in known:
        test = DatasetRef(file=protocol.test_file, sha256=protocol.test_sha256, name=protocol.test_name)
        problems.append(f"Test set: {_why_left_out(test)}")
    said = f"Left out. {'. '.join(problems)}." if problems else None
    return Start(replace(draft, datasets=kept), prefix, said)


def _names_a_test(protocol: GivenSplit) -> bool:
    return protocol.test_file is not None or protocol.test_sha256 is not None


def _why_left_out(reference: DatasetRef) -> str:
    if reference.file is not None:
        return (
            f"{reference.file} is a file beside the experiment file; add it on the page Data sets, then choose it here"
        )
    return reference.missing_sentence


def _stored_reference(ref: str, records: list[DatasetRecord]) -> DatasetRef | None:
    return next((stored_reference(record) for record in records if record.sha256 == ref), None)


def generated_reference(ref: str, settings: str) -> DatasetRef:
    """Return a data set of the catalogue with the settings of a link, without them if they are none."""
    try:
        return DatasetRef(key=ref, settings=json.loads(settings))
    except ValueError:
        return DatasetRef(key=ref)
