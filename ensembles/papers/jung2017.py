"""Jung, Goetz and Tewari (2017), table 1: online multiclass boosting of Hoeffding trees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ensembles.learners.hoeffding.hoeffding_tree import DRAWN
from ensembles.papers.datasets import PaperDataset
from ensembles.papers.preparation import numeric_at, without_rare_classes
from ensembles.papers.tables import Group, Paper, PublishedTable

__all__ = ["TABLES"]

_BASE = "hoeffding_tree"
_TREE = {"key": _BASE, "leaf_prediction": "majority"}
_STREAM = {"kind": "prequential", "orders": 20}  # as in a later program (pi224/banditboosting, full_test.py)
_GAMMAS = (0.3, 0.1, 0.05, 0.01, 0.001)


def _hundred_trees() -> list[dict[str, Any]]:
    """Return trees with the settings that `randomise` would draw: so each is a learner of its own, and the best is known."""
    low, high = np.array(DRAWN).T
    drawn = np.random.default_rng(2017).uniform(low, high, size=(100, 3)).tolist()
    return [
        {
            "method": "single",
            "base": {
                **_TREE,
                "grace_period": round(grace, 3),
                "delta": round(math.exp(delta), 7),
                "tau": round(math.exp(tau), 5),
            },
        }
        for grace, delta, tau in drawn
    ]


def _boosting(method: str, **settings: Any) -> dict[str, Any]:
    return {"method": method, "base": {**_TREE, "randomise": True}, "n_estimators": 100, **settings}


# Young Hun Jung's files, kept with a later program of his group (pi224/banditboosting on GitHub, data/car.names.txt and
# nursery.names.txt), count doors, persons and children, with 5, 6 and 4 for "5more" and "more". Trees do not mind that the
# places of the values stand for them here.
_DATASETS = (
    PaperDataset("balance_scale", "Balance"),
    PaperDataset("mice_protein", "Mice"),
    PaperDataset("car", "Cars", (numeric_at(2, 3),)),
    PaperDataset("mushroom", "Mushroom"),
    PaperDataset(
        "nursery",
        "Nursery",
        (without_rare_classes(10), numeric_at(3)),
        note="four classes: the one with two examples left out",
    ),
    PaperDataset("isolet", "ISOLET"),
    PaperDataset("movement", "Movement"),
)

_PAPER = Paper(
    key="jung2017",
    name="Jung et al. 2017",
    citation="Y. H. Jung, J. Goetz and A. Tewari (2017), Online multiclass boosting, NIPS 30",
    protocol=(
        "Each example is predicted, then learned; accuracy on the last fifth of the stream. 100 Hoeffding trees with "
        "settings drawn at random. The number of orders is not stated; twenty."
    ),
    datasets={dataset.key: dataset for dataset in _DATASETS},
    groups=(
        Group("1", {("single", _BASE): _hundred_trees()}, _STREAM, "single trees"),
        Group(
            "1",
            {
                ("online_boosting", _BASE): [_boosting("online_boosting")],
                ("adaboost_olm", _BASE): [_boosting("adaboost_olm", gradient="code")],
                ("online_mbbm", _BASE): [_boosting("online_mbbm", gamma=gamma) for gamma in _GAMMAS],
            },
            _STREAM,
        ),
    ),
    seconds=("fit_seconds", "predict_seconds"),
)

TABLES = (
    PublishedTable(
        _PAPER,
        "1",
        "Online multiclass boosting",
        "Adaboost.OLM, which needs no parameter, is often as accurate as the best OnlineMBBM and much faster.",
        "Single tree: the best of 100. OnlineMBBM: the best of five gammas. Seconds are those of all. The text at hand "
        "has lost the columns; Cars of these two may be exchanged.",
    ),
)
