"""A small made-up experiment whose means a person can compute by head."""

from collections.abc import Iterable, Mapping

import pandas as pd

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.results import CURVE_COLUMNS, Results

LEARNERS = (
    {"method": "single", "base": "naive_bayes"},
    {"method": "adaboost", "base": "naive_bayes"},
    {"method": "online_boosting", "base": "naive_bayes"},
)


def make_config(learners: Iterable[Mapping[str, object]] = LEARNERS, datasets: Iterable[str] = ("iris", "wine")):
    """Return a configuration of 1 × 2-fold cross-validation in two orders."""
    return ExperimentConfig.from_dict(
        {
            "name": "Made up",
            "seed": 1,
            "datasets": list(datasets),
            "learners": [dict(learner) for learner in learners],
            "protocol": {"kind": "cross_validation", "repeats": 1, "folds": 2, "orders": 2, "stratified": True},
            "measures": ["accuracy", "mse"],
            "curves": ["learning_curve", "member_errors"],
        }
    )


def make_trial(dataset: int, learner: int, accuracy: float | None, **others: object) -> dict[str, object]:
    """Return a row of `Results.trials`; without an accuracy it is a failed one."""
    return {
        "dataset": dataset,
        "learner": learner,
        "repeat": 0,
        "fold": 0,
        "order": 0,
        "accuracy": accuracy,
        "mse": None if accuracy is None else 0.25,
        "fit_seconds": None if accuracy is None else 0.5,
        "fit_cpu_seconds": None if accuracy is None else 0.4,
        "predict_seconds": None if accuracy is None else 0.1,
        "predict_cpu_seconds": None if accuracy is None else 0.08,
        "members_used": 10,
        "n_train": 100,
        "n_test": 50,
        "stopped": None,
        "error": "the learner gave up" if accuracy is None else None,
        **others,
    }


def make_curve(dataset: int, learner: int, x: Iterable[float], y: Iterable[float], **others: object) -> list[dict]:
    """Return rows of `Results.curves`."""
    plan = {"dataset": dataset, "learner": learner, "repeat": 0, "fold": 0, "order": 0, "curve": "learning_curve"}
    return [{**plan, **others, "x": at, "y": value} for at, value in zip(x, y, strict=True)]


def make_results(trials: list[dict], curves: list[dict] | None = None, config=None, names=("Iris", "Wine")) -> Results:
    """Return results of `config` with these trials."""
    config = config or make_config()
    labels = tuple(config.labels())
    frame = pd.DataFrame(trials, columns=list(make_trial(0, 0, 1.0)) if not trials else None)
    numbers = ["accuracy", "mse", "fit_seconds", "fit_cpu_seconds", "predict_seconds", "predict_cpu_seconds"]
    return Results(
        config,
        tuple(names),
        labels,
        frame.astype(dict.fromkeys(numbers, float)),
        pd.DataFrame(curves or [], columns=list(CURVE_COLUMNS)),
    )
