"""Columns of very many plain numbers are read as numbers at once: with the same digits as when every cell is kept."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from ensembles.data import build_dataset, decoding, numbers, parsing, preview_file
from ensembles.data.columns import every_number
from ensembles.data.decoding import count_lines
from ensembles.data.preview_form import load_preview, save_preview

ROWS = 60
RNG = np.random.default_rng(1)
NUMBERS = [f"{number!r}" for number in RNG.standard_normal(ROWS).tolist()]
LATE = ROWS - 1


@pytest.fixture(autouse=True)
def _early(monkeypatch):
    """Let small tables be read like large ones."""
    monkeypatch.setattr(parsing, "_SAMPLE_BYTES", 800)
    monkeypatch.setattr(parsing, "MOST_CATEGORIES", 10)


def table(cells, delimiter=","):
    lines = [delimiter.join((cell, str(row % 7), "ab"[row % 2])) for row, cell in enumerate(cells)]
    return "\n".join([delimiter.join(("x", "k", "class")), *lines]).encode()


def replaced(position, cell):
    return [*NUMBERS[:position], cell, *NUMBERS[position + 1 :]]


def facts(preview):
    return preview.columns, preview.missing_marks, preview.content.decimal, preview.target, preview.head.to_dict()


def read(content, monkeypatch, **options):
    """Return the preview as a large table's, and that of every cell kept."""
    found = preview_file(content, filename="table.csv", **options)
    monkeypatch.setattr(parsing, "_SAMPLE_BYTES", 1 << 24)
    return found, preview_file(content, filename="table.csv", **options)


@pytest.mark.parametrize("first", [0, LATE], ids=["first", "last"])
@pytest.mark.parametrize(
    "cell",
    [
        *("0.10", " 1.50 ", '"2.5"', "+1.5", "1e3", ".5", "5.", "-0", "0.1234567890123456789"),
        *("", "?", "nan", "inf", "-inf", "word", "1,5", "1e200", "0x1p3", "1_000", "-9"),
    ],
)
def test_what_is_recognised_is_the_same(cell, first, monkeypatch):
    cells = replaced(first, f'"{cell}"' if "," in cell else cell)
    found, wanted = read(table(cells), monkeypatch)
    assert facts(found) == facts(wanted)
    kinds = {"x": wanted.columns[0].kind if wanted.columns[0].kind != "ignore" else "nominal"}
    made, expected = (build_dataset(one, name="t", target="class", kinds=kinds) for one in (found, wanted))
    assert made.sha256 == expected.sha256


def test_plain_numbers_are_not_kept_as_text():
    column = preview_file(table(NUMBERS), filename="table.csv").content.columns[0]
    assert column.holds_numbers
    assert column.values.to_pylist() == [float(cell) for cell in NUMBERS]
    assert column.texts(np.arange(3)) == NUMBERS[:3]


def test_marks_of_the_user_are_missing(monkeypatch):
    found, wanted = read(table(replaced(40, "-9")), monkeypatch, missing=["-9"])
    assert found.columns[0].missing == 1
    assert facts(found) == facts(wanted)


@pytest.mark.parametrize("decimal", [None, ","])
def test_points_that_group_thousands_are_no_decimal_points(decimal, monkeypatch):
    cells = [f"{row + 1}.{100 + row};{row},5" for row in range(ROWS)]
    content = b"x;y;k;class\n" + b"\n".join(table(cells, ";").splitlines()[1:])
    found, wanted = read(content, monkeypatch, decimal=decimal)
    assert found.content.decimal == ","
    assert facts(found) == facts(wanted)
    assert found.readings[0].numbers[found.content.columns[0].codes[0]] == 1100.0


def test_another_process_gets_the_same(tmp_path):
    preview = preview_file(table(NUMBERS), filename="table.csv")
    save_preview(preview, tmp_path)
    again = load_preview(tmp_path)
    assert facts(again) == facts(preview)
    made, expected = (build_dataset(one, name="t", target="class") for one in (again, preview))
    assert made.sha256 == expected.sha256


def test_lines_longer_than_a_small_block_are_read(monkeypatch):
    lines = ["a,b", *(f"{number},{'x' * 900}" for number in range(40))]
    content = "\n".join(lines).encode()
    expected = preview_file(content, filename="long.csv")
    monkeypatch.setattr(parsing, "_BLOCKS", (512, 1 << 16))
    found = preview_file(content, filename="long.csv")
    assert found.rows == expected.rows == 40
    assert found.readings[1].column.texts(found.readings[1].column.codes) == ["x" * 900] * 40


@pytest.mark.parametrize("start", [0, 1, 4, 9, 12])
def test_lines_are_counted_over_blocks(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "_BLOCK", 3)
    text = b"a\n\n\nbcd\nefg\n"
    assert count_lines(text, start) == text[start:].count(b"\n")


@pytest.mark.parametrize("row", [0, 999, 1000, 2999, None])
def test_a_single_fraction_keeps_a_column_from_being_whole(row: int | None) -> None:
    numbers = np.arange(3000, dtype=float) * 7
    if row is not None:
        numbers[row] += 0.5
    text = "a,class\n" + "".join(f"{number},x\n,y\n" for number in numbers)
    preview = preview_file(text.encode(), filename="a.csv")
    assert preview.readings[0].is_whole is (row is None)
    assert not preview.readings[1].is_whole
    assert (preview.readings[0].present, preview.columns[0].missing) == (3000, 3000)


def test_the_different_numbers_of_two_columns_are_counted_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both, count = Barrier(2, timeout=20), numbers._n_different
    monkeypatch.setattr(numbers, "_n_different", lambda found: (both.wait(), count(found))[1])
    readings = [numbers.read_numbers(every_number("a", np.arange(float(n))), ".") for n in (2_000, 3_000)]
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(lambda reading: reading.distinct, readings)] == [2_000, 3_000]
