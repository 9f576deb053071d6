"""Numbers that say which sign is the decimal one by how their thousands are grouped, and texts that only look like them."""

from pathlib import Path

import pandas as pd
import pytest

from ensembles.data import build_dataset, preview_file
from ensembles.data.files import describe_file
from tests.data.files import as_excel


def _amounts(group: str, delimiter: str) -> bytes:
    """Return a table of millions, and of thousands beside them that could be fractions as well."""
    rows = [
        (f"{i + 1}{group}{i * 37 % 1000:03d}{group}{i * 91 % 1000:03d}", f"{i + 1}{group}{i * 53 % 1000:03d}")
        for i in range(12)
    ]
    lines = [("sales", "costs", "class"), *((*row, "ab"[i % 2]) for i, row in enumerate(rows))]
    return "\n".join(map(delimiter.join, lines)).encode()


@pytest.mark.parametrize(
    ("group", "delimiter", "decimal"), [(".", ";", ","), (".", ",", ","), (",", "\t", "."), (",", ";", ".")]
)
def test_thousands_parted_twice_say_which_sign_is_decimal(group: str, delimiter: str, decimal: str) -> None:
    preview = preview_file(_amounts(group, delimiter), filename="t.csv")
    assert (preview.content.delimiter, preview.content.decimal) == (delimiter, decimal)
    dataset = build_dataset(preview, name="t", target="class")
    assert dataset.table.numbers[:, 0].tolist() == [
        (i + 1) * 10**6 + i * 37 % 1000 * 1000 + i * 91 % 1000 for i in range(12)
    ]
    assert dataset.table.numbers[:, 1].tolist() == [(i + 1) * 1000 + i * 53 % 1000 for i in range(12)]
    assert [notice.split(":")[0] for notice in preview.notices] == ["Column “sales”", "Column “costs”"]


PARTED = {
    "addresses": ["192.168.100.101", "10.200.103.240", "172.116.254.255"],
    "addresses with short parts": ["192.168.100.101", "10.0.0.1", "127.0.0.1"],
    "versions": ["1.200.300", "1.2.3", "2.10.0"],
    "dates": ["1.2.2020", "24.12.2020", "31.01.1999"],
    "telephone numbers": ["5.123.456", "512.345.678", "0.123.456"],
}


@pytest.mark.parametrize("case", PARTED)
def test_what_has_points_and_is_no_number_says_nothing_of_the_decimal_sign(case: str) -> None:
    rows = "".join(f"{text};{i + 1}.{i * 53 % 1000:03d};{'ab'[i % 2]}\n" for i, text in enumerate(PARTED[case] * 4))
    preview = preview_file(f"text;x;class\n{rows}".encode(), filename="t.csv")
    assert preview.content.decimal == "."
    assert [column.kind for column in preview.columns] == ["nominal", "numeric", "nominal"]
    assert preview.readings[1].numbers[:3].tolist() == [1.0, 2.053, 3.106]


def test_texts_of_a_sheet_say_which_sign_is_decimal_and_its_numbers_need_none() -> None:
    rows = [(f"{i}.234,5", f"{i}.000", f"{i},25", i + 0.234, "ab"[i % 2]) for i in range(1, 13)]
    preview = preview_file(as_excel([("costs", "sales", "share", "weight", "class"), *rows]), filename="t.xlsx")
    assert [guess.kind for guess in preview.columns] == [*["numeric"] * 4, "nominal"]
    numbers = build_dataset(preview, name="t", target="class").table.numbers
    assert numbers.tolist() == [[1000 * i + 234.5, 1000 * i, i + 0.25, i + 0.234] for i in range(1, 13)]
    assert [notice.split(":")[0] for notice in preview.notices] == ["Column “costs”", "Column “sales”"]


@pytest.mark.parametrize(("text", "number"), [("{}.500", 0.5), ("{},500", 500)])
def test_texts_of_a_sheet_that_could_be_both_are_read_as_in_english(text: str, number: float) -> None:
    rows = [(text.format(i), "ab"[i % 2]) for i in range(1, 13)]
    preview = preview_file(as_excel([("sales", "class"), *rows]), filename="t.xlsx")
    numbers = build_dataset(preview, name="t", target="class").table.numbers[:, 0]
    assert numbers.tolist() == [i + number if number < 1 else 1000 * i + number for i in range(1, 13)]


def test_texts_of_a_parquet_file_say_which_sign_is_decimal_also_where_it_is_read_in_batches(tmp_path: Path) -> None:
    rows = [(f"{i}.234,5", f"{i}.000", i + 0.234, "ab"[i % 2]) for i in range(1, 13)]
    path = tmp_path / "t.parquet"
    pd.DataFrame(rows, columns=["costs", "sales", "weight", "class"]).to_parquet(path)
    preview = preview_file(path.read_bytes(), filename="t.parquet")
    [(batch, _)] = describe_file(str(path), "class").source.batches(0)
    for numbers in (build_dataset(preview, name="t", target="class").table.numbers, batch.numbers):
        assert numbers.tolist() == [[1000 * i + 234.5, 1000 * i, i + 0.234] for i in range(1, 13)]
