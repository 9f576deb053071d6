"""Launch an experiment once, however often the button is pressed."""

from collections.abc import Callable
from typing import Literal
from uuid import uuid4

import streamlit as st

from ensembles.experiments.config import ExperimentConfig
from pages.parts.links import open_results
from pages.parts.live import ask_anew
from pages.parts.store import show_errors, store
from storage import Visibility, default_visibility

__all__ = ["draw_launch"]


def draw_launch(
    label: str,
    config: ExperimentConfig | None,
    *,
    key: str,
    n_trials: int | None = None,
    extends: str | None = None,
    width: Literal["stretch", "content"] = "stretch",
    shortcut: str | None = None,
    visibility: Visibility | None = None,
    on_launch: Callable[[], object] = lambda: None,
) -> None:
    """Draw the button that stores `config` as a new experiment and opens its results; disabled without a config.

    `extends` is the id of an experiment whose finished trials are taken over. Without `visibility` who sees it is as usual.
    `on_launch` is called before the results are opened.

    A second press interrupts the run of the first between any two Streamlit calls. What the first press created
    is therefore noted in a plain dict in the same breath, and the second press finds it there.
    """
    launched: dict[str, str] = st.session_state.setdefault(f"{key}_launched", {})
    token = st.session_state.setdefault(f"{key}_token", uuid4().hex)
    pressed = st.button(
        label,
        key=key,
        type="primary",
        icon=":material/play_arrow:",
        disabled=config is None,
        width=width,
        shortcut=shortcut,
    )
    if pressed and config is not None:
        with show_errors():
            storage = store()
            if token not in launched:
                seen_by = visibility or default_visibility()
                record = storage.create_experiment(config, n_trials=n_trials, extends=extends, visibility=seen_by)
                launched[token] = record.id
                ask_anew()
        on_launch()
        open_results(launched[token])
    elif token in launched:
        st.session_state[f"{key}_token"] = uuid4().hex
