from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.wording import distinct


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0 s"),
        (-1, "0 s"),
        (8.5e-4, "850 µs"),
        (9.996e-4, "1.0 ms"),
        (0.0012, "1.2 ms"),
        (0.012, "12 ms"),
        (0.9996, "1.0 s"),
        (3.44, "3.4 s"),
        (59.97, "1 min"),
        (760, "12 min 40 s"),
        (3599.7, "1 h"),
        (7500, "2 h 5 min"),
        (86399, "1 d"),
        (273600, "3 d 4 h"),
        (float("nan"), "–"),
    ],
)
def test_a_duration_is_said_with_the_unit_that_fits(value, said):
    assert formatting.seconds(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(1, "1.0 ×"), (3.44, "3.4 ×"), (99.96, "100 ×"), (0.05, "0.050 ×"), (12345.6, "12,346 ×"), (0, "0 ×")],
)
def test_a_ratio_has_two_digits_that_matter_and_no_exponent(value, said):
    assert formatting.ratio(value) == said


def test_a_measure_has_four_decimals_and_an_unknown_one_is_a_dash():
    assert [formatting.number(value) for value in (0.90165, 1, 1e-17, float("nan"))] == [
        "0.9016",
        "1.0000",
        "0.0000",
        "–",
    ]


def test_a_measure_that_is_nearly_nothing_has_two_digits() -> None:
    tiny = (7.454e-06, 4.7026e-05, -3e-7, 0.0, 7.49e-05, 1.44e-04, 9.49e-04, 9.51e-04)
    assert [formatting.number(value) for value in tiny] == [
        *("0.0000075", "0.000047", "-0.00000030", "0.0000"),
        *("0.000075", "0.00014", "0.00095", "0.0010"),
    ]


def test_the_same_number_reads_the_same_however_it_was_worked_out() -> None:
    assert 1 - 0.86875 < 0.13125
    assert formatting.number(1 - 0.86875) == formatting.number(0.13125) == "0.1313"
    assert formatting.number(-1e-17) == "0.0000"


def test_numbers_count_as_they_read() -> None:
    values = (7.454e-06, 7.4499e-06, 0.90004, 123.44, 580_712.4, 1e-17)
    assert [formatting.as_shown(value) for value in values] == [7.5e-06, 7.4e-06, 0.9, 123.4, 580_712.0, 0.0]
    assert np.isnan(formatting.as_shown(np.nan))


def test_large_measures_have_fewer_decimals():
    assert [formatting.number(value) for value in (99.5, 123.45, -123.45, 5527, 5527.04, -9999.94, 580712.4)] == [
        "99.5000",
        "123.5",
        "-123.5",
        "5,527",
        "5,527.0",
        "-9,999.9",
        "580,712",
    ]


def test_counts_have_separated_thousands_and_nouns_a_plural():
    assert formatting.pluralize(10500, "trial") == "10,500 trials"
    assert formatting.pluralize(1, "data set") == "1 data set"
    assert formatting.count(1000000) == "1,000,000"


def test_an_unknown_measure_is_still_words():
    assert formatting.measure_name("mse") == "Mean squared error"
    assert formatting.measure_name("final_accuracy") == "Final accuracy"
    assert not formatting.lower_is_better("accuracy")
    assert formatting.lower_is_better("error")


def test_a_moment_is_said_in_the_zone_of_the_reader():
    now = datetime(2026, 3, 12, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert formatting.when(datetime(2026, 3, 11, 22, 5, tzinfo=UTC), now) == "today 00:05"
    assert formatting.when(datetime(2026, 3, 11, 21, 5, tzinfo=UTC), now) == "yesterday 23:05"
    assert formatting.when(datetime(2025, 12, 1, 7, 41, tzinfo=UTC), now) == "1 December 2025, 09:41"


def test_equal_names_are_told_apart_without_meeting_a_name_that_exists():
    assert distinct(["Car", "Car", "Car (2)", "Car"]) == ("Car", "Car (3)", "Car (2)", "Car (4)")
    assert distinct([]) == ()


def test_long_text_is_cut_to_one_line_with_an_ellipsis():
    assert formatting.shortened("a\n b", 40) == "a b"
    assert formatting.shortened("abcdefgh", 5) == "abcd…"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Naive Bayes", "naive Bayes"),
        ("Mondrian tree", "Mondrian tree"),
        ("Online bagging", "online bagging"),
        ("Macro F1", "macro F1"),
        ("Network, 10 updates", "network, 10 updates"),
        ("scikit-learn SVM", "scikit-learn SVM"),
        *(
            (name, name)
            for name in ("Hoeffding tree", "ADWIN bagging", "AdaBoost", "Adaboost.OLM", "Cohen's kappa", "C")
        ),
    ],
)
def test_names_of_people_and_abbreviations_keep_their_capital_within_a_sentence(name, said):
    assert within_sentence(name) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.00621, "+0.0062"), (-0.0141, "−0.0141"), (-0.00004, "0.0000"), (0.0, "0.0000"), (float("nan"), "–")],
)
def test_differences_have_a_sign_unless_they_round_to_nothing(value, said):
    assert formatting.difference(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.2, "1 s"),
        (19.4, "19 s"),
        (59.6, "1 min"),
        (2244.0, "37 min"),
        (3590.0, "1 h"),
        (6100.0, "1 h 40 min"),
        (90_000.0, "1 d 1 h"),
        (float("nan"), "–"),
    ],
)
def test_an_estimated_duration_is_told_no_more_exactly_than_it_is_known(value: float, said: str) -> None:
    assert formatting.rough_seconds(value) == said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (12.3, 38.0, "about 10 to 40 s"),
        (3.2, 3.9, "about 3 to 4 s"),
        (5.0, 5.0, "about 5 s"),
        (0.2, 4.1, "up to 5 s"),
        (0.0, 0.01, "up to 1 s"),
        (52.0, 110.0, "about 50 s to 2 min"),
        (600.0, 6100.0, "about 10 min to 2 h"),
        (3e6, 3.1e7, "about 30 to 360 d"),
        (float("nan"), 1.0, "–"),
    ],
)
def test_a_range_of_seconds_is_in_round_numbers_that_hold_it(low: float, high: float, said: str) -> None:
    assert formatting.seconds_range(low, high) == said
