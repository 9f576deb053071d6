"""Stored data sets: their content lives in the database, so that a team needs no shared folder.

Each content is there once. Whoever stores what another one has becomes a holder of it, under a name of their own, and
learns nothing of the other.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, func, insert, select
from sqlalchemy.orm import Session

from ensembles.data import Dataset, Schema, dataset_from_bytes, dataset_to_bytes
from ensembles.errors import Conflict, InvalidInput
from storage.access import Action, Actor, Visibility, checked_visibility, visible_experiments
from storage.datasets.holders import bound, hand_over, heirs, holding_of
from storage.models import DatasetChunkRow, DatasetRow, ExperimentDatasetRow, ExperimentRow
from storage.people.audit import write_audit
from storage.people.limits import limits_of, require_room, require_within, take_turn
from storage.people.reach import HeldDataset, readable_dataset, require_owner, select_datasets
from storage.people.rows import DatasetHolderRow
from storage.records import DatasetRecord
from storage.repository import Repository, allowed, checked_name

__all__ = ["DatasetRepository", "counts_of", "dataset_record", "opened", "told_record"]

_CHUNK_BYTES = 16 * 2**20

_CHANGE: Action = "upload"


class DatasetRepository(Repository):
    """Save, read, list, rename, share and delete data sets."""

    @allowed("upload")
    def save_dataset(self, dataset: Dataset, *, visibility: Visibility = "team") -> DatasetRecord:
        """Store a data set. One with the same content that is there already is returned as it is, with its name.

        Where another user has the content already, who stores it holds it too: under the name that they gave, seen as they
        wish, until they delete it.

        Raises
        ------
        InvalidInput
            The data set has no name, or one that is too long, no such visibility, or more examples than the user may have.
        Forbidden
            All data sets of the user would take more than they may store.
        """
        told = {
            "name": checked_name("data set", dataset.name),
            "source": dataset.source,
            "visibility": checked_visibility(visibility),
        }
        self._require_rows(len(dataset))
        if (known := self._save_known(dataset.sha256, told)) is not None:
            return known
        content = dataset_to_bytes(dataset)  # outside of the transaction: nobody waits for the compression
        facts = {"sha256": dataset.sha256, "rows": len(dataset), "missing_cells": dataset.table.missing_cells}
        return self._store(content, told, facts | counts_of(dataset.table.schema, dataset.classes))

    @allowed("view")
    def get_dataset(self, sha256: str) -> Dataset:
        """Return a stored data set under its present name.

        Raises
        ------
        NotFound
            No such data set.
        InvalidInput
            It is read in batches where it lies.
        """
        with self._database.session() as session:
            held = readable_dataset(session, self._actor, sha256)
            if held.row.file is not None:
                raise InvalidInput(f"{held.name}: is read in batches where it lies, only a sample of it is stored here")
            content = self._read_content(session, held)
        return opened(content, held)

    @allowed("view")
    def get_dataset_record(self, sha256: str) -> DatasetRecord:
        """Return what is known of a stored data set without reading its content; raise `NotFound`."""
        with self._database.session() as session:
            return self._read_record(session, sha256)

    @allowed("read")
    def list_datasets(self) -> list[DatasetRecord]:
        """Return all stored data sets, the newest first."""
        query = select_datasets(self._actor).add_columns(self._visible_uses()).order_by(DatasetRow.id.desc())
        with self._database.session() as session:
            return [dataset_record(HeldDataset(row, holder), used) for row, holder, used in session.execute(query)]

    @allowed("upload")
    def rename_dataset(self, sha256: str, name: str) -> DatasetRecord:
        """Give a stored data set another name; experiments keep the name they were launched with.

        Raises
        ------
        InvalidInput
            No name, or one that is too long.
        NotFound
            No such data set.
        Forbidden
            It belongs to somebody else.
        """
        trimmed = checked_name("data set", name)
        with self._database.session(writes=True) as session:
            held = self._changeable_dataset(session, sha256)
            (held.holder or held.row).name = trimmed
            self._note_dataset(session, "renamed", sha256, trimmed)
            session.flush()
            return self._read_record(session, sha256)

    @allowed("upload")
    def set_dataset_visibility(self, sha256: str, visibility: Visibility) -> DatasetRecord:
        """Say who sees a stored data set; the experiments on it go by their own.

        Raises
        ------
        InvalidInput
            No such visibility.
        NotFound
            No such data set.
        Forbidden
            It belongs to somebody else.
        """
        wanted = checked_visibility(visibility)
        with self._database.session(writes=True) as session:
            held = self._changeable_dataset(session, sha256)
            (held.holder or held.row).visibility = wanted
            self._note_dataset(session, f"shown to {wanted}", sha256, held.name)
            session.flush()
            return self._read_record(session, sha256)

    @allowed("upload")
    def delete_dataset(self, sha256: str) -> None:
        """Put a stored data set into the bin of whom it belongs to; others who hold it keep it.

        Where its owner deletes it and others hold it, it belongs to the first of these from then on, and its owner holds it.

        Raises
        ------
        Conflict
            An experiment uses it.
        NotFound
            No such data set.
        Forbidden
            It belongs to somebody else.
        """
        with self._database.session(writes=True) as session:
            held = self._changeable_dataset(session, sha256)
            others = heirs(session, held)
            if used := session.scalar(select(_uses(held.row.id, *bound(held, others)))):
                users = "1 experiment uses" if used == 1 else f"{used} experiments use"
                raise Conflict(f"{held.name}: cannot be deleted, {users} it; delete them first")
            self._note_dataset(session, "deleted", sha256, held.name)
            now = self._database.now(session)
            if held.holder is None and others:
                hand_over(session, held.row, others[0], now)
            else:
                (held.holder or held.row).deleted = now

    @allowed("upload")
    def check_upload(self, n_bytes: int) -> None:
        """Raise `InvalidInput` when a file is larger than who asks may upload: to be asked before it is read."""
        with self._database.session() as session:
            require_within(limits_of(session, self._actor), "upload_bytes", "bytes in a file", n_bytes)

    def _read_content(self, session: Session, held: HeldDataset) -> bytes:
        chunks = session.scalars(
            select(DatasetChunkRow.content)
            .where(DatasetChunkRow.dataset_id == held.row.id)
            .order_by(DatasetChunkRow.position)
        )
        return b"".join(chunks)

    def _store(self, content: bytes, told: dict[str, str], facts: dict[str, Any]) -> DatasetRecord:
        """Store a content and what is known of it, or hold it where another process has just stored the same."""
        sha256 = facts["sha256"]
        with self._database.session(writes=True) as session:
            require_room(session, self._actor, len(content))
            now, mine = self._database.now(session), self._actor.user_id
            values = {**told, **facts, "packed_bytes": len(content), "created": now, "user_id": mine}
            add = self._database.insert(DatasetRow).values(**values)
            number = session.scalars(add.on_conflict_do_nothing().returning(DatasetRow.id)).one_or_none()
            if number is None:
                self._hold(session, sha256, told)
            else:
                for position, chunk in enumerate(_slices(content)):
                    session.execute(insert(DatasetChunkRow).values(dataset_id=number, position=position, content=chunk))
                self._note_dataset(session, "stored", sha256, told["name"])
            return self._read_record(session, sha256)

    def _require_rows(self, rows: int) -> None:
        with self._database.session() as session:
            require_within(limits_of(session, self._actor), "rows", "examples in a data set", rows)

    def _save_known(self, sha256: str, told: dict[str, str]) -> DatasetRecord | None:
        with self._database.session(writes=True) as session:
            if not session.scalar(select(func.count()).where(DatasetRow.sha256 == sha256)):
                return None
            take_turn(session, self._actor)
            self._hold(session, sha256, told)
            return self._read_record(session, sha256)

    def _hold(self, session: Session, sha256: str, told: dict[str, str]) -> None:
        """Let the actor have the content that is there already; in the bin of somebody else it stays for them."""
        row = session.scalars(select(DatasetRow).where(DatasetRow.sha256 == sha256).with_for_update()).one()
        mine, now = self._actor.user_id, self._database.now(session)
        if row.deleted is not None and mine in (None, row.user_id):
            require_room(session, self._actor, row.packed_bytes)
            row.deleted = None
            if mine == row.user_id:
                row.created = now
                row.name, row.source, row.visibility = told["name"], told["source"], told["visibility"]
            self._note_dataset(session, "stored", sha256, row.name)
        elif mine not in (None, row.user_id):
            holding = holding_of(session, row, mine)
            if holding is not None and holding.deleted is None:
                return
            require_room(session, self._actor, row.packed_bytes)
            session.merge(DatasetHolderRow(dataset_id=row.id, user_id=mine, created=now, deleted=None, **told))
            self._note_dataset(session, "stored", sha256, told["name"])
        session.flush()
        session.expire(row)

    def _changeable_dataset(self, session: Session, sha256: str) -> HeldDataset:
        held = readable_dataset(session, self._actor, sha256, lock=True)
        require_owner(self._actor, held.name, held.user_id, held.user_name, _CHANGE)
        return held

    def _read_record(self, session: Session, sha256: str) -> DatasetRecord:
        held = readable_dataset(session, self._actor, sha256)
        return told_record(session, self._actor, held)

    def _visible_uses(self) -> ScalarSelect[int]:
        return _uses(DatasetRow.id, visible_experiments(self._actor))

    def _note_dataset(self, session: Session, action: str, sha256: str, name: str) -> None:
        write_audit(session, self._actor, self._database.now(session), action, "dataset", sha256, name)


def counts_of(schema: Schema, classes: Sequence[str]) -> dict[str, int]:
    """Return how many attributes of each kind and classes there are."""
    return {"nominal": len(schema.nominal), "numeric": len(schema.numeric), "classes": len(classes)}


def opened(content: bytes, held: HeldDataset) -> Dataset:
    """Return a content under the name by which the actor knows it."""
    dataset = dataset_from_bytes(content)
    dataset.name, dataset.source = held.name, held.source
    return dataset


def _slices(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), _CHUNK_BYTES):
        yield content[start : start + _CHUNK_BYTES]


def told_record(session: Session, actor: Actor, held: HeldDataset) -> DatasetRecord:
    """Return the record of a data set with the number of experiments that use it, of those that `actor` sees."""
    return dataset_record(held, session.scalar(select(_uses(held.row.id, visible_experiments(actor)))) or 0)


def _uses(dataset: Any, *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return how many experiments for which the conditions hold use a data set; those in the bin do not count."""
    joined = select(func.count()).select_from(ExperimentDatasetRow).join(ExperimentRow)
    kept = (ExperimentDatasetRow.dataset_id == dataset, ExperimentRow.deleted.is_(None))
    return joined.where(*kept, *conditions).correlate(DatasetRow).scalar_subquery()


def dataset_record(held: HeldDataset, experiments: int) -> DatasetRecord:
    """Return the record of a data set that so many experiments use."""
    row = held.row
    return DatasetRecord(
        sha256=row.sha256,
        name=held.name,
        rows=row.rows,
        nominal=row.nominal,
        numeric=row.numeric,
        classes=row.classes,
        missing_cells=row.missing_cells,
        source=held.source,
        created=held.created,
        experiments=experiments,
        user_id=held.user_id,
        user_name=held.user_name,
        visibility=held.visibility,
        packed_bytes=row.packed_bytes,
        deleted=held.deleted,
        in_batches=row.file is not None,
    )
