"""The stored form gives back exactly what was stored, and refuses everything else."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensembles.data import (
    MISSING,
    UNSEEN,
    Attribute,
    Dataset,
    Table,
    dataset_from_bytes,
    dataset_to_bytes,
    load_dataset,
    read_stored,
    write_dataset,
)
from ensembles.errors import InvalidData


def _dataset() -> Dataset:
    attributes = [
        Attribute("<b>labels</b>", "nominal", ("?", "ä,\n")),
        Attribute("0", "numeric"),
        Attribute("", "numeric"),
    ]
    columns = [
        np.array([0, 1, MISSING, UNSEEN], dtype=np.int32),
        np.array([0.1, np.nan, -0.0, 1e-300]),
        np.array([1.0, 2.0, 3.0, np.nan]),
    ]
    return Dataset(
        "näme", Table.from_columns(attributes, columns), np.array([1, 0, 1, 1]), ("no", "yes"), "1", "by hand"
    )


def test_the_round_trip_is_exact():
    before = _dataset()
    after = dataset_from_bytes(dataset_to_bytes(before))
    assert after.attributes == before.attributes
    assert after.table.codes.tobytes() == before.table.codes.tobytes()
    assert after.table.numbers.tobytes() == before.table.numbers.tobytes()
    assert after.labels.tolist() == before.labels.tolist()
    assert (after.name, after.target, after.source, after.classes) == ("näme", "1", "by hand", ("no", "yes"))
    assert after.sha256 == before.sha256


@pytest.mark.parametrize("key", ["digits", "led24"])
def test_the_catalogue_survives_a_file(key, tmp_path):
    dataset = load_dataset(key)
    write_dataset(dataset, tmp_path / "stored.parquet")
    assert read_stored(tmp_path / "stored.parquet").sha256 == dataset.sha256


def test_a_large_data_set_is_stored_part_by_part_and_comes_back_whole():
    rows = 2 * 2**16 + 3
    columns = [np.arange(rows) % 7, np.arange(rows) / 8]
    attributes = [Attribute("a", "nominal", tuple("abcdefg")), Attribute("b", "numeric")]
    dataset = Dataset("Large", Table.from_columns(attributes, columns), np.arange(rows) % 2, ("x", "y"))
    content = dataset_to_bytes(dataset)
    assert pq.read_metadata(pa.BufferReader(content)).num_row_groups == 3
    after = dataset_from_bytes(content)
    np.testing.assert_array_equal(after.table.codes, dataset.table.codes)
    np.testing.assert_array_equal(after.table.numbers, dataset.table.numbers)
    np.testing.assert_array_equal(after.labels, dataset.labels)


def test_the_same_data_set_gives_the_same_bytes():
    assert dataset_to_bytes(_dataset()) == dataset_to_bytes(_dataset())


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not Parquet", dataset_to_bytes(_dataset())[:-20]])
def test_other_bytes_are_refused(content):
    with pytest.raises(InvalidData, match=r"^stored data set: the bytes are not a data set that was stored here"):
        dataset_from_bytes(content)


def _altered(**changes) -> bytes:
    """Return the stored data set with its description changed."""
    table = pq.read_table(pa.BufferReader(dataset_to_bytes(_dataset())))
    described = json.loads(table.schema.metadata[b"ensemble-lab"]) | changes
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({b"ensemble-lab": json.dumps(described).encode()}), sink)
    return sink.getvalue().to_pybytes()


def test_a_changed_content_is_noticed():
    with pytest.raises(InvalidData, match=r"^stored data set 'näme': the content differs from what was stored$"):
        dataset_from_bytes(_altered(classes=["yes", "no"]))


def test_a_later_format_is_named():
    with pytest.raises(InvalidData, match=r"^stored data set: expected format 1, got 2$"):
        dataset_from_bytes(_altered(format=2))


@pytest.mark.parametrize(
    "attributes", [[], [["a", "nominal"]], [["a", "ordinal", []]], 5, [[["x"], "numeric", []]] * 9]
)
def test_a_description_that_does_not_fit_is_refused(attributes):
    with pytest.raises(InvalidData):
        dataset_from_bytes(_altered(attributes=attributes))


def test_parquet_of_somebody_else_is_refused():
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": [1, 2]}), sink)
    with pytest.raises(InvalidData, match="not a data set that was stored here"):
        dataset_from_bytes(sink.getvalue().to_pybytes())


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidData, match=r"^gone.parquet: the file cannot be read \(No such file or directory\)$"):
        read_stored(tmp_path / "gone.parquet")


def test_no_attribute_is_called_like_the_class():
    table = Table.from_columns([Attribute("a", "numeric"), Attribute("kind", "numeric")], [np.ones(2), np.ones(2)])
    with pytest.raises(
        InvalidData, match=r"^D: no attribute may be called like the class column, got 'kind' for both$"
    ):
        Dataset("D", table, np.array([0, 1]), ("x", "y"), "kind")
