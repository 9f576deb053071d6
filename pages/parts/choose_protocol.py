"""Choose the protocol: its kind, and the numbers that kind declares."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ensembles.experiments.config import PROTOCOLS, Protocol
from ensembles.parameters import Parameter
from pages.parts.settings import draw_settings
from storage import DatasetRecord

__all__ = ["draw_protocol"]

_TRAIN_SIZE = "train_size"
_WORDS = {
    "cross_validation": "The examples are dealt into folds; each fold is the test set once. All of it is repeated.",
    "holdout": "The examples are split at random into training and test examples, again and again.",
    "given_split": "Training and test examples come as two data sets with the same attributes and classes.",
}


def draw_protocol(start: Protocol, records: list[DatasetRecord], *, key: str) -> dict[str, Any] | None:
    """Draw the choice of the protocol, starting from `start`.

    Parameters
    ----------
    records : list of DatasetRecord
        Stored data sets, one of which may be the test set.

    Returns
    -------
    dict or None
        The protocol as in an experiment file; None while its test set is not chosen.
    """
    kind = st.segmented_control(
        "Protocol",
        list(PROTOCOLS),
        default=start.kind,
        required=True,
        format_func=lambda kind: PROTOCOLS[kind].name,
        key=f"{key}_kind",
        label_visibility="collapsed",
    )
    st.caption(_WORDS[kind])
    values = start.model_dump() if kind == start.kind else {}
    parameters = [parameter for parameter in PROTOCOLS[kind].parameters if parameter.name != _TRAIN_SIZE]
    numbers, flags = _halves(parameters)
    chosen: dict[str, Any] = {"kind": kind}
    if kind == "given_split":
        test = _draw_test_set(values.get("test_sha256"), records, key)
        if test is None:
            return None
        chosen["test_sha256"] = test
    if kind == "holdout":
        chosen[_TRAIN_SIZE] = _draw_train_size(values.get(_TRAIN_SIZE, 0.8), key)
    for parameter, column in zip(numbers, st.columns(len(numbers)), strict=True):
        with column:
            chosen |= draw_settings(kind, [parameter], values, key=f"{key}_{kind}")
    return chosen | draw_settings(kind, flags, values, key=f"{key}_{kind}")


def _halves(parameters: list[Parameter]) -> tuple[list[Parameter], list[Parameter]]:
    """Return the parameters that are numbers and those that are switches."""
    flags = [parameter for parameter in parameters if isinstance(parameter.default, bool)]
    return [parameter for parameter in parameters if parameter not in flags], flags


def _draw_train_size(start: float, key: str) -> float:
    as_fraction = st.segmented_control(
        "Training examples",
        [True, False],
        default=start < 1,
        required=True,
        format_func={True: "Fraction of all", False: "Number"}.__getitem__,
        key=f"{key}_size_kind",
    )
    if as_fraction:
        return st.number_input(
            "Fraction of the examples for training",
            min_value=0.01,
            max_value=0.99,
            value=float(start) if start < 1 else 0.8,
            step=0.05,
            format="%g",
            key=f"{key}_fraction",
        )
    return st.number_input(
        "Number of examples for training",
        min_value=1,
        value=int(start) if start >= 1 else 200,
        step=1,
        help="At least one example of each data set is left for the test.",
        key=f"{key}_number",
    )


def _draw_test_set(start: str | None, records: list[DatasetRecord], key: str) -> str | None:
    if not records:
        st.info("Upload the test set under Data sets first.", icon=":material/upload_file:")
        return None
    names: Mapping[str, str] = {record.sha256: f"{record.name} ({record.rows:,})" for record in records}
    hashes = list(names)
    return st.selectbox(
        "Test set",
        hashes,
        index=hashes.index(start) if start in hashes else None,
        format_func=names.__getitem__,
        placeholder="Choose a stored data set",
        help="Same attributes and classes as the training set.",
        key=f"{key}_test",
    )
