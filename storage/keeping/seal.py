"""A checksum behind the pages of an SQLite file.

SQLite's own check looks how the pages of a file hang together, and not at what stands in their rows. It reads no further
than the pages that it has counted, and copies nothing else, so what stands behind them is in its way nowhere. The seal names
the change after which it was made (SQLite counts them in the head of a file): who changes the file since, or opens it as
a database with a log, has one without a seal, as earlier versions made them, and not a damaged one.
"""

import struct
import zlib
from pathlib import Path
from typing import BinaryIO

__all__ = ["is_broken", "seal"]

_SEAL = struct.Struct(">16s4sI")  # what it is, the number of the last change, the checksum of all before
_MAGIC = b"Ensemble Lab CRC"
_FORMS, _CHANGES = slice(18, 20), slice(24, 28)
_WITHOUT_LOG = b"\1\1"
_HEAD, _BLOCK = 100, 2**20


def seal(file: Path) -> None:
    """Write the checksum of a whole file, which nobody has open, to its end."""
    with file.open("r+b") as content:
        head = content.read(_HEAD)
        checksum = _checksum(content, file.stat().st_size)
        content.seek(0, 2)
        content.write(_SEAL.pack(_MAGIC, head[_CHANGES], checksum))


def is_broken(file: Path) -> bool:
    """Return whether a file has a seal and holds something else than was sealed."""
    length = file.stat().st_size - _SEAL.size
    if length < _HEAD:
        return False
    with file.open("rb") as content:
        head = content.read(_HEAD)
        content.seek(length)
        magic, changes, expected = _SEAL.unpack(content.read(_SEAL.size))
        is_sealed = magic == _MAGIC and changes == head[_CHANGES] and head[_FORMS] == _WITHOUT_LOG
        return is_sealed and _checksum(content, length) != expected


def _checksum(content: BinaryIO, length: int) -> int:
    content.seek(0)
    checksum = 0
    while length and (block := content.read(min(length, _BLOCK))):
        checksum = zlib.crc32(block, checksum)
        length -= len(block)
    return checksum
