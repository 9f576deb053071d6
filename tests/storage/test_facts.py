"""What the card of a data set says is kept beside it."""

from ensembles.data import Dataset
from storage import Storage
from storage.datasets import facts


def test_facts_are_kept_until_others_are(storage: Storage, dataset: Dataset) -> None:
    ref = storage.save_dataset(dataset).sha256
    assert storage.get_facts(ref) is None
    for text in ('{"a": "\U0001f40d"}', "{}"):
        storage.keep_facts(ref, text)
        assert storage.get_facts(ref) == text
    assert storage.get_dataset(ref).sha256 == ref


def test_facts_of_too_many_attributes_are_not_kept(storage: Storage, dataset: Dataset) -> None:
    ref = storage.save_dataset(dataset).sha256
    storage.keep_facts(ref, "x" * facts._MOST)
    storage.keep_facts(ref, "y" * (facts._MOST + 1))
    assert set(storage.get_facts(ref) or "") == {"x"}
