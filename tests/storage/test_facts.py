"""What the card of a data set says is kept beside it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from sqlalchemy import text

from ensembles.data import Dataset
from ensembles.errors import StorageError
from storage import Storage
from storage.database import Database
from storage.datasets import facts
from storage.location import database_url


def test_facts_are_kept_until_others_are(storage: Storage, dataset: Dataset) -> None:
    ref = storage.save_dataset(dataset).sha256
    assert storage.get_facts(ref) is None
    for said in ('{"a": "\U0001f40d"}', "{}"):
        storage.keep_facts(ref, said)
        assert storage.get_facts(ref) == said
    assert storage.get_dataset(ref).sha256 == ref


def test_facts_of_too_many_attributes_are_not_kept(storage: Storage, dataset: Dataset) -> None:
    ref = storage.save_dataset(dataset).sha256
    storage.keep_facts(ref, "x" * facts._MOST)
    storage.keep_facts(ref, "y" * (facts._MOST + 1))
    assert set(storage.get_facts(ref) or "") == {"x"}


def test_who_writes_for_long_keeps_nobody_waiting_who_looks_at_a_card(
    storage: Storage, dataset: Dataset, url: str
) -> None:
    ref = storage.save_dataset(dataset).sha256
    writer = Database(database_url(url))
    with ThreadPoolExecutor(1) as thread, writer.session(writes=True) as session:
        session.execute(text("SELECT 1"))
        keeping = thread.submit(storage.keep_facts, ref, "{}")
        with suppress(StorageError):
            keeping.result(20)
    writer.close()
    assert storage.get_facts(ref) in (None, "{}")
