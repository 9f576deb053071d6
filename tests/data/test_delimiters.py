"""The space as a delimiter: where it is one, and where it stands in text."""

import pytest

from ensembles.data import preview_file
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
