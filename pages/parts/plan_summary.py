"""Name, seed and files of a new experiment; and below all, always in sight, trials, time, launch."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ensembles.data import Dataset
from ensembles.data.source import Source
from ensembles.errors import EnsembleLabError, InvalidInput
from ensembles.experiments.config import FORMAT, DatasetRef, ExperimentConfig, LearnerSpec
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.resolve import check_installed, resolve_test_dataset
from ensembles.experiments.trials import check_plan, count_trials
from ensembles.reports.estimate_words import estimate_words
from ensembles.reports.formatting import and_list, pluralize
from ensembles.reports.suggested_name import suggested_name
from pages.parts.choose_datasets import ref_of
from pages.parts.choose_preset import draw_save_preset
from pages.parts.dataset_library import open_by_ref
from pages.parts.draft import FILE, Draft
from pages.parts.extension import extended, taken_over, taken_over_words
from pages.parts.form_words import in_words_of_the_form
from pages.parts.import_bundle import draw_import
from pages.parts.launch import draw_launch
from pages.parts.left_form import forget_form, keep_form, protocol_in_form, visibility_as_left
from pages.parts.look import on_phone
from pages.parts.meanwhile import do_meanwhile
from pages.parts.store import store
from pages.parts.text import escape_lines, escape_markdown
from pages.parts.visibility import choose_visibility
from runner.cluster.processors import IDLE_SECONDS, processors
from storage import Actor, Visibility

__all__ = ["draw_files", "draw_summary"]

_LARGEST_FILE_MB = 1
_LONGEST_NAME = 200
_FILE_HEIGHT = 300  # pixels
_LONG = 4.0  # seconds of estimating: what takes more is the compiler
# Streamlit writes a shortcut in a faint colour of its own; on our button it would not stand out enough to be read.
_CLEAR_HINT = "<style>.st-key-new_launch button kbd { color: inherit; opacity: 1; }</style>"
_NEEDED = {
    "datasets": "at least one data set",
    "learners": "a method and a base model that go together",
    "protocol": "a test set",
    "measures": "a measure",
}
"""What an experiment cannot do without, by its field, and what is said where it is lacking."""


def draw_summary(
    draft: Draft,
    datasets: tuple[DatasetRef, ...],
    learners: tuple[LearnerSpec, ...],
    protocol: dict[str, Any] | None,
    measures: Sequence[str],
    curves: Sequence[str],
    *,
    key: str,
) -> None:
    """Draw name and seed, and at the bottom of the window what would be launched, with the button that does it."""
    with st.container(border=True):
        suggestion = suggested_name(learners, [reference.label for reference in datasets])
        name = _draw_name(draft, suggestion, key)
        visibility = choose_visibility("Who sees it", visibility_as_left(), key="new_visibility")
        with st.expander(_title(draft, key), key=f"{key}_more"):
            seed = _draw_seed(draft, key)
            file = st.container()
            presets = st.container()
    fields = {
        "name": name or suggestion,
        "seed": seed,
        "datasets": [reference.model_dump(exclude_defaults=True) for reference in datasets],
        "learners": [learner.model_dump(exclude_defaults=True) for learner in learners],
        "protocol": protocol,
        "measures": list(measures),
        "curves": list(curves),
    }
    shown = Draft(name, seed, datasets, learners, protocol_in_form(protocol), tuple(measures), tuple(curves))
    keep_form(shown, visibility)
    config, place = _draw_bar(fields, visibility)
    with presets:
        draw_save_preset(config)
    if config:
        with file:
            _draw_file(config)
        _draw_time(config, place)


def _draw_bar(fields: dict[str, Any], visibility: Visibility) -> tuple[ExperimentConfig | None, DeltaGenerator]:
    """Draw the bar at the bottom of the window, and return what can be launched and the place for its time."""
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", key="new_bar"):
        verdict = st.container(gap="xxsmall", width="stretch")
        with verdict:
            config = _judged(fields)
        n_trials = count_trials(config) if config else None
        # what people press most has a key of its own: the button is the last stop of the Tab key
        st.html(_CLEAR_HINT)
        shortcut = None if on_phone() else "Ctrl+Enter"  # the button reads it out
        launch = partial(draw_launch, "Launch", key="new_launch", width="content", shortcut=shortcut)
        launch(config, n_trials=n_trials, extends=extended(), visibility=visibility, on_launch=forget_form)
    if config and n_trials:
        verdict.markdown(f"**{pluralize(n_trials, 'trial')}**{taken_over_words(config)}")
    return config, verdict.empty()


def _title(draft: Draft, key: str) -> str:
    return f"Seed {st.session_state.get(f'{key}_seed', draft.seed)}, file and presets of your own"


def _draw_name(draft: Draft, suggestion: str, key: str) -> str:
    name = st.text_input("Name", value=draft.name, placeholder=suggestion, max_chars=_LONGEST_NAME, key=f"{key}_name")
    return name.strip()


def _draw_seed(draft: Draft, key: str) -> int:
    return st.number_input(
        "Seed",
        min_value=0,
        max_value=2**32 - 1,
        value=draft.seed,
        step=1,
        help="The same seed gives the same splits, orders and draws, whatever the number of workers.",
        key=f"{key}_seed",
    )


def draw_files(problem: str | None) -> None:
    """Draw the uploads: an experiment file that the form starts from, with what could not be taken of it, and a bundle."""
    # else it would close where a warning comes in above
    is_open = any(st.session_state.get(one) is not None for one in (FILE, "new_bundle"))
    with st.expander("Start from an experiment file, or import results", expanded=is_open, key="new_files"):
        file = st.file_uploader(
            "A YAML file as the results page offers it",
            type=["yaml", "yml"],
            max_upload_size=_LARGEST_FILE_MB,
            key=FILE,
        )
        if file is not None:
            told = "The form shows what the file says" if problem is None else escape_lines(problem.rstrip("."))
            if "\n" in told:
                told = "This file cannot be used, for the reasons at the top of the page"
            st.caption(f"{told}. Remove the file to start afresh.")
        draw_import()


def _judged(fields: dict[str, Any]) -> ExperimentConfig | None:
    """Return the experiment that can be launched; without one, say what is lacking or wrong."""
    if lacking := [words for name, words in _NEEDED.items() if not fields[name]]:
        st.info(f"Choose {and_list(lacking)}.", icon=":material/checklist:")
        return None
    try:
        config = ExperimentConfig.from_dict({"format": FORMAT, **fields})
        check_installed(config)
        _check(_bare(config), store().actor)
        _check_limit(count_trials(config))
    except EnsembleLabError as error:
        st.error(escape_markdown(in_words_of_the_form(str(error), fields["protocol"])), icon=":material/error:")
        return None
    return config


def _check_limit(n_trials: int) -> None:
    """Raise `InvalidInput` where an experiment has more trials than who asks may have in one."""
    most = store().get_limits().trials
    if most is not None and n_trials > most:
        raise InvalidInput(f"You may have at most {most:,} trials in an experiment, these would be {n_trials:,}")


def _bare(config: ExperimentConfig) -> str:
    """Return the experiment without what changes neither its trials nor their time, to cache by."""
    return config.model_copy(update={"name": "any", "seed": 1}).to_yaml()


@st.cache_data(max_entries=128, show_spinner=False)
def _check(bare: str, actor: Actor) -> None:  # noqa: ARG001  # not everybody may see the same data sets
    """Raise `InvalidConfig` when the data sets are not fit for the protocol."""
    config = ExperimentConfig.from_yaml(bare)
    datasets = _load_all(config)
    check_plan(config, datasets)
    resolve_test_dataset(config, datasets[0], open_by_ref)


def _estimate(config: ExperimentConfig, tell: Callable[[float], object]) -> Estimate:
    """Return how long an experiment will take; what was measured once is not measured again.

    A learner that is new to this machine is compiled for it, up to a minute, in which the form must stay alive.
    """
    datasets = _load_all(config)
    test = resolve_test_dataset(config, datasets[0], open_by_ref)
    estimate = partial(
        estimate_seconds,
        config,
        datasets,
        test_dataset=test,
        workers=processors(),
        starts_workers=not store().ran_within(IDLE_SECONDS),
        past=store().find_past_trials(config),
        there=taken_over(config),
    )
    return do_meanwhile(estimate, tell)


def _load_all(config: ExperimentConfig) -> list[Dataset | Source]:
    return [
        open_by_ref(str(ref_of(reference)), tuple(sorted(reference.settings.items()))) for reference in config.datasets
    ]


def _draw_time(config: ExperimentConfig, place: DeltaGenerator) -> None:
    """Estimate last: the probes take a second or two, and nothing waits for them."""

    def tell(seconds: float) -> None:
        why = " Learners that are new here are compiled first, up to a minute each." if seconds > _LONG else ""
        place.caption(f":material/timer: Estimating the time …{why}")

    tell(0.0)
    try:
        estimate = _estimate(config, tell)
    except EnsembleLabError as error:
        place.caption(escape_markdown(str(error)))
        return
    words = estimate_words(estimate, processors())
    place.caption(f":material/timer: {words[0].upper()}{words[1:]}.")


def _draw_file(config: ExperimentConfig) -> None:
    st.caption("The experiment as a file")
    st.code(config.to_yaml(), language="yaml", wrap_lines=True, height=_FILE_HEIGHT)
    st.download_button(
        "Download", config.to_yaml(), "experiment.yaml", "application/yaml", on_click="ignore", key="new_download"
    )
