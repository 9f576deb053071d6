"""Data sets: the form learners see, the catalogue, reading files that people bring, and the stored form."""

from ensembles.data.catalogue import CatalogueEntry, catalogue, load_dataset
from ensembles.data.dataset import Dataset
from ensembles.data.preview import ColumnGuess, Preview, preview_file
from ensembles.data.readers import build_dataset, read_dataset
from ensembles.data.stored import dataset_from_bytes, dataset_to_bytes, read_stored, write_dataset
from ensembles.data.table import MISSING, UNSEEN, Attribute, Schema, Table

__all__ = [
    "MISSING",
    "UNSEEN",
    "Attribute",
    "CatalogueEntry",
    "ColumnGuess",
    "Dataset",
    "Preview",
    "Schema",
    "Table",
    "build_dataset",
    "catalogue",
    "dataset_from_bytes",
    "dataset_to_bytes",
    "load_dataset",
    "preview_file",
    "read_dataset",
    "read_stored",
    "write_dataset",
]
