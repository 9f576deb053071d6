"""Files of text, piece by piece: decoded, with line feeds at the ends of lines, cut where rows end."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from typing import IO

import numpy as np

from ensembles.errors import InvalidData

__all__ = ["BLOCK_BYTES", "LateText", "pieces_of", "whole_rows"]

BLOCK_BYTES = 4 * 2**20  #: of text that is taken apart at once
_LONGEST = 16 * 2**20  # of a row, which cannot be taken apart when it is longer
_PIECE = 2**20
_NEWLINE = ord("\n")


class LateText(InvalidData):
    """What came before was ASCII, so which encoding a file is in shows here for the first time, and it is not UTF-8.

    Attributes
    ----------
    piece : bytes
        What holds it.
    """

    def __init__(self, sentence: str, piece: bytes) -> None:
        super().__init__(sentence)
        self.piece = piece


def pieces_of(file: IO[bytes] | gzip.GzipFile, encoding: str, filename: str) -> Iterator[bytes]:
    """Read a file to its end as UTF-8, without a byte order mark, every line ended by a line feed.

    Raises
    ------
    InvalidData
        Bytes that are no text in the encoding, or NUL.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    is_utf8, lines, held, first = encoding in ("utf-8", "utf-8-sig"), 0, b"", True
    is_ascii = is_utf8
    while True:
        piece = file.read(_PIECE)
        try:
            if is_utf8 and piece.isascii() and not first and not decoder.getstate()[0]:
                text = piece
            else:
                text = decoder.decode(piece, final=not piece).encode()
        except UnicodeDecodeError as error:
            line = lines + piece.count(b"\n", 0, max(error.start, 0)) + 1
            name = "UTF-8" if is_utf8 else encoding
            sentence = f"{filename}: line {line:,} holds bytes that are not text in {name}"
            raise (LateText(sentence, piece) if is_ascii else InvalidData(sentence)) from error
        is_ascii = is_ascii and piece.isascii()
        text = held + (text.removeprefix(codecs.BOM_UTF8) if first and text else text)
        held, first = (b"\r", first and not text) if text.endswith(b"\r") and piece else (b"", first and not text)
        text = text.removesuffix(held) if held else text
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\0" in text:
            line = lines + text.count(b"\n", 0, text.index(b"\0")) + 1
            raise InvalidData(f"{filename}: line {line:,} holds a NUL byte, so this is not a table as text")
        lines += text.count(b"\n")
        if text:
            yield text
        if not piece:
            return


def whole_rows(
    pieces: Iterator[bytes],
    filename: str,
    size: int,
    quote: str | None = None,
    delimiter: str = ",",
    *,
    padded_quotes: bool = False,
) -> Iterator[bytes]:
    """Cut text anew, into blocks of about `size` bytes that end where a row ends.

    Parameters
    ----------
    quote : str, optional
        Between two of which line feeds belong to a cell.
    padded_quotes : bool
        Whether blanks may stand before one that opens a cell.

    Raises
    ------
    InvalidData
        A row of more than 16 MiB.
    """
    waiting: list[bytes] = []
    n_waiting = 0
    for piece in pieces:
        waiting.append(piece)
        n_waiting += len(piece)
        while n_waiting >= size:
            text = b"".join(waiting)
            end = _end_of_rows(text[:_LONGEST], size, quote, delimiter, padded_quotes)
            if end == 0 and n_waiting > _LONGEST:
                raise InvalidData(
                    f"{filename}: a row has more than {_LONGEST / 2**20:.0f} MB, or a quote is not closed"
                )
            waiting, n_waiting = [text[end:]], n_waiting - end
            if end == 0:
                break
            yield text[:end]
    if n_waiting:
        yield b"".join(waiting)


def _end_of_rows(text: bytes, size: int, quote: str | None, delimiter: str, padded_quotes: bool) -> int:
    """Return behind which byte the last row ends that ends among the first `size`, else the first row; 0 when none does."""
    if quote is None or quote.encode() not in text:
        return (text.rfind(b"\n", 0, size) + 1) or (text.find(b"\n") + 1)
    codes = np.frombuffer(text, dtype=np.uint8)
    quotes = np.flatnonzero(codes == ord(quote))
    opening = quotes[::2]
    before = codes[opening[opening > 0] - 1]
    if not np.isin(before, [ord(delimiter), _NEWLINE, ord(quote)]).all():  # some stand within cells, or behind blanks
        return _end_by_reading(text, quote, delimiter, padded_quotes)
    newlines = np.flatnonzero(codes == _NEWLINE)
    ends = newlines[np.searchsorted(quotes, newlines) % 2 == 0] + 1
    if len(ends) == 0:
        return 0
    early = ends[ends <= size]
    return int(early[-1] if len(early) else ends[0])


def _end_by_reading(text: bytes, quote: str, delimiter: str, padded_quotes: bool) -> int:
    """Return behind which byte the last row ends that has another one behind it; for quotes that stand inside of cells."""
    lines = text.decode("utf-8", "ignore").split("\n")
    whole = io.StringIO("\n".join(lines))
    reader = csv.reader(whole, delimiter=delimiter, quotechar=quote, skipinitialspace=padded_quotes)
    ends = [0, 0]
    try:
        ends += [reader.line_num for _ in reader]
    except csv.Error:
        return 0
    return sum(len(line.encode()) + 1 for line in lines[: ends[-2]])
