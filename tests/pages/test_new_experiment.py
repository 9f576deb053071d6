"""New experiment: from choices to a launched experiment."""

from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from ensembles.data import load_dataset
from ensembles.experiments import estimate
from ensembles.experiments.config import (
    FORMAT,
    ExperimentConfig,
    LearnerSpec,
)
from ensembles.experiments.learner_choice import LearnerChoice, base_rows, method_rows
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from ensembles.registry import base_models, methods
from ensembles.reports.suggested_name import suggested_name
from pages.parts import plan_summary
from pages.parts.choose_datasets import stored_reference
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


@pytest.mark.parametrize(("browser", "shortcut"), [("Firefox/150.0", "ctrl+enter"), ("Chrome/150.0 Mobile Safari", "")])
def test_the_button_that_launches_names_its_keys_where_there_are_some(
    open_page, monkeypatch, browser, shortcut
) -> None:
    monkeypatch.setattr(ContextProxy, "headers", property(lambda _: {"User-Agent": browser}))
    assert open_page("new_experiment.py").button(key="new_launch").proto.shortcut == shortcut


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
            "format": FORMAT,
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
    record = storage.create_experiment(config, runner="me", lease_seconds=60.0)
    took = {"fit_seconds": 30.0, "fit_cpu_seconds": 30.0, "predict_seconds": 0.0, "predict_cpu_seconds": 0.0}
    results = [
        (plan, TrialResult(plan.key, measures={"accuracy": 0.9}, n_train=120, n_test=30, members_used=1, **took))
        for plan in plan_trials(config, [load_dataset("iris")])
    ]
    storage.save_trials(record.id, results)
    storage.finish(record.id, "finished", runner="me")
    app = open_page("new_experiment.py", clone=record.id)
    assert any("About 2 to 4 min on 2 workers, from 10 trials measured here." in one.value for one in app.caption)


def test_settings_of_a_generated_data_set_are_taken_along(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py", dataset="led24"), "Rows", 200)
    assert launch(app, storage).datasets[0].settings == {"rows": 200}


def test_kinds_of_attributes_that_a_file_tells_are_kept(open_page: OpenPage, storage: Storage) -> None:
    datasets = [{"key": "iris", "nominal": "all"}, {"key": "led24", "rows": 200, "ignore": ["A1"]}]
    record = storage.create_experiment(tiny_config(datasets=datasets))
    assert launch(open_page("new_experiment.py", clone=record.id), storage).to_dict()["datasets"] == datasets


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
