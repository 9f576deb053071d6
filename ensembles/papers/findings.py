"""What was found out about cells of published tables that ours do not meet."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ensembles.papers.comparison import Cell

__all__ = ["FIELDS", "all_findings", "find_finding"]

FIELDS = ("table", "dataset", "method", "base")
"""Fields of a finding that say which cells it goes with: those that begin so."""


@cache
def all_findings() -> tuple[Mapping[str, str], ...]:
    """Return every finding: what it goes with, by `FIELDS`, and its sentence as `finding`."""
    text = files(__package__).joinpath("findings.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


def find_finding(cell: Cell) -> str:
    """Return why a cell is off, "" where that was not found out."""
    for finding in all_findings():
        if all(getattr(cell, field).startswith(finding[field]) for field in FIELDS):
            return finding["finding"]
    return ""
