"""Views of members, of single predictions and of hard examples."""

from dataclasses import replace

import pytest

from ensembles.data import load_dataset
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import CURVES
from ensembles.experiments.records import TrialPlan
from tests.pages.made_up_results import (
    MEMBERS,
    add_experiment,
    figures,
    make_config,
    make_result,
    texts,
)


@pytest.mark.parametrize("show", MEMBERS[:-1])
def test_every_curve_of_the_members_opens_by_its_address(storage, show, open_results):
    experiment = add_experiment(storage, make_config(curves=MEMBERS))
    page = open_results(experiment=experiment, view="Members", show=CURVES[show].name)
    assert page.segmented_control(key="show").value == show
    assert len(figures(page)) == 1


def test_members_show_only_what_was_recorded(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(curves=["margins"])), view="Members")
    assert page.segmented_control(key="show").options == ["Margins"]
    assert "Hard examples" not in page.segmented_control(key="view").options


def test_a_trial_graph_shows_test_or_training_examples_or_both(storage, open_results):
    experiment = add_experiment(storage, make_config(curves=["trial_graph"]))
    last = {}
    for of in ("Test examples", "Training examples", "Both"):
        page = open_results(experiment=experiment, view="Members", trial_graph_of=of)
        last[of] = [trace["y"][-1] for trace in figures(page)[0]["data"] if trace.get("fill") is None]
    assert last["Test examples"] == pytest.approx([0.5, 0.6, 0.7])
    assert last["Training examples"] == pytest.approx([0.1] * 3)
    assert last["Both"] == pytest.approx([0.1] * 3 + [0.5, 0.6, 0.7])


def test_diversity_has_the_means_in_a_table(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(curves=["diversity"])), view="Members")
    means = page.dataframe[-1].value
    assert means["Kappa, mean"].tolist() == pytest.approx([0.25] * 3)
    assert means["Pairs of members"].tolist() == [8] * 3
    assert "localized" in page.dataframe[-1].proto.columns
    assert any(button.proto.id.endswith("diversity_means") for button in page.get("download_button"))


def test_two_learners_are_tested_on_one_test_set_where_predictions_are_kept(storage, open_results):
    kept = add_experiment(storage, make_config(curves=["predictions"]))
    page = open_results(experiment=kept, view="Significance", old="AdaBoost", up="Online boosting")
    gains = page.table[-1].value["Gain of Online boosting"]
    assert list(gains.index) == ["Iris", "Wine"]
    said = gains.iloc[0].replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("+0.5000")
    assert "p = 1.000, 2 test examples" in said
    assert page.dataframe[-1].value["Test examples"].tolist() == [2, 2]
    without = open_results(experiment=add_experiment(storage), view="Significance")
    assert len(without.table) == len(page.table) - 1


def test_hard_examples_are_shown_with_their_class_and_values(storage, open_results):
    experiment = add_experiment(storage, make_config(curves=["hard_examples"]))
    page = open_results(experiment=experiment, view="Hard examples", data="Iris", learner="AdaBoost")
    iris = load_dataset("iris")
    assert "AdaBoost stopped after 10 of 100 members on Iris" in page.info[0].value
    assert texts(page).count("stopped after 10 of 100") == 1
    table = page.dataframe[-1].value
    assert table["Row"].tolist() == [18, 4]
    assert table[iris.attributes[0].name].tolist() == iris.X.iloc[[17, 3], 0].tolist()
    (figure,) = figures(page)
    assert figure["data"][0]["x"] == pytest.approx([4.0, 2.5])


def test_boosting_that_stopped_at_its_first_member_is_a_sentence_and_no_bars(storage, open_results):
    config = make_config(methods=("adaboost",), curves=("hard_examples",))
    record = storage.create_experiment(config, n_trials=2, runner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{fold:032x}", 0, 0, 0, fold, 0) for fold in range(2)]
    alike = {"hard_examples": Curve((3.0, 17.0), (1.0, 1.0))}
    results = [(plan, replace(make_result(plan.key, plan, config), members_used=1, curves=alike)) for plan in plans]
    storage.save_trials(record.id, results)
    storage.finish(record.id, "finished", None, runner="test")
    page = open_results(experiment=record.id, view="Hard examples")
    said = texts(page).replace("\\", "").replace("\u2060", "")
    assert "AdaBoost stopped after 1 of 100 members on Iris, in every trial. No example came to weigh more" in said
    assert "100 members, of which 1 voted" in said
    assert not figures(page)
    assert not page.dataframe
