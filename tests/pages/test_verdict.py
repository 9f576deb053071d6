"""The verdict at the top of the summary of results."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ensembles.evaluation.right_or_wrong import pack_right
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan
from tests.pages.made_up_results import HOSTILE, add_experiment, figures, make_config, make_result, texts

ONE = {"kind": "cross_validation", "repeats": 2, "folds": 3, "orders": 1, "stratified": True}
STREAM = {"kind": "prequential", "orders": 1}
SINGLE_SPLIT = {"kind": "holdout", "repeats": 1}


def add_one(storage, protocol=ONE, methods=("single", "adaboost", "online_boosting"), curves=(), name="One", apart=0.0):
    """Store a finished experiment on iris alone; learners differ by 0.1 on every split, and by `apart` less or more."""
    document = make_config(name, methods, curves, protocol=protocol).to_dict() | {"datasets": ["iris"]}
    config = ExperimentConfig.from_dict(document)
    repeats, folds = config.protocol.splits
    places = [(m, r, f) for m in range(len(methods)) for r in range(repeats) for f in range(folds)]
    record = storage.create_experiment(config, n_trials=len(places), runner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{number:032x}", 0, m, r, f, 0) for number, (m, r, f) in enumerate(places)]
    results = [make_result(plan.key, plan, config) for plan in plans]
    for place, plan in enumerate(plans if apart else []):
        accuracy = results[place].measures["accuracy"] + apart * (plan.fold - 1) * plan.learner
        results[place] = replace(results[place], measures={"accuracy": accuracy})
    storage.save_trials(record.id, list(zip(plans, results, strict=True)))
    storage.finish(record.id, "finished", None, runner="test")
    return record.id


def said(page):
    """Return the sentences of the verdict."""
    plain = [one.value.replace("\\", "").replace("\u2060", "") for one in page.markdown]
    return {lead.strip("*: "): text for lead, _, text in (one.partition(":** ") for one in plain) if text}


def test_one_data_set_is_told_at_the_top_with_its_numbers_one_click_away(storage, open_results):
    page = open_results(experiment=add_one(storage, apart=0.005))
    assert [header.value for header in page.header] == [
        "Verdict",
        "Means",
        "Take a model home",
    ]  # a scatterplot would have one point
    words = said(page)
    assert words["Best"] == "Online boosting, accuracy 0.7000 [0.6812, 0.7188]."
    assert words["Clearly worse"].startswith("AdaBoost and Single model (corrected resampled t-test over 6 splits")
    [figure] = figures(page)
    assert [trace["x"][0] for trace in figure["data"]] == pytest.approx([0.0, 0.1, 0.2])
    [behind] = [one for one in page.expander if one.label == "How this was tested"]
    assert "Nadeau and Bengio" in behind.markdown[0].value
    chances = behind.table[0].value.to_numpy().tolist()
    assert chances == [["0\\.000", "0\\.000", "**1\\.000**"]] * 2
    assert "Corani and Benavoli" in behind.caption[0].value
    numbers = page.dataframe[0].value
    assert numbers["Verdict"].tolist() == ["best", "clearly worse", "clearly worse"]
    assert list(numbers)[2:6] == ["Behind the best", "From", "To", "p adjusted"]
    assert page.get("plotly_chart")[0].proto.alt.startswith("One row a learner, the best on top.")


def test_a_few_data_sets_are_ranked_and_said_to_be_too_few(storage, open_results):
    page = open_results(experiment=add_experiment(storage))
    assert said(page)["Ahead, but not tested"].startswith("Online boosting, mean rank 1.00 over 2 data sets")
    assert "With 2 data sets nothing can be significant at 0.05; with 7 it could." in said(page)["Too little to tell"]
    assert [trace["x"][0] for trace in figures(page)[0]["data"]] == [1.0, 2.0, 3.0]


def test_a_stream_is_told_by_its_predictions_or_says_what_is_missing(storage, open_results):
    methods = ("single", "online_bagging", "online_boosting")
    kept = add_one(storage, STREAM, methods, ("predictions",))
    words = said(open_results(experiment=kept))
    assert words["Ahead, but not tested"].startswith("Online boosting, error 0.0000")
    assert words["Too little to tell"] == "Single model and Online bagging. 2 examples cannot tell."
    without = said(open_results(experiment=add_one(storage, STREAM, methods, name="Another")))
    assert "launched anew, it keeps what a test needs" in without["Too little to tell"]


def test_of_one_split_and_of_one_learner_nothing_is_told(storage, open_results):
    page = open_results(experiment=add_one(storage, SINGLE_SPLIT))
    assert "There is 1 split; it takes 3 or more" in said(page)["Too little to tell"]
    assert len(figures(page)) == 1
    alone = open_results(experiment=add_one(storage, methods=("single",), name="Alone"))
    assert said(alone)["Only learner"].startswith("Single model, accuracy 0.5000")
    assert figures(alone) == []
    assert "A comparison needs two learners" in alone.info[0].value


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9])
def test_a_running_experiment_is_told_as_far_as_it_is(storage, open_results, share):
    page = open_results(experiment=add_experiment(storage, share=share, state="running"))
    assert page.header[0].value == "Verdict"
    assert {"Ahead, but not tested", "Too little to tell", "Not compared"} & {*said(page)}


def test_where_a_learner_failed_it_is_not_compared_and_where_all_did_there_is_no_verdict(storage, open_results):
    page = open_results(experiment=add_experiment(storage, failing=(2,)))
    assert said(page)["Not compared"] == "Online boosting: no more than half of the results that others have."
    failed = open_results(experiment=add_experiment(storage, make_config("All failed"), failing=(0, 1, 2)))
    assert not said(failed)
    assert "Verdict" not in [header.value for header in failed.header]


def test_names_in_the_verdict_are_never_markup(storage, open_results, monkeypatch):
    monkeypatch.setattr(
        ExperimentConfig, "labels", lambda self: tuple(f"{HOSTILE} {n}" for n in range(len(self.learners)))
    )
    page = open_results(experiment=add_one(storage))
    [best] = [one.value for one in page.markdown if one.value.startswith("**Best:**")]
    for live in ("<b>", "*and*", ":red[", "$x$", "[a]("):
        assert live not in best


def test_the_verdict_follows_the_measure_that_the_address_names(storage, open_results):
    experiment = add_one(storage)
    page = open_results(experiment=experiment)
    assert page.selectbox(key="measure").value == "accuracy"
    page.selectbox(key="measure").set_value("error").run()
    assert said(page)["Best"] == "Online boosting, error 0.3000."
    assert "in error" in json.dumps(figures(page)[0]["layout"]["xaxis"]["title"])
    shared = open_results(experiment=experiment, measure="Error")
    assert said(shared) == said(page)


def test_a_stream_is_told_by_the_measure_of_ones_choice(storage, open_results):
    methods = ("single", "online_bagging", "online_boosting")
    experiment = add_one(storage, STREAM, methods, ("predictions",))
    assert open_results(experiment=experiment).selectbox(key="measure").value == "error"
    final = open_results(experiment=experiment, measure="Final accuracy")
    assert "examples cannot tell" in said(final)["Too little to tell"]
    accuracy = open_results(experiment=experiment, measure="Accuracy")
    assert said(accuracy)["Ahead, but not tested"].startswith("Online boosting, accuracy 1.0000")


def test_along_a_stream_two_learners_stand_beside_each_other(storage, open_results):
    methods = ("single", "online_bagging", "online_boosting")
    bits = [pack_right(0, np.random.default_rng(n).random(2000) < share) for n, share in enumerate((0.6, 0.62, 0.95))]
    document = make_config("Bits", methods, (), protocol=STREAM).to_dict() | {"datasets": ["iris"]}
    config = ExperimentConfig.from_dict(document)
    record = storage.create_experiment(config, n_trials=3, runner="test", lease_seconds=3600)
    for learner, curve in enumerate(bits):
        plan = TrialPlan(f"{learner:032x}", 0, learner, 0, 0, 0)
        result = make_result(plan.key, plan, config)
        storage.save_trials(record.id, [(plan, replace(result, curves={"right_or_wrong": curve}))])
    storage.finish(record.id, "finished", None, runner="test")
    page = open_results(experiment=record.id, view="Stream")
    [figure] = figures(page)
    assert [trace["name"] for trace in figure["data"]] == ["cannot be told"]
    page.selectbox(key="up").set_value(2).run()
    assert "Online boosting is clearly better on examples" in texts(page)
    assert said(open_results(experiment=record.id))["Best"].startswith("Online boosting, error 0.0")


def test_rows_are_shown_in_relative_errors_and_in_groups_where_there_is_something_to_group(storage, open_results):
    several = open_results(experiment=add_experiment(storage), units="Relative error")
    assert "relative error" in figures(several)[0]["layout"]["xaxis"]["title"]["text"]
    assert several.segmented_control(key="units").value == "relative"
    assert not [one for one in several.segmented_control if one.key == "group"]  # one base model
    assert not [one for one in open_results(experiment=add_one(storage)).segmented_control if one.key == "units"]


def test_one_learner_that_is_left_has_no_rank(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(methods=("single", "bagging")), failing=(1,)))
    assert said(page)["Only one with enough results"] == "Single model, over 2 data sets mean accuracy 0.5050."
    assert not [one for one in page.segmented_control if one.key == "units"]


def test_the_caption_of_the_means_says_what_is_there(storage, open_results):
    def caption(**made):
        [said] = [
            one.value for one in open_results(experiment=add_one(storage, **made)).caption if "Accuracy: " in one.value
        ]
        return said

    assert "± one standard deviation over trials. **Bold**: the highest" in caption()
    assert caption(protocol=SINGLE_SPLIT).startswith("Accuracy: one trial each. **Bold**: the highest")
    assert caption(methods=("single",)) == "Accuracy: mean over splits and orders ± one standard deviation over trials."


def test_means_of_which_trials_have_no_value_say_so(storage, open_results, monkeypatch):
    monkeypatch.setattr("pages.parts.results.summary.without_value", lambda _, measure: [f"2 have no {measure}."])
    assert "2 have no accuracy." in texts(open_results(experiment=add_one(storage)))
