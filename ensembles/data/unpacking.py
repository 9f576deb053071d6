"""The bytes of a file, taken out of a gzip or ZIP archive; an archive that would fill the memory is refused."""

import gzip
import io
import stat
import zipfile
import zlib
from pathlib import Path

from ensembles.data.names import clean_name
from ensembles.errors import InvalidData

__all__ = ["MOST_BYTES", "ZIP", "is_workbook", "read_content", "read_file", "size_of", "unpack_gzip"]

MOST_BYTES = 2**30  #: of a file, packed or not, where nobody sets another limit
_MOST_TIMES = 300  #: tables shrink to a hundredth at best; archives made to do harm to a thousandth
_SURELY_HARMLESS = 64 * 2**20

ZIP = (b"PK\x03\x04", b"PK\x05\x06")  #: how files and empty ones start
#: What else is packed like a ZIP archive, by a file in it.
_DOCUMENTS = {
    "content.xml": "an OpenDocument file, such as .ods",
    "xl/workbook.bin": "an Excel workbook in binary form (.xlsb)",
    "word/document.xml": "a Word document",
    "ppt/presentation.xml": "a PowerPoint presentation",
    "index/document.iwa": "a document of Numbers or Pages",
}
_GZIP = b"\x1f\x8b"
_ENCRYPTED = 0x1
_SHOWN = 5
_BLOCK = 2**20
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
        Limit for the file as it is and unpacked, `MOST_BYTES` when None; a larger file on disk is refused before it is
        read.

    Raises
    ------
    InvalidData
        Missing, unreadable, not a regular file, too large, encrypted, an archive in an archive or of several files, or
        not the archive it claims to be.
    """
    most = max_bytes or MOST_BYTES
    if isinstance(source, bytes):
        _check_size(filename, len(source), most)
        content = source
    else:
        content = read_file(source, filename, most)
    if content.startswith(_GZIP):
        unpacked = unpack_gzip(content, filename, most)
    elif content.startswith(ZIP) and not is_workbook(content, filename, most):
        unpacked = _unpack_zip(content, filename, most)
    else:
        return content
    if unpacked.startswith(_GZIP) or (unpacked.startswith(ZIP) and not is_workbook(unpacked, filename, most)):
        raise InvalidData(f"{filename}: there is an archive in the archive; only one layer of packing is allowed")
    return unpacked


def read_file(path: str | Path, filename: str, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes.

    What it is and how large is asked before it is opened: a pipe would be waited for, and a device has no end.

    Raises
    ------
    InvalidData
        Missing, unreadable, not a regular file, or too large.
    """
    try:
        known = Path(path).stat()
        if not stat.S_ISREG(known.st_mode):
            what = "a folder" if stat.S_ISDIR(known.st_mode) else "a device, a pipe or the like"
            raise InvalidData(f"{filename}: the file cannot be read (it is {what} and not a file)")
        _check_size(filename, known.st_size, most)
        with Path(path).open("rb") as file:
            content = file.read(max(known.st_size, _BLOCK))  # those of the system say 0, and have no end
    except FileNotFoundError as error:
        raise InvalidData(f"{filename}: there is no such file") from error
    except InvalidData:
        raise
    except (OSError, ValueError) as error:  # a name with NUL is a ValueError
        raise InvalidData(
            f"{filename}: the file cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from error
    return content


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
        _refuse_documents(archive, filename)
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


def _refuse_documents(archive: zipfile.ZipFile, filename: str) -> None:
    names = {member.filename.lower() for member in archive.infolist()}
    for name, what in _DOCUMENTS.items():
        if name in names and len(names) > 1:
            raise InvalidData(f"{filename}: this is {what}; save its table as .xlsx or CSV")


def _may_be_table(member: zipfile.ZipInfo) -> bool:
    """Leave out folders, what has no name, and what file managers put beside files."""
    parts = member.filename.split("/")
    return parts[0] != "__MACOSX" and parts[-1][:1] not in ("", ".")


def _listed(members: list[zipfile.ZipInfo]) -> str:
    names = ", ".join(repr(clean_name(member.filename)) for member in members[:_SHOWN])
    return names if len(members) <= _SHOWN else f"{names} and {len(members) - _SHOWN:,} more"


def _allowed(packed: int, most: int) -> int:
    return min(most, max(_SURELY_HARMLESS, _MOST_TIMES * packed))


def _check_unpacked(filename: str, packed: int, unpacked: int, most: int) -> None:
    if unpacked <= _allowed(packed, most):
        return
    if unpacked > most:
        raise InvalidData(f"{filename}: the file unpacks to more than the {size_of(most)} that are allowed")
    raise InvalidData(f"{filename}: the file unpacks to more than {_MOST_TIMES} times its size, as no table does")


def _check_size(filename: str, size: int, most: int) -> None:
    if size > most:
        raise InvalidData(f"{filename}: the file has {size_of(size)}, but at most {size_of(most)} are allowed")


def size_of(size: int) -> str:
    """Return a number of bytes as people read it."""
    return f"{size / 2**20:,.1f} MB" if size >= 2**20 else f"{size:,} bytes"
