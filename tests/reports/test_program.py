"""The program and the notebook of an experiment: they run, and print the digits that the runner stored."""

import json
from pathlib import Path

import pytest

from ensembles.data import load_dataset
from ensembles.data.stored import write_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import resolve_datasets
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
from ensembles.reports.program import notebook, script

HOSTILE = '''Quotes """ and \\ and \' and {braces}'''


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """An experiment on one data set of the catalogue and one stored one, which lies beside the program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    stored = load_dataset("iris")
    stored.name = "Flowers <b>"
    (tmp_path / "data").mkdir()
    write_dataset(stored, tmp_path / "data" / f"{stored.sha256}.parquet")
    document = {
        "name": HOSTILE,
        "seed": 3,
        "datasets": [{"sha256": stored.sha256, "name": HOSTILE}, "wine"],
        "learners": [
            {"method": "single", "base": "naive_bayes"},
            {"method": "online_bagging", "base": "naive_bayes", "n_estimators": 3},
        ],
        "protocol": {"kind": "cross_validation", "repeats": 1, "folds": 2, "orders": 2},
        "measures": ["accuracy", "mse"],
    }
    return ExperimentConfig.from_dict(document), [stored, load_dataset("wine")]


def run(code, file="program.py"):
    names = {"__file__": file}
    exec(compile(code, "program", "exec"), names)
    return names


def test_both_give_the_digits_of_the_runner(experiment, capsys, monkeypatch):
    config, datasets = experiment
    trials = [run_trial(plan, datasets[plan.dataset], config) for plan in plan_trials(config, datasets)]
    with monkeypatch.context() as patch:
        patch.chdir("elsewhere")  # a program reads what lies beside it, wherever it is started
        found = run(script(config), file="../program.py")
    assert found["trials"]["accuracy"].tolist() == [trial.measures["accuracy"] for trial in trials]
    assert found["trials"]["mse"].tolist() == [trial.measures["mse"] for trial in trials]
    means = found["means"]
    assert means.to_string() in capsys.readouterr().out
    plans = plan_trials(config, datasets)
    bagged = [
        one.measures["accuracy"]
        for one, plan in zip(trials, plans, strict=True)
        if (plan.dataset, plan.learner) == (1, 1)
    ]
    assert len(bagged) == 2 * 2
    assert means.loc[("Wine", "Online bagging"), "accuracy"] == pytest.approx(sum(bagged) / 4)
    cells = json.loads(notebook(config))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert run(code)["means"].equals(means)


def test_without_the_folder_of_uploaded_data_sets_they_say_where_it_is(experiment):
    config, datasets = experiment
    Path("data").rename("elsewhere/data")
    lacking = f"^data/{datasets[0].sha256}.parquet is not there: .*the bundle of this experiment$"
    with pytest.raises(SystemExit, match=lacking):
        run(script(config))


def test_a_notebook_is_one_of_format_four_with_names_of_its_cells(experiment):
    document = json.loads(notebook(experiment[0]))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    assert all(HOSTILE not in "".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "markdown")


def test_data_sets_of_one_name_stay_apart_as_on_the_page(experiment):
    datasets = [{"key": "waveform40", "rows": rows} for rows in (100, 200)]
    config = ExperimentConfig.from_dict({**experiment[0].to_dict(), "datasets": datasets})
    means = run(script(config))["means"]
    assert list(means.index.get_level_values("dataset").unique()) == ["Waveform-40, rows 100", "Waveform-40, rows 200"]
    found = run_trial_means(config)
    assert means["accuracy"].tolist() == pytest.approx(found)


def run_trial_means(config):
    """Return the mean accuracy of each learner on each data set."""
    known = resolve_datasets(config, None)
    cells = {}
    for plan in plan_trials(config, known):
        measures = run_trial(plan, known[plan.dataset], config).measures
        cells.setdefault((plan.dataset, plan.learner), []).append(measures["accuracy"])
    return [sum(values) / len(values) for values in cells.values()]
