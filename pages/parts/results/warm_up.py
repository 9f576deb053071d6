"""What drawing results for the first time takes, ahead of it: libraries are imported, and a figure is drawn."""

from importlib import import_module
from itertools import product

import pandas as pd

from ensembles.experiments.first_experiment import first_experiment
from ensembles.experiments.results import TRIAL_COLUMNS, Results
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_figure import verdict_chart

__all__ = ["warm_up"]

_REPEATS = 3


def warm_up() -> None:
    """Import the page of results and draw a verdict for nobody: Plotly imports what a figure needs when it is drawn."""
    import_module("pages.parts.results.page")
    config = first_experiment()
    places = product(range(len(config.datasets)), range(len(config.learners)), range(_REPEATS))
    rows = [
        dict.fromkeys(TRIAL_COLUMNS, 1)
        | {"dataset": dataset, "learner": learner, "repeat": repeat, "fold": 0, "order": 0, "error": None}
        | {"accuracy": 1.0 / (2 + learner + repeat % 2)}
        for dataset, learner, repeat in places
    ]
    labels = tuple(one.label for one in config.datasets), config.labels()
    results = Results(config, *labels, pd.DataFrame(rows))
    verdict_chart(results, verdict_of(results)).draw("light").to_json()
