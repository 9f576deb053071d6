"""Published tables are run again, found again and gone on with; their data come from wherever they are."""

import json
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Table, load_dataset, preview_file
from ensembles.errors import InvalidParameter, StorageError
from ensembles.papers import Experiment, get_table
from ensembles.papers.datasets import ORIGINS, Origin
from ensembles.papers.preparation import all_numeric
from runner import papers, take_over
from runner.cluster.cluster import Cluster
from runner.command_line import main
from runner.commands import papers as paper_commands
from runner.papers import PaperData, _usual_class, launch, load_table, plan_table
from runner.run_papers import run_planned
from storage import Storage, open_storage

pytestmark = [pytest.mark.xdist_group("cluster"), pytest.mark.usefixtures("one_cluster", "home")]

BAYES = get_table("oza2001/3.4")
RUN = ["papers", "run", "oza2001/3.4", "--scale", "0.02", "--datasets", "balance_scale"]


def experiment_on(key: str) -> Experiment:
    return next(one for one in BAYES.experiments() if one.dataset.key == key)


def make_dataset(name: str, n: int, n_attributes: int, n_classes: int) -> Dataset:
    attributes = [Attribute(f"a{i}", "nominal", ("0", "1", "2")) for i in range(n_attributes)]
    rng = np.random.default_rng(n)
    columns = list(rng.integers(0, 3, (n_attributes, n)).astype(np.int32))
    return Dataset(name, Table.from_columns(attributes, columns), np.arange(n) % n_classes, tuple("abcdef"[:n_classes]))


def write_csv(dataset: Dataset, path: Path) -> None:
    dataset.to_frame().to_csv(path, index=False)


def test_a_table_is_printed_beside_ours_and_run_only_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([*RUN, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["table"], printed["scale"]) == ("oza2001/3.4", 0.02)
    assert [(cell["algorithm"], cell["n"]) for cell in printed["cells"]] == [
        ("single", 5), ("bagging", 5), ("online_bagging", 5)
    ]  # fmt: skip
    assert printed["agreement"]["compared"] == 3
    for cell in printed["cells"]:
        assert cell["difference"] == pytest.approx(cell["ours"] - cell["published"])
        assert abs(cell["difference"]) < 0.03  # five folds of 125 examples
    with open_storage() as storage:
        [record] = storage.list_experiments()
        [dataset] = storage.list_datasets()
    assert (record.name, record.state, record.done) == ("Oza 2001, table 3.4: Balance (scale 0.02)", "finished", 15)
    assert (dataset.name, dataset.nominal) == ("Balance (as in Oza 2001)", 4)
    monkeypatch.setattr(paper_commands, "own_cluster", None)  # nothing is left to be run
    assert main([*RUN[:2], "oza2001/3.9", *RUN[3:]]) == 0
    assert "s then," in capsys.readouterr().out
    with open_storage() as storage:
        assert storage.count_experiments() == 1


def test_a_run_that_was_stopped_goes_on(capsys: pytest.CaptureFixture[str], storage: Storage, cluster: Cluster) -> None:
    place = ["--database", storage.url]
    assert main([*RUN, *place, "--minutes", "0"]) == 1
    assert capsys.readouterr().out.count("not run") == 3
    [planned], missing = plan_table(BAYES, 0.02, PaperData(storage), ["balance_scale"])
    assert not missing
    answers = chain([False], repeat(True))
    stopped = run_planned(storage, cluster, planned, "me", shutting_down=lambda: next(answers))
    assert stopped.state == "cancelled"
    assert stopped.done < planned.trials == 15
    assert main([*RUN, *place]) == 0
    record = storage.get_experiment(stopped.id)
    assert (record.state, record.done, storage.count_experiments()) == ("finished", 15, 1)
    assert len(load_table(storage, [planned])["oza2001/3.4/balance_scale"].trials) == 15


def test_a_page_puts_experiments_in_line_once(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    [planned], _ = plan_table(BAYES, 0.1, PaperData(storage), ["balance_scale"])
    record = launch(storage, planned)
    assert (record.state, record.total) == ("waiting", 35)
    assert launch(storage, planned) == record
    storage.request_cancel(record.id)
    again = launch(storage, planned)
    assert (again.id, again.state) == (record.id, "waiting")
    assert storage.claim_experiment("worker", 60.0) is not None
    assert launch(storage, planned).state == "running"
    monkeypatch.setattr(take_over, "_HEARING_SECONDS", -take_over.LEASE_SECONDS)  # does not listen for long
    with pytest.raises(StorageError, match="is being run by another program"):
        launch(storage, planned, "me")


def test_what_another_program_runs_is_left_to_it(
    capsys: pytest.CaptureFixture[str], storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    [planned], _ = plan_table(BAYES, 0.02, PaperData(storage), ["balance_scale"])
    launch(storage, planned)
    assert storage.claim_experiment("another", 60.0) is not None
    monkeypatch.setattr(take_over, "_HEARING_SECONDS", -take_over.LEASE_SECONDS)  # does not listen for long
    assert main([*RUN, "--database", storage.url]) == 1
    out, errors = capsys.readouterr()
    assert "is being run by another program" in errors
    assert out.count("not run") == 3


def test_tables_of_a_paper_may_prepare_a_data_set_each_its_own_way(storage: Storage) -> None:
    data = PaperData(storage)
    plain = experiment_on("balance_scale")
    other = replace(plain, dataset=replace(plain.dataset, name="Scales as numbers", steps=(all_numeric,)))
    assert data.find(plain) != data.find(other)


def test_cheap_experiments_are_run_first(storage: Storage) -> None:
    data = PaperData(storage)
    wanted = ("3.5", "3.3", "3.6", "3.7")  # stumps, trees, networks with one update and with ten
    tables = [plan_table(get_table(f"oza2001/{number}"), 1.0, data, ["promoters"])[0] for number in wanted]
    dearest = [planned[-1].cost for planned in tables]
    assert dearest == sorted(set(dearest))
    [whole], [tenth] = (plan_table(BAYES, scale, data, ["promoters"])[0] for scale in (1.0, 0.1))
    assert whole.cost > 5 * tenth.cost


def test_of_several_scales_the_largest_that_has_finished_counts(
    capsys: pytest.CaptureFixture[str], storage: Storage, cluster: Cluster
) -> None:
    scales = [plan_table(BAYES, scale, PaperData(storage), ["balance_scale"])[0][0] for scale in (0.1, 0.02)]
    answers = chain([False], repeat(True))
    assert run_planned(storage, cluster, scales[0], "me", shutting_down=lambda: next(answers)).state == "cancelled"
    assert len(load_table(storage, scales)["oza2001/3.4/balance_scale"].trials) < 35
    wanted = [*RUN, "--database", storage.url, "--json"]
    assert main(wanted) == 0
    assert json.loads(capsys.readouterr().out)["cells"][2]["n"] == 5
    assert len(load_table(storage, scales)["oza2001/3.4/balance_scale"].trials) == 15
    wanted[wanted.index("0.02")] = "0.1"
    assert main([*wanted, "--scale", "0.1", "0.02"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["scale"], printed["cells"][2]["n"]) == (0.1, 25)
    assert len(load_table(storage, scales)["oza2001/3.4/balance_scale"].trials) == 35


def test_the_report_of_all_tables_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_commands, "list_tables", lambda: (BAYES, get_table("oza2001/3.12")))
    monkeypatch.chdir(tmp_path)
    wanted = ["papers", "--json", "run", "all", "--scale", "0.02", "--datasets", "balance_scale"]
    assert main(wanted) == 0
    assert [one["table"] for one in json.loads(capsys.readouterr().out)] == ["oza2001/3.4", "oza2001/3.12"]
    assert not Path("docs").exists(), "a part does not replace the report of everything"
    report = Path("deep", "reproduction.md")
    assert main([*wanted, "--report", str(report)]) == 0
    text = report.read_text()
    assert "scale 0.02 (share" in text
    assert "| Oza 2001, 3.4 | Bagging naive Bayes | 3 | 3 |" in text
    assert capsys.readouterr().err.splitlines()[-1] == f"written: {report.resolve()}"


def test_the_report_is_written_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper_commands, "list_tables", lambda: ())
    monkeypatch.chdir(tmp_path)
    assert main(["papers", "run", "all"]) == 0
    assert not Path("docs").exists(), "somebody's own folder"
    report = Path("docs", "reproduction.md")
    report.parent.mkdir()
    report.write_text("of earlier")
    assert main(["papers", "run", "all"]) == 0
    assert "of earlier" not in report.read_text()


def test_several_tables_are_run_together_and_what_they_share_once(capsys: pytest.CaptureFixture[str]) -> None:
    tables = ["oza2001/4.2", "oza2001/3.4", "oza2001/4.2", "oza2001/3.12"]
    assert main([*RUN[:2], *tables, *RUN[3:], "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [(one["table"], len(one["cells"])) for one in printed] == [
        ("oza2001/4.2", 6), ("oza2001/3.4", 3), ("oza2001/3.12", 0)
    ]  # fmt: skip
    with open_storage() as storage:
        names = [record.name for record in storage.list_experiments()]
    assert sorted(names) == [f"Oza 2001, table {number}: Balance (scale 0.02)" for number in ("3.4", "4.2")]


def test_the_list_says_what_each_table_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "--json"]) == 0
    listed = {one["key"]: one for one in json.loads(capsys.readouterr().out)}
    assert len(listed) == 29
    assert sum(one["cells"] for one in listed.values()) == 1608
    assert (listed["leeclyde2004/2"]["cells"], listed["leeclyde2004/2"]["runnable"]) == (64, 60)
    assert main(["papers"]) == 0
    assert "oza2001/4.13" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (["oza2001/9.9"], "no table is called 'oza2001/9.9'; there are oza2001/3.3,"),
        (["oza2001/3.4", "--scale", "0"], "papers: scale must be above 0 and up to 100, got 0"),
        (["oza2001/3.4", "--datasets", "iris"], "papers: oza2001/3.4 has no data set iris; there are promoters,"),
        (
            ["all", "--datasets", "car, iriss"],
            "papers: none of these tables has a data set iriss; there are promoters,",
        ),
        (
            ["oza2001/3.4", "jung2017/1", "--datasets", "x"],
            "papers: none of these tables has a data set x; there are pro",
        ),
        (["oza2001/3.4", "oza2001/9.9"], "no table is called 'oza2001/9.9'; there are oza2001/3.3,"),
        (["oza2001/3.4", "--minutes", "nan"], "papers: --minutes must be 0 or more, got nan"),
        (["oza2001/3.4", "--minutes", "-1"], "papers: --minutes must be 0 or more, got -1"),
        (["oza2001/3.4", "--data", "/nowhere"], "papers: --data must be a folder, there is none at '/nowhere'"),
    ],
)
def test_what_cannot_be_run_is_said(wanted: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["papers", "run", *wanted]) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_a_file_comes_before_a_stored_data_set_before_the_catalogue(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "catalogue", dict)
    experiment = experiment_on("car")
    advice = PaperData(storage, tmp_path).find(experiment)
    assert isinstance(advice, str)
    assert advice.startswith("it is not in the catalogue; put car.csv into a folder and name it with --data")
    storage.save_dataset(make_dataset("Car", 17, 6, 4))  # of another size
    stored = make_dataset("car", 1728, 6, 4)
    storage.save_dataset(stored)
    assert PaperData(storage, tmp_path).find(experiment) == ({"sha256": stored.sha256, "name": "Car Evaluation"}, None)
    write_csv(make_dataset("car", 30, 6, 4), tmp_path / "car.csv")
    reference, test = PaperData(storage, tmp_path).find(experiment)
    assert test is None
    assert len(storage.get_dataset(reference["sha256"])) == 30


def test_the_catalogue_is_named_by_its_key(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(papers, "catalogue", lambda: {"car": None, "nursery": None})
    loaded = []

    def load(key: str) -> Dataset:
        loaded.append(key)
        if key == "nursery":
            raise OSError("no network")
        return load_dataset("iris")

    monkeypatch.setattr(papers, "load_dataset", load)
    data = PaperData(storage)
    assert data.find(experiment_on("car")) == data.find(experiment_on("car")) == ("car", None)
    assert str(data.find(experiment_on("nursery"))).startswith("no network; put nursery.csv into a folder")
    assert loaded == ["car", "nursery"]
    assert not storage.list_datasets()


@pytest.mark.parametrize("is_one_file", [True, False])
def test_training_and_test_examples_come_from_two_files_or_one(
    is_one_file: bool, storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Origin(50, 3, 2, train_file="census_income_train", test_file="census_income_test", train_rows=30)
    monkeypatch.setitem(ORIGINS, "census_income", small)
    whole = make_dataset("census", 50, 3, 2).to_frame()
    if is_one_file:
        whole.to_csv(tmp_path / "census_income.csv", index=False)
    else:
        whole[:30].to_csv(tmp_path / "census_income_train.csv", index=False)
        whole[30:].to_csv(tmp_path / "census_income_test.csv", index=False)
    reference, test = PaperData(storage, tmp_path).find(experiment_on("census_income"))
    train, test = storage.get_dataset(reference["sha256"]), storage.get_dataset(test)
    assert (len(train), len(test)) == (30, 20)
    assert {attribute.kind for attribute in train.attributes} == {"nominal"}
    assert test.y.tolist() == whole["class"].tolist()[30:]
    [planned], _ = plan_table(BAYES, 1.0, PaperData(storage, tmp_path), ["census_income"])
    assert (planned.config.protocol.kind, planned.trials) == ("given_split", 1 + 1 + 5)


def test_a_scale_out_of_range_is_refused(storage: Storage) -> None:
    with pytest.raises(InvalidParameter, match=r"^papers: scale must be above 0 and up to 100, got 100.5$"):
        plan_table(BAYES, 100.5, PaperData(storage))


def test_the_class_of_a_file_of_a_known_data_set_is_at_its_end() -> None:
    last = preview_file(b"1.5,2\n2.5,4\n3.5,3\n4.5,1\n" * 5, filename="glass.csv")
    first = preview_file(b"".join(b"%d,%d.5,%d\n" % (i % 5, i, 7 * i) for i in range(200)), filename="t.csv")
    assert last.target is first.target is None
    assert (_usual_class(last), _usual_class(first)) == ("a2", "a1")
