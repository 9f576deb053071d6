"""What is said of a table before it is stored, and what its remedies make of it."""

import numpy as np
import pytest

from ensembles.data import build_dataset, preview_file
from ensembles.data.row_choice import RowChoice
from ensembles.data.warnings import class_balance, find_warnings, n_duplicates
from ensembles.errors import InvalidData

N = 40
COLUMNS = {
    "when": [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)],
    "ticket": [str(7919 * i % 10007) for i in range(N)],
    "same": ["1"] * N,
    "rare": ["3.5", "2.5"] + ["?"] * (N - 2),
    "size": [str(i % 7 + 0.5) for i in range(N)],
    "word": [f"w{i % 3}" for i in range(N)],
    "class": ["a"] * 19 + ["b"] * 20 + ["c"],
}


def table(columns=COLUMNS):
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *map(",".join, rows)]).encode()


def look(columns=COLUMNS):
    preview = preview_file(table(columns), filename="t.csv")
    return preview, {column.name: column.kind for column in preview.columns if column.name != "class"}


def test_everything_that_is_odd_is_said_with_a_remedy():
    preview, kinds = look()
    found = [(one.remedy, one.columns, one.kind) for one in find_warnings(preview, "class", kinds)]
    assert found == [
        ("leave_out", ("c",), "ignore"),
        ("shuffle", (), "ignore"),
        ("kind", ("when",), "date as number"),
        ("kind", ("when",), "date as parts"),
        ("kind", ("ticket",), "ignore"),
        ("kind", ("same",), "ignore"),
        ("kind", ("rare",), "ignore"),
    ]


def test_nothing_is_said_of_a_table_that_is_well_or_once_remedies_were_taken():
    well = {"x": [str(i % 9 + 0.5) for i in range(N)], "class": ["a", "b"] * (N // 2)}
    preview, kinds = look(well)
    assert find_warnings(preview, "class", kinds) == []
    assert find_warnings(preview, None, kinds) == []
    preview, kinds = look()
    remedied = kinds | {"when": "date as parts", "ticket": "ignore", "same": "ignore", "rare": "ignore"}
    assert {one.remedy for one in find_warnings(preview, "class", remedied)} == {"leave_out", "shuffle"}


@pytest.mark.parametrize(("unit", "n_warnings"), [(1e-9, 1), (1e-6, 0)])
def test_numbers_too_close_for_naive_bayes_are_named(unit, n_warnings):
    preview, kinds = look({"wave": [repr(i % 9 * unit) for i in range(N)], "class": ["a", "b"] * (N // 2)})
    found = find_warnings(preview, "class", kinds)
    assert [(one.remedy, "The numbers of “wave”" in one.sentence) for one in found] == [("none", True)] * n_warnings


def test_a_quantity_as_the_class_can_be_grouped():
    preview, kinds = look({"x": ["1", "2"] * 100, "class": [str(i + 0.5) for i in range(200)]})
    [warning] = find_warnings(preview, "class", kinds)
    assert (warning.remedy, "200 different numbers" in warning.sentence) == ("bins", True)
    assert len(build_dataset(preview, name="t", target="class", target_bins=3).classes) == 3


def test_the_balance_of_classes_counts_rows_with_a_class():
    columns = {"x": ["1", "2", "3", "4"], "class": ["b", "a", "b", "?"]}
    balance = class_balance(preview_file(table(columns), filename="t.csv"), "class")
    assert balance.to_dict("list") == {"Class": ["b", "a"], "Examples": [2, 1], "Share": [2 / 3, 1 / 3]}


def test_rows_are_left_out_made_unique_and_shuffled():
    preview, kinds = look({"x": ["1.5", "2.5", "1.5", "2.5", "?", "?"], "class": ["a", "b", "a", "c", "b", "b"]})
    assert n_duplicates(preview, "class", kinds) == 2
    dataset = build_dataset(preview, name="t", target="class", rows=RowChoice(("c",), unique=True))
    assert dataset.classes == ("a", "b")
    assert dataset.labels.tolist() == [0, 1, 1]
    np.testing.assert_array_equal(dataset.table.column(0), [1.5, 2.5, np.nan])
    sorted_rows, _ = look({"x": list(map(str, range(N))), "class": ["a"] * 20 + ["b"] * 20})
    choice = RowChoice(shuffled=True)
    once, again = (
        build_dataset(sorted_rows, name="t", target="class", kinds={"x": "numeric"}, rows=choice) for _ in "12"
    )
    assert once.sha256 == again.sha256
    assert sorted(once.table.column(0)) == list(range(N))
    assert (once.labels == (once.table.column(0) >= 20)).all()
    assert (np.diff(once.labels) != 0).sum() > 5


def test_dates_become_days_or_their_parts():
    dates = ["2024-02-29", "1970-01-02 12:00", "?", "2024-03-01"]
    preview = preview_file(table({"d": dates, "class": ["a", "b", "a", "b"]}), filename="t.csv")
    days = build_dataset(preview, name="t", target="class", kinds={"d": "date as number"})
    np.testing.assert_array_equal(days.table.column(0), [19782.0, 1.5, np.nan, 19783.0])
    parts = build_dataset(preview, name="t", target="class", kinds={"d": "date as parts"})
    assert [attribute.name for attribute in parts.attributes] == ["d year", "d month", "d day", "d weekday", "d hour"]
    np.testing.assert_array_equal(
        [parts.table.column(j)[:2] for j in range(5)], [[2024, 1970], [2, 1], [29, 2], [4, 5], [0, 12]]
    )


def test_a_day_that_stands_first_is_seen_where_it_cannot_be_a_month():
    preview = preview_file(table({"d": ["25/12/2023", "01/02/2024"], "class": ["a", "b"]}), filename="t.csv")
    parts = build_dataset(preview, name="t", target="class", kinds={"d": "date as parts"})
    assert [parts.table.column(j).tolist() for j in (1, 2)] == [[12, 2], [25, 1]]


def test_words_are_no_dates():
    preview, _ = look({"x": ["a-b-c-d", "e-f-g-h"], "class": ["a", "b"]})
    with pytest.raises(InvalidData, match="column 'x' cannot be a date as parts: it holds no dates"):
        build_dataset(preview, name="t", target="class", kinds={"x": "date as parts"})


def test_the_few_values_that_keep_numbers_from_being_numbers_can_be_taken_as_missing():
    columns = {
        "speed": ["km/h", *(str(i % 9) for i in range(N - 1))],
        "sum": [*(str(i + 0.25) for i in range(N - 1)), "Total"],
        "mark": [str(i % 3) if i % 4 else "X" for i in range(N)],
        "word": [f"w{i % 5}" for i in range(N)],
        "class": ["a", "b"] * (N // 2),
    }
    preview, kinds = look(columns)
    speed, total = find_warnings(preview, "class", kinds)
    assert speed.sentence == "Column “speed” holds numbers but for “km/h”, so it is taken for words."
    assert (speed.remedy, speed.values, speed.label) == ("missing", ("km/h",), "Take it as missing")
    assert total.sentence == "Column “sum” holds numbers but for “Total”, so it is left out."
    again = preview_file(table(columns), filename="t.csv", missing=[*speed.values, *total.values])
    assert [column.kind for column in again.columns[:2]] == ["numeric", "numeric"]
