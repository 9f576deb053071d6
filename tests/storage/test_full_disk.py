"""A disk that takes no more for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from sqlalchemy import Pool, event

from ensembles.errors import StorageError
from ensembles.evaluation.curve import Curve
from storage import Storage
from tests.storage.conftest import make_config
from tests.storage.test_trials import counts, plan_of, result_of

_MOST_PAGES = 2**30
_FULL = """
CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'could not extend file \"base/1/2\"' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER is_full BEFORE INSERT ON curves EXECUTE FUNCTION is_full();
"""


@contextmanager
def full_disk(storage: Storage) -> Iterator[None]:
    """Let there be no room for curves as long as the block lasts."""
    if storage.url.startswith("postgresql"):
        with psycopg.connect(storage.url.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(_FULL)
            yield
            connection.execute("DROP FUNCTION is_full CASCADE")
        return
    room = [0]  # SQLite goes by the size of the file when that is larger

    def limit(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {room[0] or 1}")

    event.listen(Pool, "checkout", limit)
    try:
        yield
        room[0] = _MOST_PAGES
        storage.count_experiments()  # the same connection has room again
    finally:
        event.remove(Pool, "checkout", limit)


def test_it_is_said_in_a_sentence_and_nothing_is_half_saved(storage: Storage) -> None:
    experiment = storage.create_experiment(make_config()).id
    curve = Curve(tuple(map(float, range(5000))), tuple(map(float, range(5000))))
    plans = [plan_of(number) for number in range(3)]
    trials = [(plan, replace(result_of(plan), curves={"learning_curve": curve})) for plan in plans]
    with full_disk(storage):
        with pytest.raises(StorageError) as refusal:
            storage.save_trials(experiment, trials)
        assert storage.list_trials(experiment) == [], "it can be read all the while"
    assert str(refusal.value) == "the disk of the database is full: nothing was changed"
    assert counts(storage, experiment) == (0, 0)
    storage.save_trials(experiment, trials)
    assert counts(storage, experiment) == (3, 0)
    assert [result.curves for _, result in storage.list_trials(experiment)] == [{"learning_curve": curve}] * 3
