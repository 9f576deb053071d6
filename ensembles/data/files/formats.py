"""Which format a file has, told by its first bytes."""

from __future__ import annotations

from ensembles.data.arff import looks_like_arff
from ensembles.data.decoding import encoding_of
from ensembles.data.files.blocks import Blocks
from ensembles.data.files.opened import OpenedFile
from ensembles.data.files.parquet_blocks import ParquetBlocks
from ensembles.data.files.text import pieces_of
from ensembles.data.files.text_blocks import ArffBlocks, CsvBlocks
from ensembles.data.parquet import looks_like_parquet
from ensembles.data.unpacking import ZIP
from ensembles.errors import InvalidData

__all__ = ["column_names", "open_blocks"]

_HEAD = 2**20
_ALLOWED = "what is read in batches must be CSV, TSV or ARFF, gzipped or as it is, or Parquet"


def column_names(path: str) -> tuple[str, ...]:
    """Return the names of the columns of a file, by its first rows alone.

    Raises
    ------
    InvalidData
        As `describe_file`.
    """
    return open_blocks(OpenedFile(path)).names


def open_blocks(file: OpenedFile, skip_rows: int | None = None, *, encoding: str = "", jumps: bool = False) -> Blocks:
    """Return the blocks of a file.

    Parameters
    ----------
    skip_rows : int, optional
        How many lines of a table as text stand above it; titles are recognised when None.
    encoding : str
        Of text, recognised when empty.
    jumps : bool
        Whether bytes of its text are known to be bytes of the file.

    Raises
    ------
    InvalidData
        Missing, unreadable, empty, or of another format.
    """
    with file.reading():
        with file.raw() as raw:
            is_parquet = looks_like_parquet(raw.read(4))
        if is_parquet:
            return ParquetBlocks(file)
        with file.unpacked() as unpacked:
            head = unpacked.read(_HEAD)
    if looks_like_parquet(head) or head.startswith(ZIP):
        what = "an archive or a workbook" if head.startswith(ZIP) else "a Parquet file that was gzipped once more"
        raise InvalidData(f"{file.filename}: this is {what}; {_ALLOWED}")
    if not head:
        raise InvalidData(f"{file.filename}: the file is empty")
    encoding = encoding or encoding_of(head, file.filename)
    with file.reading(), file.unpacked() as unpacked:
        text = next(pieces_of(unpacked, encoding, file.filename), b"")
    blocks: ArffBlocks | CsvBlocks
    blocks = ArffBlocks(file, encoding) if looks_like_arff(text) else CsvBlocks(file, encoding, skip_rows)
    blocks.jumps = jumps
    return blocks
