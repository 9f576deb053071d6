"""The numbers of the figures about members: kappa and error of pairs, and the examples that boosting finds hard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ensembles.data import Dataset
from ensembles.experiments.point_means import HARD_EXAMPLES, NONE_HARD, PAIRS, weights_differ
from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.figure_data import MAX_POINTS, thinned

__all__ = [
    "Cloud",
    "HardExample",
    "cloud_frame",
    "diversity_clouds",
    "hard_examples",
    "hard_frame",
    "hard_learners",
    "mean_frame",
    "members_that_voted",
    "missing_members",
]


@dataclass(frozen=True)
class Cloud:
    """Pairs of members of one learner, from its trials on one data set.

    Attributes
    ----------
    kappa, error : tuple of float
        Of the pairs that are drawn: all, or evenly spaced ones, of which an experiment of many trials reads but some.
    mean_kappa, mean_error : float
        Over all pairs.
    n : int
        Number of all pairs.
    """

    learner: int
    label: str
    kappa: tuple[float, ...]
    error: tuple[float, ...]
    mean_kappa: float
    mean_error: float
    n: int


@dataclass(frozen=True)
class HardExample:
    """An example that kept a high weight.

    Attributes
    ----------
    row : int
        In the data set, from 0.
    weight : float
        Mean over the trials that listed it; 1 is an example as heavy as the average.
    trials : int
        How many trials listed it among their hardest.
    """

    row: int
    weight: float
    trials: int


def diversity_clouds(results: Results, dataset: int, learners: Sequence[int]) -> tuple[Cloud, ...]:
    """Return the pairs of members of each learner that has any, in the order of the experiment."""
    points, means = (_of(frame, dataset, PAIRS) for frame in (results.curves, results.curve_means))
    present = sorted(
        {int(one) for frame in (points, means) for one in frame["learner"].unique()}.intersection(learners)
    )
    limit = max(2, MAX_POINTS // max(1, len(present)))
    clouds = []
    for learner in present:
        own, all_pairs = points[points["learner"] == learner], means[means["learner"] == learner]
        kappa, error = own["x"].to_numpy(dtype=float), own["y"].to_numpy(dtype=float)
        told = (kappa.mean(), error.mean(), len(own)) if all_pairs.empty else (*all_pairs[["x", "mean", "n"]].iloc[0],)
        drawn = thinned(len(own), limit)
        drawn_points = tuple(kappa[drawn].tolist()), tuple(error[drawn].tolist())
        clouds.append(
            Cloud(learner, results.learners[learner], *drawn_points, float(told[0]), float(told[1]), int(told[2]))
        )
    return tuple(clouds)


def mean_frame(clouds: Sequence[Cloud]) -> pd.DataFrame:
    """Return one row a learner: the means over its pairs."""
    return pd.DataFrame(
        {
            "Learner": [cloud.label for cloud in clouds],
            "Kappa, mean": [cloud.mean_kappa for cloud in clouds],
            "Error, mean": [cloud.mean_error for cloud in clouds],
            "Pairs of members": [cloud.n for cloud in clouds],
        }
    )


def cloud_frame(clouds: Sequence[Cloud]) -> pd.DataFrame:
    """Return one row a point that is drawn."""
    return pd.DataFrame(
        {
            "Learner": np.repeat([cloud.label for cloud in clouds], [len(cloud.kappa) for cloud in clouds]),
            "Kappa": [kappa for cloud in clouds for kappa in cloud.kappa],
            "Mean error of the two": [error for cloud in clouds for error in cloud.error],
        }
    )


def hard_examples(results: Results, dataset: int, learner: int, most: int = 25) -> tuple[HardExample, ...]:
    """Return the examples that a learner found hardest on a data set: by weight summed over trials, then by row.

    Trials in which all examples weigh the same, as where boosting stopped after its first member, found none hard.
    """
    means, points = (_of(frame, dataset, HARD_EXAMPLES, learner) for frame in (results.curve_means, results.curves))
    if means.empty:
        own = points[weights_differ(points)].groupby("x")["y"].agg(["sum", "mean", "size"]).reset_index()
    else:
        own = means[means["x"] != NONE_HARD]
        own = own.assign(sum=own["mean"] * own["n"], size=own["n"])
    own = own.sort_values(["sum", "x"], ascending=[False, True]).head(most)
    rows = zip(own["x"], own["mean"], own["size"], strict=True)
    return tuple(HardExample(int(row), float(weight), int(trials)) for row, weight, trials in rows)


def hard_learners(results: Results, dataset: int) -> list[int]:
    """Return the learners that left hard examples on a data set."""
    frames = (_of(frame, dataset, HARD_EXAMPLES) for frame in (results.curves, results.curve_means))
    return sorted({int(learner) for frame in frames for learner in frame["learner"].unique()})


def members_that_voted(results: Results) -> tuple[int, int] | None:
    """Return how many members voted at least and at most in the trials of ensembles; None where all did in all of them."""
    ensembles = {m: spec.n_members for m, spec in enumerate(results.config.learners) if spec.method != "single"}
    least, most = (results.over_trials("members_used", end).agg(end) for end in ("min", "max"))
    if not any(least[learner] < n_members for learner, n_members in ensembles.items()):
        return None
    return int(least[[*ensembles]].min()), int(most[[*ensembles]].max())


def missing_members(results: Results, dataset: int, learner: int) -> str:
    """Return a sentence that says where a learner had fewer members than it might on a data set, "" if it never had."""
    trials, spec = results.finished, results.config.learners[learner]
    used = trials.loc[(trials["dataset"] == dataset) & (trials["learner"] == learner), "members_used"].astype(int)
    few = used[used < spec.n_members]
    if few.empty:
        return ""
    verb = "stopped after" if getattr(spec.entry.cls, "stops_early", False) else "voted with"
    how_many = formatting.count_range(int(few.min()), int(few.max()))
    where = (
        "in every trial"
        if len(few) == len(used)
        else f"in {formatting.count(len(few))} of {formatting.pluralize(len(used), 'trial')}"
    )
    return (
        f"{results.learners[learner]} {verb} {how_many} of {formatting.pluralize(spec.n_members, 'member')} "
        f"on {results.datasets[dataset]}, {where}."
    )


def hard_frame(examples: Sequence[HardExample], dataset: Dataset | None = None) -> pd.DataFrame:
    """Return one row an example, beside its weight the class and values it has in `dataset`; rows are counted from 1."""
    rows = [example.row for example in examples]
    table = pd.DataFrame(
        {
            "Row": [row + 1 for row in rows],
            "Weight": [example.weight for example in examples],
            "Trials": [example.trials for example in examples],
        }
    )
    if dataset is None:
        return table
    values = dataset.X.iloc[rows].reset_index(drop=True)
    values.insert(0, dataset.target, [dataset.classes[label] for label in dataset.labels[rows]])
    taken = {*table.columns}
    values.columns = pd.Index([f"{name} (attribute)" if name in taken else name for name in values.columns])
    return pd.concat([table, values], axis=1)


def _of(frame: pd.DataFrame, dataset: int, curve: str, learner: int | None = None) -> pd.DataFrame:
    """Return the rows about the curves of one kind on a data set, of one learner or of all."""
    own = frame[(frame["dataset"] == dataset) & (frame["curve"] == curve)]
    return own if learner is None else own[own["learner"] == learner]
