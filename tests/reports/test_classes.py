"""Confusion matrices, recall and precision of classes, beside scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics

from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.results import CONFUSION
from ensembles.reports.classes import class_scores_chart, confusion_chart, confusion_of
from ensembles.reports.views import VIEWS
from storage import open_storage
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

K = 3


def predictions(seed):
    rng = np.random.default_rng(seed)
    true = rng.integers(K, size=60)
    return true, np.where(rng.random(60) < 0.6, true, rng.integers(K, size=60))


def matrix_of(seed):
    return metrics.confusion_matrix(*predictions(seed), labels=range(K))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Return stored results: on the first data set each learner has two trials, on the second there are too many classes."""
    config = make_config().model_copy(update={"curves": ()})
    with open_storage(f"sqlite:///{tmp_path_factory.mktemp('db')}/lab.db") as storage:
        record = storage.create_experiment(config, n_trials=12, runner="test", lease_seconds=60)
        for learner in range(3):
            for fold in range(2):
                told = tuple(map(tuple, matrix_of(2 * learner + fold).tolist()))
                for dataset, confusion in enumerate((told, ())):
                    plan = TrialPlan(f"{dataset}{learner}{fold:030x}", dataset, learner, 0, fold, 0)
                    result = TrialResult(plan.key, measures={"accuracy": 0.5 + learner / 10}, confusion=confusion)
                    storage.save_trials(record.id, [(plan, result)])
        return storage.load_results(record.id, with_confusion=True), storage.load_results(record.id)


def test_matrices_of_stored_trials_are_summed(loaded):
    results, without = loaded
    for learner, found in confusion_of(results, 0).items():
        np.testing.assert_array_equal(found, matrix_of(2 * learner) + matrix_of(2 * learner + 1))
    assert confusion_of(results, 1) == {}
    assert without.curves.empty


@pytest.mark.parametrize(("of", "score"), [("recall", metrics.recall_score), ("precision", metrics.precision_score)])
def test_scores_of_classes_are_those_of_scikit_learn(loaded, of, score):
    chart = class_scores_chart(loaded[0], 0, of, ["one", "<b>two</b>", "three"])
    for learner, name in enumerate(loaded[0].learners):
        pairs = [predictions(2 * learner), predictions(2 * learner + 1)]
        true, told = (np.concatenate(series) for series in zip(*pairs, strict=True))
        assert chart.numbers[name].tolist() == pytest.approx(score(true, told, average=None))
    figure = chart.draw("light")
    assert [trace.x for trace in figure.data] == [tuple(chart.numbers[name]) for name in loaded[0].learners]
    assert figure.layout.yaxis.ticktext == ("one", "&lt;b&gt;two&lt;/b&gt;", "three")


def test_the_matrix_is_drawn_in_shares_of_its_rows_and_the_worst_mistake_is_said(loaded):
    chart = confusion_chart(loaded[0], 0, 1)
    matrix = matrix_of(2) + matrix_of(3)
    assert chart.numbers.drop(columns="True class").to_numpy().tolist() == matrix.tolist()
    [heatmap] = chart.draw("dark").data
    assert np.array(heatmap.z) == pytest.approx(matrix / matrix.sum(axis=1, keepdims=True))
    wrong = matrix - np.diag(np.diag(matrix))
    true, told = np.unravel_index(wrong.argmax(), wrong.shape)
    assert f"Taken for another most often: class {true + 1} for class {told + 1} (" in chart.caption


def test_without_matrices_and_without_mistakes_it_is_said(loaded):
    assert "of over 100 classes have none" in confusion_chart(loaded[0], 1, 0).caption
    assert class_scores_chart(loaded[0], 1).numbers.empty
    right = make_curve(0, 0, [0, 4, 9], [5, 6, 0], curve=CONFUSION)
    results = make_results([make_trial(0, 0, 1.0)], right)
    assert "It never takes a class for another." in confusion_chart(results, 0, 0).caption
    assert class_scores_chart(results, 0, "precision").draw("light").data[0].y == (0, 1)
    [view] = [view for view in VIEWS if view.key == "classes"]
    assert [len(charts) for charts in view.sections(results).values()] == [1, 1, 1]
    assert view.sections(make_results([])) == {}


def test_the_axis_of_shares_has_no_shares_that_cannot_be():
    none_right = make_curve(0, 0, [1, 2, 4], [5, 6, 0], curve=CONFUSION)
    axis = class_scores_chart(make_results([make_trial(0, 0, 0.0)], none_right), 0).draw("light").layout.xaxis
    assert (axis.rangemode, axis.autorangeoptions.clipmax) == ("nonnegative", 1.0)


def test_of_many_classes_those_that_are_found_least_are_drawn():
    found = [*(place * 41 for place in range(39)), 39 * 41 - 1, 1600]
    results = make_results([make_trial(0, 0, 0.9)], make_curve(0, 0, found, [1] * 40 + [0], curve=CONFUSION))
    chart = class_scores_chart(results, 0)
    assert "The 30 of 40 classes" in chart.caption
    assert len(chart.draw("light").layout.yaxis.ticktext) == 30
    assert len(chart.numbers) == 40


@pytest.mark.parametrize(("k", "full"), [(14, False), (15, True)])
def test_cells_without_numbers_on_them_are_drawn_in_full_colours(k, full):
    right = [*(place * (k + 1) for place in range(k)), k * k]
    results = make_results([make_trial(0, 0, 0.9)], make_curve(0, 0, right, [1] * k + [0], curve=CONFUSION))
    ends = {theme: confusion_chart(results, 0, 0).draw(theme).data[0].colorscale[-1][1] for theme in ("light", "dark")}
    assert (ends == {"light": "#0072B2", "dark": "#56B4E9"}) is full


def test_without_an_error_the_matrix_of_a_learner_is_drawn_all_the_same(loaded):
    unknown = replace(loaded[0], trials=loaded[0].trials.assign(accuracy=np.nan))
    [classes] = [view for view in VIEWS if view.key == "classes"]
    assert [*classes.sections(unknown)] == [*classes.sections(loaded[0])]
