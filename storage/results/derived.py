"""What is derived from experiments and written down beside them, written anew after an older database was upgraded.

Migrations change tables and know nothing of the application, so that they go on working whatever becomes of it. What the
new tables hold of old experiments is worked out here, by what works it out for new ones.
"""

from sqlalchemy import Connection, delete, insert, literal, or_, select, update
from sqlalchemy.orm import Session

from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig
from storage.access import PROGRAM
from storage.datasets.names import dataset_names, with_names
from storage.experiments.rows import config_from_text, config_to_text, write_scores
from storage.models import ExperimentRow, ScoreRow, TimingRow, WordRow
from storage.records import FINAL_STATES
from storage.results.packed import FEWEST, pack_all
from storage.results.words import best_of, words_of

__all__ = ["derive_anew", "pack_old", "tell_ranks"]


_NAMED = ("sha256", '"key"')
"""What stands in the configurations whose data sets may be called otherwise, or be other data, than was written down."""


def derive_anew(connection: Connection, *, all_of_it: bool) -> None:
    """Write down what is derived from experiments, in the transaction of `connection`.

    Of an experiment that cannot be read here, with a learner of somebody's own, say, all stays as it is.

    Parameters
    ----------
    all_of_it : bool
        Words, scores and timings, which takes a hundredth of a second an experiment or more, where some were never written
        down; else only what data sets are called, where that may have changed.
    """
    wanted = select(ExperimentRow.id).order_by(ExperimentRow.id)
    if not all_of_it:
        wanted = wanted.where(or_(*(ExperimentRow.config.contains(part) for part in _NAMED)))
    with Session(connection) as session:
        for number in session.scalars(wanted).all():
            row = session.get_one(ExperimentRow, number)
            try:
                config = _named(session, row)
            except InvalidInput:
                continue
            if all_of_it:
                _write_scores(session, row)
            else:
                _rename(session, row, config)
            session.flush()
            session.expunge(row)


def tell_ranks(connection: Connection) -> None:
    """Write down by which task learners are ranked, and which of them is the best, in the transaction of `connection`.

    Of experiments that cannot be read here the task is the protocol, unless it was told before, and the best stays.
    """
    told = select(WordRow.experiment_id).where(WordRow.kind == "task")
    protocol = (WordRow.experiment_id, literal("task"), WordRow.word, WordRow.label)
    known = select(*protocol).where(WordRow.kind == "protocol", WordRow.experiment_id.not_in(told))
    connection.execute(insert(WordRow).from_select(["experiment_id", "kind", "word", "label"], known))
    for number, text in connection.execute(select(ExperimentRow.id, ExperimentRow.config)).all():
        try:
            config = config_from_text(text)
        except InvalidInput:
            continue
        [task] = [one for one in words_of(config) if one["kind"] == "task"]
        is_task = (WordRow.experiment_id == number, WordRow.kind == "task")
        connection.execute(update(WordRow).where(*is_task).values(**task))
        columns = (ScoreRow.dataset, ScoreRow.learner, ScoreRow.error, ScoreRow.ratio)
        scores = connection.execute(select(*columns).where(ScoreRow.experiment_id == number)).mappings().all()
        if scores:
            learner, error = best_of(config, [*map(dict, scores)])
            values = {"best_learner": learner, "best_error": error}
            connection.execute(update(ExperimentRow).where(ExperimentRow.id == number).values(values))


def pack_old(connection: Connection) -> None:
    """Pack the trials of large experiments that were over before trials were packed, in the transaction of `connection`."""
    with Session(connection) as session:
        over = ExperimentRow.state.in_(FINAL_STATES)
        for number in session.scalars(select(ExperimentRow.id).where(over, ExperimentRow.done >= FEWEST)).all():
            pack_all(session, number)
        session.flush()


def _named(session: Session, row: ExperimentRow) -> ExperimentConfig:
    """Give stored data sets their names in an experiment, write down its words, and return it."""
    config = config_from_text(row.config)
    names = dataset_names(session, PROGRAM, config)
    named = with_names(config, names)
    if named != config:
        row.config = config_to_text(named)
    session.execute(delete(WordRow).where(WordRow.experiment_id == row.id, WordRow.kind != "tag"))
    session.execute(insert(WordRow), [{"experiment_id": row.id, **word} for word in words_of(named, names)])
    return named


def _write_scores(session: Session, row: ExperimentRow) -> None:
    if row.state not in FINAL_STATES:
        return
    if row.seconds is None and row.started is not None and row.finished is not None:
        row.seconds = (row.finished - row.started).total_seconds()
    write_scores(session, row)


def _rename(session: Session, row: ExperimentRow, config: ExperimentConfig) -> None:
    """Let scores and timings say today's words for their data."""
    learners = len(config.learners)
    for place, reference in enumerate(config.datasets):
        scores = update(ScoreRow).where(ScoreRow.experiment_id == row.id, ScoreRow.dataset == place)
        positions = TimingRow.position.between(learners * place, learners * (place + 1) - 1)
        timings = update(TimingRow).where(TimingRow.experiment_id == row.id, positions)
        session.execute(scores.values(data=reference.content))
        session.execute(timings.values(data=reference.family))
