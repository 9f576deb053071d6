"""Data sets, experiments and trials in SQLite or PostgreSQL; the only place that knows how."""

from storage.records import DatasetRecord, ExperimentRecord, Health, Standing
from storage.storage import Storage, open_storage

__all__ = ["DatasetRecord", "ExperimentRecord", "Health", "Standing", "Storage", "open_storage"]
