"""An experiment as a Python program and as a notebook: they run it with this package alone and print the same numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from ensembles.experiments.config import ExperimentConfig, check_config

__all__ = ["notebook", "script"]

_PACKAGES = ("numpy", "numba", "scikit-learn", "pandas")


class _Cell(NamedTuple):
    kind: str  # markdown or code
    text: str


_IMPORTS = """from pathlib import Path

import pandas as pd

from ensembles.data.stored import read_stored
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
"""

_FOLDER = "FOLDER = {folder}  # uploaded data sets lie there by the hash of their content, as in a bundle\n\n\n"

_DATA = '''def find_stored(sha256):
    """Return an uploaded data set."""
    file = FOLDER / f"{sha256}.parquet"
    if not file.exists():
        raise SystemExit(f"{file} is not there: take it from the folder data of the bundle of this experiment")
    return read_stored(file)


datasets = resolve_datasets(config, find_stored)
test_dataset = resolve_test_dataset(config, datasets[0], find_stored)
'''

_RUN = """labels = config.labels()
names = config.dataset_labels()
rows = []
for plan in plan_trials(config, datasets):
    result = run_trial(plan, datasets[plan.dataset], config, test_dataset=test_dataset)
    if result.error is not None:
        print(result.error)
        continue
    place = {"dataset": names[plan.dataset], "learner": labels[plan.learner]}
    split = {"repeat": plan.repeat, "fold": plan.fold, "order": plan.order}
    rows.append({**place, **split, **result.measures})
if not rows:
    raise SystemExit("no trial has finished")
trials = pd.DataFrame(rows)
"""

_MEANS = """splits = trials.groupby(["dataset", "learner", "repeat", "fold"], sort=False).mean().drop(columns="order")
means = splits.groupby(["dataset", "learner"], sort=False).mean()
"""


def script(config: ExperimentConfig) -> str:
    """Return a Python program that runs the experiment, one trial after another, and prints the means."""
    check_config("script", config)
    cells = _cells(config, 'Path(__file__).parent / "data"')  # wherever it is started
    parts = [f'"""{_told(config)}"""\n', *(cell.text for cell in cells if cell.kind == "code")]
    return "\n".join([*parts[:-1], parts[-1], "print(means.to_string())\n"])


def notebook(config: ExperimentConfig) -> str:
    """Return the same as a Jupyter notebook (format 4), with nothing run."""
    check_config("notebook", config)
    cells = [*_cells(config, 'Path("data")'), _Cell("code", "means")]
    document = {
        "cells": [_as_json(number, cell) for number, cell in enumerate(cells)],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _cells(config: ExperimentConfig, folder: str) -> Sequence[_Cell]:
    # A literal of Python that holds any text, three quotes and backslashes too.
    document = "\n".join(f"    {line!r}" for line in config.to_yaml().splitlines(keepends=True))
    return [
        _Cell("markdown", _told(config)),
        _Cell("code", _IMPORTS),
        _Cell("code", f"config = ExperimentConfig.from_yaml(\n{document}\n)\n"),
        _Cell(
            "markdown",
            "The data sets. Splits and seeds depend on their content and on the seed of the experiment alone.",
        ),
        _Cell("code", _FOLDER.format(folder=folder) + _DATA),
        _Cell("markdown", "Every trial: one learner on one split in one order."),
        _Cell("code", _RUN),
        _Cell("markdown", "Means over orders, then over folds and repeats, as the results show them."),
        _Cell("code", _MEANS),
    ]


def _told(config: ExperimentConfig) -> str:
    """Return what the program does; the name of the experiment, text of a user, stands in the document only."""
    known = ", ".join(f"{name} {found}" for name in _PACKAGES if (found := _version(name)))
    return (
        f"An experiment of Ensemble Lab: {config.protocol.sentence}, seed {config.seed}.\n\n"
        f"Run it with the package installed (pip install . in its folder). It was written with {known}.\n"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _as_json(number: int, cell: _Cell) -> dict[str, object]:
    lines = cell.text.rstrip("\n").splitlines(keepends=True)
    shared: dict[str, object] = {"cell_type": cell.kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
    return {**shared, "execution_count": None, "outputs": []} if cell.kind == "code" else shared
