"""Who did what: written in the same transaction as the deed, so that neither is there without the other."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.access import Actor
from storage.people.records import AuditRecord
from storage.people.rows import AuditRow
from storage.repository import Repository, allowed

__all__ = ["AuditRepository", "write_audit"]


class AuditRepository(Repository):
    """Read what was done."""

    @allowed("administrate")
    def list_audit(
        self,
        limit: int = 100,
        offset: int = 0,
        *,
        user_id: int | None = None,
        kind: str | None = None,
        subject: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[AuditRecord]:
        """Return what was done, the newest first.

        Parameters
        ----------
        user_id, kind, subject : int, str, str, optional
            Only by this user, to this kind of thing (`experiment`, `dataset`, `preset`, `user`, `link`, `token`,
            `archive`), to this one.
        since, until : datetime, optional
            Only from then on, and before then.
        """
        query = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit).offset(offset)
        for column, wanted in ((AuditRow.user_id, user_id), (AuditRow.kind, kind), (AuditRow.subject, subject)):
            if wanted is not None:
                query = query.where(column == wanted)
        if since is not None:
            query = query.where(AuditRow.moment >= since)
        if until is not None:
            query = query.where(AuditRow.moment < until)
        with self._database.session() as session:
            return [_record(row) for row in session.scalars(query)]


def write_audit(
    session: Session, actor: Actor, now: datetime, action: str, kind: str, subject: str, detail: str = ""
) -> None:
    """Write down a deed.

    Parameters
    ----------
    now : datetime
        The moment of the database.
    action, kind, subject : str
        What was done, like `renamed`, to what kind of thing, like `experiment`, and to which: its id.
    detail : str
        What else is worth telling, such as a name; never a secret.
    """
    session.add(
        AuditRow(
            moment=now,
            user_id=actor.user_id,
            who=actor.name,
            action=action,
            kind=kind,
            subject=subject,
            detail=detail,
        )
    )


def _record(row: AuditRow) -> AuditRecord:
    return AuditRecord(
        id=row.id,
        moment=row.moment,
        user_id=row.user_id,
        who=row.who,
        action=row.action,
        kind=row.kind,
        subject=row.subject,
        detail=row.detail,
    )
