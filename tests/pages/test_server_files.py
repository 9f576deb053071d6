"""Files on the server: offered where the operator allows folders, added once they were read, used as streams."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from ensembles.data.files import FileDescription, buckets, describe_file, survey
from ensembles.errors import InvalidData
from pages.parts import dataset_files
from pages.parts.who import forget_actors
from storage import Storage
from tests.pages.conftest import OpenPage, press

ROWS = 900


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is allowed, with a file, and a secret beside it."""
    rng = np.random.default_rng(2)
    table = {
        "x": rng.normal(size=ROWS),
        "colour": rng.choice(["red", None], ROWS),
        "kind": rng.choice(["a", "b"], ROWS),
    }
    (tmp_path / "offered").mkdir()
    pd.DataFrame(table).to_csv(tmp_path / "offered/flows.csv", index=False)
    (tmp_path / "offered/notes.md").write_text("no table")
    (tmp_path / "offered/broken.csv").write_text("a,b\n")
    (tmp_path / "secret.csv").write_text("x,class\n1,a\n2,b\n")
    (tmp_path / "offered/link.csv").symlink_to(tmp_path / "secret.csv")
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", str(tmp_path / "offered"))
    monkeypatch.setattr(survey, "_SAMPLED", 200)
    monkeypatch.setattr(dataset_files, "describe_apart", here)
    return tmp_path / "offered"


def here(path: str, progress: Callable[[float], None], **options: Any) -> FileDescription:
    """Describe a file in this process: to start another one takes longer than to read so short a file."""
    return describe_file(path, progress=progress, **options)


def choose(open_page: OpenPage, name: str) -> AppTest:
    app = open_page("datasets.py")
    app.segmented_control(key="shelf").set_value(dataset_files.ON_SERVER).run()
    box = app.selectbox(key="server_file")
    return box.select(next(option for option in box.options if name in option)).run()


def plain(text: str) -> str:
    return text.replace("\\", "").replace("\N{WORD JOINER}", "")


def refusal(app: AppTest) -> str:
    return plain(app.error[0].value)


def added(open_page: OpenPage, **chosen: Any) -> AppTest:
    app = choose(open_page, "flows.csv")
    for label, value in chosen.items():
        next(box for box in app.selectbox if box.label == label.replace("_", " ")).select(value).run()
    return press(app, "Read and add")


def test_nothing_is_offered_unless_the_operator_allows_a_folder(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    assert app.segmented_control(key="shelf").options == ["Catalogue", "Yours", "Upload"]
    app.segmented_control(key="shelf").set_value("Upload").run()
    assert any("python -m runner datasets add" in caption.value for caption in app.caption)


@pytest.mark.usefixtures("folder")
def test_files_of_the_folder_are_offered_and_no_others(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    app.segmented_control(key="shelf").set_value(dataset_files.ON_SERVER).run()
    names = [option.split(" (")[0] for option in app.selectbox(key="server_file").options]
    assert names == ["offered/broken.csv", "offered/flows.csv"]
    app.segmented_control(key="shelf").set_value("Upload").run()
    assert any("see “On the server”" in caption.value for caption in app.caption)


def test_a_bucket_that_does_not_answer_is_named_and_the_other_files_are_there(
    open_page: OpenPage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buckets, "_answer", lambda *_: None)
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", f"s3://far:strange://bucket:{folder}")
    app = choose(open_page, "flows.csv")
    said = "No answer yet from s3://far and strange://bucket, whose files stand here once there is one."
    assert [plain(info.value) for info in app.info] == [said]
    buckets.ask("s3://far").set_result({"s3://far/flows.csv": 9})
    buckets.ask("strange://bucket").set_exception(InvalidData("strange://bucket: it *gave* up"))
    app.run()
    assert any("s3://far/flows.csv" in option for option in app.selectbox(key="server_file").options)
    assert r" it \*gave\* up" in app.warning[0].value
    assert not app.info


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("waits", [0, 2])
def test_it_says_whether_a_file_is_read_or_waits(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, waits: int
) -> None:
    turns, told = Mock(), list[str]()
    turns.acquire.side_effect = [False] * waits + [True]
    monkeypatch.setattr(dataset_files, "_TURNS", turns)
    bar = Mock(progress=lambda _, text: told.append(text.split(":")[0]))
    app = choose(open_page, "flows.csv")
    monkeypatch.setattr(dataset_files.st, "progress", lambda _, text: told.append(text.split(":")[0]) or bar)
    press(app, "Read and add")
    reading, waiting = "Reading the file once, to its end", "Waiting for its turn"
    assert told[: waits + 2] == [reading, *[waiting] * waits, reading]
    assert {*told[waits + 2 :]} <= {reading}


@pytest.mark.usefixtures("folder")
def test_a_file_is_added_and_its_card_says_what_is_sampled(open_page: OpenPage, storage: Storage) -> None:
    app = added(open_page, Class_column="kind")
    [record] = storage.list_datasets()
    assert (record.name, record.rows, record.in_batches) == ("flows", ROWS, True)
    assert app.query_params == {"dataset": record.sha256}
    said = [caption.value.replace("\\", "") for caption in app.caption]
    assert any(text.startswith("900 examples · 2 attributes · 2 classes · ") for text in said)
    assert "What is shown below is **sampled**: " in app.info[0].value
    assert "draw others than on the same table uploaded" in app.info[0].value
    assert 100 <= len(storage.get_sample(record.sha256)) <= 202
    app = open_page("datasets.py")
    app.segmented_control(key="shelf").set_value("Yours").run()
    listed = app.dataframe[0].value
    assert (listed["Examples"].tolist(), listed["Read"].tolist()) == ([ROWS], ["in batches"])


@pytest.mark.usefixtures("folder")
def test_a_file_that_cannot_be_used_says_why_and_is_not_added(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page, "broken.csv")
    assert "broken.csv: there is a header but no row of values below it" in refusal(app)
    app = added(open_page, Class_column="x")
    assert "flows.csv: the class column 'x' holds 900 different numbers" in refusal(app)
    assert storage.list_datasets() == []


def test_a_file_that_was_taken_away_meanwhile_is_refused(open_page: OpenPage, storage: Storage, folder: Path) -> None:
    app = choose(open_page, "flows.csv")
    (folder / "flows.csv").unlink()
    (folder / "flows.csv").symlink_to(folder.parent / "secret.csv")
    press(app, "Read and add")
    assert storage.list_datasets() == []


@pytest.mark.usefixtures("folder")
def test_a_new_experiment_on_it_is_prequential_in_order(open_page: OpenPage, storage: Storage) -> None:
    added(open_page, Class_column="kind")
    [record] = storage.list_datasets()
    app = open_page("new_experiment.py", dataset=record.sha256)
    assert next(one for one in app.segmented_control if one.key.endswith("_kind")).value == "prequential"
    assert not app.error
    assert not next(button for button in app.button if button.label == "Launch").disabled


@pytest.mark.usefixtures("folder")
def test_other_protocols_are_refused_with_the_way_out_beside_it(open_page: OpenPage, storage: Storage) -> None:
    added(open_page, Class_column="kind")
    app = open_page("new_experiment.py")
    [record] = storage.list_datasets()
    next(box for box in app.multiselect if box.key.endswith("_datasets")).set_value([record.sha256]).run()
    assert "Flows is read in batches, on which only prequential runs" in refusal(app)
    press(app, "Use prequential, not shuffled")
    assert not app.error
    assert not [warning.value for warning in app.warning]
    assert not any(button.label == "Use prequential, not shuffled" for button in app.button)
    next(one for one in app.segmented_control if one.key.endswith("_kind")).set_value("holdout").run()
    press(app, "Use prequential, not shuffled")
    assert not app.error
    app.switch_page("experiments.py").run()
    app.switch_page("new_experiment.py").run()
    press(app, "Begin anew")  # as ever, whatever was wished for before
    assert next(one for one in app.segmented_control if one.key.endswith("_kind")).value == "cross_validation"


@pytest.mark.usefixtures("folder")
def test_readers_may_not_add_files(open_as: OpenPage, storage: Storage) -> None:
    open_as("Ann", "datasets.py")
    user = next(user for user in storage.list_users() if user.name == "Ann")
    storage.set_role(user.id, "reader")
    forget_actors()
    app = open_as("Ann", "datasets.py")
    assert app.segmented_control(key="shelf").options == ["Catalogue", "Yours"]
