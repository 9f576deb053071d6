"""Data sets, experiments and trials in SQLite or PostgreSQL; the only place that knows how."""

from storage.access import NOBODY, PROGRAM, Actor
from storage.records import (
    DatasetRecord,
    ExperimentRecord,
    Folded,
    Health,
    Score,
    Scored,
    Sorting,
    Standing,
    Wanted,
    Word,
)
from storage.storage import Storage, open_storage

__all__ = [
    "NOBODY",
    "PROGRAM",
    "Actor",
    "DatasetRecord",
    "ExperimentRecord",
    "Folded",
    "Health",
    "Score",
    "Scored",
    "Sorting",
    "Standing",
    "Storage",
    "Wanted",
    "Word",
    "open_storage",
]
