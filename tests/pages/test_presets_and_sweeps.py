"""Several values of a setting, presets and bundles in the form of a new experiment."""

import pytest
from sqlalchemy import text

from ensembles.data import load_dataset
from ensembles.errors import StorageError
from ensembles.experiments.config import (
    ExperimentConfig,
)
from ensembles.experiments.presets import BUILT_IN
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from ensembles.folders import data_folder
from ensembles.registry import base_models
from pages.parts.store import open_store
from runner.bundles import write_bundle
from storage import Storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import tiny_config
from tests.pages.test_new_experiment import choose, launch
from tests.storage.people import sign_in


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


def test_a_file_given_after_a_preset_fills_the_form(open_page: OpenPage) -> None:
    for presets in (["Quick look"], ["Quick look", None]):  # chosen, and given up again
        app = choose(open_page("new_experiment.py"), "Data sets", ["iris"])
        for preset in presets:
            choose(app, "Start from a preset", preset)
        config = tiny_config("From a file", datasets=["wine"], seed=3)
        app.get("file_uploader")[0].set_value(("e.yaml", config.to_yaml().encode(), "application/yaml")).run()
        assert app.pills(key="new_preset").value is None
        assert ExperimentConfig.from_yaml(app.code[0].value) == config
        app = choose(app, "Start from a preset", "Quick look")
        shown = ExperimentConfig.from_yaml(app.code[0].value)
        assert [one.method for one in shown.learners][-1] == "online_boosting"
        assert [one.key for one in shown.datasets] == ["wine"]


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


def test_only_ones_own_presets_are_offered_to_be_deleted_and_none_of_others_is_replaced(
    open_as: OpenPage, storage: Storage
) -> None:
    mine, hers = tiny_config("Mine"), tiny_config("Hers")
    sign_in(storage, "Mark").save_preset("His *own*", mine)
    sign_in(storage, "Ann").save_preset("Hers", hers)
    storage.save_preset("Of nobody", hers)
    app = open_as("Mark", "new_experiment.py", dataset="iris")
    assert {"His \\*own\\*", "Hers", "Of nobody"} < {*app.pills(key="new_preset").options}
    assert app.selectbox(key="new_preset_own").options == ["His *own*"]
    choose(app, "Name of the preset", "Hers")
    app.button(key="new_preset_save").click().run()
    assert [one.value.replace("\\", "") for one in app.error] == [
        "preset 'Hers': only who saved it and admins may replace it; it was saved by Ann; choose another name"
    ]
    choose(app, "Name of the preset", "His *own*")
    app.button(key="new_preset_save").click().run()
    assert [one.value for one in app.toast] == ["Replaced the preset His \\*own\\*"]
    admin = open_as("Root", "new_experiment.py", dataset="iris")
    assert admin.selectbox(key="new_preset_own").options == ["Hers", "His *own*", "Of nobody"]
    choose(admin, "Saved ones", "Hers")
    admin.button(key="new_preset_delete").click().run()
    assert [record.name for record in storage.list_presets()] == ["His *own*", "Of nobody"]


def test_who_has_saved_none_is_offered_none_to_delete(open_as: OpenPage, storage: Storage) -> None:
    storage.save_preset("Of nobody", tiny_config("x"))
    sign_in(storage, "Mark")
    app = open_as("Mark", "new_experiment.py", dataset="iris")
    assert "Of nobody" in app.pills(key="new_preset").options
    assert not [one for one in app.selectbox if one.label == "Saved ones"]


def test_presets_of_earlier_releases_are_there_when_pages_open(open_page: OpenPage, storage: Storage) -> None:
    folder = data_folder() / "presets"
    folder.mkdir()
    (folder / "0a.yaml").write_text(tiny_config("Seven").to_yaml())
    (folder / "0b.yaml").write_text("{")
    open_store.clear()
    app = open_page("new_experiment.py")
    assert "Seven" in app.pills(key="new_preset").options
    assert [record.name for record in storage.list_presets()] == ["Seven"]
    assert sorted(path.name for path in folder.iterdir()) == ["0a.yaml.taken", "0b.yaml"]
    open_store().close()  # the one that the page opened


def test_pages_open_where_presets_of_earlier_releases_cannot_be_stored(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> int:
        raise StorageError("the disk is full")

    monkeypatch.setattr(Storage, "take_over_presets", refuse)
    open_store.clear()
    assert open_page("new_experiment.py").pills(key="new_preset").options
    assert "presets in files were not taken over: the disk is full" in caplog.text
    open_store().close()  # the one that the page opened


def test_what_cannot_be_read_here_is_offered_to_be_deleted_alone(open_page: OpenPage, storage: Storage) -> None:
    for name in ("Newer", "Taken since"):
        storage.save_preset(name, tiny_config("x"))
    with storage._database.session(writes=True) as session:
        session.execute(text("UPDATE presets SET document = '{}' WHERE name = 'Newer'"))
        renamed = "name = 'stream', document = replace(document, 'Taken since', 'stream')"
        session.execute(text(f"UPDATE presets SET {renamed} WHERE name = 'Taken since'"))
    app = open_page("new_experiment.py")
    assert len(app.pills(key="new_preset").options) == len(BUILT_IN)
    assert app.selectbox(key="new_preset_own").options == ["Newer", "stream"]


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
    assert (
        newest.message
        == "It was imported from a bundle: its trials ran elsewhere, and its numbers are as the bundle says."
    )


def test_what_is_no_bundle_is_refused_in_a_sentence(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py")
    uploader = next(one for one in app.get("file_uploader") if one.key == "new_bundle")
    uploader.set_value(("b.zip", b"nothing", "application/zip")).run()
    app.button(key="new_import").click().run()
    assert "not a ZIP file" in app.error[0].value
    assert storage.count_experiments() == 0
