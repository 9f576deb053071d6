"""The command line: what it prints, and how it ends."""

import json
import re
from pathlib import Path

import pytest

from ensembles.experiments.results import Results
from ensembles.folders import data_folder
from runner import run_experiment
from runner.command_line import main
from runner.commands import terminal
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.runner.fakes import FakeContext, make_config, make_plans

pytestmark = [pytest.mark.xdist_group("other_cluster"), pytest.mark.usefixtures("one_cluster", "home")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An experiment on a file and a data set of the catalogue."""
    rows = [f"{'abc'[i % 3]},{i % 7},{'yes' if i % 3 else 'no'}" for i in range(60)]
    (tmp_path / "car.csv").write_text("\n".join(["buying,doors,class", *rows]) + "\n")
    path = tmp_path / "experiment.yaml"
    path.write_text(
        """
name: Two data sets
datasets: [iris, {file: car.csv, target: class}]
learners:
  - {method: single, base: naive_bayes}
  - {method: online_bagging, base: naive_bayes, n_estimators: 5}
protocol: {kind: cross_validation, repeats: 2, folds: 2, orders: 2}
measures: [accuracy, mse]
"""
    )
    return path


def test_run_prints_one_object(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(file), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["state"], printed["trials"], printed["failed"]) == ("finished", 24, 0)
    assert printed["seconds"] > 0
    results = printed["results"]
    assert {(one["dataset"], one["learner"]["method"], one["measure"], one["n"]) for one in results} == {
        (dataset, method, measure, n)
        for dataset in ("iris", "car")
        for method, n in (("single", 4), ("online_bagging", 8))
        for measure in ("accuracy", "mse")
    }
    assert results[0]["learner"] == {
        "method": "single", "base": "naive_bayes", "key": "single/naive_bayes", "label": "Single model",
    }  # fmt: skip
    with open_storage() as storage:
        trials = storage.load_results(printed["experiment"]).trials
    iris = trials[(trials["dataset"] == 0) & (trials["learner"] == 0)]["accuracy"]
    assert results[0]["mean"] == pytest.approx(iris.mean())
    assert results[0]["sd"] == pytest.approx(iris.std())
    assert main(["run", str(file), "--plan", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["past_trials"] == 24, "those on a file are known by what it holds"


def test_a_plan_tells_trials_and_seconds_and_runs_nothing(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "Cluster", lambda **_: pytest.fail("a plan needs no cluster"))
    assert main(["run", str(file), "--plan", "--json", "--workers", "2"]) == 0
    printed = json.loads(capsys.readouterr().out)
    low, high = printed.pop("seconds")
    assert printed == {"name": "Two data sets", "trials": 24, "measured": True, "past_trials": 0, "workers": 2}
    assert 0 < low < high < 120
    with open_storage() as storage:
        assert (storage.list_experiments(), storage.list_datasets()) == ([], [])
    assert main(["run", str(file), "--plan", "--workers", "1"]) == 0
    assert re.fullmatch(
        r"Two data sets: 24 trials, (about \d[\w ]*|up to \d+ \w+) on 1 worker, from probes\n", capsys.readouterr().out
    )


def test_a_plan_of_what_cannot_run_says_why(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace("car.csv", "bus.csv"))
    assert main(["run", str(file), "--plan"]) == 2
    assert "datasets[1]: there is no file" in capsys.readouterr().err
    assert main(["run", str(file), "--plan", "--workers", "0"]) == 2
    assert capsys.readouterr().err == "workers must be at least 1, got 0\n"


def test_a_data_set_of_another_machine_is_named_with_the_way_to_add_it(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["run", str(file), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert main(["export", done["experiment"], "--format", "yaml", "--output", str(tmp_path / "elsewhere.yaml")]) == 0
    elsewhere = ["--database", f"sqlite:///{tmp_path / 'elsewhere.db'}"]
    for arguments in ([], ["--plan"]):
        assert main(["run", str(tmp_path / "elsewhere.yaml"), *arguments, *elsewhere]) == 2
        said = capsys.readouterr().err
        assert "datasets[1]: car (60 examples, 2 attributes" in said
        assert "is not stored here; add its file" in said
        assert "python -m runner datasets add FILE" in said
    assert main(["datasets", "add", str(tmp_path / "car.csv"), "--target", "class", *elsewhere]) == 0
    assert main(["run", str(tmp_path / "elsewhere.yaml"), "--json", *elsewhere]) == 0


def test_run_prints_the_verdict_for_programs_and_for_people(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = file.read_text().replace("[iris, {file: car.csv, target: class}]", "[iris]")
    stump = "  - {method: single, base: decision_stump}\nprotocol:"
    file.write_text(one.replace("protocol:", stump).replace("repeats: 2", "repeats: 5"))
    assert main(["run", str(file), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    keys = ["single/naive_bayes", "online_bagging/naive_bayes", "single/decision_stump"]
    assert list(verdict) == ["measure", "best", "tied", "worse", "undecided", "test", "cost"]
    assert (verdict["measure"], verdict["test"], verdict["undecided"]) == ("accuracy", "corrected", [])
    assert verdict["worse"] == keys[2:], "a stump cannot tell three classes apart"
    assert {verdict["best"], *verdict["tied"]} == {*keys[:2]}
    assert list(verdict["cost"]) == keys
    assert all(seconds > 0 for seconds in verdict["cost"].values())
    assert main(["run", str(file)]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\n\nBest: .*, accuracy 0\.\d{4} \[0\.\d{4}, [01]\.\d{4}\]\.\n", printed)
    assert "\nClearly worse: Single model: decision stump (" in printed
    assert printed.index("Best: ") < printed.index("Accuracy, mean")


def test_run_tells_a_stream_by_the_predictions_that_it_keeps(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = file.read_text().replace("[iris, {file: car.csv, target: class}]", "[iris]") + "curves: [predictions]\n"
    file.write_text(re.sub("protocol: .*", "protocol: {kind: prequential, orders: 1}", kept))
    assert main(["run", str(file), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert (verdict["measure"], verdict["test"]) == ("error", "mcnemar")
    assert len(verdict["tied"] + verdict["worse"]) == 1


def test_run_prints_tables_for_people(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(file)]) == 0
    printed = capsys.readouterr()
    assert "finished, 24 of 24 trials" in printed.out
    assert "Mean squared error, mean" in printed.out
    assert printed.err == ""


def test_a_given_database_is_used_and_the_file_is_stored_in_it(file: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    assert main(["run", str(file), "--database", url]) == 0
    assert not (tmp_path / "home").exists()
    with open_storage(url) as storage:
        assert [record.name for record in storage.list_datasets()] == ["car"]


def test_the_exported_experiment_gives_the_same_numbers(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", str(file), "--json"])
    first = json.loads(capsys.readouterr().out)
    again = file.with_name("again.yaml")
    assert main(["export", first["experiment"], "--format", "yaml", "--output", str(again)]) == 0
    main(["run", str(again), "--json"])
    assert json.loads(capsys.readouterr().out)["results"] == first["results"]


@pytest.mark.parametrize(
    ("form", "loads"),
    [("csv", [False]), ("latex", [False]), ("html", [True]), ("yaml", [])],
    ids=lambda given: str(given),
)
def test_an_export_loads_no_more_than_it_writes(
    form: str, loads: list[bool], capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    load = Storage.load_results

    def note(self: Storage, experiment_id: str, *, with_curves: bool | tuple[str, ...], **others: bool) -> Results:
        asked.append(bool(with_curves))
        assert form != "html" or "diversity" not in with_curves, "the experiment records no such curves"
        assert others == dict.fromkeys(("with_confusion", "summed"), form == "html")
        return load(self, experiment_id, with_curves=with_curves, **others)

    monkeypatch.setattr(Storage, "load_results", note)
    with open_storage() as storage:
        record = storage.create_experiment(make_config())
    assert main(["export", record.id, "--format", form]) == 0
    assert asked == loads
    assert capfdbinary.readouterr().out


def test_failed_trials_make_exit_code_one(
    file: Path, notes: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    context = FakeContext(make_config(), (), folder=notes, bad=2, badness="raises")
    monkeypatch.setattr(run_experiment, "prepare", lambda *_: (context, make_plans(5)))
    assert main(["run", str(file), "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert (printed["state"], printed["trials"], printed["failed"]) == ("finished", 5, 1)
    assert printed["failures"][0]["Failure"] == "the trial could not be run: RuntimeError: out of order"
    assert printed["results"][-1]["mean"] is None, "what no trial measured is null"
    assert printed["verdict"]["cost"].keys() >= {printed["verdict"]["best"]}
    assert main(["run", str(file)]) == 1
    assert "1 x the trial could not be run: RuntimeError: out of order" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nowhere.yaml"], "nowhere.yaml: the experiment file cannot be read (No such file or directory)\n"),
        (["export", "nothing", "--format", "csv"], "there is no experiment 'nothing'; it may have been deleted\n"),
        (
            ["export", "nothing", "--format", "csv", "--measure", "error"],
            "export: --measure goes with --format latex or html, got --format csv\n",
        ),
        (
            ["export", "nothing", "--format", "html", "--learner", "bagging"],
            "export: --learner goes with --format model, got --format html\n",
        ),
        (
            ["export", "nothing", "--format", "yaml", "--of-trial"],
            "export: --of-trial goes with --format model, got --format yaml\n",
        ),
        (
            ["worker", "--tls-ca", "ca.pem", "--database", "lab.db"],
            "--tls-ca, --tls-cert, --tls-key and --insecure go with ",
        ),
        (["worker", "--database", "lab.db"], "database must be an address like"),
    ],
)
def test_unusable_input_gets_one_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data_folder()
    folder.mkdir(exist_ok=True)
    write_empty_tables(folder / "ensemble-lab.sqlite")
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(said)
    assert printed.err.count("\n") == 1


def test_a_bad_experiment_names_its_field_and_stores_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace("file: car.csv", "file: lost.csv"))
    assert main(["run", str(file)]) == 2
    assert capsys.readouterr().err.startswith("datasets[1]: there is no file")
    with open_storage() as storage:
        assert storage.count_experiments() == 0
        assert storage.list_datasets() == []


@pytest.mark.parametrize("arguments", [["dance"], [], ["export", "x", "--format", "pdf"], ["run"]])
def test_unknown_words_end_with_code_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_learners_and_datasets_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learners", "--json"]) == 0
    learners = {entry["key"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert learners["online_boosting"]["kind"] == "method"
    assert learners["naive_bayes"]["kind"] == "base"
    assert {"name", "family", "online", "weighted", "binary_only", "bases", "parameters", "source"} <= set(
        learners["adaboost"]
    )
    assert main(["datasets", "--json"]) == 0
    datasets = {entry["key"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert (datasets["iris"]["rows"], datasets["iris"]["attributes"], datasets["iris"]["offline"]) == (150, 4, True)
    for command in ("learners", "datasets"):
        assert main([command]) == 0
        assert capsys.readouterr().out.startswith("Key")


def test_of_learners_whose_library_is_not_there_it_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ensembles.registry.lack_of", lambda cls: "it lacks" if cls.key == "xgboost" else None)
    monkeypatch.setattr("runner.commands.library.lack_of", lambda cls: "it lacks" if cls.key == "xgboost" else None)
    assert main(["learners", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["key"] for entry in listed if not entry["installed"]] == ["xgboost"]
    assert main(["learners"]) == 0
    told = capsys.readouterr()
    assert [line.split()[0] for line in told.out.splitlines() if line.endswith(", not installed")] == ["xgboost"]
    assert told.err.startswith("`make boosting` or")
