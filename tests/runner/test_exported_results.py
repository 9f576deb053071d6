"""What is exported of results: every trial, in every form."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ensembles.errors import InvalidInput
from ensembles.experiments.results import Results
from runner.command_line import main
from runner.exports import export_results
from storage import open_storage
from tests.runner.fakes import make_config

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster for all of them


@pytest.fixture
def results() -> Results:
    trials = pd.DataFrame(
        {
            "dataset": [0, 0],
            "learner": [0, 1],
            "repeat": 0,
            "fold": 0,
            "order": 0,
            "accuracy": [0.5, 0.75],
            "fit_seconds": 0.1,
            "fit_cpu_seconds": 0.1,
            "predict_seconds": 0.1,
            "predict_cpu_seconds": 0.1,
            "members_used": 1,
            "n_train": 100,
            "n_test": 50,
            "stopped": None,
            "error": [None, None],
        }
    )
    return Results(make_config(learners=2), ("<b>50 % & more_",), ("Single model", "Online bagging"), trials)


def test_exports_hold_every_trial(results: Results) -> None:
    csv = pd.read_csv(io.BytesIO(export_results(results, "csv")))
    parquet = pd.read_parquet(io.BytesIO(export_results(results, "parquet")))
    assert csv["Accuracy"].tolist() == parquet["Accuracy"].tolist() == [0.5, 0.75]
    assert csv["Learner"].tolist() == ["Single model", "Online bagging"]


def test_an_unknown_measure_is_refused(results: Results) -> None:
    with pytest.raises(InvalidInput, match=r"measure must be one of the experiment's \(accuracy, error\), got 'mse'"):
        export_results(results, "latex", "mse")


def test_without_a_single_model_tables_compare_with_the_first_learner(results: Results) -> None:
    learners = tuple(one.model_copy(update={"method": "online_bagging"}) for one in results.config.learners)
    config = results.config.model_copy(update={"learners": learners})
    trials = pd.concat([results.trials.assign(fold=fold, accuracy=[0.5 + fold / 1e3, 0.9]) for fold in range(2)])
    written = export_results(
        replace(results, config=config, learner_labels=("One", "Other"), trials=trials), "latex"
    ).decode()
    assert "significantly better than One" in written
    assert "None is marked" not in written


def test_single_models_that_have_themselves_only_are_compared_with_the_first(results: Results) -> None:
    learners = tuple(
        one.model_copy(update={"method": "single", "base": base, "settings": {}})
        for one, base in zip(results.config.learners, ("naive_bayes", "decision_stump"), strict=True)
    )
    config = results.config.model_copy(update={"learners": learners})
    trials = pd.concat([results.trials.assign(fold=fold, accuracy=[0.5 + fold / 1e3, 0.9]) for fold in range(2)])
    singles = replace(results, config=config, learner_labels=("One", "Other"), trials=trials)
    assert "significantly better than One" in export_results(singles, "latex").decode()


@pytest.mark.parametrize("form", ["bundle", "script", "notebook"])
def test_what_is_shared_needs_no_results(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_storage() as storage:
        record = storage.create_experiment(make_config())
    written = tmp_path / "shared"
    assert main(["export", record.id, "--format", form, "--output", str(written)]) == 0
    if form == "bundle":
        assert main(["import", str(written), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["name"] == record.name
    assert main(["import", str(written.with_name("none"))]) == 2
    assert "the bundle cannot be read (No such file" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["yaml", "script", "notebook", "bundle", "html"])
def test_files_tell_the_name_that_an_experiment_has_now(form: str, tmp_path: Path) -> None:
    written = tmp_path / "named"
    with open_storage() as storage:
        record = storage.rename_experiment(storage.create_experiment(make_config()).id, "Another name")
    assert main(["export", record.id, "--format", form, "--output", str(written)]) == 0
    texts = [written.read_bytes()]
    if form == "bundle":
        with zipfile.ZipFile(written) as bundle:
            texts = [bundle.read(f"experiment.{ending}") for ending in ("yaml", "py", "ipynb")]
    assert all(b"Another name" in text and record.config.name.encode() not in text for text in texts)
