"""Hard examples: those that boosting gave the highest weight, with their class and attribute values."""

import streamlit as st

from ensembles.data import Dataset
from ensembles.errors import EnsembleLabError
from ensembles.reports.look import learner_looks
from ensembles.reports.member_figures import hard_figure
from ensembles.reports.members import hard_examples, hard_frame
from ensembles.reports.results import Results
from ensembles.reports.series import curves_of
from pages.parts.dataset_library import load_by_ref
from pages.parts.results.chart import draw_chart
from pages.parts.results.curves import choose_dataset
from pages.parts.results.load import ground
from pages.parts.text import plain

__all__ = ["draw_hard_examples"]


def draw_hard_examples(results: Results) -> None:
    """Draw the weights of the hardest examples of one learner on one data set, and the examples themselves."""
    datasets = curves_of(results, "hard_examples")
    if not datasets:
        st.info(
            "No learner of this experiment keeps the weights of its examples: boosting does.", icon=":material/info:"
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        position = choose_dataset(results, datasets)
        learner = _choose_learner(results, position)
    examples = hard_examples(results, position, learner)
    dataset = _load(results, position)
    if dataset is None:
        return
    table = hard_frame(examples, dataset)
    classes = [dataset.classes[dataset.labels[example.row]] for example in examples]
    names = [f"{example.row + 1:,}: {label}" for example, label in zip(examples, classes, strict=True)]
    draw_chart(
        hard_figure(examples, names, learner_looks(results.config.learners)[learner], ground()),
        f"{results.datasets[position]}: the training examples that {results.learners[learner]} gave the highest weight, "
        "mean over its members and over the trials that list them among their hundred hardest, by the sum over trials. "
        "Wrong classes and outliers are often among them.",
        key="hard_examples",
        numbers=table,
    )
    st.dataframe(
        table,
        hide_index=True,
        height="content" if len(table) <= 12 else 460,
        column_config={"Weight": st.column_config.NumberColumn(format="%.2f")},
        alt="The hardest examples with their class and attribute values",
    )


def _choose_learner(results: Results, dataset: int) -> int:
    points = results.curves[(results.curves["dataset"] == dataset) & (results.curves["curve"] == "hard_examples")]
    return st.selectbox(
        "Learner",
        sorted(int(learner) for learner in points["learner"].unique()),
        format_func=results.learners.__getitem__,
        key="learner",
        bind="query-params",
        width=420,
    )


def _load(results: Results, position: int) -> Dataset | None:
    reference = results.config.datasets[position]
    try:
        return load_by_ref(reference.key or reference.sha256 or "", tuple(sorted(reference.settings.items())))
    except EnsembleLabError as error:
        st.info(plain(f"The examples cannot be shown: {error}"), icon=":material/info:")
        return None
