"""Dates of every file: far ones, times of day alone, and which of two numbers is the month."""

from datetime import date, time, timedelta

import numpy as np
import pyarrow as pa
import pytest

from ensembles.data import Preview, build_dataset, preview_file
from ensembles.data.warnings import find_warnings
from ensembles.errors import InvalidData
from tests.data.files import as_excel, as_parquet

DAYS, PARTS = "date as number", "date as parts"
NEAR_AND_FAR = [date(2020, 1, 1), date(9999, 12, 31), date(1600, 2, 3), date(2021, 1, 1)]
TIMES = ["12:30:00", "9:05 PM", "10:00:00 UTC", "23:59:59.5"]
DAYS_OF_MAY = ["12-May", "13-May", "14-May", "15-May"]


def with_classes(days: list) -> list:
    return [("d", "class"), *((day, "xy"[i % 2]) for i, day in enumerate(days))]


def csv(days: list) -> Preview:
    content = "\n".join(f'"{day}",{label}' for day, label in with_classes(days)).encode()
    return preview_file(content, filename="t.csv")


def excel(days: list) -> Preview:
    return preview_file(as_excel(with_classes(days)), filename="t.xlsx")


def parquet(days: list, kind: pa.DataType | None = None) -> Preview:
    classes = ["xy"[i % 2] for i in range(len(days))]
    return preview_file(as_parquet(d=pa.array(days, kind), **{"class": pa.array(classes)}), filename="t.parquet")


def numbers(preview: Preview, kind: str) -> dict[str, list[float]]:
    dataset = build_dataset(preview, name="t", target="class", kinds={"d": kind})
    return {one.name: dataset.table.column(j).tolist() for j, one in enumerate(dataset.attributes)}


def day_and_month(days: list[str]) -> list[tuple[float, float]]:
    parts = numbers(csv(days), PARTS)
    return list(zip(parts["d day"], parts["d month"], strict=True))


@pytest.mark.parametrize("read", [csv, excel, parquet])
def test_days_of_all_centuries_are_themselves(read) -> None:
    preview = read(NEAR_AND_FAR)
    assert numbers(preview, DAYS) == {"d": [(day - date(1970, 1, 1)).days for day in NEAR_AND_FAR]}
    assert numbers(preview, PARTS) == {
        "d year": [day.year for day in NEAR_AND_FAR],
        "d month": [day.month for day in NEAR_AND_FAR],
        "d day": [day.day for day in NEAR_AND_FAR],
        "d weekday": [day.isoweekday() for day in NEAR_AND_FAR],
    }


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y %I:%M %p", "%d-%b-%Y", "%b. %d, %Y", "%Y/%m/%d %H:%M"])
def test_a_far_day_may_be_written_in_any_way(form) -> None:
    days = [date(2020, 1, 25), date(9999, 12, 31), date(2021, 2, 28), date(1600, 2, 29)]
    assert numbers(csv([day.strftime(form) for day in days]), DAYS)["d"] == [
        (day - date(1970, 1, 1)).days for day in days
    ]


def test_a_moment_far_away_has_an_hour_and_a_zone() -> None:
    preview = csv(["2020-01-01 12:00:00.1234567", "9999-12-31 23:59:59.9999999", "9999-12-31T23:30:00-05:00"])
    parts = numbers(preview, PARTS)
    assert parts["d year"] == [2020, 9999, 10_000]
    assert parts["d hour"] == [12, 23 + 59 / 60, 4.5]


def test_moments_are_the_numbers_that_nanoseconds_give() -> None:
    rng = np.random.default_rng(1)
    moments = np.datetime64("1700-01-01", "us") + rng.integers(0, 500 * 365 * 86_400 * 10**6, 200)
    days = moments.astype("datetime64[ns]").astype(np.int64) / 86_400e9
    assert numbers(csv([str(moment) for moment in moments]), DAYS)["d"] == days.tolist()
    assert numbers(parquet(moments.astype("datetime64[ns]").tolist(), pa.timestamp("ns")), DAYS)["d"] == days.tolist()


@pytest.mark.parametrize(
    "column", [TIMES, [f"{hour}:15:00" for hour in range(4)], ["now", "today", *TIMES], DAYS_OF_MAY]
)
def test_times_of_day_and_days_without_a_year_are_no_dates(column) -> None:
    _holds_no_dates(csv(column))


def test_nor_are_those_of_excel_and_parquet() -> None:
    hours = [time(hour, 15) for hour in range(4)]
    _holds_no_dates(excel(hours))
    _holds_no_dates(excel([timedelta(hours=hour, minutes=15) for hour in range(4)]))
    _holds_no_dates(parquet(hours))


def _holds_no_dates(preview: Preview) -> None:
    assert find_warnings(preview, "class", {column.name: column.kind for column in preview.columns}) == []
    with pytest.raises(InvalidData, match="column 'd' cannot be a date as parts: it holds no dates"):
        numbers(preview, PARTS)


def test_what_has_no_day_or_no_year_is_missing_among_dates() -> None:
    dates = [f"{1900 + i}-01-05 10:00" for i in range(100)]
    strange = ["12:30:00", "today", "12:30 Jan 5", "12-May"]
    assert np.isnan(numbers(csv([*dates, *strange]), DAYS)["d"][100:]).all()
    assert numbers(csv(["12:30 25.12.2024", "12:30 26.12.2024"]), PARTS)["d hour"] == [12.5, 12.5], "a day after a time"


@pytest.mark.parametrize("form", ["{}.{}.20", "{}/{}/2020 3:04 PM", "{}-{}-2020", "{}. {}. 2020", "Fri {}/{}/20"])
def test_one_value_says_for_all_which_number_is_the_month(form) -> None:
    pairs = [("03", "04"), ("05", "06"), ("25", "12")]
    assert day_and_month([form.format(*pair) for pair in pairs]) == [(3, 4), (5, 6), (25, 12)]
    assert day_and_month([form.format(*reversed(pair)) for pair in pairs]) == [(3, 4), (5, 6), (25, 12)]


def test_where_no_value_says_it_or_as_many_say_each_the_month_is_first() -> None:
    assert day_and_month(["03.04.20", "05.06.20"]) == [(4, 3), (6, 5)]
    dates = [f"03.{1 + i % 12:02d}.{20 + i // 12}" for i in range(40)]
    found = day_and_month([*dates, "25.12.20", "12.25.20"])
    assert found[1] == (2, 3)
    assert np.isnan(found[40]).all(), "what contradicts the others is no date"
    assert found[41] == (25, 12)


@pytest.mark.parametrize("form", ["%d.%m.%y", "%m/%d/%y", "%y-%m-%d", "%d-%b-%y", "%d.%m.%y %H:%M"])
def test_years_of_two_digits_are_those_from_1969_to_2068_whatever_year_it_is(form) -> None:
    days = [
        date(1969, 1, 31),
        date(1970, 2, 28),
        date(1976, 2, 29),
        date(1998, 7, 30),
        date(2001, 8, 13),
        date(2068, 12, 31),
    ]
    assert numbers(csv([day.strftime(form) for day in days]), DAYS)["d"] == [
        (day - date(1970, 1, 1)).days for day in days
    ]


@pytest.mark.parametrize("clock", ["", " 10:30", " 10:30:45.1234 +0100"])
def test_years_of_four_digits_stay(clock: str) -> None:
    days = [f"{day}{clock}" for day in ("25.12.2070", "26.12.2071", "27.12.1970")]
    assert numbers(csv(days), PARTS)["d year"] == [2070, 2071, 1970]


def test_a_year_that_stands_first_in_one_value_does_so_in_all() -> None:
    assert day_and_month(["98-07-30", "01-08-13", "00-02-03"]) == [(30, 7), (13, 8), (3, 2)]
    assert day_and_month(["30-07-98", "01-08-13", "02-02-03"]) == [(30, 7), (1, 8), (2, 2)]
    assert day_and_month(["11/07/98", "01/08/13", "02/02/03"]) == [(7, 11), (8, 1), (2, 2)]
