"""The published numbers are all there, once each, and within what such numbers can be."""

from collections import Counter

import pytest

from ensembles.papers import list_tables
from ensembles.papers.published import published_numbers

COUNTS = {
    "oza2001/3.3": 24, "oza2001/3.4": 42, "oza2001/3.5": 42, "oza2001/3.6": 56, "oza2001/3.7": 56, "oza2001/3.8": 24,
    "oza2001/3.9": 42, "oza2001/3.10": 42, "oza2001/3.11": 84, "oza2001/3.12": 20, "oza2001/4.1": 48, "oza2001/4.2": 84,
    "oza2001/4.3": 84, "oza2001/4.4": 42, "oza2001/4.5": 70, "oza2001/4.6": 70, "oza2001/4.7": 48, "oza2001/4.8": 84,
    "oza2001/4.9": 84, "oza2001/4.10": 70, "oza2001/4.11": 56, "oza2001/4.12": 56, "oza2001/4.13": 40,
    "leeclyde2004/2": 64, "bai2016/1": 60, "bai2016/2": 60, "bai2016/3": 50, "bai2016/4": 50, "jung2017/1": 56,
}  # fmt: skip

#: Read from the papers by hand: the corners of tables and some in between.
READ = [
    ("oza2001/3.3", "promoters", "single", "decision_tree", "accuracy", 0.7837),
    ("oza2001/3.4", "covertype", "online_bagging", "naive_bayes", "accuracy", 0.6762),
    ("oza2001/3.5", "mushroom", "single", "decision_stump", "accuracy", 0.5617),
    ("oza2001/3.6", "promoters", "online_bagging", "network_1_update", "accuracy", 0.5509),
    ("oza2001/3.11", "census_income", "bagging", "network_10_epochs", "seconds", 201489.4),
    ("oza2001/3.11", "covertype", "single", "network_10_updates", "seconds", 805.04),
    ("oza2001/4.1", "nursery", "primed_online_boosting", "decision_tree", "accuracy", 0.9817),
    ("oza2001/4.2", "census_income", "adaboost", "naive_bayes", "accuracy", 0.9365),
    ("oza2001/4.4", "nursery", "adaboost", "network_10_epochs", "accuracy", 0.9999),
    ("oza2001/4.5", "promoters", "adaboost", "network_1_update", "accuracy", 0.7018),
    ("oza2001/4.6", "covertype", "primed_online_boosting", "network_10_updates", "accuracy", 0.6645),
    ("oza2001/4.13", "calendar_duration", "primed_online_boosting", "decision_tree", "accuracy", 0.7781),
    ("leeclyde2004/2", "glass", "bayesian_bagging", "decision_tree", "error", 0.373),
    ("bai2016/1", "heart_statlog", "single", "perceptron", "error", 0.258),
    ("bai2016/2", "svmguide3", "bayesian_ensemble", "naive_bayes", "error", 0.215),
    ("bai2016/3", "covertype", "osboost", "perceptron", "error", 0.3334),
    ("bai2016/4", "cod_rna", "ogboost", "naive_bayes", "error", 0.0568),
    ("jung2017/1", "isolet", "online_mbbm", "hoeffding_tree", "final_accuracy", 0.635),
]


def test_every_number_is_there_once() -> None:
    numbers = published_numbers()
    assert len(numbers) == 1608
    assert Counter(number.table for number in numbers) == COUNTS
    places = [(one.table, one.dataset, one.method, one.base, one.metric) for one in numbers]
    assert len(set(places)) == len(places)


def test_decimals_are_those_of_the_printed_tables() -> None:
    shares = [number for number in published_numbers() if number.metric != "seconds"]
    three = {"leeclyde2004/2", "bai2016/1", "bai2016/2", "jung2017/1"}
    assert {number.table for number in shares if number.decimals == 3} == three
    assert {number.decimals for number in shares} == {3, 4}


def test_tables_hold_their_numbers() -> None:
    assert {table.key: len(table.numbers) for table in list_tables()} == COUNTS


def test_shares_are_shares_and_seconds_are_not_negative() -> None:
    for number in published_numbers():
        assert number.metric in {"accuracy", "error", "final_accuracy", "seconds"}
        assert number.value >= 0.0
        assert number.metric == "seconds" or number.value <= 1.0
        assert number.std_error is None or (0.0 < number.std_error < 0.1 and number.table == "leeclyde2004/2")
        assert set(number.mark) <= set("*†‡¶§<")


@pytest.mark.parametrize("place", READ, ids=lambda place: "-".join(place[:4]))
def test_numbers_are_those_of_the_papers(place: tuple[str, str, str, str, str, float]) -> None:
    [found] = [n for n in published_numbers() if (n.table, n.dataset, n.method, n.base, n.metric) == place[:5]]
    assert found.value == place[5]
