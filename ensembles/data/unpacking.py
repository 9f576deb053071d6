"""The bytes of a file, taken out of a gzip or ZIP archive; an archive that would fill the memory is refused."""

import gzip
import io
import zipfile
import zlib
from pathlib import Path

from ensembles.errors import InvalidData

__all__ = ["MOST_BYTES", "ZIP", "is_workbook", "read_content", "unpack_gzip"]

MOST_BYTES = 2**30  #: of an unpacked file, where nobody sets another limit
_MOST_TIMES = 300  #: tables shrink to a hundredth at best; archives made to do harm to a thousandth
_SURELY_HARMLESS = 64 * 2**20

ZIP = (b"PK\x03\x04", b"PK\x05\x06")  #: how files and empty ones start
_GZIP = b"\x1f\x8b"
_ENCRYPTED = 0x1
_SHOWN = 5
#: What zipfile and gzip raise over damaged archives.
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    NotImplementedError,
    RuntimeError,
)


def read_content(source: str | Path | bytes, filename: str, max_bytes: int | None = None) -> bytes:
    """Return the bytes of a file, unpacked when it is gzipped or the only one in a ZIP archive.

    Parameters
    ----------
    source : path or bytes
    filename : str
        What messages call the file.
    max_bytes : int, optional
        Limit for the file as it is and unpacked; a larger file on disk is refused before it is read. Without it
        unpacked files are limited to `MOST_BYTES`.

    Raises
    ------
    InvalidData
        Missing, unreadable, too large, encrypted, an archive in an archive or of several files, or not the archive it
        claims to be.
    """
    if isinstance(source, bytes):
        _check_size(filename, len(source), max_bytes)
        content = source
    else:
        path = Path(source)
        try:
            _check_size(filename, path.stat().st_size, max_bytes)
            content = path.read_bytes()
        except FileNotFoundError as error:
            raise InvalidData(f"{filename}: there is no such file") from error
        except OSError as error:
            raise InvalidData(f"{filename}: the file cannot be read ({error.strerror})") from error
    most = max_bytes or MOST_BYTES
    if content.startswith(_GZIP):
        unpacked = unpack_gzip(content, filename, most)
    elif content.startswith(ZIP) and not is_workbook(content, filename, most):
        unpacked = _unpack_zip(content, filename, most)
    else:
        return content
    if unpacked.startswith(_GZIP) or (unpacked.startswith(ZIP) and not is_workbook(unpacked, filename, most)):
        raise InvalidData(f"{filename}: there is an archive in the archive; only one layer of packing is allowed")
    return unpacked


def unpack_gzip(content: bytes, filename: str, most: int) -> bytes:
    """Return what `content` unpacks to; refuse more than `most` bytes before they are in memory."""
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            unpacked: bytes = packed.read(_allowed(len(content), most) + 1)
    except _DAMAGES as error:
        raise InvalidData(f"{filename}: the file is gzipped but damaged, it cannot be unpacked") from error
    _check_unpacked(filename, len(content), len(unpacked), most)
    return unpacked


def is_workbook(content: bytes, filename: str, most: int = MOST_BYTES) -> bool:
    """Say whether a ZIP archive is an Excel workbook; refuse one that unpacks to more than `most` bytes."""
    with _opened(content, filename) as archive:
        members = archive.infolist()
    if not any(member.filename.lower() == "xl/workbook.xml" for member in members):
        return False
    _check_unpacked(filename, len(content), sum(member.file_size for member in members), most)
    return True


def _opened(content: bytes, filename: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGES as error:
        raise InvalidData(f"{filename}: this is a damaged ZIP archive, it cannot be unpacked") from error


def _unpack_zip(content: bytes, filename: str, most: int) -> bytes:
    with _opened(content, filename) as archive:
        members = [member for member in archive.infolist() if _may_be_table(member)]
        if len(members) != 1:
            raise InvalidData(
                f"{filename}: the ZIP archive must hold one file with a table, it holds {_listed(members) or 'none'}"
            )
        member = members[0]
        if member.flag_bits & _ENCRYPTED:
            raise InvalidData(f"{filename}: the ZIP archive is encrypted; pack it without a password")
        _check_unpacked(filename, len(content), member.file_size, most)
        try:
            return archive.read(member)  # never more than the size that was just checked
        except _DAMAGES as error:
            raise InvalidData(f"{filename}: this is a damaged ZIP archive, it cannot be unpacked") from error


def _may_be_table(member: zipfile.ZipInfo) -> bool:
    """Leave out folders, what has no name, and what file managers put beside files."""
    parts = member.filename.split("/")
    return parts[0] != "__MACOSX" and parts[-1][:1] not in ("", ".")


def _listed(members: list[zipfile.ZipInfo]) -> str:
    names = ", ".join(repr(member.filename) for member in members[:_SHOWN])
    return names if len(members) <= _SHOWN else f"{names} and {len(members) - _SHOWN:,} more"


def _allowed(packed: int, most: int) -> int:
    return min(most, max(_SURELY_HARMLESS, _MOST_TIMES * packed))


def _check_unpacked(filename: str, packed: int, unpacked: int, most: int) -> None:
    if unpacked <= _allowed(packed, most):
        return
    if unpacked > most:
        raise InvalidData(f"{filename}: the file unpacks to more than the {_size(most)} that are allowed")
    raise InvalidData(f"{filename}: the file unpacks to more than {_MOST_TIMES} times its size, as no table does")


def _check_size(filename: str, size: int, max_bytes: int | None) -> None:
    if max_bytes is not None and size > max_bytes:
        raise InvalidData(f"{filename}: the file has {_size(size)}, but at most {_size(max_bytes)} are allowed")


def _size(size: int) -> str:
    return f"{size / 2**20:,.1f} MB" if size >= 2**20 else f"{size:,} bytes"
