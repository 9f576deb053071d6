"""Broken files sent to the JSON interface, and broken bundles: one sentence or a data set, and nothing half-saved."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles.data.preview import preview_file
from ensembles.errors import EnsembleLabError
from runner.bundles import import_bundle, write_bundle
from storage import Storage
from tests.data.test_fuzz import INPUTS, opened, stored
from tests.fuzzing import TRIED, assert_small, rows_of, tries
from tests.runner.test_bundles import add_experiment
from tests.server.api import client_of

NAMES = st.sampled_from(["c", "a", "all", "", "=1+1", "\x00", "ä" * 300, "../../x", "9" * 40]) | st.text(max_size=8)
SETTINGS = st.fixed_dictionaries(
    {"filename": st.sampled_from(["any.csv", "any", "a.zip", "../../etc/passwd.gz", "\u202e.xlsx"])},
    optional={
        "target": NAMES,
        "bins": st.sampled_from([2, 5, 10**30, -1, "x"]),
        "nominal": st.lists(NAMES, max_size=2),
        "numeric": st.lists(NAMES, max_size=2),
        "ignore": st.lists(NAMES, max_size=2),
        "missing": st.lists(NAMES, max_size=2),
        "sheet": NAMES,
        "skip_rows": st.sampled_from([0, 1, 3, 10**6, 10**30]),
        "name": NAMES,
    },
)


@pytest.fixture
def bundle(storage: Storage) -> bytes:
    """The bundle of an experiment that is there."""
    return write_bundle(storage, add_experiment(storage))


def forget(storage: Storage) -> None:
    """Delete for good whatever is stored."""
    for record in storage.list_experiments(1000):
        storage.delete_experiment(record.id)
        storage.purge_experiment(record.id)
    for data in storage.list_datasets():
        storage.delete_dataset(data.sha256)
        storage.purge_dataset(data.sha256)


@pytest.mark.timeout(0)
def test_no_upload_is_stored_by_half(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.api.datasets.preview_apart", preview_file)
    client, known = client_of(storage, people_sign_in=False), set[str]()

    @tries(40, share=0.2)
    @given(content=st.one_of(*INPUTS.values()), settings=SETTINGS)
    def check(content: bytes, settings: dict[str, Any]) -> None:
        TRIED["uploads, by the JSON interface"] += 1
        answer = client.post("/datasets", params=settings, content=content)
        assert answer.status_code in {201, 422}, answer.text
        if answer.status_code == 201:
            known.add(answer.json()["sha256"])
        else:
            assert list(answer.json()) == ["error"]

    check()
    assert {record.sha256 for record in storage.list_datasets()} == known
    assert all(len(storage.get_dataset(sha256)) for sha256 in known)
    forget(storage)
    assert not any(rows_of(storage).values())
    assert_small()


@st.composite
def spoiled_bundle(draw: st.DrawFn, bundle: bytes) -> bytes:
    """Return a bundle of which one file is changed, left out or has another name; or some of its bytes are."""
    files = opened(bundle)
    name = draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(content)))
        content[place : place + draw(st.integers(0, 9))] = draw(st.binary(max_size=6) | st.sampled_from(SPOILS))
    match draw(st.integers(0, 9)):
        case 0:
            del files[name]
        case 1:
            files[draw(st.sampled_from(["../x", "data/" + "0" * 64 + ".parquet", "/etc/passwd", "trials.jsonl/"]))] = (
                b"x"
            )
        case 2:
            return bundle[: draw(st.integers(0, len(bundle)))] + draw(st.binary(max_size=20))
        case _:
            files[name] = bytes(content)
    return stored(files)


SPOILS = [
    b"\n",
    b"null",
    b"NaN",
    b"1e999",
    b'"',
    b"{",
    b"[" * 200,
    b"-1",
    b"\xff",
    b'"accuracy":',
    b"9" * 30,
    b": &a [*a]",
]


@pytest.mark.timeout(0)
def test_no_bundle_is_stored_by_half(storage: Storage, bundle: bytes) -> None:
    n_imported = 0
    forget(storage)

    @tries(30, share=0.1)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        nonlocal n_imported
        content = data.draw(spoiled_bundle(bundle))
        TRIED["uploads, bundles"] += 1
        try:
            import_bundle(storage, content)
        except EnsembleLabError:
            expected = {}
        else:
            n_imported += 1
            expected = {"experiments": 1, "datasets": 1, "experiment_datasets": 1}
        found = rows_of(storage)
        assert {
            name: found[name] for name in ("experiments", "datasets", "experiment_datasets") if found[name]
        } == expected
        assert expected or not any(found.values())
        forget(storage)

    check()
    assert n_imported > 0
    assert_small()
