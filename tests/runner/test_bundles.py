"""Bundles: what one installation exports another imports, and nothing else."""

import io
import json
import zipfile
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensembles.data import dataset_to_bytes, load_dataset
from ensembles.errors import InvalidInput, StorageError
from ensembles.evaluation.calibration import CALIBRATION
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.right_or_wrong import RIGHT_OR_WRONG, pack_right
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from runner import bundles
from runner.bundles import import_bundle, write_bundle
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.storage.people import sign_in


@pytest.fixture
def here(tmp_path):
    write_empty_tables(tmp_path / "here.sqlite")
    with open_storage(f"sqlite:///{tmp_path}/here.sqlite") as storage:
        yield storage


@pytest.fixture
def there(tmp_path):
    write_empty_tables(tmp_path / "there.sqlite")
    with open_storage(f"sqlite:///{tmp_path}/there.sqlite") as storage:
        yield storage


@pytest.fixture
def exported(here):
    """The bundle of an experiment on a stored data set and one of the catalogue; one of its trials failed."""
    return write_bundle(here, add_experiment(here))


def add_experiment(storage, n_missing=0):
    stored = load_dataset("iris")
    stored.name = "Flowers"
    storage.save_dataset(stored)
    datasets = [{"sha256": stored.sha256, "name": "Flowers"}, "wine"]
    learners = [{"method": "single", "base": "naive_bayes"}]
    protocol = {"kind": "cross_validation", "repeats": 1, "folds": 2, "orders": 1}
    document = {"name": "To <b>share</b>", "datasets": datasets, "learners": learners, "protocol": protocol}
    config = ExperimentConfig.from_dict({**document, "curves": ["learning_curve"]})
    plans = plan_trials(config, [stored, load_dataset("wine")])
    trials = [(plan, _result(plan, number)) for number, plan in enumerate(plans)]
    record = storage.create_experiment(config, n_trials=len(plans), runner="test")
    storage.save_trials(record.id, trials[: len(trials) - n_missing])
    storage.finish(record.id, "finished", runner="test")
    return record.id


def _result(plan, number):
    if number == 3:
        return TrialResult(plan.key, error="it <i>failed</i>", host="h", version="v")
    curve = {
        "learning_curve": Curve((1.0, 2.0), (0.5, float("nan"))),
        RIGHT_OR_WRONG: pack_right(1, np.array([True])),
        CALIBRATION: Curve(tuple(map(float, range(30))), (1.0,) * 30),
    }
    measures = {"accuracy": 0.9 + number / 100}
    return TrialResult(
        plan.key,
        None,
        measures,
        1.5,
        0.5,
        1.25,
        0.25,
        1,
        None,
        75,
        75,
        curve,
        ((1, 2, 0), (3, 4, 0), (0, 0, 5)),
        "h",
        "v",
    )


def packed(content, **changes):
    """Return a bundle with some files replaced, added, or, where None, left out; underscores stand for dots."""
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()} | changes.pop("files", {})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as bundle:
        for name, some in files.items():
            if some is not None:
                bundle.writestr(name, some)
    return buffer.getvalue()


def lines(content):
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        return [json.loads(line) for line in bundle.read("trials.jsonl").splitlines()]


def test_what_is_imported_is_what_was_exported(here, there, exported):
    record = import_bundle(there, exported)
    before = here.list_experiments()[0]
    assert (record.name, record.state, record.done, record.failed) == ("To <b>share</b>", "finished", 4, 1)
    assert record.config == before.config
    assert [repr(one) for one in there.list_trials(record.id)] == [repr(one) for one in here.list_trials(before.id)]
    assert there.get_dataset(record.config.datasets[0].sha256).name == "Flowers"
    assert import_bundle(there, exported).id != record.id
    assert (record.started, record.seconds) == (None, None), "it did not run here"


def test_one_that_had_not_ended_is_imported_as_it_stood(here, there):
    record = import_bundle(there, write_bundle(here, add_experiment(here, n_missing=2)))
    assert (record.state, record.done, record.total) == ("cancelled", 2, 4)
    assert "Not all of them had ended" in record.message


def with_line(content, change):
    found = lines(content)
    change(found[0])
    return packed(content, files={"trials.jsonl": "\n".join(map(json.dumps, found)).encode()})


WINE = dataset_to_bytes(load_dataset("wine"))


def table(described, column):
    """Return a Parquet file of one column, with what it says of itself."""
    schema = pa.schema([("0", column.type)], {b"ensemble-lab": described})
    sink = io.BytesIO()
    pq.write_table(pa.table([column], schema=schema), sink)
    return sink.getvalue()


TEXT, DEEP = table(b"{}", pa.array(["x" * 1000])), table(b"[" * 99_999, pa.array([1.0]))
REFUSED = {
    "no ZIP file": (lambda _: b"PK but no ZIP", "not a ZIP file"),
    "damaged": (lambda c: c[:60] + bytes(255 - byte for byte in c[60:90]) + c[90:], "not a ZIP file .* damaged"),
    "a path upwards": (lambda c: packed(c, files={"../evil": b""}), "no file called '../evil'"),
    "a path of its own": (lambda c: packed(c, files={"/etc/passwd": b""}), "no file called '/etc/passwd'"),
    "nothing": (lambda c: packed(c, files={"experiment.yaml": None}), "experiment.yaml must be in it"),
    "no text": (lambda c: packed(c, files={"experiment.yaml": b"\xff"}), "must be text in UTF-8"),
    "a file of the server": (
        lambda c: packed(c, files={"experiment.yaml": _with_file(c)}),
        "cannot be read from here",
    ),
    "other data": (lambda c: packed(c, files={f"data/{'0' * 64}.parquet": WINE}), "holds other data than its name"),
    "no data": (lambda c: packed(c, files={f"data/{'0' * 64}.parquet": b"x"}), "not a stored data set"),
    "no trial": (lambda c: packed(c, files={"trials.jsonl": b"[1]"}), "line 1: must be a trial"),
    "another place": (
        lambda c: with_line(c, lambda line: line["plan"].update(dataset=1)),
        "is no trial of this experiment",
    ),
    "another key": (lambda c: with_line(c, lambda line: line["result"].update(key="x")), "is no trial of this"),
    "more examples than any stream has": (
        lambda c: with_line(c, lambda line: line["result"].update(n_train=10**12 + 1)),
        r"n_train must be in .0, 1,000,000,000,000.",
    ),
    "endless seconds": (
        lambda c: with_line(c, lambda line: line["result"].update(fit_cpu_seconds=float("inf"))),
        "fit_cpu_seconds must be 0 or more",
    ),
    "an endless measure": (
        lambda c: with_line(c, lambda line: line["result"]["measures"].update(kappa=float("inf"))),
        "kappa must be finite",
    ),
    "more than perfect": (
        lambda c: with_line(c, lambda line: line["result"]["measures"].update(accuracy=1.5)),
        r"accuracy must be in .0, 1., got 1.5",
    ),
    "a ragged confusion matrix": (
        lambda c: with_line(c, lambda line: line["result"].update(confusion=[[1], [2, 3]])),
        "a row and a column for each class",
    ),
    "other classes": (
        lambda c: with_line(c, lambda line: line["result"].update(confusion=[[1, 2], [2, 3]])),
        "confusion matrix must be of 3 classes",
    ),
    "a trial twice": (
        lambda c: packed(c, files={"trials.jsonl": b"\n".join(json.dumps(one).encode() for one in 2 * lines(c))}),
        "at most 4 trials, got 8",
    ),
    "more lines than a memory holds": (
        lambda c: packed(c, files={"trials.jsonl": b"\n" * 3_000_000}),
        "at most 4 trials, got 3,000,000",
    ),
    "more files than a memory holds": (
        lambda c: packed(c, files={f"data/{number}": b"" for number in range(2100)}),
        "must hold at most 1,010 files, got more",
    ),
    "a name twice": (
        lambda c: packed(c, files={"trials.jsonm": b""}).replace(b"trials.jsonm", b"trials.jsonl"),
        "none twice, got",
    ),
    "a newer format": (
        lambda c: packed(c, files={"versions.json": b'{"format": 2}'}),
        "format must be 1, got 2; a newer",
    ),
    "versions of any depth": (
        lambda c: packed(c, files={"versions.json": b"[" * 99_999}),
        "versions.json must be JSON",
    ),
    "data of any size": (
        lambda c: packed(
            c,
            files={
                "experiment.yaml": _with(
                    c, b"wine", b"{key: waveform40, rows: 2000000}\n- {key: waveform40, rows: 1999999}"
                )
            },
        ),
        "at most 100,000,000 cells, got 163,",
    ),
    "text for numbers": (
        lambda c: packed(c, files={f"data/{'0' * 64}.parquet": TEXT}),
        "whose columns hold numbers",
    ),
    "data that are described to any depth": (
        lambda c: packed(c, files={f"data/{'0' * 64}.parquet": DEEP}),
        "are not a data set that was stored here",
    ),
    "damaged otherwise": (lambda c: _spoiled(c), "not a ZIP file .* damaged"),
    "an unknown measure": (
        lambda c: with_line(c, lambda line: line["result"]["measures"].update(luck=1)),
        "no measure or curve called 'luck'",
    ),
    "a curve that unpacks to any size": (
        lambda c: with_line(c, lambda line: line["result"]["curves"][RIGHT_OR_WRONG].update(x=[0.0, 1e15])),
        "at most 48 examples a point",
    ),
    "sums of other parts": (
        lambda c: with_line(c, lambda line: line["result"]["curves"][CALIBRATION].update(x=[0.0], y=[1.0])),
        "must have 10 points for each of three sums",
    ),
    "a lame curve": (
        lambda c: with_line(c, lambda line: line["result"]["curves"]["learning_curve"].update(y=[1.0])),
        "as many numbers down as across",
    ),
}


def _with_file(content):
    return _with(content, b"wine", b"{file: /etc/passwd}")


def _with(content, old, new):
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        return bundle.read("experiment.yaml").replace(old, new)


def _spoiled(content):
    """Return a bundle of other compression with some bytes turned over."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as bundle, zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as spoiled:
        for name in bundle.namelist():
            spoiled.writestr(name, bundle.read(name))
    found = bytearray(buffer.getvalue())
    found[60:90] = bytes(255 - byte for byte in found[60:90])
    return bytes(found)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_other_files_are_refused_in_a_sentence_and_nothing_is_stored(there, exported, case):
    change, said = REFUSED[case]
    with pytest.raises(InvalidInput, match=said.replace("(", ".")):
        import_bundle(there, change(exported))
    assert there.count_experiments() == 0
    assert there.list_datasets() == []


@pytest.mark.parametrize(
    ("limit", "said"), [("MOST_PACKED", "at most 100 bytes"), ("_MOST_UNPACKED", "unpacks to more")]
)
def test_what_is_too_large_is_refused_before_it_is_read(there, exported, monkeypatch, limit, said):
    monkeypatch.setattr(bundles, limit, 100)
    with pytest.raises(InvalidInput, match=said):
        import_bundle(there, exported)


def test_of_one_that_cannot_be_stored_whole_nothing_stays(there, exported, monkeypatch):
    monkeypatch.setattr(Storage, "save_trials", Mock(side_effect=StorageError("the disk is full")))
    with pytest.raises(StorageError, match="the disk is full"):
        import_bundle(there, exported)
    assert there.count_experiments() == 0


def test_of_one_that_the_limits_of_somebody_refuse_no_data_set_stays(there, exported):
    there.set_limits((mia := sign_in(there, "Mia")).actor.user_id, {"trials": 1})
    with pytest.raises(InvalidInput, match="you may have at most 1 trials in an experiment"):
        import_bundle(mia, exported)
    assert [*there.list_datasets(), *there.list_bin().datasets] == []
