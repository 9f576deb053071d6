"""Presets that people save: everybody who may launch can start from them; only who saved one, and admins, may change it."""

from contextlib import suppress
from pathlib import Path

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from ensembles.errors import EnsembleLabError, Forbidden, InvalidConfig, NotFound
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.presets import kept_config
from storage.access import may_change
from storage.experiments.rows import config_from_text, config_to_text
from storage.people.audit import write_audit
from storage.people.records import PresetRecord
from storage.people.rows import AuditRow, PresetRow
from storage.repository import Repository, allowed

__all__ = ["PresetRepository"]

_MOST = 100
_LARGEST = 2**20  # bytes of a file
_TAKEN = ".taken"  # what the name of a file ends in once the database has what it says


class PresetRepository(Repository):
    """Save, list and delete presets."""

    @allowed("launch")
    def save_preset(self, name: str, config: ExperimentConfig) -> PresetRecord:
        """Keep learners, protocol, measures and curves of an experiment under a name; one's own of that name is replaced.

        Raises
        ------
        InvalidConfig
            No name, or one of those that come along; or the test set is given, which goes with its data set.
        Forbidden
            Somebody else saved one of that name, or there are 100 already.
        """
        kept = kept_config(name, config)
        with self._database.session(writes=True) as session:
            self._hold_presets(session)
            row = session.scalars(select(PresetRow).where(PresetRow.name == kept.name)).one_or_none()
            if row is not None:
                self._require_own(row, "replace", "; choose another name")
                row.document = config_to_text(kept)
                self._note_preset(session, "replaced", row)
            elif (session.scalar(select(func.count(PresetRow.id))) or 0) >= _MOST:
                raise Forbidden(f"presets: at most {_MOST} can be kept; delete one first, or ask an admin to")
            else:
                row = self._add_preset(session, "saved", kept)
            return _record(row)

    @allowed("launch")
    def list_presets(self) -> list[PresetRecord]:
        """Return what was saved by anybody, by name."""
        with self._database.session() as session:
            found = [_record(row) for row in session.scalars(select(PresetRow))]
        return sorted(found, key=lambda record: (record.name.casefold(), record.name))

    @allowed("launch")
    def delete_preset(self, name: str) -> None:
        """Delete the one of that name.

        Raises
        ------
        NotFound
            There is none.
        Forbidden
            Somebody else saved it.
        """
        with self._database.session(writes=True) as session:
            row = session.scalars(select(PresetRow).where(PresetRow.name == name).with_for_update()).one_or_none()
            if row is None:
                raise NotFound(f"there is no preset {name!r}; it may have been deleted")
            self._require_own(row, "delete")
            self._note_preset(session, "deleted", row)
            session.delete(row)

    @allowed("program")
    def take_over_presets(self, folder: Path) -> int:
        """Store what earlier releases kept as files of the web server, however many there are; return how many were new.

        They belong to the program itself. A name that is there already keeps what it stands for, and one that was there,
        as the log says, does not come back. A file gets another name once the database has what it says; one that says no
        preset is left as it is.
        """
        new = 0
        for file in sorted(folder.glob("*.yaml")):
            if (kept := _kept_in(file)) is None:
                continue
            with self._database.session(writes=True) as session:
                self._hold_presets(session)
                if not _was_there(session, kept.name):
                    self._add_preset(session, "taken over", kept)
                    new += 1
            with suppress(OSError):  # another server was faster, or it can only be read
                file.rename(file.with_name(file.name + _TAKEN))
        return new

    def _hold_presets(self, session: Session) -> None:
        """Let nobody else save one before this is over: else two could have one name, or take the last room."""
        if not self._database.is_sqlite:  # which lets one write at a time
            session.execute(text("LOCK TABLE presets IN SHARE ROW EXCLUSIVE MODE"))

    def _add_preset(self, session: Session, action: str, kept: ExperimentConfig) -> PresetRow:
        row = PresetRow(
            name=kept.name,
            user_id=self._actor.user_id,
            document=config_to_text(kept),
            created=self._database.now(session),
        )
        session.add(row)
        session.flush()
        self._note_preset(session, action, row)
        return row

    def _require_own(self, row: PresetRow, deed: str, advice: str = "") -> None:
        if not may_change(self._actor, row.user_id, "launch"):
            owner = "nobody who signs in" if row.user_id is None else row.user_name
            raise Forbidden(
                f"preset {row.name!r}: only who saved it and admins may {deed} it; it was saved by {owner}{advice}"
            )

    def _note_preset(self, session: Session, action: str, row: PresetRow) -> None:
        write_audit(session, self._actor, self._database.now(session), action, "preset", str(row.id), row.name)


def _was_there(session: Session, name: str) -> bool:
    """Return whether there is a preset of that name, or was: a folder that can only be read keeps the file for ever."""
    there = select(PresetRow.id).where(PresetRow.name == name)
    known = select(AuditRow.id).where(AuditRow.kind == "preset", AuditRow.detail == name)
    return any(session.scalar(found.limit(1)) is not None for found in (there, known))


def _kept_in(file: Path) -> ExperimentConfig | None:
    with suppress(OSError, ValueError, EnsembleLabError):
        if file.stat().st_size <= _LARGEST:
            config = ExperimentConfig.from_yaml(file.read_text(encoding="utf-8"))
            return kept_config(config.name, config)
    return None


def _record(row: PresetRow) -> PresetRecord:
    try:
        readable = config_from_text(row.document)
    except InvalidConfig:
        readable = None
    return PresetRecord(
        name=row.name, readable=readable, user_id=row.user_id, user_name=row.user_name, created=row.created
    )
