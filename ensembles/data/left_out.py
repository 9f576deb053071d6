"""Columns of a file that are left out though nobody asked for it."""

from collections.abc import Collection, Iterable

from ensembles.data.dataset import Dataset
from ensembles.data.preview import ColumnGuess

__all__ = ["columns_left_out"]

_SHOWN = 10  # columns that are named


def columns_left_out(columns: Iterable[ColumnGuess], dataset: Dataset, ignore: Collection[str] | None) -> list[str]:
    """Return a sentence on the columns of a file that are no attribute and were not to be ignored, if any."""
    known = {dataset.target, *(attribute.name for attribute in dataset.attributes), *(ignore or ())}
    left = [f"“{column.name}” ({column.reason.rstrip('.')})" for column in columns if column.name not in known]
    if not left:
        return []
    shown = [*left[:_SHOWN], *([f"{len(left) - _SHOWN:,} more"] if len(left) > _SHOWN else [])]
    return [f"Left out: {'; '.join(shown)}."]
