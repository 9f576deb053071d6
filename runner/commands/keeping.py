"""The commands that look after a database as a whole, one function each: arguments in, exit code out."""

from argparse import Namespace
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from ensembles.errors import InvalidInput
from ensembles.reports.formatting import pluralize
from storage import Storage, open_storage, restore_backup, write_backup
from storage import export_all as write_archive
from storage import import_all as read_archive

__all__ = ["backup", "clean", "export_all", "import_all", "restore"]

_SHOWN = 10


def backup(wanted: Namespace) -> int:
    """Copy the whole database into one file."""
    file = Path(wanted.file)
    write_backup(file, wanted.database, keep=wanted.keep)
    print(f"{file}: {_size(file.stat().st_size)}, the whole database")
    return 0


def restore(wanted: Namespace) -> int:
    """Let a database hold what was backed up."""
    restore_backup(Path(wanted.file), wanted.database, force=wanted.force)
    with open_storage(wanted.database) as storage:
        here, binned = {record.sha256 for record in storage.list_datasets()}, storage.list_bin()
        print(f"Restored: {_content(storage.count_experiments(), len(here))}", end="")
        if binned.experiments or binned.datasets:
            gone = {record.sha256 for record in binned.datasets} - here  # what somebody else holds is there
            print(f", and in the bin {_content(len(binned.experiments), len(gone))}", end="")
        print()
    return 0


def export_all(wanted: Namespace) -> int:
    """Write everything into an archive."""
    file = Path(wanted.file)
    rows = write_archive(file, wanted.database)
    print(f"{file}: {_size(file.stat().st_size)}, {_content(rows['experiments'], rows['datasets'])}")
    return 0


def import_all(wanted: Namespace) -> int:
    """Fill an empty database with an archive."""
    rows = read_archive(Path(wanted.file), wanted.database)
    print(f"Imported: {_content(rows.get('experiments', 0), rows.get('datasets', 0))}")
    return 0


def clean(wanted: Namespace) -> int:
    """Show what nobody uses any more, and delete it where that is wished."""
    chosen = [name for name in ("curves", "datasets", "bin") if getattr(wanted, name)]
    if wanted.yes and not chosen:
        raise InvalidInput("clean --yes: must say what to delete by --curves, --datasets or --bin, got none of them")
    age = timedelta(days=wanted.older_than)
    with open_storage(wanted.database, makes=False) as storage:
        _show_unused(storage, age, chosen or ["curves", "datasets", "bin"])
        if not wanted.yes:
            print("Nothing is deleted yet: --yes does it.")
            return 0
        if wanted.curves:
            storage.delete_old_curves(age)
        if wanted.datasets:
            storage.delete_idle_datasets(age)
        if wanted.bin:
            storage.empty_bin(age)
        storage.give_back_room()
    print("Deleted.")
    return 0


def _show_unused(storage: Storage, age: timedelta, names: Sequence[str]) -> None:
    unused = storage.find_unused(age)
    if "curves" in names:
        _show("Curves of experiments", unused.curves)
    if "datasets" in names:
        _show("Data sets without an experiment", unused.datasets)
    if "bin" in names:
        print(f"In the bin: {unused.binned:,}")


def _show(title: str, found: Sequence[tuple[str, str, int]]) -> None:
    print(f"{title}: {len(found):,}, {_size(sum(size for _, _, size in found))}")
    for _, name, size in found[:_SHOWN]:
        print(f"  {_size(size):>9}  {name}")
    if len(found) > _SHOWN:
        print(f"  and {len(found) - _SHOWN:,} more")


def _content(experiments: int, datasets: int) -> str:
    return f"{pluralize(experiments, 'experiment')}, {pluralize(datasets, 'data set')}"


def _size(bytes_: int) -> str:
    return f"{bytes_ / 1e6:,.1f} MB" if bytes_ >= 100_000 else f"{bytes_ / 1e3:,.1f} kB"
