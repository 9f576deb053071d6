"""What the leaderboard is about: a protocol and a data set, kept in the address."""

import json
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ensembles.reports.formatting import pluralize
from ensembles.wording import distinct
from pages.parts.address import in_address, tell_unknown
from pages.parts.live import words_now
from pages.parts.store import show_errors
from storage import Scored

__all__ = ["choose_data", "choose_protocol", "data_names"]


def choose_protocol(scored: Sequence[Scored], said: DeltaGenerator) -> str:
    """Draw the choice of a protocol, where there are several; that with the most results comes first.

    What the address names and is not there is said in `said`.
    """
    tasks = sorted(
        {one.protocol for one in scored},
        key=lambda task: (-sum(one.experiments for one in scored if one.protocol == task), task),
    )
    labels = _labels("task")
    names = {labels.get(task, task): task for task in tasks}
    with said:
        tell_unknown(("kind", names, "protocol"), instead="Another one is shown.")
    if len(tasks) == 1:
        return tasks[0]
    chosen: str = st.selectbox("Protocol", list(names), **in_address("kind"), width=360)
    return names[chosen]


def choose_data(scored: Sequence[Scored], said: DeltaGenerator) -> str:
    """Draw the choice of a data set, and of how many learners it is; that with the most comes first.

    The number is no part of the choice, which stands in the address: it grows as experiments end.
    """
    by_name = dict(zip(data_names([one.data for one in scored]), scored, strict=True))
    with said:
        tell_unknown(("ranked", by_name, "data set"))
    chosen: str = st.selectbox("Data set", list(by_name), **in_address("ranked"), width=360)
    st.caption(pluralize(by_name[chosen].learners, "learner"))
    return by_name[chosen].data


def data_names(data: Sequence[str]) -> tuple[str, ...]:
    """Return what people read for contents of data sets, no two alike."""
    labels = _labels("dataset")
    return distinct([_name(one, labels) for one in data])


def _labels(kind: str) -> dict[str, str]:
    with show_errors():
        return {word.word: word.label for word in words_now().get(kind, [])}


def _name(data: str, labels: dict[str, str]) -> str:
    key, brace, settings = data.partition("{")
    label = labels.get(key, key)
    if not brace:
        return label
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in json.loads(brace + settings).items())
    return f"{label}, {told}"
