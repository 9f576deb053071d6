"""How commands print tables."""

from collections.abc import Sequence
from typing import Any

__all__ = ["print_columns"]


def print_columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table, every column as wide as it must be."""
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
