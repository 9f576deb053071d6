"""What a model tells of itself: what it was trained on and how, and examples by which it is known again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

import numpy as np

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.data.table import Schema, Table
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.jit import source_digest
from ensembles.libraries import versions_of

__all__ = ["facts_of", "learned_up_to", "mixed"]

_PACKAGES = ("ensemble-lab", "numpy", "numba", "pandas", "scikit-learn", "skops")
_N_EXAMPLES = 16
_MOST_SHOWN = 1000  # attributes, and values of one, that facts tell


def learned_up_to(facts: Mapping[str, Any]) -> int:
    """Return up to which example a model has learned: of a stream whose labels come late it was asked about later ones."""
    stream = facts.get("stream", {})
    learned: int = max(facts["examples"] - stream.get("delay", 0), stream.get("head", 0))
    return learned


def mixed(table: Table, seed: int) -> Table:
    """Return some examples whose values were drawn column by column: none of them is an example of the data."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, len(table), _N_EXAMPLES) for _ in table.schema.attributes]
    columns = [table.column(position)[drawn] for position, drawn in enumerate(rows)]
    return Table.from_columns(table.schema.attributes, columns)


def facts_of(
    spec: LearnerSpec, seed: int, dataset: Dataset | Source, schema: Schema, learned: int, *, is_drawn: bool
) -> dict[str, Any]:
    """Return what a model was trained on, and how, as plain values.

    Parameters
    ----------
    seed : int
        Of the learner.
    learned : int
        Examples.
    is_drawn : bool
        Whether the order of the examples was.
    """
    shown = [
        {
            "name": one.name,
            "kind": one.kind,
            "values": len(one.categories),
            "categories": [*one.categories[:_MOST_SHOWN]],
        }
        for one in schema.attributes[:_MOST_SHOWN]
    ]
    return {
        "dataset": dataset.name,
        "sha256": dataset.sha256,
        "target": dataset.target,
        "classes": [*dataset.classes[:_MOST_SHOWN]],
        "n_classes": len(dataset.classes),
        "n_attributes": len(schema.attributes),
        "attributes": shown,
        "examples": learned,
        "order": "drawn by the seed of the experiment" if is_drawn else "as in the data",
        "learner": spec.model_dump(),
        "random_state": seed,
        "versions": {"sources": source_digest(), "python": platform.python_version(), **versions_of(_PACKAGES)},
    }
