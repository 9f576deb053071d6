"""Small files that ask for much: one sentence for each, by the reader itself or by the limits of its process."""

import errno
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensembles.data import apart, build_dataset, columns, excel, parquet, preview_file, read_dataset, reading_child
from ensembles.data.apart import Limits, preview_apart
from ensembles.data.header import unique_names
from ensembles.data.preview_form import load_preview, save_preview
from ensembles.data.reading_process import GO
from ensembles.data.sniffing import sniff_layout
from ensembles.errors import InvalidData
from tests.data.test_formats import FORMATS, as_csv

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def workbook(rows: str, shared: str = "", declared: str = "") -> bytes:
    """Return a workbook with these rows, as XML; what is `declared` stands above its texts."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/s.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        f'<Override PartName="/xl/shared.xml" ContentType="{_TYPE}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="S" sheetId="1" r:id="r"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r" Type="{_OFFICE}/worksheet" Target="worksheets/s.xml"/>'
        f'<Relationship Id="t" Type="{_OFFICE}/sharedStrings" Target="shared.xml"/></Relationships>',
        "xl/worksheets/s.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        "xl/shared.xml": f'{declared}<sst xmlns="{_MAIN}"><si><t>{shared}</t></si></sst>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def number_row(number: int, *columns: str) -> str:
    return f'<row r="{number}">' + "".join(f'<c r="{name}{number}"><v>1</v></c>' for name in columns) + "</row>"


def shared_rows(uses: int) -> str:
    return "".join(f'<row><c t="s"><v>0</v></c><c><v>{i}</v></c></row>' for i in range(uses))


def zeros(rows: int, of: int = 2) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({f"x{i}": np.zeros(rows) for i in range(of)}), sink)
    return sink.getvalue().to_pybytes()


def sparse(attributes: int, rows: int) -> bytes:
    return (
        b"@relation s\n"
        + b"".join(b"@attribute a%d real\n" % i for i in range(attributes))
        + b"@data\n"
        + b"{}\n" * rows
    )


_UNFOLDING = (
    '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">'  # each time that there is one more, thrice
)
HOSTILE = {
    "a row far below": (
        workbook(number_row(1, "A", "B") + number_row(2_000_000_000, "A", "B")),
        "the sheet has a row beyond the 1,048,576 that Excel allows",
    ),
    "a cell far to the right": (
        workbook(number_row(1, "A", "B") + number_row(2, "XFE")),
        "row 2 has a cell beyond the 16,384 columns that Excel allows",
    ),
    "a long cell used often": (
        workbook(shared_rows(3000), "x" * 2_000_000),
        "row 1 has a cell with more than the 32,767 characters that Excel allows",
    ),
    "a cell of Excel's length used often": (
        workbook(shared_rows(10_000), "x" * 32_000),
        "the cells hold more than the 268,435,456 characters that are allowed in all",
    ),
    "texts that unfold": (
        workbook(shared_rows(3), "&c;", f"<!DOCTYPE sst [{_UNFOLDING}]>"),
        "the Excel workbook is damaged, or written in a way not known here",
    ),
    "a text that is declared": (
        workbook(shared_rows(3), "&a;", '<!DOCTYPE sst [<!ENTITY a "x">]>'),
        "the Excel workbook is damaged, or written in a way not known here",
    ),
    "a text that is a file here": (
        workbook(shared_rows(3), "&a;", '<!DOCTYPE sst [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        "the Excel workbook is damaged, or written in a way not known here",
    ),
    "sparse rows": (
        sparse(20_000, 6_000),
        "the table has 6,000 rows of 20,000 columns; at most 100,000,000 cells are allowed",
    ),
    "many attributes": (sparse(100_002, 1), "the table has 100,001 columns; at most 100,000 are allowed"),
    "a line of commas": (b"," * 1_000_001 + b"\n1\n", "a line has 1,000,002 cells; at most 100,000 are allowed"),
    "a line of fewer commas": (
        b",".join(b"%d" % i for i in range(100_001)) + b"\n" + b"1," * 100_000 + b"1\n",
        "the table has 100,001 columns; at most 100,000 are allowed",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_small_file_that_asks_for_much_gets_one_sentence(case: str) -> None:
    content, sentence = HOSTILE[case]
    assert len(content) < 3_000_000
    with pytest.raises(InvalidData, match=f"^f: {sentence}$"):
        preview_file(content, filename="f")


def test_the_cells_of_a_sheet_are_counted_with_the_empty_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "_MOST_CELLS", 100_000)
    content = workbook("".join(number_row(number, "A", "XFD") for number in range(1, 9)))
    with pytest.raises(InvalidData, match=r"^f: the sheet has more than the 100,000 cells that are allowed$"):
        preview_file(content, filename="f")


def test_parquet_is_refused_by_what_it_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_CELLS", 1_000_000)
    with pytest.raises(InvalidData, match=r"^f: the table has 600,000 rows of 2 columns; at most 1,000,000 cells are"):
        preview_file(zeros(600_000), filename="f")
    monkeypatch.setattr(parquet, "MOST_BYTES", 100)
    with pytest.raises(InvalidData, match=r"^f: the file unpacks to more than the 100 bytes that are allowed$"):
        preview_file(zeros(100), filename="f")


def test_a_table_as_text_has_a_bound_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_CELLS", 100)
    with pytest.raises(InvalidData, match=r"^f: the table has 60 rows of 2 columns; at most 100 cells are allowed$"):
        preview_file(b"a,class\n" + b"1,x\n" * 60, filename="f")


def test_twenty_thousand_equal_names_are_told_apart() -> None:
    names, notices = unique_names(["a"] * 20_000 + ["a_2"], has_header=True)
    assert names[:3] == ("a", "a_3", "a_4")
    assert names[-2:] == ("a_20001", "a_2")
    assert notices == ("19,999 names were taken in the header; renamed to “a_3”, “a_4”, “a_5”, “a_6”, “a_7” and so on "
                       "(19999 in all).",)  # fmt: skip


def test_a_header_of_60001_names_of_genes_is_read() -> None:
    names = [f"ENSG{i:011d}.version" for i in range(60_001)] + ["class"]
    row = "1.5," * 60_001
    text = "\n".join([",".join(names), row + "x", row + "y"]).encode()
    assert len(",".join(names)) > 2**20
    layout = sniff_layout(text, "genes.csv")
    assert layout.has_header
    assert layout.names == tuple(names)
    assert bytes(layout.body).count(b"\n") == 1


@pytest.mark.parametrize(
    ("content", "encoding"),
    [(b" " * 200_000 + b"a b\n1 2\n3 4\n", "utf-8"), (b"x" * 100_000 + b",b\n1,caf\xe9\n2,x\n", "cp1252")],
    ids=["blanks", "a long line before one with an accent"],
)
def test_long_lines_take_no_longer_than_their_length(content: bytes, encoding: str) -> None:
    """Else these take minutes; they are read, so nothing has to be measured but that there is an end."""
    assert preview_file(content, filename="f").content.encoding == encoding


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path, "a folder"),
        (tmp_path / "pipe", "a device, a pipe"),
        (Path("/dev/zero"), "a device"),
    ):
        with pytest.raises(
            InvalidData, match=f"^{path.name}: the file cannot be read \\(it is {what}.* and not a file\\)$"
        ):
            read_dataset(path)


def test_a_file_of_30_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(30 * 2**30)
    with pytest.raises(InvalidData, match=r"^huge.csv: the file has 30,720.0 MB, but at most 1,024.0 MB are allowed$"):
        read_dataset(path)


@pytest.mark.parametrize("form", [*FORMATS, "plain"])
def test_a_preview_comes_through_its_form_as_it_was(form: str, tmp_path: Path) -> None:
    preview = preview_file(FORMATS.get(form, as_csv()), filename="table.x")
    save_preview(preview, tmp_path)
    again = load_preview(tmp_path)
    assert again.head.equals(preview.head)
    for name in ("filename", "missing_marks", "columns", "rows", "target", "notices"):
        assert getattr(again, name) == getattr(preview, name)
    one, two = (build_dataset(some, name="t", target="class") for some in (preview, again))
    assert one.sha256 == two.sha256


def test_columns_in_several_batches_come_back_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ensembles.data.preview_form._BATCH_BYTES", 100)
    preview = preview_file(as_csv(), filename="table.x")
    save_preview(preview, tmp_path)
    assert [reading.column.name for reading in load_preview(tmp_path).readings] == preview.head.columns.tolist()


def test_another_process_reads_what_this_one_would(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(as_csv())
    apart_, here = preview_apart(path, missing=("red",)), preview_file(path, filename="table.csv", missing=("red",))
    assert apart_.columns == here.columns
    assert apart_.missing_marks == ("", "red")
    with pytest.raises(InvalidData, match=r"^my.csv: there is a header but no row of values below it$"):
        preview_apart(b"a,b\n", filename="my.csv")


MANY_COLUMNS = b",".join(b"a" for _ in range(60_000)) + b"\n" + (b"1," * 59_999 + b"1\n") * 3


def test_a_file_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(InvalidData, match=r"^f: reading the table takes longer than the 1 s that are allowed$"):
        preview_apart(MANY_COLUMNS, filename="f", limits=Limits(seconds=1))


def test_a_file_that_takes_too_much_memory_is_given_up() -> None:
    sentence = r"^f: reading the table takes more than the 800.0 MB of memory that are allowed$"
    with pytest.raises(InvalidData, match=sentence):
        preview_apart(zeros(20_000_000), filename="f", limits=Limits(memory=800 * 2**20))


def test_a_disk_without_room_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(reading_child, "TemporaryDirectory", full)
    said = r"a\.csv: there is no room to read the file \(No space left on device\)"
    with pytest.raises(InvalidData, match=said):
        preview_apart(b"a,class\n1,x\n", filename="a.csv")


def test_who_does_not_wait_any_more_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def popen(*arguments: object, **settings: object) -> subprocess.Popen[bytes]:
        children.append(start(*arguments, **settings))
        return children[-1]

    def stop(sentence: str) -> None:
        assert sentence.startswith("Reading f, ")
        raise KeyboardInterrupt

    monkeypatch.setattr(reading_child.subprocess, "Popen", popen)
    monkeypatch.setattr(apart, "_TELL", 0.05)
    with pytest.raises(KeyboardInterrupt):
        preview_apart(MANY_COLUMNS, filename="f", on_wait=stop)
    assert children[0].returncode is not None
    with pytest.raises(InvalidData):
        preview_apart(b"", filename="f")  # its turn came back


@pytest.mark.parametrize("told", [b"", GO, GO + b"a,class\n"])
def test_a_reader_ends_when_its_parent_is_gone(tmp_path: Path, told: bytes) -> None:
    (tmp_path / "input").write_bytes(MANY_COLUMNS)
    on_disk = {"source": str(tmp_path / "input")}
    read = {**(on_disk if told == GO else {"source": None, "size": 1_000}), "filename": "f", "options": {}}
    (tmp_path / "order.json").write_text(json.dumps(read))
    order = (str(reading_child._PACKAGE), "ensembles.data.reading_process", str(tmp_path), str(4 * 2**30), "60")
    done = subprocess.run(
        [sys.executable, "-P", "-c", reading_child._START, *order], input=told, stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert not (tmp_path / "outcome.json").exists()


def test_one_that_waits_for_a_file_leaves_nothing_when_its_parent_is_gone(tmp_path: Path) -> None:
    with reading_child.started("ensembles.data.reading_process", str(tmp_path), str(4 * 2**30), "60") as child:
        child.stdin.close()
        assert child.wait(60) == 1
    assert not tmp_path.exists()


def test_bounds_are_those_of_excel() -> None:
    assert (excel._MOST_ROWS, excel._MOST_COLUMNS, excel._LONGEST_CELL) == (2**20, 2**14, 2**15 - 1)
