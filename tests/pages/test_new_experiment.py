"""New experiment: from choices to a launched experiment."""

from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ensembles.data import load_dataset
from ensembles.experiments import estimate
from ensembles.experiments.config import (
    BiasVariance,
    ExperimentConfig,
    GivenSplit,
    Holdout,
    LearnerSpec,
    Prequential,
)
from ensembles.experiments.learner_choice import LearnerChoice, base_rows, method_rows
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from ensembles.registry import base_models, methods
from ensembles.reports.suggested_name import suggested_name
from pages.parts import plan_summary
from pages.parts.choose_datasets import stored_reference
from runner.bundles import write_bundle
from storage import Storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import tiny_config, tiny_dataset


def launch(app: AppTest, storage: Storage) -> ExperimentConfig:
    assert not app.error, app.error[0].value
    app.button(key="new_launch").click().run()
    record = storage.list_experiments(limit=1)[0]
    assert followed(app).query_params == {"experiment": record.id}
    assert record.total is not None
    return record.config


def choose_learners(app: AppTest, rows: Mapping[str, list[str]], *wanted: str) -> AppTest:
    """Press the pills of `wanted` in the rows of methods, or of base models, and no others there."""
    for label, row in rows.items():
        pills = next(pills for pills in app.pills if pills.label == label)
        pills.set_value([one for one in row if one in wanted])
    app.run()
    assert not app.exception
    return app


def choose(app: AppTest, label: str, value: Any) -> AppTest:
    """Set the widget called `label`, whatever its kind."""
    widgets = [*app.multiselect, *app.pills, *app.number_input, *app.selectbox, *app.segmented_control, *app.text_input]
    next(widget for widget in widgets if widget.label == label).set_value(value).run()
    assert not app.exception
    return app


def test_without_a_data_set_there_is_nothing_to_launch(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py")
    assert app.info[0].value == "Choose at least one data set."
    assert app.button(key="new_launch").disabled


def test_what_is_lacking_is_listed(open_page: OpenPage) -> None:
    app = choose_learners(open_page("new_experiment.py"), method_rows())
    assert app.info[0].value == "Choose at least one data set and a method and a base model that go together."


def test_learners_in_lists_begin_with_a_capital(open_page: OpenPage) -> None:
    app = choose_learners(open_page("new_experiment.py"), base_rows(), "sklearn:decision_tree", "naive_bayes")
    names = [name for pills in app.pills for name in pills.options]
    assert "K-nearest neighbors" in names
    assert [name for name in names if name[:1] != name[:1].upper()] == []
    shown = [popover.proto.popover.label for popover in app.get("popover")]
    assert {"Naive Bayes", "Decision tree (scikit-learn)"} <= {*shown}


def test_a_base_model_that_a_method_cannot_use_is_left_out_by_name(open_page: OpenPage, storage: Storage) -> None:
    app = choose_learners(open_page("new_experiment.py", dataset="iris"), base_rows(), "naive_bayes", "pruned_tree")
    said = "Pruned decision tree sees all examples at once: left out with online bagging and online boosting."
    assert said in [caption.value for caption in app.caption]
    learners = [(learner.method, learner.base) for learner in launch(app, storage).learners]
    assert learners[:2] == [("single", "naive_bayes"), ("single", "pruned_tree")]
    assert [base for _, base in learners[2:]] == ["naive_bayes", "naive_bayes"]


def test_a_pool_that_its_base_model_cannot_join_is_left_out() -> None:
    choice = LearnerChoice(("voting",), ("pruned_tree",), settings={"voting": {"members": "updated"}})
    assert (choice.learners(), choice.left_out()) == ((), {"pruned_tree": ["voting"]})


def test_choices_become_the_experiment(open_page: OpenPage, storage: Storage) -> None:
    stored = storage.save_dataset(tiny_dataset())
    app = choose(open_page("new_experiment.py"), "Data sets", ["iris", stored.sha256])
    choose_learners(app, method_rows(), "bagging", "primed_online_boosting")
    choose_learners(app, base_rows(), "naive_bayes", "decision_stump")
    choose(app, "Members", 20)
    choose(app, "Primed share", 0.5)
    choose(app, "Repeats", 2)
    choose(app, "Folds", 3)
    choose(app, "Orders", 1)
    choose(app, "Seed", 7)
    choose(app, "Measures", ["accuracy"])
    choose(app, "Curves", ["learning_curve", "member_errors"])
    choose(app, "Name", "Mine")
    config = launch(app, storage)
    assert config == ExperimentConfig.from_dict(
        {
            "name": "Mine",
            "seed": 7,
            "datasets": ["iris", stored_reference(stored).model_dump()],
            "learners": [
                {"method": method, "base": base, "n_estimators": 20, **priming}
                for method, priming in (("bagging", {}), ("primed_online_boosting", {"prime_fraction": 0.5}))
                for base in ("naive_bayes", "decision_stump")
            ],
            "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 3, "orders": 1},
            "measures": ["accuracy"],
            "curves": ["learning_curve", "member_errors"],
        }
    )
    assert storage.list_experiments()[0].total == 2 * 2 * 3 * 4


def titles(app: AppTest) -> list[str]:
    return [expander.label.replace("\\", "") for expander in app.expander]


def test_what_is_folded_away_stands_in_its_title(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    usual = {
        "Settings, or several values of one",
        "10 repeats, 5 folds, 5 orders, stratified",
        "Accuracy, error; learning curve",
        "Seed 1, file and presets of your own",
    }
    assert usual <= set(titles(app))
    choose(app, "Seed", 7)
    choose(app, "Folds", 3)
    choose(app, "Measures", ["mse"])
    choose(app, "Smoothing", "none")
    choose(app, "Encoding of numeric attributes", "scale")
    choose(app, "Settings with several values", ["n_estimators", "base:naive_bayes:prior"])
    choose(app, "Members: values", "10, 50")
    naive_bayes = "naive Bayes (smoothing none: fewest zeros win, encoding of numeric attributes scaled)"
    changed = {
        f"Settings: several values of members and classes beforehand (naive Bayes), {naive_bayes}",
        "10 repeats, 3 folds, 5 orders, stratified",
        "Mean squared error; learning curve",
        "Seed 7, file and presets of your own",
    }
    assert changed <= set(titles(app))
    assert not usual & set(titles(app))


def test_sizes_and_shares_of_a_protocol_stand_in_its_title(open_page: OpenPage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Protocol", "holdout")
    choose(app, "Fraction of the examples for training", 0.6)
    assert "10 repeats, 60 % of the examples for training, not stratified, 1 order" in titles(app)
    choose(app, "Training examples", False)
    choose(app, "Number of examples for training", 100)
    assert "10 repeats, 100 examples for training, not stratified, 1 order" in titles(app)
    choose(app, "Protocol", "prequential")
    choose(app, "Final part", 0.5)
    assert "5 orders, final part 0.5, shuffled" in titles(app)


def test_priming_is_asked_for_only_when_a_primed_method_is_chosen(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py")
    assert "Primed share" not in [box.label for box in app.number_input]
    choose_learners(app, method_rows(), "primed_online_boosting")
    assert {"Primed share", "Primed at most"} <= {box.label for box in app.number_input}


def test_the_number_of_trials_and_the_time_are_told_before_launch(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    assert "**550 trials**" in [text.value for text in app.markdown]
    assert any("About 40 s to 2 min on 2 workers." in caption.value for caption in app.caption)


def test_the_time_is_told_from_trials_that_ended_before(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_summary, "estimate_seconds", estimate.estimate_seconds)
    monkeypatch.setattr(estimate, "measure_cost", lambda *_, **__: pytest.fail("all was measured in trials"))
    config = tiny_config()
    record = storage.create_experiment(config, owner="me", lease_seconds=60.0)
    took = {"fit_seconds": 30.0, "fit_cpu_seconds": 30.0, "predict_seconds": 0.0, "predict_cpu_seconds": 0.0}
    results = [
        (plan, TrialResult(plan.key, measures={"accuracy": 0.9}, n_train=120, n_test=30, members_used=1, **took))
        for plan in plan_trials(config, [load_dataset("iris")])
    ]
    storage.save_trials(record.id, results)
    storage.finish(record.id, "finished", owner="me")
    app = open_page("new_experiment.py", clone=record.id)
    assert any("About 2 to 4 min on 2 workers, from 10 trials measured here." in one.value for one in app.caption)


def test_settings_of_a_generated_data_set_are_taken_along(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py", dataset="led24"), "Rows", 200)
    assert launch(app, storage).datasets[0].settings == {"rows": 200}


def test_kinds_of_attributes_that_a_file_tells_are_kept(open_page: OpenPage, storage: Storage) -> None:
    datasets = [{"key": "iris", "nominal": "all"}, {"key": "led24", "rows": 200, "ignore": ["A1"]}]
    record = storage.create_experiment(tiny_config(datasets=datasets))
    assert launch(open_page("new_experiment.py", clone=record.id), storage).to_dict()["datasets"] == datasets


def test_hold_out_takes_a_fraction_or_a_number(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "holdout")
    choose(app, "Fraction of the examples for training", 0.6)
    assert launch(app, storage).protocol == Holdout(train_size=0.6)
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "holdout")
    choose(app, "Training examples", False)
    choose(app, "Number of examples for training", 100)
    assert launch(app, storage).protocol == Holdout(train_size=100)


def test_a_size_that_does_not_fit_is_told_by_the_label_of_its_field(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    for protocol, size, label in (
        ("holdout", "Training examples", "Number of examples for training"),
        ("bias_variance", "Pool", "Number of examples in the pool"),
    ):
        choose(app, "Protocol", protocol)
        choose(app, size, False)
        choose(app, label, 150)
        assert app.error[0].value.startswith(f"{label} must be ")
        assert app.button(key="new_launch").disabled


def test_a_stream_is_run_with_what_goes_with_it(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "prequential")
    assert not app.exception
    choose(app, "Orders", 2)
    choose(app, "Final part", 0.5)
    assert "This protocol also records final accuracy." in [caption.value for caption in app.caption]
    config = launch(app, storage)
    assert config.protocol == Prequential(orders=2, final_fraction=0.5)
    assert config.curves == ("prequential_error",)


def test_a_batch_learner_on_a_stream_is_refused_by_name(open_page: OpenPage) -> None:
    app = choose_learners(open_page("new_experiment.py", dataset="iris"), method_rows(), "single", "bagging")
    choose(app, "Protocol", "prequential")
    assert app.error[0].value.replace("\\", "") == (
        "Prequential needs learners that learn online, example by example; Bagging sees all examples at once"
    )
    assert app.button(key="new_launch").disabled


def test_bias_and_variance_take_a_pool(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "bias_variance")
    choose(app, "Training sets", 5)
    choose(app, "Pool", False)
    choose(app, "Number of examples in the pool", 100)
    config = launch(app, storage)
    assert config.protocol == BiasVariance(training_sets=5, pool=100)
    assert config.curves == ()


def test_a_given_test_set_is_a_stored_one(open_page: OpenPage, storage: Storage) -> None:
    train, test = storage.save_dataset(tiny_dataset()), storage.save_dataset(tiny_dataset("Test", shift=0.5))
    app = open_page("new_experiment.py", dataset=train.sha256)
    choose(app, "Protocol", "given_split")
    assert app.info[0].value == "Choose a test set."
    choose(app, "Test set", test.sha256)
    assert launch(app, storage).protocol == GivenSplit(test_sha256=test.sha256, test_name="Test")


def test_a_test_set_with_other_attributes_is_refused_before_launch(open_page: OpenPage, storage: Storage) -> None:
    test = storage.save_dataset(tiny_dataset())
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "given_split")
    choose(app, "Test set", test.sha256)
    assert "must have the attributes of Iris" in app.error[0].value.replace("\\", "")
    assert app.button(key="new_launch").disabled


def test_more_folds_than_examples_are_refused_before_launch(open_page: OpenPage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Folds", 151)
    assert app.error[0].value.replace("\\", "").startswith("Folds must be at most the number of examples, 150 in Iris")
    assert app.button(key="new_launch").disabled


def test_every_method_and_base_model_stands_in_one_row() -> None:
    for rows, entries in ((method_rows(), methods()), (base_rows(), base_models())):
        assert sorted(one for row in rows.values() for one in row) == sorted(entries)
        assert all(rows.values())
    assert "naive_bayes" in base_rows()["Lossless"]
    assert "primed_online_boosting" in method_rows()["Boosting, online"]


def test_attributes_can_be_encoded_for_a_base_model(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    next(box for box in app.selectbox if box.label == "Encoding of numeric attributes").select("entropy").run()
    learners = launch(app, storage).learners
    assert [learner.encode for learner in learners] == [{"numeric": "entropy"}] * 3
    record = storage.create_experiment(tiny_config(learners=[learners[0].model_dump()]))
    cloned = open_page("new_experiment.py", clone=record.id)
    assert launch(cloned, storage).learners == learners[:1]


def test_a_choice_is_recognised_in_learners_of_any_order() -> None:
    choice = LearnerChoice(("single", "bagging"), ("naive_bayes", "decision_stump"), 25)
    assert LearnerChoice.of(choice.learners()[::-1]) is not None
    assert LearnerChoice.of(choice.learners()[:-1]) is None


def test_names_are_suggested_from_the_choice() -> None:
    learners = [LearnerSpec(method=method, base="naive_bayes") for method in ("adaboost", "bagging", "online_bagging")]
    both = "AdaBoost, bagging and online bagging of naive Bayes"
    assert suggested_name(learners, ["Iris", "Wine"]) == f"{both} on Iris and Wine"
    assert suggested_name(learners, ["a", "b", "c", "d"]) == f"{both} on 4 data sets"
    assert suggested_name(learners[:2], ["cars"]) == "AdaBoost and bagging of naive Bayes on cars"
    assert suggested_name(learners[:2], []) == "AdaBoost and bagging of naive Bayes"
    assert suggested_name([], []) == "Experiment"
    assert len(suggested_name(learners, ["x" * 300])) == 200
    assert suggested_name(learners, ["x" * 300])[-1] == "…"
    assert suggested_name(learners, ["x" * 120, "y" * 120]) == f"{both} on 2 data sets"


def test_many_methods_are_named_by_their_families() -> None:
    keys = ("single", "bagging", "online_bagging", "adaboost", "online_boosting")
    learners = [LearnerSpec(method=key, base="decision_tree") for key in keys]
    assert suggested_name(learners, ["glass"]) == "Bagging and boosting of decision trees on glass"


def test_single_models_are_named_by_themselves_and_differing_members_as_a_range() -> None:
    singles = [LearnerSpec(method="single", base=base) for base in ("naive_bayes", "perceptron")]
    assert suggested_name(singles, ["Iris"]) == "Naive Bayes and perceptron on Iris"
    sizes = [LearnerSpec(method="bagging", base="one_rule", settings={"n_estimators": n}) for n in (10, 500)]
    assert suggested_name(sizes, ["Iris"]) == "Bagging of 10 to 500 one rules on Iris"


def test_several_values_of_a_setting_make_several_learners(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Settings with several values", ["n_estimators"])
    choose(app, "Members: values", "10, 50;100 50")
    config = launch(app, storage)
    assert config.labels()[1:4] == tuple(f"Online bagging of {n} members" for n in (10, 50, 100))
    assert len(config.learners) == 1 + 2 * 3
    record = storage.list_experiments(limit=1)[0]
    cloned = open_page("new_experiment.py", clone=record.id)
    assert next(one.value for one in cloned.text_input if one.label == "Members: values") == "10, 50, 100"
    assert sorted(one.canonical for one in launch(cloned, storage).learners) == sorted(
        one.canonical for one in config.learners
    )


def test_values_that_a_setting_cannot_have_are_told_and_left_out(open_page: OpenPage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Settings with several values", ["n_estimators"])
    next(one for one in app.text_input if one.label == "Members: values").set_value("0, ten, 20, 30").run()
    assert "got 0, ten; 2 values left out" in app.error[0].value.replace("\\", "")
    assert "Online bagging of 30 members" in [*ExperimentConfig.from_yaml(app.code[0].value).labels()]


def test_several_values_of_a_choice_are_chosen_among_its_words(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Settings with several values", ["base:naive_bayes:numeric"])
    learners = launch(app, storage).learners
    entry = next(one for one in base_models()["naive_bayes"].parameters if one.name == "numeric")
    assert len(learners) == 3 * len(entry.choices)


def test_a_preset_fills_the_form_and_leaves_the_data_sets(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Data sets", ["iris", "wine"])
    choose(app, "Name", "Mine")
    choose(app, "Seed", 7)
    choose(app, "Start from a preset", "As in Oza 2001")
    config = launch(app, storage)
    assert (config.name, config.seed) == ("Mine", 7)
    assert [reference.key for reference in config.datasets] == ["iris", "wine"]
    assert config.protocol.sentence == "10 × 5-fold cross-validation, 5 orders"
    assert [learner.method for learner in config.learners][-1] == "primed_online_boosting"


def test_what_is_chosen_can_be_saved_as_a_preset_and_deleted(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py"), "Name of the preset", "Seven")
    assert app.button(key="new_preset_save").disabled  # there is no experiment yet
    choose(app, "Data sets", ["iris"])
    choose(app, "Members", 7)
    app.button(key="new_preset_save").click().run()
    app = choose(open_page("new_experiment.py", dataset="wine"), "Start from a preset", "Seven")
    config = launch(app, storage)
    assert [reference.key for reference in config.datasets] == ["wine"]
    assert {learner.n_members for learner in config.learners} == {1, 7}
    app = choose(open_page("new_experiment.py", dataset="wine"), "Start from a preset", "Seven")
    choose(app, "Saved ones", "Seven")
    app.button(key="new_preset_delete").click().run()
    assert "Seven" not in app.pills(key="new_preset").options
    assert {learner.n_members for learner in launch(app, storage).learners} == {1, 7}  # what it had filled in stays


def test_a_bundle_is_imported_and_its_results_open(open_page: OpenPage, storage: Storage) -> None:
    config = tiny_config("To share")
    plans = plan_trials(config, [load_dataset(str(reference.key)) for reference in config.datasets])
    record = storage.create_experiment(config, n_trials=len(plans), owner="test")
    storage.save_trials(record.id, [(plan, TrialResult(plan.key, measures={"accuracy": 0.5})) for plan in plans])
    storage.finish(record.id, "finished", owner="test")
    content = write_bundle(storage, record.id)
    app = open_page("new_experiment.py")
    uploader = next(one for one in app.get("file_uploader") if one.key == "new_bundle")
    uploader.set_value(("b.zip", content, "application/zip")).run()
    app.button(key="new_import").click().run()
    newest, before = storage.list_experiments(limit=2)
    assert followed(app).query_params == {"experiment": newest.id}
    assert (newest.config, newest.done) == (before.config, before.done)


def test_what_is_no_bundle_is_refused_in_a_sentence(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py")
    uploader = next(one for one in app.get("file_uploader") if one.key == "new_bundle")
    uploader.set_value(("b.zip", b"nothing", "application/zip")).run()
    app.button(key="new_import").click().run()
    assert "not a ZIP file" in app.error[0].value
    assert storage.count_experiments() == 0
