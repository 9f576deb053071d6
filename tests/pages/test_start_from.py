"""New experiment: started from another one, from a link, or from an experiment file."""

import pytest
import yaml
from sqlalchemy import text

from ensembles.experiments.config import (
    CrossValidation,
    ExperimentConfig,
)
from ensembles.experiments.learner_choice import method_rows
from pages.parts.draft import start_from_file
from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import tiny_config, tiny_dataset
from tests.pages.test_new_experiment import choose, launch


def test_a_clone_starts_with_everything_but_the_name(open_page: OpenPage, storage: Storage) -> None:
    original = tiny_config(
        learners=[
            {"method": "online_bagging", "base": {"key": "naive_bayes", "smoothing": "none"}, "n_estimators": 30},
            {"method": "single", "base": {"key": "naive_bayes", "smoothing": "none"}},
        ],
        protocol={"kind": "holdout", "repeats": 3, "train_size": 60, "stratified": True, "orders": 2},
        measures=["accuracy", "mse"],
        curves=["member_errors"],
        seed=9,
    )
    record = storage.create_experiment(original)
    cloned = launch(open_page("new_experiment.py", clone=record.id), storage)
    assert cloned.name == "Tiny experiment (copy)"
    assert sorted(learner.canonical for learner in cloned.learners) == sorted(
        learner.canonical for learner in original.learners
    )
    same = {"name": original.name, "learners": original.learners}
    assert cloned.model_copy(update=same) == original


def test_a_data_set_with_a_name_as_earlier_releases_stored_it_is_cloned(open_page: OpenPage, storage: Storage) -> None:
    dataset = storage.save_dataset(tiny_dataset())
    protocol = {"kind": "given_split", "test_sha256": dataset.sha256, "test_name": "Tiny"}
    config = tiny_config(datasets=[{"sha256": dataset.sha256, "name": "Tiny"}], protocol=protocol)
    record = storage.create_experiment(config)
    with storage._database.session(writes=True) as session:
        session.execute(text("UPDATE datasets SET name = :name"), {"name": "Tiny " * 60})
        session.execute(
            text("UPDATE experiments SET config = replace(config, :old, :new)"),
            {"old": '"Tiny"', "new": f'"{"Tiny " * 60}"'},
        )
    cloned = launch(open_page("new_experiment.py", clone=record.id), storage)
    assert cloned.datasets[0].sha256 == dataset.sha256
    assert cloned.protocol.model_dump()["test_sha256"] == dataset.sha256
    assert len(str(cloned.datasets[0].name)) <= 200


def test_learners_the_form_cannot_show_are_kept_until_given_up(open_page: OpenPage, storage: Storage) -> None:
    bagging = [{"method": "bagging", "base": "naive_bayes", "n_estimators": n} for n in range(1, 31)]
    learners = [*bagging, {"method": "adaboost", "base": "naive_bayes", "n_estimators": 50}]
    record = storage.create_experiment(tiny_config(learners=learners))
    app = open_page("new_experiment.py", clone=record.id)
    assert "and 11 more" in [caption.value for caption in app.caption]
    assert launch(app, storage).learners == record.config.learners
    app = open_page("new_experiment.py", clone=record.id)
    press(app, "Choose others")
    assert set(method_rows()) < {pills.label for pills in app.pills}


def test_a_link_to_an_experiment_that_is_gone_says_so(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py", clone="nope")
    assert app.warning[0].value.replace("\\", "") == "There is no experiment 'nope'; it may have been deleted"


def test_an_experiment_file_fills_the_form(open_page: OpenPage, storage: Storage) -> None:
    config = tiny_config("From a file", seed=3)
    app = open_page("new_experiment.py")
    app.get("file_uploader")[0].set_value(("e.yaml", config.to_yaml().encode(), "application/yaml")).run()
    launched = launch(app, storage)
    assert (launched.name, launched.seed, launched.datasets) == ("From a file", 3, config.datasets)


def test_an_experiment_file_is_forgotten_when_the_page_is_left(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config("The one to clone"))
    app = open_page("new_experiment.py")
    content = tiny_config("From a file").to_yaml().encode()
    app.get("file_uploader")[0].set_value(("e.yaml", content, "application/yaml")).run()
    app.switch_page("experiments.py").run()
    app.query_params["clone"] = record.id
    app.switch_page("new_experiment.py").run()
    assert launch(app, storage).name == "The one to clone (copy)"


ONE_FAULT = "This file cannot be used: experiment: unknown field 'x'; there are name, seed, datasets, "


@pytest.mark.parametrize(
    ("content", "warned", "beside"),
    [
        (
            "name: x\nlearners: 3\n",
            "This file cannot be used:\n* datasets: is missing\n* learners: must be a list, got 3",
            "This file cannot be used, for the reasons at the top of the page.",
        ),
        ("x: 3\n", ONE_FAULT, ONE_FAULT),
    ],
)
def test_a_broken_experiment_file_is_one_message(open_page: OpenPage, content: str, warned: str, beside: str) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    app.get("file_uploader")[0].set_value(("e.yaml", content.encode(), "application/yaml")).run()
    assert not app.exception
    assert app.warning[0].value.replace("\\", "").startswith(warned)
    assert app.multiselect[0].value == ["iris"]  # what was chosen before
    [told] = [caption.value for caption in app.caption if "Remove the file" in caption.value]
    assert told.replace("\\", "").startswith(beside)  # the warning may be out of sight
    [choice] = [expander for expander in app.expander if "experiment file" in expander.label]
    assert choice.proto.expanded


def test_an_experiment_file_with_a_file_of_a_disk_asks_for_an_upload(open_page: OpenPage) -> None:
    text = tiny_config(datasets=["iris", {"file": "car.csv", "target": "class"}]).to_yaml()
    app = open_page("new_experiment.py")
    app.get("file_uploader")[0].set_value(("e.yaml", text.encode(), "application/yaml")).run()
    assert "car.csv" in app.warning[0].value.replace("\\", "")
    assert next(box for box in app.multiselect if box.label == "Data sets").value == ["iris"]


def test_the_file_shown_is_what_is_launched(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    shown = ExperimentConfig.from_yaml(app.code[0].value)
    assert launch(app, storage) == shown
    assert shown.protocol == CrossValidation()


def test_an_experiment_file_of_another_machine_names_the_data_set_and_how_to_add_it(storage: Storage) -> None:
    mine = storage.save_dataset(tiny_dataset())
    there = [{"sha256": "ab" * 32, "name": "Cars", "rows": 1728, "attributes": 6}, {"sha256": mine.sha256}]
    text = yaml.safe_dump({"name": "x", "datasets": there, "learners": [{"method": "single", "base": "naive_bayes"}]})
    draft, _, problem = start_from_file(text, storage.list_datasets())
    assert [reference.sha256 for reference in draft.datasets] == [mine.sha256]
    assert problem == (
        "Left out. Cars (1,728 examples, 6 attributes, content abababababab…) is not stored here; add its file, read in the "
        "same way, with python -m runner datasets add FILE or on the page Data sets."
    )


def test_a_test_set_of_another_machine_is_named_too(storage: Storage) -> None:
    mine = storage.save_dataset(tiny_dataset())
    protocol = {"kind": "given_split", "test_sha256": "cd" * 32, "test_name": "Cars, later"}
    text = yaml.safe_dump(
        {
            "name": "x",
            "datasets": [{"sha256": mine.sha256}],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": protocol,
        }
    )
    problem = start_from_file(text, storage.list_datasets()).problem
    assert problem is not None
    assert problem.startswith(
        "Left out. Test set: Cars, later (content cdcdcdcdcdcd…) is not stored here; add its file"
    )


@pytest.mark.parametrize("escape", ["\\uD800", "\\0", "\\u202e"])
def test_names_of_an_uploaded_file_break_no_page(open_page: OpenPage, storage: Storage, escape: str) -> None:
    text = f"""name: "a{escape}b"
datasets: [iris, {{sha256: {"ab" * 32}, name: "c{escape}d"}}, {{file: "e{escape}f.csv"}}]
learners: [{{method: single, base: naive_bayes}}]
"""
    app = open_page("new_experiment.py")
    app.get("file_uploader")[0].set_value(("e.yaml", text.encode(), "application/yaml")).run()
    assert "c\ufffdd" in "".join(warning.value for warning in app.warning)
    assert launch(app, storage).name == "a\ufffdb"


def test_what_the_page_writes_says_which_file_it_means(open_page: OpenPage, storage: Storage) -> None:
    mine = storage.save_dataset(tiny_dataset())
    app = open_page("new_experiment.py", dataset=mine.sha256)
    (reference,) = launch(app, storage).datasets
    assert (reference.sha256, reference.name, reference.rows) == (mine.sha256, mine.name, mine.rows)
    assert reference.attributes == mine.nominal + mine.numeric


def test_a_form_outlives_what_it_started_from(open_page: OpenPage, storage: Storage) -> None:
    """Who clones an experiment, and then deletes it in another tab, keeps what was typed meanwhile."""
    record = storage.create_experiment(tiny_config())
    app = choose(open_page("new_experiment.py", clone=record.id), "Name", "Typed meanwhile")
    storage.delete_experiment(record.id)
    choose(app, "Seed", 5)
    launched = launch(app, storage)
    assert (launched.name, launched.seed) == ("Typed meanwhile", 5)


def test_a_form_outlives_the_data_set_it_started_from(open_page: OpenPage, storage: Storage) -> None:
    dataset = storage.save_dataset(tiny_dataset())
    app = choose(open_page("new_experiment.py", dataset=dataset.sha256), "Name", "Typed meanwhile")
    storage.delete_dataset(dataset.sha256)
    choose(app, "Seed", 5)
    assert [one.value.startswith(r"Left out\. Tiny") for one in app.warning] == [True]
    choose(app, "Data sets", ["iris"])
    launched = launch(app, storage)
    assert (launched.name, launched.seed) == ("Typed meanwhile", 5)


def test_an_extension_outlives_what_it_goes_on_from_and_says_so(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = choose(open_page("new_experiment.py", extend=record.id), "Name", "Typed meanwhile")
    storage.delete_experiment(record.id)
    choose(app, "Seed", 5)
    [told] = [one.value.replace("\\", "") for one in app.warning]
    assert told == f"There is no experiment '{record.id}'; it may have been deleted"
    assert next(one for one in app.text_input if one.label == "Name").value == "Typed meanwhile"
