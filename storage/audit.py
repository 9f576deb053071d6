"""Who did what: written in the same transaction as the deed, so that neither is there without the other."""

from datetime import datetime

from sqlalchemy.orm import Session

from storage.access import Actor
from storage.people_rows import AuditRow

__all__ = ["write_audit"]


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
