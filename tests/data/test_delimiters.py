"""The space as a delimiter: where it is one, and where it stands in text."""

import pytest

from ensembles.data import build_dataset, preview_file
from ensembles.data.sniffing import sniff_layout


def test_a_space_delimits_where_it_fits_better_than_what_stands_in_quotes() -> None:
    preview = preview_file(b'a b class\n1 "x, y" p\n2 "z, w" q\n3 "u, v" p\n', filename="t.txt")
    assert (preview.content.delimiter, [column.name for column in preview.columns]) == (" ", ["a", "b", "class"])
    assert preview.head["b"].tolist() == ["x, y", "z, w", "u, v"]


TEXT = {
    "a short line": "my a,b,class\nx y,1,p\nz w,2\n",
    "a short line, and more words than cells": "my first a,class\nx y z,1\nx y z\n",
    "titles of as many words": "Station A\nby hour\ntime,class\n01-02 12:00,x\n01-02 13:00,y\n",
    "a title, and as many words": "A table\nx y,1\nz w,2\n",
}


@pytest.mark.parametrize("case", TEXT)
def test_a_space_that_stands_in_text_does_not_delimit(case: str) -> None:
    assert sniff_layout(TEXT[case].encode(), "t.csv").delimiter == ","


@pytest.mark.parametrize("header", ["u v w class\n", ""])
def test_a_space_delimits_numbers_with_decimal_commas(header: str) -> None:
    rows = "".join(f"{i},5 -{i * 2},25 {i},1e3 {'xy'[i % 2]}\n" for i in range(9))
    preview = preview_file((header + rows).encode(), filename="t.txt", has_header=bool(header))
    assert (preview.content.delimiter, preview.head.shape[1]) == (" ", 4)
    dataset = build_dataset(preview, name="t", target=preview.head.columns[-1])
    assert dataset.table.column(0).tolist() == [i + 0.5 for i in range(9)]


@pytest.mark.parametrize("text", ["1,10 kg\n2,11 kg\n3,12 g\n", "1,2,a b\n2,3,c d\n", "1,2 3,x\n4,5 6,y\n"])
def test_a_comma_between_numbers_delimits_where_blanks_do_not_take_the_row_apart(text: str) -> None:
    assert sniff_layout(text.encode(), "t.csv").delimiter == ","
