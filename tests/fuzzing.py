"""What the tests with broken input share: how much they try, what was tried, and what that may leave behind and take.

`make fuzz` sets `FUZZ_EXAMPLES`, how many of each kind; without it a short form runs that is the same each time.
"""

import os
import sys
from collections import Counter

from hypothesis import HealthCheck, settings
from sqlalchemy import func, select

from storage import Storage
from storage.models import Base

__all__ = ["EXAMPLES", "TRIED", "assert_small", "peak_bytes", "rows_of", "tries"]

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
TRIED: Counter[str] = Counter()
"""By kind, how much was tried in this process."""

_MOST_BYTES = 2 * 2**30
_LOGS = {"audit"}  # what is noted of what was done and undone


def tries(short: int, share: float = 1.0) -> settings:
    """Return the settings of a test that tries so many, or this share of `FUZZ_EXAMPLES`."""
    return settings(
        max_examples=round(share * EXAMPLES) or short,
        deadline=None,
        derandomize=not EXAMPLES,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def rows_of(storage: Storage) -> dict[str, int]:
    """Return how many rows each table has, those of the log left out."""
    with storage._database.session() as session:
        return {
            table.name: session.scalar(select(func.count()).select_from(table)) or 0
            for table in Base.metadata.sorted_tables
            if table.name not in _LOGS
        }


def peak_bytes() -> int:
    """Return the most memory that this process, or one that it waited for, has ever taken; 0 where nobody says it."""
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def assert_small() -> None:
    """Fail where `make fuzz` took more than 2 GiB; in the suite other tests may have."""
    assert not EXAMPLES or peak_bytes() < _MOST_BYTES
