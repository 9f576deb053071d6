"""Choose the protocol: its kind, and the numbers that kind declares."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from ensembles.data.names import LONGEST_NAME
from ensembles.experiments.config import PROTOCOLS, Protocol
from ensembles.parameters import Flag, Parameter
from ensembles.registry import within_sentence
from ensembles.reports.formatting import pluralize, shortened
from pages.parts.settings import draw_settings, settings_now
from storage import DatasetRecord

__all__ = ["draw_protocol", "field_labels"]

_TEST_SET = "Test set"
_NUMBERS_IN_A_ROW = 3  # of four, labels break within a word


class _Size(NamedTuple):
    """What is said where a number of examples or a fraction of them is chosen."""

    label: str
    of_what: str
    number: int
    help: str

    def field(self, as_fraction: bool) -> str:
        """Return the label of the field for a fraction, or of the one for a number."""
        return f"{'Fraction of the' if as_fraction else 'Number of'} examples {self.of_what}"

    def told(self, size: float) -> str:
        """Return a chosen size in words: "80 % of the examples for training"."""
        return f"{f'{100 * size:.4g} % of the' if size < 1 else f'{size:,}'} examples {self.of_what}"


_SIZES = {
    "train_size": _Size(
        "Training examples", "for training", 200, "At least one example of each data set is left for the test."
    ),
    "pool": _Size(
        "Pool", "in the pool", 200, "Each training set is half of the pool; the other examples are the test set."
    ),
}
_WORDS = {
    "cross_validation": "The examples are dealt into folds; each fold is the test set once. All of it is repeated.",
    "holdout": "The examples are split at random into training and test examples, again and again.",
    "given_split": "Training and test examples come as two data sets with the same attributes and classes.",
    "prequential": "The examples come one after the other; each is predicted, then learned. For learners that learn online; "
    "a primed one is measured after the primed part.",
    "bias_variance": "Training sets are drawn from a pool, and their models compared on the other examples: how much of the "
    "error do they share (bias), and how much comes from the training set (variance)? Each trial trains on all of them.",
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
    chosen: dict[str, Any] = {"kind": kind}
    if kind == "given_split":
        test = _draw_test_set(values.get("test_sha256"), records, key)
        if test is None:
            return None
        chosen |= {"test_sha256": test.sha256, "test_name": shortened(test.name, LONGEST_NAME)}
    with st.expander(_title(kind, values, key), key=f"{key}_{kind}_numbers"):
        return chosen | _draw_numbers(kind, values, key)


def _draw_numbers(kind: str, values: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Draw the numbers and switches of a protocol, and return what differs from the defaults, and sizes."""
    chosen: dict[str, Any] = {}
    numbers, flags = _halves([one for one in PROTOCOLS[kind].parameters if one.name not in _SIZES])
    for parameter in PROTOCOLS[kind].parameters:
        if parameter.name in _SIZES:
            chosen[parameter.name] = _draw_size(parameter, values.get(parameter.name, parameter.default), key)
    columns = min(len(numbers), _NUMBERS_IN_A_ROW)
    for first in range(0, len(numbers), columns):
        for parameter, column in zip(numbers[first : first + columns], st.columns(columns), strict=False):
            with column:
                chosen |= draw_settings(kind, [parameter], values, key=f"{key}_{kind}")
    return chosen | draw_settings(kind, flags, values, key=f"{key}_{kind}")


def _title(kind: str, values: Mapping[str, Any], key: str) -> str:
    """Return all that is chosen in the widgets below: "10 repeats, 5 folds, 5 orders, stratified"."""
    sizes, told = [one for one in PROTOCOLS[kind].parameters if one.name in _SIZES], []
    now = settings_now(PROTOCOLS[kind].parameters, values, key=f"{key}_{kind}")
    now |= {one.name: _size_now(one, values.get(one.name, one.default), key) for one in sizes}
    for parameter in PROTOCOLS[kind].parameters:
        value, label = now[parameter.name], within_sentence(parameter.label)
        if parameter.name in PROTOCOLS[kind].unsaid and value == parameter.default:
            continue
        if parameter.name == "orders" and not now.get("shuffle", True):
            continue  # the only one is that of the data
        if parameter.name in _SIZES:
            told.append(_SIZES[parameter.name].told(value))
        elif isinstance(parameter, Flag):
            told.append(label if value else f"not {label}")
        elif isinstance(value, int) and label.endswith("s"):
            told.append(pluralize(value, label.removesuffix("s")))
        else:
            told.append(f"{label} {value:,g}")
    return ", ".join(told)


def field_labels(protocol: Mapping[str, Any]) -> dict[str, str]:
    """Return what the form calls the fields of a protocol that was chosen there, by their names."""
    labels = {parameter.name: parameter.label for parameter in PROTOCOLS[protocol["kind"]].parameters}
    sizes = {name: words.field(protocol[name] < 1) for name, words in _SIZES.items() if name in protocol}
    return labels | sizes | {"test_sha256": _TEST_SET}


def _halves(parameters: list[Parameter]) -> tuple[list[Parameter], list[Parameter]]:
    """Return the parameters that are numbers and those that are switches."""
    flags = [parameter for parameter in parameters if isinstance(parameter.default, bool)]
    return [parameter for parameter in parameters if parameter not in flags], flags


def _size_now(parameter: Parameter, start: float, key: str) -> float:
    """Return the size as it stands in the widgets that `_draw_size` is about to draw."""
    key = f"{key}_{parameter.name}"
    if st.session_state.get(f"{key}_kind", start < 1):
        return float(st.session_state.get(f"{key}_fraction", start if start < 1 else parameter.default))
    return int(st.session_state.get(f"{key}_number", start if start >= 1 else _SIZES[parameter.name].number))


def _draw_size(parameter: Parameter, start: float, key: str) -> float:
    words = _SIZES[parameter.name]
    as_fraction = st.segmented_control(
        words.label,
        [True, False],
        default=start < 1,
        required=True,
        format_func={True: "Fraction of all", False: "Number"}.__getitem__,
        help=words.help,
        key=f"{key}_{parameter.name}_kind",
    )
    if as_fraction:
        return st.number_input(
            words.field(as_fraction),
            min_value=0.01,
            max_value=0.99,
            value=float(start) if start < 1 else float(parameter.default),
            step=0.05,
            format="%g",
            key=f"{key}_{parameter.name}_fraction",
        )
    return st.number_input(
        words.field(as_fraction),
        min_value=1,
        value=int(start) if start >= 1 else words.number,
        step=1,
        key=f"{key}_{parameter.name}_number",
    )


def _draw_test_set(start: str | None, records: list[DatasetRecord], key: str) -> DatasetRecord | None:
    if not records:
        st.info("Upload the test set under Data sets first.", icon=":material/upload_file:")
        return None
    stored = {record.sha256: record for record in records}
    hashes = list(stored)
    chosen = st.selectbox(
        _TEST_SET,
        hashes,
        index=hashes.index(start) if start in hashes else None,
        format_func=lambda sha256: f"{stored[sha256].name} ({stored[sha256].rows:,})",
        placeholder="Choose a stored data set",
        help="Same attributes and classes as the training set.",
        key=f"{key}_test",
    )
    return stored[chosen] if chosen else None
