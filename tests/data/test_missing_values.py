"""What stands for a missing value in tables of text, and what is left out for it."""

import re
from pathlib import Path

import numpy as np
import pytest

from ensembles.data import build_dataset, read_dataset
from ensembles.data.files.description import describe_file
from ensembles.errors import InvalidData
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


@pytest.mark.parametrize("given", ["-999", [-999], -999, b"-9"])
def test_marks_that_are_no_list_of_texts_are_refused(given, tmp_path: Path):
    """Each sign of the text "-999" was taken for a mark, so that 9 was missing and -999 a number; the number marked none."""
    file = tmp_path / "t.csv"
    file.write_text("a,b,class\n-999,9,u\n3,4,v\n9,1,u\n-999,2,v\n")
    for read in (read_dataset, describe_file):
        with pytest.raises(
            InvalidData, match=rf"^t.csv: missing must be a list of texts, got {re.escape(repr(given))}$"
        ):
            read(str(file), "class", missing=given)
    for marks in (["-999"], ("-999",), {"-999"}, np.array(["-999"])):
        assert np.isnan(read_dataset(file, "class", missing=marks).table.column(0)).tolist() == [
            True,
            False,
            False,
            True,
        ]
