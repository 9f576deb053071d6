"""Take a model home: a learner trained on all examples of a data set, as a file; the learner that is best stands first."""

from functools import partial

import streamlit as st

from ensembles.data.names import clean_name
from ensembles.experiments.results import Results
from ensembles.reports.live_streams import size_in_words
from ensembles.reports.verdict import verdict_of
from pages.parts.live import ask_anew, models_now
from pages.parts.rights import rights_to
from pages.parts.store import later, show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from runner.model_export import file_name_of, pack_model
from storage import ExperimentRecord, ModelRecord

__all__ = ["draw_take_home"]

_LOOK_SECONDS = 1.0


def draw_take_home(record: ExperimentRecord, results: Results) -> None:
    """Draw the choice of a learner and a data set, and what becomes of their model; nothing for who may not have one."""
    if not store().actor.may("read"):
        return
    st.header("Take a model home", anchor=False)
    st.caption(
        "A learner with the settings of this experiment, trained on all examples of a data set: one file for Python, with a "
        "card that says what it is."
    )
    best = verdict_of(results).rows
    with st.container(horizontal=True):
        learner = _choose("Learner", results.learners, best[0].learner if best else 0, "home_learner")
        dataset = _choose("Trained on", results.datasets, 0, "home_data")
    model = _find(record, dataset, learner)
    if model is not None and model.is_coming:
        st.fragment(_draw_coming, run_every=_LOOK_SECONDS)(record, model)
    elif model is not None and model.state == "ready":
        _draw_file(record, model)
    else:
        _draw_wish(record, dataset, learner, model)


def _choose(label: str, names: tuple[str, ...], first: int, key: str) -> int:
    """Draw the choice of one of several, and return its position."""
    if len(names) == 1:
        return 0
    return st.selectbox(label, range(len(names)), index=first, format_func=names.__getitem__, key=key, width=320)


def _find(record: ExperimentRecord, dataset: int, learner: int) -> ModelRecord | None:
    with show_errors():
        models = models_now(record.id)
    return next((one for one in models if (one.dataset, one.learner) == (dataset, learner)), None)


def _draw_coming(record: ExperimentRecord, shown: ModelRecord) -> None:
    """Say how far a model is that is not there yet, and draw the page anew when it is."""
    model = _find(record, shown.dataset, shown.learner)
    if model is None or not model.is_coming:
        st.rerun()
    told = "It waits for a worker …" if model.state == "waiting" else "It is being trained …"
    with st.container(horizontal=True):
        st.button(told, icon=":material/hourglass_top:", disabled=True, key="home_coming")
        if rights_to(record).may_change and st.button("Stop", icon=":material/block:", key="home_stop"):
            with show_errors():
                store().withdraw_model(record.id, model.dataset, model.learner)
            ask_anew()
            st.rerun()


def _draw_wish(record: ExperimentRecord, dataset: int, learner: int, failed: ModelRecord | None) -> None:
    """Draw the button that has a model trained, and why it could not be the last time."""
    if failed is not None:
        st.error(escape_markdown(f"It could not be trained: {failed.message}"), icon=":material/error:")
    label = "Train it" if failed is None else "Try again"
    if st.button(label, icon=":material/model_training:", key="home_train"):
        with show_errors():
            store().request_model(record.id, dataset, learner)
        ask_anew()
        st.rerun()


def _draw_file(record: ExperimentRecord, model: ModelRecord) -> None:
    st.download_button(
        f"Download ({size_in_words(model.size)})",
        later(partial(_packed, record, model.dataset, model.learner, _link(record))),
        file_name=clean_name(file_name_of(record, model.dataset, model.learner)),
        mime="application/zip",
        icon=":material/home:",
        type="primary",
        on_click="ignore",
        key="home_download",
    )
    trained = f"Trained {format_datetime(model.ended)} and kept for a week. " if model.ended else ""
    st.caption(f"{trained}Reading it runs nothing; `example.py` in it shows how.")


def _packed(record: ExperimentRecord, dataset: int, learner: int, link: str | None) -> bytes:
    storage = store()
    return pack_model(
        storage, storage.get_experiment(record.id), *storage.load_model(record.id, dataset, learner), link=link
    )


def _link(record: ExperimentRecord) -> str | None:
    return f"{st.context.url}?experiment={record.id}" if st.context.url else None
