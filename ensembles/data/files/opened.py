"""A file as bytes, on the disk or in a bucket, and by what it is known again."""

from __future__ import annotations

import gzip
import hashlib
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

from ensembles.data.names import clean_name
from ensembles.errors import EnsembleLabError, InvalidData

__all__ = ["Fingerprint", "OpenedFile"]

_EDGE = 2**16  # bytes at each end that are looked at whenever the file is opened
_PIECE = 2**20
_GZIP = b"\x1f\x8b"
_DAMAGES = (gzip.BadGzipFile, zlib.error, EOFError)
_NEEDED = "to read {0} addresses, install what fsspec needs for them ({1})"


@dataclass(frozen=True)
class Fingerprint:
    """By what a file is known again.

    Attributes
    ----------
    n_bytes : int
    modified : str
        When it was written last, or what a bucket calls this version of it.
    edges, content : str
        SHA-256 of both ends, and of all bytes.
    """

    n_bytes: int
    modified: str
    edges: str
    content: str


@dataclass(frozen=True)
class OpenedFile:
    """A file that is opened anew each time it is read.

    Parameters
    ----------
    path : str
        Of a file on the disk, or an address (`s3://bucket/file.parquet`) that fsspec knows.
    n_bytes : int, optional
        How much of it is unpacked: what was written behind that since is not there.
    """

    path: str
    n_bytes: int | None = None

    @property
    def is_remote(self) -> bool:
        """Whether it lies in a bucket or the like."""
        return "://" in self.path

    @property
    def filename(self) -> str:
        """What messages call the file."""
        return clean_name(self.path.rstrip("/").rsplit("/", 1)[-1]) or "."

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what goes wrong with a file while it is read into one sentence.

        Raises
        ------
        InvalidData
        """
        try:
            yield
        except EnsembleLabError:
            raise
        except _DAMAGES as error:
            raise InvalidData(f"{self.filename}: the file is gzipped but damaged, it cannot be unpacked") from error
        except FileNotFoundError as error:
            raise InvalidData(f"{self.filename}: there is no such file") from error
        except (OSError, ValueError) as error:  # a name with NUL is a ValueError
            said = getattr(error, "strerror", None) or error
            raise InvalidData(f"{self.filename}: the file cannot be read ({said})") from error
        except ImportError as error:
            scheme = self.path.split("://")[0]
            raise InvalidData(f"{self.filename}: {_NEEDED.format(scheme, error)}") from error
        except Exception as error:  # what stores raise is of their libraries: no key, nobody who answers
            if not self.is_remote:
                raise
            raise InvalidData(f"{self.filename}: the file cannot be read ({error})") from error

    def raw(self) -> IO[bytes]:
        """Open the file; its bytes are as they lie there."""
        if self.is_remote:
            system, place = self.system()
            opened: IO[bytes] = system.open(place, "rb")
            return opened
        return Path(self.path).open("rb")

    @contextmanager
    def unpacked(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        """Open the file, unpacked if it is gzipped."""
        with self.raw() as file:
            head = file.read(len(_GZIP))
            file.seek(0)
            shown = file if self.n_bytes is None else cast(IO[bytes], _Beginning(file, self.n_bytes))
            if head == _GZIP:
                with gzip.GzipFile(fileobj=shown) as packed:
                    yield packed
            else:
                yield shown

    @property
    def is_gzipped(self) -> bool:
        """Whether the file is packed."""
        with self.raw() as file:
            return file.read(len(_GZIP)) == _GZIP

    def fingerprint(self, progress: Callable[[float], None] | None = None) -> Fingerprint:
        """Read the file once and say by what it is known.

        Parameters
        ----------
        progress : callable, optional
            Called with the share of the file that was read.
        """
        with self.reading():
            size, modified = self._facts()
            return Fingerprint(size, modified, self._edges(size), _digest(self, size, progress))

    def check_unchanged(self, known: Fingerprint, *, may_grow: bool = False) -> None:
        """Look whether the file is there and the one that was described, as far as can be told without reading it all.

        A file that was written since and has the same size and ends, such as a copy, is read once in each process.

        Parameters
        ----------
        may_grow : bool
            Whether more may stand behind what was described.

        Raises
        ------
        InvalidData
            Missing, unreadable, or another one.
        """
        with self.reading():
            size, modified = self._facts()
            grew = may_grow and size > known.n_bytes
            same = (grew or size == known.n_bytes) and self._edges(known.n_bytes) == known.edges
            if same and not grew and modified != known.modified:
                same = _digest_of(self, size, modified) == known.content
        if not same:
            raise InvalidData(
                f"{self.filename}: the file has changed since it was described ({size:,} bytes now, "
                f"{known.n_bytes:,} then); describe it anew"
            )

    def _facts(self) -> tuple[int, str]:
        """Return the size and the version of a file; refuse what is none before it is opened: a pipe would be waited for."""
        if self.is_remote:
            system, place = self.system()
            known = system.info(place)
            version = known.get("ETag") or known.get("etag") or known.get("LastModified") or known.get("mtime") or ""
            return int(known["size"] or 0), str(version)
        status = Path(self.path).stat()
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, a pipe or the like"
            raise InvalidData(f"{self.filename}: the file cannot be read (it is {what} and not a file)")
        return status.st_size, str(status.st_mtime_ns)

    @property
    def inode(self) -> tuple[int, int] | None:
        """Which file of the disk stands under the path now; None where there is none, or it lies in a bucket.

        Who has opened a file goes on reading it where another one is put in its place.
        """
        try:
            status = None if self.is_remote else Path(self.path).stat()
        except OSError:
            return None
        return None if status is None else (status.st_dev, status.st_ino)

    def system(self) -> tuple[Any, str]:
        """Return the file system of fsspec that an address leads to, and the place there."""
        import fsspec  # which comes with Dask, and is needed for buckets alone

        system, place = fsspec.core.url_to_fs(self.path)
        system.invalidate_cache()  # it is the same in all of the process, and would never see what comes later or changes
        return system, str(place)

    def _edges(self, size: int) -> str:
        edge = min(_EDGE, size)
        with self.raw() as file:
            head = file.read(edge)
            file.seek(size - edge)
            return hashlib.sha256(head + file.read(edge)).hexdigest()


class _Beginning:
    """The first bytes of an open file, as a file."""

    def __init__(self, file: IO[bytes], n_bytes: int) -> None:
        self._file, self._n_bytes = file, n_bytes
        self.seek = file.seek

    def read(self, size: int = -1) -> bytes:
        left = max(self._n_bytes - self._file.tell(), 0)
        return self._file.read(left if size < 0 else min(size, left))


@lru_cache(maxsize=64)
def _digest_of(file: OpenedFile, size: int, modified: str) -> str:  # noqa: ARG001  # another time, another content
    return _digest(file, size)


def _digest(file: OpenedFile, size: int, progress: Callable[[float], None] | None = None) -> str:
    digest, read = hashlib.sha256(), 0
    with file.raw() as opened:
        while piece := opened.read(_PIECE):
            digest.update(piece)
            read += len(piece)
            if progress is not None:
                progress(min(read / max(size, 1), 1.0))
    return digest.hexdigest()
