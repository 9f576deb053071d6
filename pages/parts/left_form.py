"""The form of a new experiment as it was left, for another page or as its page was loaded anew: it goes on from there."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from ensembles.errors import EnsembleLabError
from ensembles.experiments.config import PROTOCOLS, DatasetRef, LearnerSpec, Protocol
from pages.parts.choose_preset import is_just_opened
from pages.parts.draft import PLAIN, Draft, Start, usable
from pages.parts.extension import extended
from pages.parts.store import store
from storage import DatasetRecord, Visibility, default_visibility

__all__ = ["as_left", "draw_left", "forget_form", "is_left", "keep_form", "protocol_in_form", "visibility_as_left"]

_LEFT, _BEGUN, _ADDRESS, _ANEW = "new_left", "new_left_begun", "new_left_address", "new_left_anew"
_KEPT = "new_left_kept"

# A page that is loaded anew is another session, which knows nothing of the form; the tab does. It is asked once a load.
_JS = """
export default function ({ data, setTriggerValue }) {
    const name = `ensembleLabForm${data.who}`, kept = sessionStorage.getItem(name), isFirst = !window.ensembleLabForm;
    window.ensembleLabForm = name;
    if (isFirst && kept && kept !== data.form) setTriggerValue("found", kept);
    else sessionStorage.setItem(name, data.form);
}
"""

_component = st.components.v2.component("ensemble_lab_left_form", js=_JS)


@dataclass(frozen=True)
class _Left:
    """What the form showed, by the prefix of what it had started from; an extension belongs to its address."""

    prefix: str
    draft: Draft
    visibility: Visibility
    is_extension: bool

    def fits(self, start: Start) -> bool:
        """Return whether it was left at the same address, or the address says nothing."""
        return self.prefix == start.prefix or (start.prefix == PLAIN and not self.is_extension)


def as_left(start: Start, records: list[DatasetRecord]) -> Start:
    """Return the form as it was left, where it was left at the same address or the address says nothing; else `start`."""
    st.session_state[_ADDRESS] = start
    if is_just_opened():
        left: _Left | None = st.session_state.get(_LEFT)
        st.session_state[_BEGUN] = None
        if left and left.fits(start):
            st.session_state[_BEGUN] = replace(left, prefix=start.prefix)
    times = st.session_state.get(_ANEW, 0)
    prefix = f"{start.prefix}_anew{times}" if times else start.prefix
    if (begun := _begun()) is None:
        return start._replace(prefix=prefix)
    found = usable(begun.draft, records, prefix)
    return found._replace(problem=found.problem or start.problem)


def visibility_as_left() -> Visibility:
    """Return who sees the experiment when the form is opened."""
    begun = _begun()
    return default_visibility() if begun is None else begun.visibility


def draw_left() -> None:
    """Say that the form is as it was left, where it is, and offer to begin anew."""
    if _begun() is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(":material/history: The form is as you left it.", width="content")
        st.button("Begin anew", on_click=_begin_anew, key="new_left_forget")


def keep_form(draft: Draft, visibility: Visibility) -> None:
    """Keep what the form shows, unless that is what a form shows that nobody touched."""
    start: Start = st.session_state[_ADDRESS]
    if start.prefix == PLAIN and _is_alike(draft, start.draft) and visibility == default_visibility():
        st.session_state.pop(_LEFT, None)
    else:
        st.session_state[_LEFT] = _Left(start.prefix, draft, visibility, is_extension=extended() is not None)
    with st.container(key="history_form"):
        left = _packed(st.session_state[_LEFT]) if is_left() else ""
        _component(key=_KEPT, data={"form": left, "who": store().actor.user_id}, on_found_change=_take_back)


def is_left() -> bool:
    """Return whether there is a form that somebody has begun to fill in."""
    return _LEFT in st.session_state


def protocol_in_form(chosen: Mapping[str, Any] | None) -> Protocol:
    """Return the protocol that the form shows, complete or not; None is one that lacks its test set."""
    chosen = chosen or {"kind": "given_split"}
    return PROTOCOLS[chosen["kind"]].model_construct(**chosen)


def forget_form() -> None:
    """Forget what the form shows: it is launched, or given up."""
    st.session_state.pop(_LEFT, None)


def _is_alike(one: Draft, other: Draft) -> bool:
    learners = [[learner.canonical for learner in draft.learners] for draft in (one, other)]
    return learners[0] == learners[1] and replace(one, learners=()) == replace(other, learners=())


def _begun() -> _Left | None:
    begun: _Left | None = st.session_state.get(_BEGUN)
    return begun if begun is not None and begun.prefix == st.session_state[_ADDRESS].prefix else None


def _take_back() -> None:
    """Fill in what the tab kept, if it can still be read and belongs here."""
    start: Start = st.session_state[_ADDRESS]
    try:
        left = _unpacked(st.session_state[_KEPT].found)
    except (ValueError, TypeError, LookupError, EnsembleLabError):  # of another version
        return
    if left.fits(start):
        _fill_in(replace(left, prefix=start.prefix))


def _packed(left: _Left) -> str:
    """Return a form as a text that says nothing to a browser, whatever people have called things."""
    draft = left.draft
    models = {
        "datasets": [one.model_dump(mode="json") for one in draft.datasets],
        "learners": [one.model_dump(mode="json") for one in draft.learners],
        "protocol": draft.protocol.model_dump(mode="json"),
    }
    return b64encode(json.dumps(vars(left) | {"draft": vars(draft) | models}).encode()).decode()


def _unpacked(text: str) -> _Left:
    held = json.loads(b64decode(text))
    fields = held["draft"]
    fields |= {
        "datasets": tuple(map(DatasetRef.model_validate, fields["datasets"])),
        "learners": tuple(map(LearnerSpec.model_validate, fields["learners"])),
        "protocol": protocol_in_form(fields["protocol"]),
        "measures": tuple(fields["measures"]),
        "curves": tuple(fields["curves"]),
    }
    return _Left(**held | {"draft": Draft(**fields)})


def _begin_anew() -> None:
    forget_form()
    _fill_in(None)


def _fill_in(left: _Left | None) -> None:
    st.session_state[_BEGUN] = left
    st.session_state[_ANEW] = st.session_state.get(_ANEW, 0) + 1
