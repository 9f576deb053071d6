"""What stands beside a figure."""

import math

import pandas as pd

from pages.parts.chart import as_in_text, number_columns


def test_numbers_are_rounded_as_sentences_say_them() -> None:
    half = 1 - 0.86875  # 0.13124999999999998: what lies halfway goes up
    table = pd.DataFrame(
        {"Learner": ["a", "b"], "Error": [half, 0.00001234], "Time": [1234.5678, math.nan], "n": [1, 2]}
    )
    shown = as_in_text(table)
    assert [*shown["Error"]] == [0.1313, 0.000012]
    assert shown["Time"][0] == 1234.5678
    assert math.isnan(shown["Time"][1])
    assert shown[["Learner", "n"]].equals(table[["Learner", "n"]])
    assert table["Error"][0] == half


def test_counts_beside_a_figure_have_separators() -> None:
    table = pd.DataFrame({"Learner": ["a"], "Error, mean": [0.25], "Pairs of members": [123456]})
    formats = {name: column["type_config"]["format"] for name, column in number_columns(table).items()}
    assert formats == {"Error, mean": "%.4f", "Pairs of members": "localized"}
