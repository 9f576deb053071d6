"""Files that are read in batches on the command line: added, run, and what is said where they are not as they were."""

import json
from pathlib import Path

import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments import resolve
from ensembles.experiments.config import ExperimentConfig
from runner.command_line import main
from storage import open_storage

pytestmark = [pytest.mark.xdist_group("other_cluster"), pytest.mark.usefixtures("one_cluster", "home")]

EXPERIMENT = """
name: A stream
datasets: [{file: car.csv, target: class, ignore: [number]%s}]
learners: [{method: single, base: naive_bayes}]
protocol: {kind: prequential, shuffle: false, orders: 1}
measures: [accuracy]
"""


@pytest.fixture(autouse=True)
def car(tmp_path: Path) -> Path:
    rows = [f"{i},{'abc'[i % 3]},{i % 7},{'yes' if i % 5 else 'no'}" for i in range(600)]
    path = tmp_path / "car.csv"
    path.write_text("\n".join(["number,buying,doors,class", *rows]) + "\n")
    return path


def written(folder: Path, more: str = "") -> str:
    path = folder / "experiment.yaml"
    path.write_text(EXPERIMENT % more)
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_file_runs_as_a_stream_to_the_numbers_of_the_file_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = printed(capsys, "run", written(tmp_path))
    streamed = printed(capsys, "run", written(tmp_path, ", stream: true"))
    means = [{one["measure"]: one["mean"] for one in run["results"]} for run in (whole, streamed)]
    assert means[0] == means[1]
    with open_storage() as storage:
        record = storage.get_experiment(streamed["experiment"])
        [reference] = record.config.datasets
        assert (reference.name, reference.rows, reference.attributes) == ("car", 600, 2)
        assert storage.get_dataset_record(str(reference.sha256)).in_batches
    assert main(["export", streamed["experiment"], "--format", "html", "--output", str(tmp_path / "report.html")]) == 0
    assert main(["run", written(tmp_path, ", stream: true"), "--plan"]) == 0


def test_a_file_is_registered_and_says_where_it_is_gone(
    car: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = printed(capsys, "datasets", "add", str(car), "--stream", "--ignore", "number", "--name", "Cars")
    assert (told["name"], told["rows"], told["stored"], told["target"]) == ("Cars", 600, True, "class")
    again = printed(capsys, "datasets", "add", str(car), "--stream", "--ignore", "number")
    assert (again["name"], again["stored"]) == ("Cars", False)
    path = tmp_path / "experiment.yaml"
    path.write_text(EXPERIMENT.replace("file: car.csv, target: class, ignore: [number]%s", f"sha256: {told['sha256']}"))
    car.rename(tmp_path / "elsewhere.csv")
    assert main(["run", str(path), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    with open_storage() as storage:
        [record] = storage.list_datasets()
        [(_, trial)] = storage.list_trials(said["experiment"])
    assert record.experiments == 1
    assert "Cars: every worker must find it by the same path and as it was registered" in str(trial.error)
    assert "car.csv: there is no such file" in str(trial.error)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--bins", "3"], "--bins cannot go with --stream, which reads a file in batches"),
        (["--sheet", "A"], "--sheet cannot go with --stream"),
        (["--target", "none"], "car.csv: there is no column 'none'; the columns are number, buying, doors, class"),
    ],
)
def test_what_cannot_be_a_stream_is_refused(
    car: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datasets", "add", str(car), "--stream", *arguments]) == 2
    assert sentence in capsys.readouterr().err
    with open_storage() as storage:
        assert storage.list_datasets() == []


def test_web_addresses_are_no_streams(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "add", "https://example.org/a.csv", "--stream"]) == 2
    assert "--stream needs a file, or an address in a bucket such as s3://..." in capsys.readouterr().err


def test_other_protocols_and_larger_files_are_told_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(written(tmp_path, ", stream: true"))
    path.write_text(path.read_text().replace("shuffle: false", "shuffle: true"))
    assert main(["run", str(path)]) == 2
    assert (
        "protocol.shuffle: must be false, as car is read in batches and comes in its order" in capsys.readouterr().err
    )
    monkeypatch.setattr(resolve, "MOST_BYTES", 1000)
    assert main(["run", written(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "datasets[0]: car.csv: the file has" in told
    assert "with `stream: true` beside it, it is read in batches" in told
    with open_storage() as storage:
        assert storage.list_datasets() == []


def test_what_needs_all_rows_does_not_go_with_a_stream() -> None:
    for more, sentence in ((", stream: true, bins: 3", "bins cannot go with stream"), (", stream: 7", "stream")):
        with pytest.raises(InvalidConfig, match=sentence):
            ExperimentConfig.from_yaml(EXPERIMENT % more)
    with pytest.raises(InvalidConfig, match="stream goes with file only"):
        ExperimentConfig.from_yaml(
            EXPERIMENT.replace(
                "{file: car.csv, target: class, ignore: [number]%s}", f"{{sha256: {'a' * 64}, stream: true}}"
            )
        )
