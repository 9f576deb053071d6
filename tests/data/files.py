"""One small table as files of every format, and what is read from a file."""

import io
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ensembles.data import Dataset, Preview, build_dataset

ROWS = [
    (1.5, 12, "red", 0, "yes"),
    (None, 7, "light blue", 1, "no"),
    (-0.25, None, "ürg", 0, "yes"),
    (1e-7, 3, None, 1, "no"),
    (2.0, 12, "red", 0, "yes"),
    (0.1, 8, "5%, or less", 1, "no"),
]

NAMES = ["x", "count", "colour", "flag", "class"]

ARFF = """% a comment
@RELATION table

@attribute x REAL
@Attribute count Integer   % a comment
@attribute 'colour' {red, 'light blue', "ürg", '5%, or less'}
@attribute flag {0,1}
@attribute class {yes, no}
@DATA
"""


def as_csv() -> bytes:
    return pd.DataFrame(ROWS, columns=NAMES).to_csv(index=False).encode()


def as_arff() -> bytes:
    def cell(value: object) -> str:
        return "?" if value is None else f"'{value}'" if " " in str(value) else str(value)

    return (ARFF + "\n".join(", ".join(map(cell, row)) for row in ROWS) + "\n").encode()


def as_parquet(**columns: object) -> bytes:
    table = pa.table(columns or dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True)))
    return parquet_bytes(table)


def parquet_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def as_excel(rows: object = None, **sheets: object) -> bytes:
    book = openpyxl.Workbook()
    for name, cells in (sheets or {"Sheet": rows or [NAMES, *ROWS]}).items():
        sheet = book.active if book.active.title == "Sheet" and len(book.worksheets) == 1 else book.create_sheet()
        sheet.title = name
        for row in cells:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_zip(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members or {"data/table.csv": as_csv()}).items():
            archive.writestr(name, content)
    return file.getvalue()


def cells(preview: Preview) -> list[list[str]]:
    return preview.head.to_numpy().tolist()


def built(preview: Preview) -> Dataset:
    return build_dataset(preview, name="t", target=preview.target)


def encrypted() -> bytes:
    content = bytearray(as_zip())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    return bytes(content)
