"""Equal numbers that are written differently: one number where a column is numeric, several categories where it is not."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ensembles.data import Preview, build_dataset, preview_file, read_dataset
from ensembles.data.files import describe_file, text_blocks
from ensembles.data.row_choice import RowChoice
from ensembles.data.warnings import n_duplicates
from ensembles.errors import InvalidData
from tests.data.files import as_parquet

UNIQUE = RowChoice(unique=True)
LARGE = ["9007199254740992", "9007199254740993"]  # one and the same 64-bit float


def table(**columns: Sequence[str]) -> bytes:
    return "\n".join([",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]).encode()


def look(**columns: Sequence[str]) -> Preview:
    return preview_file(table(**columns), filename="t.csv")


@pytest.mark.parametrize("name", ["x", "type"])
def test_numbers_are_no_codes_where_equal_ones_are_written_differently(name: str) -> None:
    guess = look(**{name: ["1", "1.0", "2", "2.0"] * 5, "class": "xyyx" * 5}).columns[0]
    reason = "Whole numbers, 2 different values, written in 4 ways, so not as codes are."
    assert (guess.kind, guess.distinct, guess.reason) == ("numeric", 2, reason)
    guess = look(**{name: ["1.0", "2.0"] * 10, "class": "xyyx" * 5}).columns[0]
    assert (guess.kind, guess.distinct) == ("nominal", 2)


def test_classes_are_told_apart_and_counted_as_they_are_written() -> None:
    preview = look(x=["5.5", "2.5", "3.5", "4.5"], code=["01", "1", "01", "1"])
    assert build_dataset(preview, name="t", target="code").classes == ("01", "1")
    same = [str(number) for number in range(6)] + [f"{number}.0" for number in range(6)]
    with pytest.raises(InvalidData, match=r"has 12 different values in 12 rows, so it holds names and not classes$"):
        build_dataset(look(x=["5.5"] * 12, code=same), name="t", target="code")


@pytest.mark.parametrize(
    ("values", "kept"), [(["01", "1", "5", "6", "1"], 4), (["1", "1.0", "2", "?", ""], 4), ([*LARGE, *LARGE, "7"], 3)]
)
def test_rows_are_equal_where_their_categories_are(values: list[str], kept: int) -> None:
    preview = look(code=[*values, *values], **{"class": "xxxxxyyyyy"})
    kinds = {"code": "nominal"}
    assert n_duplicates(preview, "class", kinds) == 2 * (5 - kept)
    dataset = build_dataset(preview, name="t", target="class", kinds=kinds, rows=UNIQUE)
    rows = [*zip(dataset.table.codes[:, 0].tolist(), dataset.labels.tolist(), strict=True)]
    assert len(rows) == len({*rows}) == 2 * kept


def test_rows_are_equal_where_their_numbers_are_if_a_column_is_numeric() -> None:
    preview = look(size=["1.5", "1.50", "2.5", "2.5", "?", ""], **{"class": "xxyyxx"})
    assert n_duplicates(preview, "class", {"size": "numeric"}) == 3
    dataset = build_dataset(preview, name="t", target="class", rows=UNIQUE)
    np.testing.assert_array_equal(dataset.table.column(0), [1.5, 2.5, np.nan])
    classes = look(x="aaaa", price=["1.5", "1.50", "2.5", "2.5"])
    assert len(build_dataset(classes, name="t", target="price", rows=UNIQUE)) == 3
    assert len(build_dataset(classes, name="t", target="price", target_bins=2, rows=UNIQUE)) == 2


def test_numbers_of_parquet_are_no_texts() -> None:
    preview = preview_file(as_parquet(x=[1.5, 2.5, 1.5, None, None], y=["a", "b", "a", "b", "b"]), filename="t")
    kinds = {"x": "nominal"}
    assert len(build_dataset(preview, name="t", target="y", kinds=kinds, rows=UNIQUE)) == 3


@pytest.mark.parametrize("size", [100, 10**6])
def test_a_stream_has_the_categories_of_the_whole_file(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_blocks, "BLOCK_BYTES", size)
    path = tmp_path / "t.csv"
    columns = {"flag": ["0", "1", "1.0", "0"], "id": [*LARGE, *LARGE[::-1]], "code": ["01", "1", "5", "6"]}
    path.write_bytes(
        table(**{name: values * 30 for name, values in columns.items()}, **{"class": ["01", "1", "1", "01"] * 30})
    )
    whole, described = (read(str(path), nominal=["id", "code"]) for read in (read_dataset, describe_file))
    source = described.source
    assert source.classes == whole.classes == ("01", "1")
    assert source.schema == whole.table.schema
    assert [one.categories for one in source.schema.attributes] == [(), tuple(LARGE), ("01", "1", "5", "6")]
    assert described.columns == preview_file(path, filename="t.csv").columns
