"""Take a model home, as a file: trained on all examples, or as a stream has left it; the best learner stands first."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import streamlit as st

from ensembles.data.names import clean_name
from ensembles.experiments.model_facts import learned_up_to
from ensembles.experiments.results import Results
from ensembles.reports.live_streams import size_in_words
from ensembles.reports.verdict import verdict_of
from pages.parts.apart import fragment
from pages.parts.live import ask_anew, models_now, streams_now
from pages.parts.rights import rights_to
from pages.parts.store import later, show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from runner.model_export import file_name_of, pack_model
from storage import ExperimentRecord, ModelRecord

__all__ = ["draw_take_home"]

_LOOK_SECONDS = 1.0
_CHOSEN = "home_chosen"  # the experiment of which somebody chose the learner
_OF_TRIAL, _OF_ALL = "As its stream left it", "Trained on all examples"


def draw_take_home(record: ExperimentRecord, results: Results) -> None:
    """Draw the choice of a learner and a data set, and what becomes of their model; nothing for who may not have one."""
    if not store().actor.may("read"):
        return
    st.header("Take a model home", anchor=False)
    st.caption(
        "A learner with the settings of this experiment, trained on all examples of a data set or as a stream has left it: "
        "one file for Python, with a card that says what it is."
    )
    with st.container(horizontal=True):
        learner = _choose_learner(record, results)
        dataset = _choose("Trained on", results.datasets, "home_data")
    snapshot = _snapshot(record, dataset, learner)
    of_trial = _choose_trial(record, dataset, learner, snapshot)
    model = _find(record, dataset, learner, of_trial)
    if model is not None and model.is_coming:
        fragment(_draw_coming, run_every=_LOOK_SECONDS)(record, model)
    elif model is not None and model.state == "ready":
        _draw_file(record, model)
        if of_trial and snapshot is not None and snapshot > model.asked:
            _draw_wish_button(record, dataset, learner, of_trial, "Make it anew, of the newest snapshot")
    else:
        _draw_wish(record, dataset, learner, of_trial, model)


def _choose_learner(record: ExperimentRecord, results: Results) -> int:
    """Draw the choice of a learner: the best so far, whichever it becomes, until somebody chose one or had it trained."""
    if st.session_state.get(_CHOSEN) != record.id:
        best = () if results.finished.empty else verdict_of(results).rows
        st.session_state["home_learner"] = best[0].learner if best else 0
    return _choose("Learner", results.learners, "home_learner", on_change=partial(_keep_choice, record))


def _keep_choice(record: ExperimentRecord) -> None:
    st.session_state[_CHOSEN] = record.id


def _choose(label: str, names: tuple[str, ...], key: str, on_change: Callable[[], None] | None = None) -> int:
    """Draw the choice of one of several, and return its position."""
    if len(names) == 1:
        return 0
    return st.selectbox(
        label, range(len(names)), format_func=names.__getitem__, key=key, on_change=on_change, width=320
    )


def _snapshot(record: ExperimentRecord, dataset: int, learner: int) -> datetime | None:
    """Return when the newest snapshot of the first order's stream was taken, if there is one."""
    with show_errors():
        streams = streams_now(record.id)
    place = (dataset, learner, 0)
    return next((one.snapshot_taken for one in streams if (one.dataset, one.learner, one.order) == place), None)


def _choose_trial(record: ExperimentRecord, dataset: int, learner: int, snapshot: datetime | None) -> bool:
    """Draw the choice between what a stream has left and a training on all examples, where a stream has left something."""
    if snapshot is None and _find(record, dataset, learner, of_trial=True) is None:
        return False
    kinds = [_OF_TRIAL, _OF_ALL]
    return st.segmented_control("Model", kinds, default=_OF_TRIAL, key="home_kind", required=True) == _OF_TRIAL


def _find(record: ExperimentRecord, dataset: int, learner: int, of_trial: bool) -> ModelRecord | None:
    with show_errors():
        models = models_now(record.id)
    place = (dataset, learner, of_trial)
    return next((one for one in models if (one.dataset, one.learner, one.of_trial) == place), None)


def _draw_coming(record: ExperimentRecord, shown: ModelRecord) -> None:
    """Say how far a model is that is not there yet, and draw the page anew when it is."""
    model = _find(record, shown.dataset, shown.learner, shown.of_trial)
    if model is None or not model.is_coming:
        st.rerun()
    told = "It waits for a worker …" if model.state == "waiting" else "It is being made …"
    with st.container(horizontal=True):
        st.button(told, icon=":material/hourglass_top:", disabled=True, key="home_coming")
        if rights_to(record).may_change and st.button("Stop", icon=":material/block:", key="home_stop"):
            with show_errors():
                store().withdraw_model(record.id, model.dataset, model.learner, of_trial=model.of_trial)
            ask_anew()
            st.rerun()


def _draw_wish(
    record: ExperimentRecord, dataset: int, learner: int, of_trial: bool, failed: ModelRecord | None
) -> None:
    """Draw the button that has a model made, and why it could not be the last time."""
    if failed is not None:
        verb = "made" if of_trial else "trained"
        st.error(escape_markdown(f"It could not be {verb}: {failed.message}"), icon=":material/error:")
    label = "Make it of its snapshot" if of_trial else "Train it"
    _draw_wish_button(record, dataset, learner, of_trial, label if failed is None else "Try again")


def _draw_wish_button(record: ExperimentRecord, dataset: int, learner: int, of_trial: bool, label: str) -> None:
    if st.button(label, icon=":material/model_training:", key="home_train", on_click=partial(_keep_choice, record)):
        with show_errors():
            store().request_model(record.id, dataset, learner, of_trial=of_trial)
        ask_anew()
        st.rerun()


def _draw_file(record: ExperimentRecord, model: ModelRecord) -> None:
    st.download_button(
        f"Download ({size_in_words(model.size)})",
        later(partial(_packed, record, model, _link(record))),
        file_name=clean_name(file_name_of(record, model.dataset, model.learner)),
        mime="application/zip",
        icon=":material/home:",
        type="primary",
        on_click="ignore",
        key="home_download",
    )
    made = "Trained"
    if model.of_trial and model.facts is not None:
        made = f"It has learned the stream up to example {learned_up_to(model.facts):,}. Stored"
    made = f"{made} {format_datetime(model.ended)} and kept for a week. " if model.ended else ""
    st.caption(f"{made}Reading it runs nothing; `example.py` in it shows how.")


def _packed(record: ExperimentRecord, model: ModelRecord, link: str | None) -> bytes:
    storage = store()
    found = storage.load_model(record.id, model.dataset, model.learner, of_trial=model.of_trial)
    return pack_model(storage, storage.get_experiment(record.id), *found, link=link)


def _link(record: ExperimentRecord) -> str | None:
    return f"{st.context.url}?experiment={record.id}" if st.context.url else None
