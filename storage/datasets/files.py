"""Files that are read in batches where they lie: stored is how they are read, and a sample of what is in them."""

import json
from dataclasses import replace

from sqlalchemy import select, update

from ensembles.data import Dataset, dataset_to_bytes
from ensembles.data.files import FileDescription, FileSource
from ensembles.errors import InvalidData
from storage.access import Visibility, checked_visibility, may_change
from storage.datasets.datasets import DatasetRepository, counts_of, opened
from storage.models import DatasetRow
from storage.people.reach import readable_dataset
from storage.records import DatasetRecord
from storage.repository import allowed, checked_name

__all__ = ["FileRepository"]


class FileRepository(DatasetRepository):
    """Register files, and open what is stored, whatever it is."""

    @allowed("upload")
    def register_file(self, described: FileDescription, *, visibility: Visibility = "team") -> DatasetRecord:
        """Store how a file is read in batches. Which files people may name is asked before: here all are taken.

        A file that is registered already is found again by what is in it, and read where it lies now; what belongs to
        somebody else is read where they have it, as long as it lies there.

        Raises
        ------
        InvalidInput
            It has no name, or one that is too long, or no such visibility; or more examples than a data set of the user may
            have.
        Forbidden
            All data sets of the user would take more than they may store.
        """
        source = described.source
        self._require_rows(source.n_examples)
        told = {
            "name": checked_name("data set", source.name),
            "source": source.origin,
            "visibility": checked_visibility(visibility),
        }
        said = json.dumps(source.to_dict())
        if (known := self._save_known(source.sha256, told)) is not None:
            if self._may_move(source.sha256):
                with self._database.session(writes=True) as session:
                    session.execute(update(DatasetRow).where(DatasetRow.sha256 == source.sha256).values(file=said))
            return known
        facts = {"sha256": source.sha256, "rows": source.n_examples, "missing_cells": described.missing_cells}
        counts = counts_of(source.schema, source.classes)
        return self._store(dataset_to_bytes(described.sample), told, {**facts, **counts, "file": said})

    @allowed("view")
    def open_dataset(self, sha256: str) -> Dataset | FileSource:
        """Return a stored data set under its present name; of a file that is read in batches, from where it is read.

        Raises
        ------
        NotFound
            No such data set.
        """
        with self._database.session() as session:
            held = readable_dataset(session, self._actor, sha256)
            if held.row.file is None:
                return opened(self._read_content(session, held), held)
            return replace(FileSource.from_dict(json.loads(held.row.file)), name=held.name, origin=held.source)

    @allowed("view")
    def get_sample(self, sha256: str) -> Dataset:
        """Return what is stored of a data set: all of it, or of a file that is read in batches a sample spread over it.

        Raises
        ------
        NotFound
            No such data set.
        """
        with self._database.session() as session:
            held = readable_dataset(session, self._actor, sha256)
            return opened(self._read_content(session, held), held)

    def _may_move(self, sha256: str) -> bool:
        """Return whether a file may be read elsewhere from now on: one's own, or one that its owner has no longer."""
        wanted = select(DatasetRow.user_id, DatasetRow.file).where(DatasetRow.sha256 == sha256)
        with self._database.session() as session:
            owner, said = session.execute(wanted).one()
        if said is None or may_change(self._actor, owner, "upload"):
            return True
        try:
            FileSource.from_dict(json.loads(said)).batches()
        except InvalidData:
            return True
        return False
