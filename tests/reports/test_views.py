"""The table of the views of results."""

from collections import Counter

import pytest

from ensembles.evaluation.calibration import CALIBRATION
from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES, RIGHT_OR_WRONG
from ensembles.experiments.protocol_spec import Holdout
from ensembles.experiments.results import CONFUSION
from ensembles.reports.views import VIEWS, views_of
from tests.reports.eight_learners import make_eight, make_everything
from tests.reports.made_up import make_config


def test_views_are_told_apart_and_read_curves_that_there_are():
    assert set(Counter(view.key for view in VIEWS).values()) == {1}
    assert set(Counter(view.title for view in VIEWS).values()) == {1}
    known = {*CURVES, CONFUSION, CALIBRATION, RIGHT_OR_WRONG, RIGHT_ON_STRETCHES}
    assert {curve for view in VIEWS for curve in view.curves} == known


def test_titles_stand_in_addresses_that_people_have_shared():
    assert [view.title for view in VIEWS] == [
        "Summary",
        "Leaderboard",
        "Scatterplots",
        "Significance",
        "Settings",
        "Classes",
        "Bias and variance",
        "Learning curves",
        "Stream",
        "Members",
        "Hard examples",
        "Running time",
        "Trials",
    ]


def test_views_apply_where_their_curves_are_recorded():
    everything, few = make_everything(), make_eight()
    assert views_of(everything) == [view for view in VIEWS if view.key != "settings"]  # no setting has several values
    assert {view.key for view in VIEWS} - {view.key for view in views_of(few)} == {
        "settings",
        "bias_and_variance",
        "stream",
        "hard_examples",
    }


@pytest.mark.parametrize("view", [view for view in VIEWS if CONFUSION not in view.curves], ids=lambda view: view.key)
def test_curves_are_read_where_the_experiment_records_one(view):
    config = make_eight().config
    assert not view.reads_curves(config.model_copy(update={"curves": ()}))
    for curve in CURVES:
        reads = curve in view.curves and view.needs_curves(config)
        assert view.reads_curves(config.model_copy(update={"curves": (curve,)})) is reads


def test_the_summary_reads_predictions_of_one_split_only():
    [summary] = [view for view in VIEWS if view.key == "summary"]
    kept = {"curves": ("predictions",)}
    one = make_config(datasets=("iris",)).model_copy(update={**kept, "protocol": Holdout(repeats=1)})
    assert summary.reads_curves(one)
    assert not summary.reads_curves(one.model_copy(update={"curves": ("margins",)}))
    assert not summary.reads_curves(one.model_copy(update={"protocol": Holdout(repeats=2)}))
    assert not summary.reads_curves(make_config().model_copy(update={**kept, "protocol": Holdout(repeats=1)}))


def test_a_view_names_its_curves_and_no_others():
    config = make_eight().config.model_copy(update={"curves": ("learning_curve", "trial_graph")})
    names = {view.key: view.names_of_curves(config) for view in VIEWS}
    assert names["learning_curves"] == ("learning_curve",)
    assert names["classes"] == (CONFUSION, CALIBRATION)
    assert names["significance"] == names["running_time"] == ()
    assert names["members"] == ("trial_graph_train", "trial_graph_test")


def test_charts_stand_under_their_own_heading_or_the_title_of_the_view():
    results = make_everything()
    headings = {view.key: list(view.sections(results)) for view in VIEWS}
    assert headings["scatterplots"] == ["Error scatterplots"]
    assert headings["running_time"] == ["Error against time", "Running time"]
    assert headings["members"] == [CURVES[key].name for key in ("member_errors", "trial_graph", "margins", "diversity")]
    assert all(
        not chart.numbers.empty for view in VIEWS for charts in view.sections(results).values() for chart in charts
    )


def test_every_trial_leaves_its_confusion_matrix():
    [classes] = [view for view in VIEWS if CONFUSION in view.curves]
    assert classes.reads_curves(make_config().model_copy(update={"curves": ()}))
