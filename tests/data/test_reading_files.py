"""How tables of text are recognised: delimiter, encoding, decimal sign, quotes, header, missing marks, names."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensembles.data import (
    Dataset,
    Preview,
    build_dataset,
    preview_file,
    read_dataset,
)
from ensembles.errors import InvalidData

ROWS = [["1.5", "red", "x"], ["2.5", "green", "y"], ["3.5", "red", "x"]]


def preview_of(text: str | bytes, filename: str = "t.csv", **known) -> Preview:
    return preview_file(text.encode() if isinstance(text, str) else text, filename=filename, **known)


def dataset_of(text: str | bytes, **known) -> Dataset:
    preview = preview_of(text, **known)
    return build_dataset(preview, name="t", target=preview.target)


def _cells(preview: Preview) -> list[list[str]]:
    return preview.head.to_numpy().tolist()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_recognised(delimiter):
    lines = [delimiter.join(row) for row in [["size", "colour", "class"], *ROWS]]
    preview = preview_of("\n".join(lines))
    assert (preview.content.delimiter, preview.content.has_header, preview.rows) == (delimiter, True, 3)
    assert _cells(preview) == ROWS


def test_a_delimiter_that_also_stands_in_text_is_not_mistaken():
    preview = preview_of("note,size,class\nred; round,1.5,x\ngreen; flat,2.5,y\nblue,3.5,x\n")
    assert preview.content.delimiter == ","
    assert _cells(preview)[0] == ["red; round", "1.5", "x"]


def test_a_delimiter_within_quotes_on_every_row_is_not_mistaken():
    preview = preview_of('1,"a; b",x\n2,"c; d",y\n3,"e; f",x\n')
    assert preview.content.delimiter == ","
    assert _cells(preview)[0] == ["1", "a; b", "x"]


def test_the_hint_of_spreadsheets_is_followed():
    preview = preview_of("sep=|\na,b|class\n1,2|x\n3,4|y\n")
    assert preview.content.delimiter == "|"
    assert [column.name for column in preview.columns] == ["a,b", "class"]


def test_aligned_columns_are_read():
    preview = preview_of("  1   2.5  a\n 10  13.5  b  \n  3   4.5  a\n")
    assert _cells(preview) == [["1", "2.5", "a"], ["10", "13.5", "b"], ["3", "4.5", "a"]]


@pytest.mark.parametrize(
    ("encoding", "reported"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "cp1252"),
        ("cp1252", "cp1252"),
    ],
)
def test_western_encodings_are_recognised(encoding, reported):
    text = "Größe,prénom,class\n1.5,Zoë,süß\n2.5,René,bitter\n"
    preview = preview_of(text.encode(encoding))
    assert preview.content.encoding == reported
    assert [column.name for column in preview.columns] == ["Größe", "prénom", "class"]
    assert _cells(preview) == [["1.5", "Zoë", "süß"], ["2.5", "René", "bitter"]]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "цвет,размер,класс\nкрасный,1,да\nсиний,2,нет\n"),
        ("cp1250", "kolor,długość,class\nżółty,1,tak\nbłękitny,2,nie\n"),
        ("shift_jis", "色,大きさ,class\n赤い,1,はい\n青い,2,いいえ\n"),
    ],
)
def test_other_encodings_are_recognised(encoding, text):
    preview = preview_of(text.encode(encoding))
    assert [",".join(row) for row in _cells(preview)] == text.splitlines()[1:]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_all_line_endings_are_read(ending):
    assert _cells(preview_of(ending.join(["a,b,class", "1,2,x", "3,4,y", ""]))) == [["1", "2", "x"], ["3", "4", "y"]]


def test_gzipped_files_are_read(tmp_path):
    path = tmp_path / "car.csv.gz"
    path.write_bytes(gzip.compress(b"a,b,class\n1,2,x\n3,4,y\n"))
    dataset = read_dataset(path)
    assert (dataset.name, dataset.source, len(dataset)) == ("car", "file car.csv.gz", 2)


def test_decimal_commas_are_read_as_fractions():
    dataset = dataset_of("a;b;class\n1,5;-0,25;x\n2;1e3;y\n3,75;,5;x\n")
    assert dataset.table.numbers.tolist() == [[1.5, -0.25], [2.0, 1000.0], [3.75, 0.5]]


def test_quoted_decimal_commas_between_commas_are_read():
    dataset = dataset_of('a,class\n"1,5",x\n"2,25",y\n')
    assert dataset.table.numbers[:, 0].tolist() == [1.5, 2.25]


def test_grouped_thousands_are_joined_and_said():
    preview = preview_of('a,b,class\n"1,234",1.5,x\n"12,000,000.5",2.5,y\n999,3.5,x\n')
    dataset = build_dataset(preview, name="t", target="class")
    assert dataset.table.numbers[:, 0].tolist() == [1234.0, 12_000_000.5, 999.0]
    assert preview.notices == ("Column “a”: thousands are grouped, and the groups were joined.",)


def test_points_group_thousands_where_the_comma_is_decimal():
    dataset = dataset_of("a;b;class\n1.234,5;0,5;x\n2.000;1,25;y\n")
    assert dataset.table.numbers[:, 0].tolist() == [1234.5, 2000.0]


def test_groups_before_a_fraction_say_which_sign_is_decimal():
    for text in ("a;class\n1.200,50;x\n12.345,75;y\n", "a;class\n1 200,50;x\n12 345,75;y\n"):
        assert dataset_of(text).table.numbers[:, 0].tolist() == [1200.5, 12345.75]
    assert dataset_of("a;class\n1,200.50;x\n12,345.75;y\n").table.numbers[:, 0].tolist() == [1200.5, 12345.75]


def test_a_doubtful_comma_groups_only_where_the_comma_cannot_be_decimal():
    assert dataset_of("a;class\n1,234;x\n2,500;y\n").table.numbers[:, 0].tolist() == [1.234, 2.5]
    assert dataset_of('a,class\n"1,234",x\n"2,500",y\n').table.numbers[:, 0].tolist() == [1234.0, 2500.0]


def test_a_column_may_keep_to_the_other_decimal_sign_but_not_mix_them():
    preview = preview_of("a;b;c;class\n1,5;0.5;0.5;x\n2,5;1.25;1,234;y\n", decimal=",")
    assert [column.kind for column in preview.columns] == ["numeric", "numeric", "nominal", "nominal"]


def test_numbers_are_read_to_the_last_digit():
    rng = np.random.default_rng(5)
    numbers = np.concatenate(
        [rng.standard_normal(200), rng.standard_normal(50) * 1e100, rng.standard_normal(50) * 1e-300]
    )
    lines = "\n".join(f"{number!r},{'xy'[i % 2]}" for i, number in enumerate(numbers.tolist()))
    assert dataset_of(f"a,class\n{lines}").table.numbers[:, 0].tobytes() == numbers.tobytes()


def test_numbers_too_large_to_calculate_with_are_not_numbers():
    guess = preview_of("a,class\n1,x\n2,y\n3,x\n1e200,y\n").columns[0]
    assert guess.kind == "nominal"
    assert guess.reason == "Text, 4 different values: most are numbers, but '1e200' is not."


def test_quotes_keep_delimiters_quotes_and_line_feeds():
    preview = preview_of('a,"b,c",class\n"x, ""y""",1.5,p\n"two\nlines",2.5,q\n')
    assert [column.name for column in preview.columns] == ["a", "b,c", "class"]
    assert _cells(preview) == [['x, "y"', "1.5", "p"], ["two\nlines", "2.5", "q"]]


def test_a_quote_inside_a_cell_is_a_character():
    assert _cells(preview_of('a,class\n5" pipe,x\n7" pipe,y\n'))[0] == ['5" pipe', "x"]


def test_blanks_before_an_opening_quote_do_not_break_quoting():
    assert _cells(preview_of('a, b, class\n1, "x, y", p\n2, "z", q\n')) == [["1", "x, y", "p"], ["2", "z", "q"]]


def test_single_quotes_are_taken_away():
    preview = preview_of("a,class\n'x, y','p'\n'z','q'\n")
    assert _cells(preview) == [["x, y", "p"], ["z", "q"]]


def test_an_apostrophe_is_no_quote():
    assert _cells(preview_of("a,class\n'tis,x\nit's,y\n"))[0] == ["'tis", "x"]


def test_blanks_around_cells_are_trimmed_before_values_are_compared():
    dataset = dataset_of("a,class\nred , x\n red,y\nred ,x\nblue,y\n")
    assert dataset.table.codes[:, 0].tolist() == [1, 1, 1, 0]
    assert dataset.attributes[0].categories == ("blue", "red")
    assert dataset.classes == ("x", "y")


def test_blank_lines_are_passed_over():
    assert preview_of("\n\na,b,class\n\n1,2,x\n   \n3,4,y\n\n").rows == 2


def test_a_file_without_a_header_gets_names():
    preview = preview_of("5.1,3.5,setosa\n4.9,3.0,setosa\n6.3,3.3,virginica\n")
    assert not preview.content.has_header
    assert [column.name for column in preview.columns] == ["a1", "a2", "a3"]
    assert preview.rows == 3
    assert preview.notices == ("The first line holds values, not names, so the columns are called a1 to a3.",)


@pytest.mark.parametrize(
    ("text", "has_header"),
    [
        ("usual,proper,yes\nusual,improper,no\ngreat,proper,yes\n", False),
        ("parents,nurse,verdict\nusual,proper,yes\nusual,improper,no\n", True),
        ("country,1990,1991,class\nA,1,2,x\nB,3,4,y\n", True),
        ("0,1,2,3\n0.5,1.5,2.5,x\n1.5,2.5,3.5,y\n", True),
        ("1,14.23,1.71\n1,13.2,1.78\n2,12.4,2.3\n", False),
        ("?,1.5,x\n2.5,1.5,y\n3.5,2.5,x\n", False),
    ],
)
def test_a_header_is_told_from_values(text, has_header):
    assert preview_of(text).content.has_header is has_header


def test_the_user_may_know_better_than_the_recognition():
    preview = preview_of("p,q\nr,s\n", has_header=False)
    assert _cells(preview) == [["p", "q"], ["r", "s"]]
    assert preview_of("a,b;class\n1,2;x\n3,4;y\n", delimiter=",").content.delimiter == ","
    assert preview_of("a;class\n1.234;x\n2.5;y\n", decimal=",").columns[0].kind == "numeric"
    assert preview_of("a,class\n\xc3\xa4,x\nb,y\n".encode("latin-1"), encoding="latin-1").columns[0].examples[0] == "Ã¤"


def test_an_unknown_encoding_is_refused():
    with pytest.raises(InvalidData, match=r"^t.csv: the file cannot be read as klingon"):
        preview_of("a,class\n1,x\n2,y\n", encoding="klingon")


def test_names_missing_or_repeated_in_the_header_are_made_unique_and_said():
    preview = preview_of("a,a,,a_2,class\n1.5,2.5,3.5,4.5,x\n2.5,3.5,4.5,5.5,y\n")
    assert [column.name for column in preview.columns] == ["a", "a_3", "a3", "a_2", "class"]
    assert preview.notices == (
        "1 column has no name in the header; named by position: a3.",
        "1 name was taken in the header; renamed to “a_3”.",
    )


def test_a_header_one_cell_short_names_the_columns_behind_the_row_names():
    preview = preview_of('"x" "class"\n"r1" 2.5 "a b"\n"r2" 3.5 "c"\n')
    assert [column.name for column in preview.columns] == ["row", "x", "class"]
    notice = "The header has one name less than the rows have cells, so the first column is called “row”."
    assert preview.notices == (notice,)


def test_a_delimiter_at_the_end_of_every_line_makes_an_ignored_column():
    preview = preview_of("a,class,\n1.5,x,\n2.5,y,\n")
    assert [column.kind for column in preview.columns] == ["numeric", "nominal", "ignore"]
    assert preview.target == "class"


def test_markup_is_kept_as_the_data_it_is():
    dataset = dataset_of("<script>alert(1)</script>,class\n<b>1</b>,<i>x</i>\n<b>2</b>,&amp;\n")
    assert dataset.attributes[0].name == "<script>alert(1)</script>"
    assert dataset.attributes[0].categories == ("<b>1</b>", "<b>2</b>")
    assert dataset.classes == ("&amp;", "<i>x</i>")


def test_the_head_shows_fifty_rows_as_they_are_written():
    preview = preview_of("a,class\n" + "".join(f"0{i}.50,{'xy'[i % 2]}\n" for i in range(80)))
    assert preview.head.shape == (50, 2)
    assert preview.head.iloc[7].tolist() == ["07.50", "y"]


def test_nothing_depends_on_where_blocks_end():
    """A file of more than one block of the parser (16 MB), with quotes and line feeds in cells."""
    rows = 120_000
    lines = [f'{i}.5,"text, {i % 7}\nof two lines {"x" * 120}",{"pq"[i % 2]}' for i in range(rows)]
    preview = preview_of("number,text,class\n" + "\n".join(lines))
    dataset = build_dataset(preview, name="t", target="class")
    assert dataset.table.numbers[:, 0].tolist() == [i + 0.5 for i in range(rows)]
    assert dataset.table.codes[:, 0].tolist() == [i % 7 for i in range(rows)]


TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cf")), min_size=1, max_size=6).map(str.strip)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    rows=st.lists(st.tuples(TEXT, TEXT, st.floats(-1e6, 1e6)), min_size=2, max_size=20),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
def test_what_a_csv_writer_wrote_is_read_back(rows, delimiter, quoting):
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, quoting=quoting).writerows([("one", "two", "class"), *rows])
    preview = preview_of(file.getvalue(), delimiter=delimiter, has_header=True)
    assert _cells(preview) == [[one, two, str(number)] for one, two, number in rows]
