"""Experiments found by what they compare, page by page, and what people mark them with."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, delete, exists, func, insert, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from ensembles.data import catalogue
from ensembles.errors import Conflict, InvalidInput
from storage.access import Actor, visible_experiments
from storage.experiments.folds import folded_records, hidden_by, sums_of
from storage.experiments.rows import experiment_record
from storage.models import ExperimentRow, WordRow
from storage.people.reach import changeable_experiment, require_owner
from storage.records import ExperimentRecord, Folded, Sorting, Wanted, Word
from storage.repository import Repository, allowed
from storage.results.words import bare_tag, checked_notes, checked_tags

__all__ = ["SearchRepository"]

_Holds = Callable[[InstrumentedAttribute[str], str], ColumnElement[bool]]

_HASH = 64  # letters of a content hash, in which nobody looks for a part of a name

_TOOK = case((ExperimentRow.done > ExperimentRow.failed, ExperimentRow.seconds))
"""Of an experiment that failed as it was planned there is no time that others could be held against."""

_ORDERS: Mapping[Sorting, tuple[ColumnElement[Any], ...]] = {
    "newest": (),
    "oldest": (ExperimentRow.id.asc(),),
    "name": (func.lower(ExperimentRow.name),),
    "error": (ExperimentRow.best_error.asc().nulls_last(),),
    "quickest": (_TOOK.asc().nulls_last(),),
    "longest": (ExperimentRow.seconds.desc().nulls_last(),),
    "trials": (ExperimentRow.done.desc(),),
}


class SearchRepository(Repository):
    """Find experiments, and give them tags, notes, stars, a place in the archive."""

    @allowed("read")
    def find_experiments(self, wanted: Wanted, limit: int = 50, offset: int = 0) -> list[ExperimentRecord]:
        """Return `limit` of the experiments that are wanted, in their order, after leaving out `offset`.

        Of those in a fold only the first comes, and `find_folded` tells of all.
        """
        order = (*_ORDERS[wanted.sort], ExperimentRow.id.desc())
        # By number first: the database would else carry whole configurations through its sorting.
        page = select(ExperimentRow.id).where(*self._listed(wanted)).order_by(*order).limit(limit).offset(offset)
        return self._records(
            select(ExperimentRow).where(ExperimentRow.id.in_(page.subquery().select())).order_by(*order)
        )

    @allowed("read")
    def count_found(self, wanted: Wanted) -> int:
        """Return how many experiments are listed."""
        query = select(func.count(ExperimentRow.id)).where(*self._listed(wanted))
        with self._database.session() as session:
            return session.execute(query).scalar_one()

    @allowed("read")
    def find_folded(self, wanted: Wanted) -> list[Folded]:
        """Return what stands behind each of `wanted.folds`, those left out behind which there is nothing that is wanted."""
        if not wanted.folds:
            return []
        with self._database.session() as session:
            rows = session.execute(sums_of(wanted.folds, [self._visible(), *self._conditions(wanted)])).all()
        return folded_records(wanted.folds, rows)

    @allowed("read")
    def list_words(self) -> dict[str, list[Word]]:
        """Return by kind what experiments can be found by, sorted by what people read."""
        query = select(WordRow.kind, WordRow.word, func.max(WordRow.label), func.count())
        # Those that are hidden are few and quickly listed; to look each word's experiment up takes twice as long. The index
        # of words holds all that is asked, and without the number of the experiment in it this took three times as long.
        hidden = select(ExperimentRow.id).where(func.coalesce(self._visible(), False).is_(False))
        query = query.where(WordRow.experiment_id.not_in(hidden))
        found: dict[str, list[Word]] = defaultdict(list)
        with self._database.session() as session:
            for kind, word, label, experiments in session.execute(query.group_by(WordRow.kind, WordRow.word)):
                # An upload of what the catalogue has is the same data, and may be called otherwise.
                entry = catalogue().get(word) if kind == "dataset" else None
                found[kind].append(Word(word, entry.name if entry else label, experiments))
        return {kind: sorted(words, key=lambda one: one.label.casefold()) for kind, words in found.items()}

    @allowed("change")
    def mark_experiments(
        self, ids: Collection[str], *, starred: bool | None = None, archived: bool | None = None
    ) -> None:
        """Give or take the star, put into the archive or take out; who is gone meanwhile is left out.

        Raises
        ------
        Forbidden
            One belongs to somebody else; then nothing is changed.
        """
        given = {"starred": starred, "archived": archived}
        changes = {name: value for name, value in given.items() if value is not None}
        with self._database.session(writes=True) as session:
            for row in self._changeable_experiments(session, ids):
                for name, value in changes.items():
                    setattr(row, name, value)

    @allowed("change")
    def tag_experiments(self, ids: Collection[str], add: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        """Add and remove tags; who is gone meanwhile is left out.

        Raises
        ------
        InvalidInput
            A tag is no short word, or an experiment would have too many; then nothing is changed.
        Forbidden
            One belongs to somebody else; then nothing is changed.
        """
        added, removed = set(checked_tags(add)), {bare_tag(tag) for tag in remove}
        with self._database.session(writes=True) as session:
            for row in self._changeable_experiments(session, ids):
                try:
                    tags = checked_tags((set(row.tags.split()) - removed) | added)
                except InvalidInput as error:
                    raise InvalidInput(f"{row.name}: {error}") from None
                row.tags = " ".join(tags)
                session.execute(delete(WordRow).where(WordRow.experiment_id == row.id, WordRow.kind == "tag"))
                if tags:
                    words = [{"experiment_id": row.id, "kind": "tag", "word": tag, "label": tag} for tag in tags]
                    session.execute(insert(WordRow), words)

    @allowed("change")
    def write_notes(self, experiment_id: str, notes: str, *, known: str | None = None) -> ExperimentRecord:
        """Replace the notes of an experiment.

        Parameters
        ----------
        known : str, optional
            The notes that are to be replaced: where others have been written since, they stay.

        Raises
        ------
        InvalidInput
            More than 20,000 characters.
        Conflict
            The notes are not those that are known.
        NotFound
            No such experiment.
        Forbidden
            It belongs to somebody else.
        """
        checked = checked_notes(notes)
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            if known is not None and row.notes not in (known, checked):
                raise Conflict(f"{row.name}: its notes were changed by somebody else, or in another tab, and stay so")
            row.notes = checked
            return experiment_record(row, self._database.now(session))

    def _records(self, query: Select[ExperimentRow]) -> list[ExperimentRecord]:
        """Return what a query finds of what is there for who asks."""
        with self._database.session() as session:
            found = session.execute(query.where(self._visible()).add_columns(self._database.moment()))
            return [experiment_record(row, now) for row, now in found]

    def _visible(self) -> ColumnElement[bool]:
        return visible_experiments(self._actor)

    def _conditions(self, wanted: Wanted) -> list[ColumnElement[bool]]:
        return _conditions(wanted, self._actor, self._database.holds)

    def _changeable_experiments(self, session: Session, ids: Collection[str]) -> Sequence[ExperimentRow]:
        """Return those that are there, held against other writers; raise `Forbidden` for one that belongs to others."""
        query = select(ExperimentRow).where(ExperimentRow.public_id.in_(ids), self._visible())
        rows = session.scalars(query.order_by(ExperimentRow.id).with_for_update()).all()
        for row in rows:
            require_owner(self._actor, row.name, row.user_id, row.user_name)
        return rows

    def _listed(self, wanted: Wanted) -> list[ColumnElement[bool]]:
        """Return the conditions of a row of its own."""
        conditions = [self._visible(), *self._conditions(wanted)]
        if not wanted.folds:
            return conditions
        order = (*_ORDERS[wanted.sort], ExperimentRow.id.desc())
        return [*conditions, ExperimentRow.id.not_in(hidden_by(wanted.folds, conditions, order))]


def _conditions(wanted: Wanted, actor: Actor, holds: _Holds) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.archived is not None:
        found.append(ExperimentRow.archived.is_(wanted.archived))
    if wanted.starred:
        found.append(ExperimentRow.starred.is_(True))
    if wanted.mine:
        found.append(ExperimentRow.user_id == actor.user_id)
    if wanted.states:
        found.append(ExperimentRow.state.in_(wanted.states))
    if wanted.part:
        texts = (ExperimentRow.name, ExperimentRow.notes, ExperimentRow.tags)
        found.append(or_(*(holds(text, wanted.part) for text in texts), _uses(wanted.part, holds)))
    if wanted.tagged:
        tagged = (
            WordRow.experiment_id == ExperimentRow.id,
            WordRow.kind == "tag",
            WordRow.word.in_(map(bare_tag, wanted.tagged)),
        )
        found.append(exists().where(*tagged))
    for kind, word in wanted.words:
        meant = bare_tag(word) if kind == "tag" else word
        has = (WordRow.experiment_id == ExperimentRow.id, WordRow.kind == kind, WordRow.word == meant)
        found.append(exists().where(*has))
    return found


def _uses(part: str, holds: _Holds) -> ColumnElement[bool]:
    """Say whether an experiment uses a data set of whose name, or key in the catalogue, this is a part."""
    by_key = and_(func.length(WordRow.word) < _HASH, holds(WordRow.word, part))
    called = or_(holds(WordRow.label, part), by_key)
    # As a list, read once from an index; asked of each experiment, SQLite would take that index and read it each time.
    return ExperimentRow.id.in_(select(WordRow.experiment_id).where(WordRow.kind == "dataset", called))
