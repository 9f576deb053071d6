"""Small data sets of the UCI repository that come with the program, in the stored form; `build` makes them anew."""

from importlib import resources

from ensembles.data.dataset import Dataset
from ensembles.data.stored import dataset_from_bytes

__all__ = ["load"]


def load(key: str) -> Dataset:
    """Return the bundled data set `key`; its content is checked against the hash that was stored with it."""
    return dataset_from_bytes(resources.files(__package__).joinpath(f"{key}.parquet").read_bytes())
