"""Whatever the bytes are, every reader ends in a data set or in one sentence. `make fuzz` tries many more of them."""

import gzip
import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles.data import build_dataset, dataset_from_bytes, dataset_to_bytes, preview_file
from ensembles.errors import InvalidData
from tests.data.test_formats import as_arff, as_csv, as_excel, as_parquet, as_zip
from tests.fuzzing import TRIED, assert_small, tries

SPARSE = (
    b"@relation s\n@attribute a real\n@attribute 'b' {x,'y z'}\n@attribute c string\n@data\n{0 1,1 'y z'}\n{2 w},{5}\n"
)


def stored(members: dict[str, bytes]) -> bytes:
    """Return a ZIP archive that is not compressed, so that changes reach what is in it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def plain_parquet() -> bytes:
    table = pq.read_table(pa.BufferReader(as_parquet()))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="none", use_dictionary=False, write_statistics=False)
    return sink.getvalue().to_pybytes()


WORKBOOK = opened(as_excel())
VALID = {
    "csv": [as_csv(), b"a;b\n1,5;x\n2;y\n", b"'a b' c\n1 x\n2 y\n", "ä,b\n1,x\n2,y\n".encode("utf-16")],
    "arff": [as_arff(), SPARSE],
    "parquet": [as_parquet(), plain_parquet(), as_parquet(a=[[1], [2]], c=["x", "y"])],
    "xlsx": [as_excel(), stored(WORKBOOK)],
    "gz": [gzip.compress(as_csv()), gzip.compress(as_parquet(), 0), gzip.compress(as_arff())],
    "zip": [as_zip(), stored({"a.csv": as_csv()}), stored({"b/a.xlsx": as_excel()})],
}
WORDS = {
    "csv": [b",", b";", b"\t", b'"', b"'", b"\n", b"\r\n", b"?", b"NA", b"1e400", b"-", b"\xef\xbb\xbf"],
    "arff": [b"{", b"}", b"'", b'"', b"\\", b"%", b",", b"\n", b"@data\n", b"@attribute a {x}\n", b"{0 1}", b"?", b" "],
    "parquet": [b"PAR1", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x00", b"\x15\x04"],
    "xlsx": [b"PK\x03\x04", b"<c>", b"<row r='99999999'>", b"</v>", b"&#0;", b"xl/worksheets"],
    "gz": [b"\x1f\x8b\x08\x00", b"\x00\x00", b"\xff"],
    "zip": [b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff"],
}
CHANGES = ("cut", "overwrite", "insert", "delete", "repeat")


@st.composite
def mutated(draw: st.DrawFn, reader: str) -> bytes:
    """Return a valid file with some places changed, or any bytes behind the start of a valid file."""
    content = bytearray(draw(st.sampled_from(VALID[reader])))
    if draw(st.integers(0, 9)) == 0:
        return bytes(content[: draw(st.integers(0, 60))]) + draw(st.binary(max_size=120))
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.integers(0, len(content)))
        length = draw(st.integers(1, 12))
        match draw(st.sampled_from(CHANGES)):
            case "cut":
                del content[place:]
            case "overwrite":
                content[place : place + length] = draw(st.binary(min_size=1, max_size=length))
            case "insert":
                content[place:place] = draw(st.sampled_from(WORDS[reader]))
            case "delete":
                del content[place : place + length]
            case "repeat":
                content[place:place] = content[place : place + 40 * length]
    return bytes(content)


@st.composite
def mutated_workbook(draw: st.DrawFn) -> bytes:
    """Return a workbook, well packed, of which one part is changed: else most changes end in the archive's checksums."""
    name = draw(st.sampled_from(sorted(WORKBOOK)))
    content = bytearray(WORKBOOK[name])
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        content[place : place + draw(st.integers(0, 8))] = draw(st.binary(max_size=4) | st.sampled_from(WORDS["xlsx"]))
    return stored(WORKBOOK | {name: bytes(content)})


def as_arrow() -> bytes:
    """Return a file of Arrow, which nothing reads: it is refused and takes no reader down."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, pa.schema([("a", pa.int64()), ("c", pa.string())])) as file:
        file.write_table(pa.table({"a": [1, 2], "c": ["x", "y"]}))
    return sink.getvalue().to_pybytes()


def holds(content: bytes, filename: str) -> None:
    sentence = f"{filename}: "
    try:
        preview = preview_file(content, filename=filename, max_bytes=2**26)
        dataset = build_dataset(preview, name="any", target=preview.target or preview.columns[-1].name)
        assert dataset_from_bytes(dataset_to_bytes(dataset)).sha256 == dataset.sha256
    except InvalidData as error:
        sentence = str(error)
    assert sentence.startswith((f"{filename}: ", "any: "))
    assert "\n" not in sentence


INPUTS = {reader: mutated(reader) for reader in VALID} | {
    "xlsx": mutated("xlsx") | mutated_workbook(),
    "csv": mutated("csv")
    | st.binary(max_size=200)
    | st.text(st.sampled_from('01.5,;\t |"\n\r?-ab'), max_size=120).map(str.encode)
    | st.text(max_size=60).map(lambda text: text.encode("utf-16")),
    "gz": mutated("gz")
    | mutated("arff").map(gzip.compress)
    | mutated("parquet").map(lambda some: gzip.compress(some, 1)),
    "zip": mutated("zip") | mutated("csv").map(lambda content: stored({"a": content})),
}


INPUTS["arrow"] = st.binary(max_size=60).map(lambda more: as_arrow() + more) | mutated("parquet").map(
    lambda content: content.replace(b"PAR1", b"ARROW1")
)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("reader", INPUTS)
def test_any_bytes_end_in_a_data_set_or_in_one_sentence(reader: str) -> None:
    @tries({"csv": 300, "xlsx": 60, "arrow": 20}.get(reader, 150), share=1 / len(INPUTS))
    @given(content=INPUTS[reader])
    def check(content: bytes) -> None:
        TRIED["uploads, by their readers"] += 1
        holds(content, f"any.{reader}")

    check()
    assert_small()


@pytest.mark.parametrize("reader", VALID)
def test_the_files_that_are_changed_are_good_ones(reader: str) -> None:
    """Else nothing but the refusal of damaged files would be tried."""
    outcomes = []
    for content in VALID[reader]:
        try:
            preview_file(content, filename="good")
            outcomes.append(True)
        except InvalidData:
            outcomes.append(False)
    assert sum(outcomes) >= min(2, len(outcomes))
