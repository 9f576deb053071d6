"""Launch an experiment once, however often the button is pressed."""

from collections.abc import Callable
from threading import Lock
from typing import Literal
from uuid import uuid4

import streamlit as st

from ensembles.experiments.config import ExperimentConfig
from pages.parts.links import open_results
from pages.parts.live import ask_anew
from pages.parts.store import show_errors, store
from storage import Visibility, default_visibility

__all__ = ["Launched", "draw_launch"]


class Launched:
    """What presses created, by the token that the button had."""

    def __init__(self) -> None:
        self._lock, self._made = Lock(), dict[str, str]()

    def __contains__(self, token: str) -> bool:
        return token in self._made

    def once(self, token: str, create: Callable[[], str]) -> str:
        """Return what was created for a token, now if it was not; who comes meanwhile waits. `create` calls no Streamlit."""
        with self._lock:
            if token not in self._made:
                self._made[token] = create()
            return self._made[token]


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

    A second press interrupts the run of the first between any two Streamlit calls, and begins in a thread of its own before
    that has come to one: `Launched` lets it wait, and find what the first press created.
    """
    launched: Launched = st.session_state.setdefault(f"{key}_launched", Launched())
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
            storage, seen_by = store(), visibility or default_visibility()
            experiment = launched.once(
                token,
                lambda: storage.create_experiment(config, n_trials=n_trials, extends=extends, visibility=seen_by).id,
            )
            ask_anew()
        on_launch()
        open_results(experiment)
    elif token in launched:
        st.session_state[f"{key}_token"] = uuid4().hex
