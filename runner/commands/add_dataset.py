"""The command that stores a table as a data set, or registers a file that is read in batches."""

import json
import sys
from argparse import Namespace
from pathlib import Path

from ensembles.data import Dataset
from ensembles.data.apart import preview_apart
from ensembles.data.download import fetch_file, is_url
from ensembles.data.files import FileDescription, describe_file
from ensembles.data.left_out import columns_left_out
from ensembles.data.readers import make_dataset
from ensembles.errors import InvalidInput
from storage import Storage, default_visibility, open_storage

__all__ = ["add_dataset"]


def add_dataset(wanted: Namespace) -> int:
    """Store a file, or what is behind a web address, as a data set; or register it as a stream."""
    found, notices = _describe(wanted) if wanted.stream else _read(wanted)
    with open_storage(wanted.database) as storage:
        before = {record.sha256 for record in storage.list_datasets()}
        sha256, target = _store(storage, found)
        record = storage.get_dataset_record(sha256)
    is_new = record.sha256 not in before
    if wanted.json:
        facts = {name: getattr(record, name) for name in ("name", "sha256", "rows", "nominal", "numeric", "classes")}
        print(json.dumps({**facts, "target": target, "stored": is_new}, ensure_ascii=False))
    else:
        sizes = f"{record.rows:,} examples, {record.nominal + record.numeric:,} attributes, {record.classes:,} classes"
        print(f"{'Stored' if is_new else 'Already there:'} {record.name}, {sizes}, class {target}")
    print(*notices, sep="\n", end="\n" if notices else "", file=sys.stderr)
    return 0


def _store(storage: Storage, found: Dataset | FileDescription) -> tuple[str, str]:
    visibility = default_visibility()
    if isinstance(found, Dataset):
        return storage.save_dataset(found, visibility=visibility).sha256, found.target
    return storage.register_file(found, visibility=visibility).sha256, found.source.target


def _read(wanted: Namespace) -> tuple[Dataset, list[str]]:
    content, filename = fetch_file(wanted.file) if is_url(wanted.file) else (Path(wanted.file), None)
    preview = preview_apart(
        content, filename=filename, sheet=wanted.sheet, skip_rows=wanted.skip_rows, missing=wanted.missing
    )
    dataset = make_dataset(
        preview,
        wanted.target,
        target_bins=wanted.bins,
        nominal=_nominal(wanted),
        numeric=wanted.numeric,
        ignore=wanted.ignore,
        name=wanted.name,
    )
    notices = [notice.replace("“Rows to skip” (skip_rows)", "--skip-rows") for notice in preview.content.notices]
    if without := preview.rows - len(dataset):
        rows = "1 row" if without == 1 else f"{without:,} rows"
        notices.append(f"{rows} without a class (column “{dataset.target}”) left out.")
    return dataset, [*notices, *columns_left_out(preview.columns, dataset, wanted.ignore)]


def _describe(wanted: Namespace) -> tuple[FileDescription, list[str]]:
    for name in ("bins", "sheet"):
        if getattr(wanted, name) is not None:
            raise InvalidInput(f"--{name} cannot go with --stream, which reads a file in batches")
    if is_url(wanted.file):
        raise InvalidInput(f"--stream needs a file, or an address in a bucket such as s3://..., got {wanted.file}")
    described = describe_file(
        wanted.file if "://" in wanted.file else str(Path(wanted.file).resolve()),
        wanted.target,
        nominal=_nominal(wanted),
        numeric=wanted.numeric,
        ignore=wanted.ignore,
        missing=wanted.missing,
        skip_rows=wanted.skip_rows,
        name=wanted.name,
        progress=_tell if sys.stderr.isatty() else None,
    )
    return described, columns_left_out(described.columns, described.sample, wanted.ignore)


def _nominal(wanted: Namespace) -> list[str] | str | None:
    named: list[str] | None = wanted.nominal
    return "all" if named == ["all"] else named


def _tell(share: float) -> None:
    print(f"\rreading the file once: {share:.0%}", end="\n" if share >= 1.0 else "", file=sys.stderr, flush=True)
