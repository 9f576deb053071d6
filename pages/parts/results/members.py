"""Members: their errors, what the first of them do together, how clearly they decide, and how much they differ."""

from collections.abc import Callable

import streamlit as st

from ensembles.evaluation.curves import CURVES
from ensembles.reports.look import learner_looks
from ensembles.reports.member_figures import diversity_figure
from ensembles.reports.members import cloud_frame, diversity_clouds, mean_frame
from ensembles.reports.results import Results
from ensembles.reports.series import curves_of
from pages.parts.results.chart import draw_chart
from pages.parts.results.curves import choose_dataset, draw_margins, draw_member_errors, draw_trial_graph
from pages.parts.results.load import choose_learners, ground

__all__ = ["MEMBER_CURVES", "draw_members"]


def draw_members(results: Results) -> None:
    """Draw one of the curves about members that the experiment asked for."""
    recorded = [curve for curve in MEMBER_CURVES if curve in results.config.curves]
    curve = st.segmented_control(
        "Show",
        recorded,
        format_func=lambda curve: CURVES[curve].name,
        default=recorded[0],
        required=True,
        key="show",
        bind="query-params",
    )
    MEMBER_CURVES[curve](results)


def _draw_diversity(results: Results) -> None:
    datasets = curves_of(results, "diversity")
    if not datasets:
        st.info("No learner of this experiment has two members that can be compared.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = choose_dataset(results, datasets)
        learners = choose_learners(results)
    clouds = diversity_clouds(results, dataset, learners)
    if not clouds:
        st.info("None of the chosen learners has two members that can be compared here.", icon=":material/info:")
        return
    draw_chart(
        diversity_figure(clouds, learner_looks(results.config.learners), ground()),
        f"{results.datasets[dataset]}: a small mark is a pair of members of one trial, a large one the mean of a learner. "
        "To the left members decide more differently, further down they err less; a vote gains where they do both.",
        key="diversity",
        numbers=cloud_frame(clouds),
    )
    st.dataframe(
        mean_frame(clouds),
        hide_index=True,
        height="content",
        width="content",
        column_config=dict.fromkeys(("Kappa, mean", "Error, mean"), st.column_config.NumberColumn(format="%.4f")),
    )


#: What can be shown about members, by the key of the curve.
MEMBER_CURVES: dict[str, Callable[[Results], None]] = {
    "member_errors": draw_member_errors,
    "trial_graph": draw_trial_graph,
    "margins": draw_margins,
    "diversity": _draw_diversity,
}
