"""Data sets, experiments and trials in SQLite or PostgreSQL; the only place that knows how."""

from storage.access import NOBODY, PROGRAM, Action, Actor, Role, Scope, Visibility, default_visibility
from storage.experiments.imported import IMPORTED, name_of_import
from storage.keeping.archive import export_all, import_all
from storage.keeping.backup import restore_backup, write_backup
from storage.keeping.statistics import Statistics
from storage.people.limits import Limits
from storage.people.records import (
    AuditRecord,
    Bin,
    CommentRecord,
    LinkRecord,
    PresetRecord,
    TokenRecord,
    UserRecord,
)
from storage.records import (
    DatasetRecord,
    ExperimentRecord,
    Folded,
    Health,
    Sorting,
    Standing,
    Wanted,
    Word,
)
from storage.results.records import Score, Scored
from storage.running.model_rows import MODEL_LEASE_SECONDS
from storage.running.records import Holding, ModelRecord, ModelTask, RunnerRecord, StreamRecord
from storage.running.streams import MOST_NEWS
from storage.storage import Storage, open_storage

__all__ = [
    "IMPORTED",
    "MODEL_LEASE_SECONDS",
    "MOST_NEWS",
    "NOBODY",
    "PROGRAM",
    "Action",
    "Actor",
    "AuditRecord",
    "Bin",
    "CommentRecord",
    "DatasetRecord",
    "ExperimentRecord",
    "Folded",
    "Health",
    "Holding",
    "Limits",
    "LinkRecord",
    "ModelRecord",
    "ModelTask",
    "PresetRecord",
    "Role",
    "RunnerRecord",
    "Scope",
    "Score",
    "Scored",
    "Sorting",
    "Standing",
    "Statistics",
    "Storage",
    "StreamRecord",
    "TokenRecord",
    "UserRecord",
    "Visibility",
    "Wanted",
    "Word",
    "default_visibility",
    "export_all",
    "import_all",
    "name_of_import",
    "open_storage",
    "restore_backup",
    "write_backup",
]
