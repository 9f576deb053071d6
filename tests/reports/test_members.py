import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Table, load_dataset
from ensembles.reports.charts import hard_chart
from ensembles.reports.figure_data import MAX_POINTS, curve_bands
from ensembles.reports.member_figures import diversity_figure, hard_figure
from ensembles.reports.members import (
    cloud_frame,
    diversity_clouds,
    hard_examples,
    hard_frame,
    mean_frame,
    members_that_voted,
    missing_members,
)
from ensembles.reports.style import learner_styles
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

SINGLE, ADABOOST, ONLINE = 0, 1, 2
LOOKS = learner_styles(make_config().learners)
HTML = '<b onclick="x">Iris</b>'


def make_clouds(n: int = 3):
    curves = [
        *make_curve(0, ONLINE, np.linspace(0, 0.4, n), np.linspace(0.1, 0.3, n), curve="diversity"),
        *make_curve(0, ONLINE, [0.6], [0.5], curve="diversity", fold=1),
        *make_curve(0, ADABOOST, [0.1, 0.2], [0.3, 0.2], curve="diversity"),
        *make_curve(1, ADABOOST, [0.9], [0.9], curve="diversity"),
    ]
    return diversity_clouds(make_results([], curves), 0, [SINGLE, ADABOOST, ONLINE])


def test_a_cloud_holds_the_pairs_of_all_trials_of_a_learner():
    adaboost, online = make_clouds()
    assert (adaboost.learner, adaboost.kappa, adaboost.error) == (ADABOOST, (0.1, 0.2), (0.3, 0.2))
    assert online.n == 4
    assert online.mean_kappa == pytest.approx((0 + 0.2 + 0.4 + 0.6) / 4)
    assert online.mean_error == pytest.approx((0.1 + 0.2 + 0.3 + 0.5) / 4)


def test_large_clouds_are_thinned_but_their_means_are_not():
    adaboost, online = make_clouds(20_000)
    assert len(adaboost.kappa) + len(online.kappa) <= MAX_POINTS
    assert online.n == 20_001
    assert online.mean_kappa == pytest.approx((20_000 * 0.2 + 0.6) / 20_001)


def test_learners_without_pairs_or_not_chosen_have_no_cloud():
    results = make_results([], make_curve(0, ADABOOST, [0.1], [0.3], curve="diversity"))
    assert diversity_clouds(results, 0, [ONLINE]) == ()
    assert diversity_clouds(results, 1, [ADABOOST]) == ()


def test_the_diagram_draws_the_numbers_of_its_tables():
    clouds = make_clouds()
    figure = diversity_figure(clouds, LOOKS)
    points, means = cloud_frame(clouds), mean_frame(clouds)
    small, large = figure.data[:2], figure.data[2:]
    assert [x for trace in small for x in trace.x] == points["Kappa"].tolist()
    assert [y for trace in small for y in trace.y] == points["Mean error of the two"].tolist()
    assert [trace.x[0] for trace in large] == means["Kappa, mean"].tolist()
    assert [trace.y[0] for trace in large] == means["Error, mean"].tolist()
    assert [trace.name for trace in large] == means["Learner"].tolist()
    assert {trace.type for trace in figure.data} == {"scatter"}


def make_hard():
    curves = [
        *make_curve(0, ADABOOST, [3, 7, 9], [2.0, 5.0, 4.0], curve="hard_examples"),
        *make_curve(0, ADABOOST, [3, 9], [2.0, 3.0], curve="hard_examples", fold=1),
        *make_curve(0, ONLINE, [1], [99.0], curve="hard_examples"),
    ]
    return make_results([], curves)


def test_hard_examples_come_by_their_weight_over_all_trials():
    found = hard_examples(make_hard(), 0, ADABOOST)
    assert [(example.row, example.weight, example.trials) for example in found] == [
        (9, 3.5, 2),
        (7, 5.0, 1),
        (3, 2.0, 2),
    ]
    assert [example.row for example in hard_examples(make_hard(), 0, ADABOOST, most=2)] == [9, 7]
    assert hard_examples(make_hard(), 1, ADABOOST) == ()


BOOSTERS = [
    {"method": "single", "base": "naive_bayes"},
    {"method": "adaboost", "base": "naive_bayes", "n_estimators": 20},
    {"method": "online_boosting", "base": "naive_bayes", "n_estimators": 20},
]


def make_stopped(*used, weights=()):
    """Return results of AdaBoost that used so many of 20 members in its trials."""
    trials = [make_trial(0, ADABOOST, 0.5, members_used=n, fold=fold) for fold, n in enumerate(used)]
    trials.append(make_trial(0, SINGLE, 0.5, members_used=1))
    curves = [make_curve(0, ADABOOST, [3, 7], y, curve="hard_examples", fold=fold) for fold, y in enumerate(weights)]
    return make_results(trials, [point for curve in curves for point in curve], make_config(BOOSTERS))


def test_boosting_that_stopped_at_its_first_member_found_no_example_hard():
    results = make_stopped(1, 1, weights=[[1.0, 1.0], [1.0 - 1e-15, 1.0]])
    assert hard_examples(results, 0, ADABOOST) == ()
    chart = hard_chart(results, 0, ADABOOST)
    assert chart.numbers.empty
    assert chart.caption == (
        "AdaBoost stopped after 1 of 20 members on Iris, in every trial. No example came to weigh more than another."
    )
    assert members_that_voted(results) == (1, 1)


def test_trials_that_stopped_at_once_are_no_part_of_the_hard_examples_but_are_told_of():
    results = make_stopped(1, 20, weights=[[1.0, 1.0], [0.5, 4.0]])
    assert [(e.row, e.weight, e.trials) for e in hard_examples(results, 0, ADABOOST)] == [(7, 4.0, 1), (3, 0.5, 1)]
    told = "AdaBoost stopped after 1 of 20 members on Iris, in 1 of 2 trials."
    assert hard_chart(results, 0, ADABOOST).caption.endswith(told)
    assert members_that_voted(results) == (1, 20)


def test_where_all_members_voted_nothing_is_missing():
    results = make_stopped(20, 20, weights=[[0.5, 4.0]])
    assert missing_members(results, 0, ADABOOST) == missing_members(results, 1, ADABOOST) == ""
    assert members_that_voted(results) is None
    assert members_that_voted(make_results([])) is None
    online = make_results([make_trial(0, ONLINE, 0.5, members_used=n) for n in (3, 7)], config=make_config(BOOSTERS))
    sentence = "Online boosting voted with 3 to 7 of 20 members on Iris, in every trial."
    assert missing_members(online, 0, ONLINE) == sentence


def test_hard_examples_stand_beside_their_class_and_attributes():
    iris = load_dataset("iris")
    table = hard_frame(hard_examples(make_hard(), 0, ADABOOST), iris)
    assert table.columns.tolist() == ["Row", "Weight", "Trials", iris.target, *(a.name for a in iris.attributes)]
    assert table["Row"].tolist() == [10, 8, 4]
    frame = iris.to_frame()
    for place, row in enumerate((9, 7, 3)):
        assert table.iloc[place, 4:].tolist() == frame.iloc[row, :-1].tolist()
        assert table.iloc[place, 3] == frame.iloc[row, -1]


def test_an_attribute_called_like_a_column_keeps_its_values():
    attributes = [Attribute("Row", "numeric"), Attribute("Weight", "numeric")]
    numbers = np.arange(10, dtype=float)
    table = Table.from_columns(attributes, [numbers, 2 * numbers])
    dataset = Dataset("Parcels", table, np.arange(10) % 2, ("light", "heavy"))
    table = hard_frame(hard_examples(make_hard(), 0, ADABOOST), dataset)
    assert table.columns.is_unique
    assert table["Weight (attribute)"].tolist() == [18, 14, 6]
    assert table["class"].tolist() == ["heavy", "heavy", "heavy"]


def test_the_figure_of_hard_examples_has_the_numbers_of_its_table():
    found = hard_examples(make_hard(), 0, ADABOOST)
    figure = hard_figure(found, [HTML, "b", "c"], LOOKS[ADABOOST])
    assert list(figure.data[0].x) == [3.5, 5.0, 2.0]
    assert figure.layout.yaxis.ticktext[1:] == ("b", "c")
    assert "<b onclick" not in figure.layout.yaxis.ticktext[0] + figure.data[0].hovertext[0]


def test_margins_keep_their_fractions():
    grid = np.arange(-50, 51) * 0.02
    curves = [
        *make_curve(0, ONLINE, grid, np.linspace(0, 1, 101), curve="margins_test"),
        *make_curve(0, ONLINE, grid, np.linspace(0, 1, 101), curve="margins_test", fold=1),
        *make_curve(0, ONLINE, grid, np.linspace(0, 1, 101), curve="margins_test", fold=1, order=1),
    ]
    (band,) = curve_bands(make_results([], curves), 0, "margins_test")
    assert band.x == pytest.approx(grid, abs=1e-8)
    assert band.x[50] == 0.0
