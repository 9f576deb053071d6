"""Cells in quotes that go over several lines: kept where they are closed, refused where they took up the rows below them."""

from pathlib import Path

import pytest

from ensembles.data import preview_file
from ensembles.data.files import describe_file
from ensembles.errors import InvalidData


def table(*rows: str) -> bytes:
    return "\n".join(["name,size,class", *(f"n{i},s{i},{'xy'[i % 2]}" for i in range(5)), *rows, ""]).encode()


SWALLOWED = {
    "an inch that opens a cell": (['n5,"5 pipe,x', "n6,s1,y", 'n7,6" pipe,y', "n8,s2,x"], 7),
    "an inch behind cells of two lines": (['"a\nb",s,x', "", 'n5,"5 pipe,x', "n6,s1,y", 'n7,6" pipe,y'], 10),
    "quotes of its own": (['n5,"5 ""inch"",x', "n6,s1,y", 'n7,""6" pipe ,y'], 7),
    "never closed": (['"a\nb",s,x', 'n5,s,"y', "n6,s,x"], 9),
    "never closed in the last line": (['n5,s,"y'], 7),
    "never closed, but for two quotes at the end": (['n5,s,"y', 'n6,s,x""'], 7),
}


@pytest.mark.parametrize("case", SWALLOWED)
def test_a_quote_that_takes_up_rows_is_refused_with_its_line(case: str, tmp_path: Path) -> None:
    rows, line = SWALLOWED[case]
    sentence = f"^t.csv: the quotes that open in line {line} are not closed as they should be$"
    with pytest.raises(InvalidData, match=sentence):
        preview_file(table(*rows), filename="t.csv")
    (tmp_path / "t.csv").write_bytes(table(*rows))
    with pytest.raises(InvalidData, match=sentence):
        describe_file(str(tmp_path / "t.csv"))


KEPT = {
    "two lines": ('"a\nb","c",x', ["a\nb", "c", "x"]),
    "blanks behind closing quotes": ('"a\nb" ,"c"  ,"x\n" ', ["a\nb", "c", "x"]),
    "quotes and blanks in the last line": ('"a ""b""\n ""c"" " ,"",x', ['a "b"\n "c"', "", "x"]),
    "the last cell": ('a,b,"x\n"', ["a", "b", "x"]),
    "text behind closing quotes of one line": ('"a\nb","6" pipe,x', ["a\nb", "6 pipe", "x"]),
}


@pytest.mark.parametrize("case", KEPT)
def test_cells_of_several_lines_are_kept(case: str) -> None:
    row, cells = KEPT[case]
    preview = preview_file(table(row, "n6,s1,y", row), filename="t.csv")
    assert preview.head.to_numpy().tolist()[5:] == [cells, ["n6", "s1", "y"], cells]


def test_a_quote_at_the_end_of_the_line_above_opens_no_cell() -> None:
    preview = preview_file(b'class,size,name\nx,1,6"\nb,2,z\n"\nb",2,6"\n', filename="t.csv")
    assert preview.head.to_numpy().tolist() == [["x", "1", '6"'], ["b", "2", "z"], ["b", "2", '6"']]


def test_of_lines_that_differ_the_short_one_is_named_and_not_a_blank_behind_a_quote() -> None:
    with pytest.raises(InvalidData, match=r"^t.csv: line 8 has 2 cells, but line 1 has 3; every line needs the same"):
        preview_file(table('"a" ,"b"  ,"x" ', "n6,y"), filename="t.csv")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "1,2,x\n3,4",
            "line 3 has 2 cells, but line 1 has 3; it is the last and has no end, as of a file that was cut off",
        ),
        ("1,2,x\n3,4\n", "line 3 has 2 cells, but line 1 has 3; every line needs the same number"),
        ("1,2\n3,4,x", "line 2 has 2 cells, but line 1 has 3; every line needs the same number"),
        ("1,2,x\n3,4,x,5", "line 3 has 4 cells, but line 1 has 3; every line needs the same number"),
    ],
)
def test_a_file_that_was_cut_off_is_told_by_its_last_line(rows: str, said: str) -> None:
    with pytest.raises(InvalidData, match=f"^t.csv: {said}$"):
        preview_file(f"a,b,class\n{rows}".encode(), filename="t.csv")
