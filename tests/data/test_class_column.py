"""Which column is proposed as the class, and when people are asked."""

from datetime import date

import pandas as pd
import pytest

from ensembles.data import preview_file, read_dataset
from ensembles.errors import InvalidData
from tests.data.test_formats import as_excel, as_parquet

DAYS = [date(2001, 1, 1 + i) for i in range(20)]


def target_of(columns: dict[str, list[object]], header: bool = True) -> str | None:
    content = pd.DataFrame(columns).to_csv(index=False, header=header).encode()
    return preview_file(content, filename="t.csv").target


WORDS = ["red", "blue"] * 10
NUMBERS = [i * 1.5 for i in range(20)]

CLEAR = {
    "called so": ({"Label": WORDS, "size": NUMBERS, "shape": WORDS}, "Label"),
    "called so, a quantity": ({"colour": WORDS, "y": [i * 7 for i in range(20)]}, "y"),
    "last, a few words": ({"size": NUMBERS, "colour": WORDS}, "colour"),
    "last, a few codes": ({"size": NUMBERS, "flag": [0, 1] * 10}, "flag"),
}
UNCLEAR = {
    "a quantity last": {"rooms": [2, 3] * 10, "area": NUMBERS, "age": NUMBERS, "price": [i * 7 for i in range(20)]},
    "counts last": {"size": NUMBERS, "rooms": [1, 2, 3, 4] * 5},
    "a date last": {"colour": WORDS, "day": [str(day) for day in DAYS]},
    "a number of the row last": {"colour": WORDS, "id": list(range(1, 21))},
    "names last": {"colour": WORDS, "name": [f"n{i}" for i in range(20)]},
    "one value last": {"colour": WORDS, "country": ["AT"] * 20},
    "nothing last": {"colour": WORDS, "note": [""] * 20},
}


@pytest.mark.parametrize("case", CLEAR)
def test_a_class_that_is_clear_is_proposed(case: str) -> None:
    columns, target = CLEAR[case]
    assert target_of(columns) == target


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_class_that_is_not_clear_is_nobodys_guess(case: str) -> None:
    assert target_of(UNCLEAR[case]) is None


def test_without_names_the_first_column_may_be_the_class() -> None:
    assert target_of({"a": [1, 2] * 10, "b": NUMBERS, "c": [i * 7.5 for i in range(20)]}, header=False) == "a1"


def test_a_date_of_parquet_is_no_class() -> None:
    assert preview_file(as_parquet(colour=WORDS, day=DAYS), filename="t").target is None
    assert preview_file(as_excel([("colour", "day"), *zip(WORDS, DAYS, strict=True)]), filename="t").target is None


def test_who_must_name_the_class_is_told_the_columns() -> None:
    content = pd.DataFrame(UNCLEAR["a quantity last"]).to_csv(index=False).encode()
    sentence = (
        r"^houses.csv: it is not clear which column is the class, so name it \(target\); "
        "the columns are rooms, area, age, price$"
    )
    with pytest.raises(InvalidData, match=sentence):
        read_dataset(content, filename="houses.csv")
    assert read_dataset(content, "rooms", filename="houses.csv").classes == ("2", "3")
