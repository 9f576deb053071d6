"""Several values of a setting, presets and bundles in the form of a new experiment."""

from ensembles.data import load_dataset
from ensembles.experiments.config import (
    ExperimentConfig,
)
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from ensembles.registry import base_models
from runner.bundles import write_bundle
from storage import Storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import tiny_config
from tests.pages.test_new_experiment import choose, launch


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
    assert config.protocol.sentence == "10 × 5-fold cross-validation (not stratified), 5 orders"
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
    record = storage.create_experiment(config, n_trials=len(plans), runner="test")
    storage.save_trials(record.id, [(plan, TrialResult(plan.key, measures={"accuracy": 0.5})) for plan in plans])
    storage.finish(record.id, "finished", runner="test")
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
