"""Data sets, experiments and trials in SQLite or PostgreSQL; the only place that knows how."""

from storage.location import data_folder
from storage.records import DatasetRecord, ExperimentRecord
from storage.storage import Storage, open_storage

__all__ = ["DatasetRecord", "ExperimentRecord", "Storage", "data_folder", "open_storage"]
