"""What is derived from experiments and written down beside them, written anew after an older database was upgraded.

Migrations change tables and know nothing of the application, so that they go on working whatever becomes of it. What the
new tables hold of old experiments is worked out here, by what works it out for new ones.
"""

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.orm import Session

from ensembles.errors import InvalidInput
from storage.experiment_rows import config_from_text, config_to_text, write_scores
from storage.models import ExperimentRow, WordRow
from storage.named_datasets import dataset_names, with_names
from storage.records import FINAL_STATES
from storage.words import words_of

__all__ = ["derive_anew"]


def derive_anew(connection: Connection) -> None:
    """Write down the words, scores and timings of all experiments, in the transaction of `connection`.

    Of an experiment that cannot be read here, with a learner of somebody's own, say, all stays as it is.
    """
    with Session(connection) as session:
        for number in session.scalars(select(ExperimentRow.id).order_by(ExperimentRow.id)).all():
            row = session.get_one(ExperimentRow, number)
            try:
                _derive(session, row)
            except InvalidInput:
                continue
            session.flush()
            session.expunge(row)


def _derive(session: Session, row: ExperimentRow) -> None:
    config = config_from_text(row.config)
    names = dataset_names(session, config)
    named = with_names(config, names)
    if named != config:
        row.config = config_to_text(named)
    session.execute(delete(WordRow).where(WordRow.experiment_id == row.id, WordRow.kind != "tag"))
    session.execute(insert(WordRow), [{"experiment_id": row.id, **word} for word in words_of(named, names)])
    if row.state not in FINAL_STATES:
        return
    if row.seconds is None and row.started is not None and row.finished is not None:
        row.seconds = (row.finished - row.started).total_seconds()
    write_scores(session, row)
