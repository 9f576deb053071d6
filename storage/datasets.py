"""Stored data sets: their content lives in the database, so that a team needs no shared folder."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from ensembles.data import Dataset, dataset_from_bytes, dataset_to_bytes
from ensembles.errors import StorageError
from storage.models import DatasetChunkRow, DatasetRow, ExperimentDatasetRow
from storage.records import DatasetRecord
from storage.repository import Repository, checked_name, get_dataset_row

__all__ = ["DatasetRepository"]

_CHUNK_BYTES = 16 * 2**20


class DatasetRepository(Repository):
    """Save, read, list, rename and delete data sets."""

    def save_dataset(self, dataset: Dataset) -> DatasetRecord:
        """Store a data set. One with the same content that is there already is returned as it is, with its name.

        Raises
        ------
        InvalidInput
            The data set has no name, or one that is too long.
        """
        name = checked_name("data set", dataset.name)
        if (known := self._find_record(dataset.sha256)) is not None:
            return known
        content = dataset_to_bytes(dataset)  # outside of the transaction: nobody waits for the compression
        with self._database.session(writes=True) as session:
            add = self._database.insert(DatasetRow).values(**self._describe(session, dataset, name))
            number = session.scalars(add.on_conflict_do_nothing().returning(DatasetRow.id)).one_or_none()
            if number is not None:  # else another process has just stored the same content
                for position, chunk in enumerate(_slices(content)):
                    session.execute(insert(DatasetChunkRow).values(dataset_id=number, position=position, content=chunk))
            return _record(get_dataset_row(session, dataset.sha256), self._uses(session, dataset.sha256))

    def get_dataset(self, sha256: str) -> Dataset:
        """Return a stored data set under its present name; raise `NotFound`."""
        with self._database.session() as session:
            row = get_dataset_row(session, sha256)
            chunks = session.scalars(
                select(DatasetChunkRow.content)
                .where(DatasetChunkRow.dataset_id == row.id)
                .order_by(DatasetChunkRow.position)
            )
            content = b"".join(chunks)
        dataset = dataset_from_bytes(content)
        dataset.name = row.name
        return dataset

    def get_dataset_record(self, sha256: str) -> DatasetRecord:
        """Return what is known of a stored data set without reading its content; raise `NotFound`."""
        with self._database.session() as session:
            return _record(get_dataset_row(session, sha256), self._uses(session, sha256))

    def list_datasets(self) -> list[DatasetRecord]:
        """Return all stored data sets, the newest first."""
        uses = func.count(ExperimentDatasetRow.experiment_id)
        query = select(DatasetRow, uses).outerjoin(ExperimentDatasetRow).group_by(DatasetRow.id)
        with self._database.session() as session:
            return [_record(row, used) for row, used in session.execute(query.order_by(DatasetRow.id.desc()))]

    def rename_dataset(self, sha256: str, name: str) -> DatasetRecord:
        """Give a stored data set another name; experiments keep the name they were launched with.

        Raises
        ------
        InvalidInput
            No name, or one that is too long.
        NotFound
            No such data set.
        """
        trimmed = checked_name("data set", name)
        with self._database.session(writes=True) as session:
            row = get_dataset_row(session, sha256)
            row.name = trimmed
            return _record(row, self._uses(session, sha256))

    def delete_dataset(self, sha256: str) -> None:
        """Delete a stored data set.

        Raises
        ------
        StorageError
            An experiment uses it.
        NotFound
            No such data set.
        """
        with self._database.session(writes=True) as session:
            row = get_dataset_row(session, sha256)
            if used := self._uses(session, sha256):
                users = "1 experiment uses" if used == 1 else f"{used} experiments use"
                raise StorageError(f"{row.name}: cannot be deleted, {users} it; delete them first")
            session.delete(row)

    def _find_record(self, sha256: str) -> DatasetRecord | None:
        with self._database.session() as session:
            row = session.scalars(select(DatasetRow).where(DatasetRow.sha256 == sha256)).one_or_none()
            return None if row is None else _record(row, self._uses(session, sha256))

    def _describe(self, session: Session, dataset: Dataset, name: str) -> dict[str, Any]:
        schema = dataset.table.schema
        return {
            "sha256": dataset.sha256,
            "name": name,
            "rows": len(dataset),
            "nominal": len(schema.nominal),
            "numeric": len(schema.numeric),
            "classes": len(dataset.classes),
            "missing_cells": dataset.table.missing_cells,
            "source": dataset.source,
            "created": self._database.now(session),
        }

    def _uses(self, session: Session, sha256: str) -> int:
        query = select(func.count(ExperimentDatasetRow.experiment_id)).join(DatasetRow)
        return session.execute(query.where(DatasetRow.sha256 == sha256)).scalar_one()


def _slices(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), _CHUNK_BYTES):
        yield content[start : start + _CHUNK_BYTES]


def _record(row: DatasetRow, experiments: int) -> DatasetRecord:
    return DatasetRecord(
        sha256=row.sha256,
        name=row.name,
        rows=row.rows,
        nominal=row.nominal,
        numeric=row.numeric,
        classes=row.classes,
        missing_cells=row.missing_cells,
        source=row.source,
        created=row.created,
        experiments=experiments,
    )
