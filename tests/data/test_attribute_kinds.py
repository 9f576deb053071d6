"""What columns are taken for, which one is the class, and what users may override."""

import random

import numpy as np
import pytest

from ensembles.data import (
    Preview,
    build_dataset,
    preview_file,
    read_dataset,
)
from ensembles.errors import InvalidData


def _preview(**columns) -> Preview:
    """Preview a table of the given columns and a class."""
    rows = len(next(iter(columns.values())))
    columns = {**columns, "class": ["xy"[row % 2] for row in range(rows)]}
    lines = [",".join(columns), *(",".join(str(values[row]) for values in columns.values()) for row in range(rows))]
    return preview_file("\n".join(lines).encode(), filename="t.csv")


def _kind(values, name="column") -> tuple[str, str]:
    guess = _preview(**{name: list(values)}).columns[0]
    return guess.kind, guess.reason


def _many(choices, rows=300) -> list:
    return random.Random(3).choices(list(choices), k=rows)


def test_fractions_are_numeric():
    values = np.random.default_rng(1).standard_normal(300)
    assert _kind(values) == ("numeric", "Numbers, 300 different values.")


def test_few_fractions_are_numeric():
    assert _kind(_many([0.5, 1, 2])) == ("numeric", "Numbers, 3 different values.")


def test_whole_numbers_with_four_or_more_values_are_numeric():
    assert _kind(_many(range(4))) == ("numeric", "Whole numbers, 4 different values.")
    assert _kind(_many(range(18, 90)))[0] == "numeric"


def test_whole_numbers_with_up_to_three_values_are_codes():
    assert _kind(_many([0, 1])) == ("nominal", "Whole numbers, but only 2 different ones: taken as codes.")
    assert _kind(_many([3, 6, 7]))[0] == "nominal"
    assert _kind(_many([0.0, 1.0]))[0] == "nominal"


def test_few_whole_numbers_in_few_rows_are_numeric():
    assert _kind([10, 20, 30])[0] == "numeric"


def test_a_name_that_speaks_of_codes_makes_whole_numbers_nominal():
    kind, reason = _kind(_many(range(52)), name="detailed industry recode")
    assert (kind, reason) == ("nominal", "Whole numbers, 52 different ones, under a name that speaks of codes.")
    assert _kind(_many(range(52)), name="decoder")[0] == "numeric"


def test_leading_zeros_do_not_hide_numbers():
    assert _kind(f"{value:05d}" for value in _many(range(40)))[0] == "numeric"


def test_texts_are_nominal():
    assert _kind(_many(["red", "green", "blue"])) == ("nominal", "Text, 3 different values.")


def test_numbers_with_one_text_among_them_are_nominal_and_the_text_is_named():
    kind, reason = _kind(_many(["2", "3", "4", "5more"]))
    assert (kind, reason) == ("nominal", "Text, 4 different values: most are numbers, but '5more' is not.")


def test_a_constant_column_stays_usable_and_is_named():
    reason = "One value only, so it cannot tell classes apart."
    assert _kind(["p"] * 40) == ("nominal", reason)
    assert _kind([0] * 40) == ("numeric", reason)


def test_a_column_without_values_is_ignored():
    assert _kind(["?"] * 40) == ("ignore", "Every cell is missing.")


def test_row_numbers_are_ignored():
    assert _kind(range(40)) == ("ignore", "Counts the rows.")
    assert _kind(range(1, 41))[0] == "ignore"
    assert _kind([1, 2, 3], name="Unnamed: 0")[0] == "ignore"
    assert _kind([*range(39), 50])[0] == "numeric"


def test_ids_are_ignored_by_their_name_and_their_values():
    ids = random.Random(1).sample(range(10**6), 300)
    assert _kind(ids, name="sample_id") == (
        "ignore",
        "Named like a number of the row, and different in nearly every one.",
    )
    assert _kind(ids, name="amount")[0] == "numeric"
    assert _kind(_many(range(100)), name="sample_id")[0] == "numeric"


def test_names_are_ignored():
    assert _kind(f"instance {i}" for i in range(300)) == (
        "ignore",
        "Text that differs in nearly every row, like a name.",
    )


def test_texts_with_more_values_than_can_be_counted_are_ignored():
    kind, reason = _kind(f"t{i // 3}" for i in range(30_100))
    assert (kind, reason) == ("ignore", "Text with 10,034 different values, too many to count.")


def test_a_guess_counts_and_shows_values():
    guess = _preview(size=["1.5", "?", "2.5", "1.50", "", "10"]).columns[0]
    assert (guess.distinct, guess.missing) == (3, 2)
    assert guess.examples == ("1.5", "2.5", "1.50", "10")


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("a,b,c", "c"),
        ("a,class,c", "class"),
        ("Target,b,c", "Target"),
        ("a,y,c", "y"),
        ("label,b,CLASS", "CLASS"),
        ("class of worker,b,c", "c"),
    ],
)
def test_the_class_column_is_guessed_by_its_name_else_the_last(header, target):
    assert preview_file(f"{header}\n1,p,u\n2,q,v\n".encode(), filename="t.csv").target == target


def test_the_first_column_is_the_class_when_the_last_cannot_be():
    lines = "\n".join(f"{'pq'[i % 2]},{i % 7},{i * 1.5}" for i in range(200))
    assert preview_file(lines.encode(), filename="t.csv").target == "a1"


def test_a_class_column_that_cannot_be_used_is_announced():
    preview = preview_file(b"a,class\n1.5,x\n2.5,x\n", filename="t.csv")
    notice = "Column “class” cannot be the class as it is: it needs at least two different classes, got only 'x'."
    assert preview.notices == (notice,)


def test_a_class_of_a_hundred_numbers_is_allowed():
    lines = "\n".join(f"{i % 7},{i % 100}" for i in range(1000))
    dataset = build_dataset(preview_file(lines.encode(), filename="t.csv"), name="t", target="a2")
    assert len(dataset.classes) == 100
    assert dataset.classes[:3] == ("0", "1", "2")


def test_values_stay_the_text_they_were_and_numbers_come_first_by_size():
    preview = _preview(doors=["10", "2", "5more", "02", "1.50", "2"] * 10)
    dataset = build_dataset(preview, name="t", target="class")
    assert dataset.attributes[0].categories == ("1.50", "02", "2", "10", "5more")
    assert dataset.X["doors"].tolist()[:6] == ["10", "2", "5more", "02", "1.50", "2"]


def test_whole_numbers_taken_as_nominal_do_not_become_fractions():
    dataset = build_dataset(_preview(code=["1", "?", "2"] * 10), name="t", target="class")
    assert dataset.attributes[0].categories == ("1", "2")


def test_the_data_set_knows_its_name_target_and_source(tmp_path):
    path = tmp_path / "my cars.csv"
    path.write_text("a,b\nx,1.5\ny,2.5\n")
    dataset = read_dataset(path, target="a")
    assert (dataset.name, dataset.target, dataset.source) == ("my cars", "a", "file my cars.csv")
    assert read_dataset(path, target="a", name="Cars").name == "Cars"


def test_where_lines_and_rows_differ_the_row_is_named():
    preview = preview_file(b"colour,class\n\n1,x\n\nred,y\n", filename="t.csv")
    with pytest.raises(InvalidData, match=r"found 'red' in row 2 of the data$"):
        build_dataset(preview, name="t", target="class", kinds={"colour": "numeric"})


def test_too_many_nominal_values_are_refused():
    preview = _preview(x=[i * 1.5 for i in range(10_001)])
    with pytest.raises(InvalidData, match=r"cannot be nominal: 10,001 different values, at most 10,000 are allowed$"):
        build_dataset(preview, name="t", target="class", kinds={"x": "nominal"})
