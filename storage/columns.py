"""How values cross the border to the database: NaN, moments, series of numbers."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import DateTime, Dialect, String, Text
from sqlalchemy.types import TypeDecorator

from ensembles.data.names import clean_text

__all__ = [
    "SafeString",
    "SafeText",
    "UTCDateTime",
    "from_null",
    "measures_from_text",
    "measures_to_text",
    "pack_series",
    "to_null",
    "unpack_series",
]

_SERIES = np.dtype("<f8")


def to_null(number: float) -> float | None:
    """Return what is stored for `number`: NULL for NaN. SQLite would do so unasked, PostgreSQL would not."""
    return None if math.isnan(number) else float(number)


def from_null(stored: float | None) -> float:
    """Return the number that `stored` stands for: NaN for NULL."""
    return math.nan if stored is None else stored


def measures_to_text(measures: Mapping[str, float]) -> str:
    """Return measures as a JSON object."""
    return json.dumps({key: to_null(value) for key, value in measures.items()}, separators=(",", ":"))


def measures_from_text(text: str) -> dict[str, float]:
    """Return the measures that `measures_to_text` wrote."""
    return {key: from_null(value) for key, value in json.loads(text).items()}


def pack_series(numbers: tuple[float, ...]) -> bytes:
    """Return a series as little-endian doubles. NaN stays itself here: a blob has no NULL inside."""
    return np.asarray(numbers, dtype=_SERIES).tobytes()


def unpack_series(blob: bytes) -> npt.NDArray[np.float64]:
    """Return the series that `pack_series` wrote."""
    return np.frombuffer(blob, dtype=_SERIES)


class SafeText(TypeDecorator[str]):
    """Text without what a database cannot keep or a page not show, when stored and when asked for."""

    impl: type[String] = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else clean_text(value)


class SafeString(SafeText):
    """The same of a given length."""

    impl = String
    cache_ok = True


class UTCDateTime(TypeDecorator[datetime]):
    """A point in time. Aware in Python, UTC in the database; SQLite, which knows no zones, holds it without one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
