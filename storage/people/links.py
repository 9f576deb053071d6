"""Links that show one view of some experiments, read-only, to whoever has them. Only hashes of their tokens are kept."""

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from ensembles.errors import Forbidden, InvalidInput, NotFound, StorageError
from storage.access import PROGRAM, Actor, may_change, visible_experiments
from storage.models import ExperimentRow
from storage.people.audit import write_audit
from storage.people.reach import changeable_experiment
from storage.people.records import LinkRecord
from storage.people.rows import ShareLinkExperimentRow, ShareLinkRow, UserRow
from storage.people.tokens import checked_expiry, hash_of
from storage.repository import Repository, allowed, checked_text

__all__ = ["LinkRepository"]

_RANDOM_BYTES = 24
_MOST_EXPERIMENTS, _LONGEST_VIEW = 50, 4_000
_PAGE = re.compile("[a-z_]{1,16}")
_REFUSED = "the link is unknown, expired or revoked"


class LinkRepository(Repository):
    """Make, open, list and revoke links."""

    @allowed("share")
    def create_link(
        self,
        experiments: Sequence[str],
        page: str,
        view: str,
        expires: datetime | None = None,
        needs_sign_in: bool = False,
    ) -> tuple[LinkRecord, str]:
        """Make a link to a view of experiments of one's own; its token is told here and never again.

        Parameters
        ----------
        experiments : sequence of str
            Ids: what the link shows, and nothing else.
        page, view : str
            The page, and the address of the view after its question mark.
        expires : datetime, optional
            Until when it opens; it needs a zone.
        needs_sign_in : bool
            Whether it opens only for people who have signed in.

        Raises
        ------
        InvalidInput
            No experiment or too many, no page, too long a view, a moment without a zone or that is over.
        NotFound
            One of the experiments is not there.
        Forbidden
            One of them belongs to somebody else.
        """
        wanted, checked = [*dict.fromkeys(experiments)], checked_text("link: the view", view, _LONGEST_VIEW)
        if not 1 <= len(wanted) <= _MOST_EXPERIMENTS:
            raise InvalidInput(f"link: must show 1 to {_MOST_EXPERIMENTS} experiments, got {len(wanted)}")
        if not _PAGE.fullmatch(page):
            raise InvalidInput(f"link: the page must be a word of 1 to 16 small letters, got {page[:40]!r}")
        token = secrets.token_urlsafe(_RANDOM_BYTES)
        with self._database.session(writes=True) as session:
            now = self._database.now(session)
            rows = [changeable_experiment(session, self._actor, one, lock=False) for one in wanted]
            rows.sort(key=lambda row: row.id)  # as others hold several: else two could wait for each other
            link = ShareLinkRow(
                token_hash=hash_of(token),
                user_id=self._actor.user_id,
                page=page,
                view=checked,
                needs_sign_in=needs_sign_in,
                created=now,
                expires=checked_expiry("link", expires, now),
            )
            session.add(link)
            session.flush()
            session.execute(
                insert(ShareLinkExperimentRow), [{"link_id": link.id, "experiment_id": row.id} for row in rows]
            )
            write_audit(session, self._actor, now, "made", "link", str(link.id), " ".join(wanted))
            return _record(session, link), token

    @allowed("program")
    def open_link(self, token: str, *, signed_in: bool, count: bool = True) -> tuple[LinkRecord, Actor]:
        """Return what a link shows, and who acts with it; to be asked at every request, counted at the first of a visit.

        Raises
        ------
        Forbidden
            It is unknown, expired, revoked, or of somebody who is locked, or shows nothing that is still there: all in
            the same words. Or it is for people who have signed in.
        """
        found = select(ShareLinkRow, UserRow.locked).outerjoin(UserRow, UserRow.id == ShareLinkRow.user_id)
        with self._database.session() as session:  # who guesses writes nothing
            row = session.execute(found.where(ShareLinkRow.token_hash == hash_of(token))).one_or_none()
            if row is None or row.locked or _is_over(row[0], self._database.now(session)):
                raise Forbidden(_REFUSED)
            record = _record(session, row[0])
        if not record.experiments:
            raise Forbidden(_REFUSED)
        if record.needs_sign_in and not signed_in:
            raise Forbidden("the link opens for people who have signed in, got who has not signed in")
        actor = Actor("link", name=f"link {record.id}", experiments=frozenset(record.experiments))
        if count:
            with suppress(StorageError):  # a full disk can be read, and who opens does not wait for who writes
                record = self._count(record.id, actor)
        return record, actor

    @allowed("share")
    def list_links(self, experiment_id: str) -> list[LinkRecord]:
        """Return the links that show an experiment, the newest first, those that are over too.

        Raises
        ------
        NotFound
            No such experiment.
        Forbidden
            It belongs to somebody else.
        """
        with self._database.session() as session:
            row = changeable_experiment(session, self._actor, experiment_id, lock=False)
            shown = select(ShareLinkExperimentRow.link_id).where(ShareLinkExperimentRow.experiment_id == row.id)
            links = select(ShareLinkRow).where(ShareLinkRow.id.in_(shown)).order_by(ShareLinkRow.id.desc())
            return [_record(session, link, self._actor) for link in session.scalars(links).all()]

    @allowed("share")
    def revoke_link(self, link_id: int) -> None:
        """End a link that one has made, or that shows an experiment of one's own; raise `NotFound`."""
        with self._database.session(writes=True) as session:
            link = session.get(ShareLinkRow, link_id)
            if link is None or not self._may_revoke(session, link):
                raise NotFound(f"there is no link {link_id}")
            if link.revoked is None:
                link.revoked = now = self._database.now(session)
                write_audit(session, self._actor, now, "revoked", "link", str(link.id))

    def _count(self, number: int, actor: Actor) -> LinkRecord:
        with self._database.session(writes=True, waits=False) as session:
            link = session.scalars(select(ShareLinkRow).where(ShareLinkRow.id == number).with_for_update()).one()
            link.opened, link.last_opened = link.opened + 1, self._database.now(session)
            if link.opened == 1:
                write_audit(session, actor, link.last_opened, "opened first", "link", str(number))
            return _record(session, link)

    def _may_revoke(self, session: Session, link: ShareLinkRow) -> bool:
        owners = select(ExperimentRow.user_id).join(ShareLinkExperimentRow)
        found = session.scalars(owners.where(ShareLinkExperimentRow.link_id == link.id)).all()
        return any(may_change(self._actor, owner, "share") for owner in (link.user_id, *found))


def _is_over(link: ShareLinkRow, now: datetime) -> bool:
    return link.revoked is not None or (link.expires is not None and link.expires <= now)


def _record(session: Session, link: ShareLinkRow, actor: Actor = PROGRAM) -> LinkRecord:
    shown = select(ExperimentRow.public_id).join(ShareLinkExperimentRow).order_by(ExperimentRow.id)
    there = shown.where(ShareLinkExperimentRow.link_id == link.id, visible_experiments(actor))
    return LinkRecord(
        id=link.id,
        experiments=tuple(session.scalars(there)),
        page=link.page,
        view=link.view,
        needs_sign_in=link.needs_sign_in,
        user_id=link.user_id,
        user_name=link.user_name,
        created=link.created,
        expires=link.expires,
        revoked=link.revoked,
        last_opened=link.last_opened,
        opened=link.opened,
    )
