"""What people say about experiments."""

from sqlalchemy import func, select

from ensembles.errors import Forbidden, NotFound
from storage.access import visible_experiments
from storage.models import ExperimentRow
from storage.people.reach import readable_experiment
from storage.people.records import CommentRecord
from storage.people.rows import CommentRow
from storage.repository import Repository, allowed, checked_text

__all__ = ["CommentRepository"]

_LONGEST, _MOST = 5_000, 1_000


class CommentRepository(Repository):
    """Add, list and delete comments."""

    @allowed("comment")
    def add_comment(self, experiment_id: str, text: str) -> CommentRecord:
        """Say something about an experiment.

        Raises
        ------
        InvalidInput
            Not 1 to 5,000 characters.
        NotFound
            No such experiment.
        Forbidden
            Who asks is nobody who signed in, or there are 1,000 comments already.
        """
        if self._actor.user_id is None:
            raise Forbidden("comments: one must be signed in to comment, got nobody who is")
        said = checked_text("comment", text, _LONGEST, shortest=1)
        with self._database.session(writes=True) as session:
            experiment = readable_experiment(session, self._actor, experiment_id, lock=True)
            there = select(func.count()).where(CommentRow.experiment_id == experiment.id)
            if (session.scalar(there) or 0) >= _MOST:
                raise Forbidden(f"{experiment.name}: may have at most {_MOST:,} comments")
            now = self._database.now(session)
            row = CommentRow(experiment_id=experiment.id, user_id=self._actor.user_id, text=said, created=now)
            session.add(row)
            session.flush()
            return _record(row)

    @allowed("read")
    def list_comments(self, experiment_id: str) -> list[CommentRecord]:
        """Return what was said about an experiment, the oldest first; raise `NotFound`."""
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            said = select(CommentRow).where(CommentRow.experiment_id == experiment.id).order_by(CommentRow.id)
            return [_record(row) for row in session.scalars(said)]

    @allowed("comment")
    def delete_comment(self, comment_id: int) -> None:
        """Delete a comment of one's own, or of anybody as one who sees all.

        Raises
        ------
        NotFound
            No such comment.
        Forbidden
            Somebody else wrote it.
        """
        there = select(CommentRow).join(ExperimentRow).where(CommentRow.id == comment_id)
        with self._database.session(writes=True) as session:
            row = session.scalars(there.where(visible_experiments(self._actor))).one_or_none()
            if row is None:
                raise NotFound(f"there is no comment {comment_id}; it may have been deleted")
            if not self._actor.sees_all and row.user_id != self._actor.user_id:
                raise Forbidden(f"comments: only who wrote it and admins may delete it; {row.user_name} wrote it")
            session.delete(row)


def _record(row: CommentRow) -> CommentRecord:
    return CommentRecord(
        id=row.id, user_id=row.user_id, user_name=row.user_name or "", text=row.text, created=row.created
    )
