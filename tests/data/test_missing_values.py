"""What stands for a missing value in tables of text, and what is left out for it."""

import numpy as np

from ensembles.data import (
    build_dataset,
)
from tests.data.test_reading_files import dataset_of, preview_of


def test_marks_for_missing_values_are_recognised():
    preview = preview_of("a,b,class\n1.5,?,x\nNA,red,y\n,null,x\n2.5,N/A,y\nnan,blue,x\n")
    assert preview.missing_marks == ("", "?", "NA", "N/A", "nan", "null")
    assert [column.missing for column in preview.columns] == [3, 3, 0]
    dataset = build_dataset(preview, name="t", target="class")
    assert dataset.table.missing_cells == 6
    assert np.isnan(dataset.table.numbers[1:3, 0]).all()
    assert dataset.table.codes[:, 0].tolist() == [-1, 1, -1, -1, 0]


def test_a_dash_or_the_word_none_is_missing_only_among_numbers():
    preview = preview_of("a,b,class\n1.5,none,+\n-,car,-\nnone,-,+\n2.5,car,-\n.,none,-\n")
    assert [column.missing for column in preview.columns] == [3, 0, 0]
    assert build_dataset(preview, name="t", target="class").classes == ("+", "-")


def test_infinite_values_count_as_missing_among_numbers():
    dataset = dataset_of("a,class\n1.5,x\ninf,y\n-Infinity,x\n2.5,y\n")
    assert np.isnan(dataset.table.numbers[:, 0]).tolist() == [False, True, True, False]


def test_rows_without_a_class_are_left_out_and_said():
    preview = preview_of("a,b,class\n1.5,red,x\n2.5,blue,?\n3.5,red,y\n,,\n")
    assert preview.rows == 4
    assert preview.notices == ("2 rows without a class (column “class”) will be left out.",)
    dataset = build_dataset(preview, name="t", target="class")
    assert dataset.table.numbers[:, 0].tolist() == [1.5, 3.5]
    assert dataset.attributes[1].categories == ("red",)
    assert dataset.labels.tolist() == [0, 1]
