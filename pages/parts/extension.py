"""A new experiment that goes on from another (`?extend=<experiment>`): what finished there does not run again."""

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from ensembles.errors import EnsembleLabError, NotFound
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.trials import count_trials, plan_trials
from pages.parts.choose_datasets import ref_of
from pages.parts.dataset_library import open_by_ref
from pages.parts.live import experiment_now
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from storage import Actor

__all__ = ["draw_extension", "extended", "taken_over", "taken_over_words"]

_MOST_PLANNED = 50_000  # trials whose keys are made while somebody waits: 0.2 s


def extended() -> str | None:
    """Return the id of the experiment that the form goes on from, if any."""
    experiment: str | None = st.query_params.get("extend")
    return experiment


def draw_extension() -> None:
    """Say what an extension takes over."""
    if (experiment := extended()) is None:
        return
    with show_errors():
        try:
            name = escape_markdown(experiment_now(experiment).name)
        except NotFound:
            return  # the form says so
    st.info(
        f"This goes on from **{name}**: add repeats, orders, learners or data sets. Trials that finished there are taken "
        "over, and only new ones run. That holds while seed, folds, measures and curves stay as they are.",
        icon=":material/add_chart:",
    )


def taken_over_words(config: ExperimentConfig) -> str:
    """Return how many trials are there already, as the end of a sentence; nothing where none is taken over."""
    if (taken := taken_over(config)) is None:
        return ""
    return f", {n:,} of them taken over" if (n := sum(taken.values())) else ", none of them taken over"


def taken_over(config: ExperimentConfig) -> Mapping[tuple[int, int], int] | None:
    """Return how many trials are there already, by the positions of data set and learner; None where that is not known."""
    if (experiment := extended()) is None or count_trials(config) > _MOST_PLANNED:
        return None
    try:
        done = experiment_now(experiment).done
        return _count(config.model_copy(update={"name": "any"}).to_yaml(), experiment, done, store().actor)
    except EnsembleLabError:
        return None


@st.cache_data(max_entries=64, show_spinner=False)
def _count(text: str, experiment: str, done: int, actor: Actor) -> dict[tuple[int, int], int]:  # noqa: ARG001
    config = ExperimentConfig.from_yaml(text)
    datasets = [open_by_ref(str(ref_of(one)), tuple(sorted(one.settings.items()))) for one in config.datasets]
    keys = store().finished_keys(experiment, failed=False)
    return dict(Counter((plan.dataset, plan.learner) for plan in plan_trials(config, datasets) if plan.key in keys))
