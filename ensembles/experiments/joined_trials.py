"""Trials of several experiments in one table: each once, by its place in the whole."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.experiments.curve_means import MEAN_COLUMNS
from ensembles.experiments.groups import one_number
from ensembles.experiments.results import CURVE_COLUMNS, TRIAL_COLUMNS, Results

__all__ = [
    "FROM",
    "Part",
    "are_separate",
    "kept_curves",
    "kept_means",
    "kept_trials",
    "measures_of",
    "placed_trials",
    "split_numbers",
]

FROM = ("part", "row")
"""Columns besides those of results: of which experiment a trial is, and which row of its trials."""

_PLACE = ["dataset", "learner", "repeat", "fold", "order"]
_ROOM = 1_000_000  # repeats or orders, more than any experiment has


class Part(NamedTuple):
    """An experiment, and where its trials belong.

    Attributes
    ----------
    datasets : dict of int
        By position in the experiment that in the whole, of the data sets that count.
    learners : list of int
        By position in the experiment the position among all different settings.
    splitting, running : hashable
        What its splits and the orders of its one split depend on: where these are alike, repeats and orders are the same.
    """

    results: Results
    datasets: Mapping[int, int]
    learners: Sequence[int]
    splitting: Hashable
    running: Hashable


def placed_trials(parts: Sequence[Part]) -> pd.DataFrame:
    """Return the trials of all experiments by their places in the whole, repeats and orders without gaps, with `FROM`."""
    repeats: dict[tuple[int, Hashable], int] = {}
    orders: dict[tuple[int, Hashable], int] = {}
    frames = []
    for number, part in enumerate(parts):
        frame = part.results.trials
        row = np.arange(len(frame))
        if len(part.datasets) < len(part.results.config.datasets):
            counts = frame["dataset"].isin([*part.datasets]).to_numpy()
            frame, row = frame[counts], row[counts]
        dataset = _looked_up(part.datasets, frame["dataset"])
        places = {
            "dataset": dataset,
            "learner": _looked_up(dict(enumerate(part.learners)), frame["learner"]),
            "repeat": frame["repeat"].to_numpy(dtype=np.int64) + _offsets(dataset, repeats, part.splitting),
            "order": frame["order"].to_numpy(dtype=np.int64) + _offsets(dataset, orders, part.running),
        }
        frames.append(frame.assign(**places, part=number, row=row))
    whole = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0].reset_index(drop=True)
    return whole.assign(**{name: _dense(whole[name], whole["dataset"]) for name in ("repeat", "order")})


def kept_trials(trials: pd.DataFrame, members: Mapping[tuple[int, int], int]) -> pd.DataFrame:
    """Return each trial once, sorted; of trials that are there twice, one that finished, of the part with the most measures.

    Parameters
    ----------
    members : dict of int
        By settings and part the position of the learner in the whole.
    """
    positions = np.full(np.max([*members], axis=0) + 1, -1)
    positions[tuple(np.transpose([*members]))] = [*members.values()]
    trials = trials.assign(learner=positions[trials["learner"], trials["part"]])
    place = one_number([trials[name].to_numpy(dtype=np.int64) for name in _PLACE])
    if (place[1:] > place[:-1]).all():
        return trials
    order = np.argsort(place, kind="stable")
    if not (place[order][1:] > place[order][:-1]).all():
        n_measures = trials[measures_of(trials)].notna().sum(axis=1).to_numpy()
        order = np.lexsort((trials["part"].to_numpy(), -n_measures, trials["error"].notna().to_numpy(), place))
        order = order[np.append(True, place[order][1:] != place[order][:-1])]
    return trials.iloc[order].reset_index(drop=True)


def kept_curves(results: Sequence[Results], kept: pd.DataFrame) -> pd.DataFrame:
    """Return the curves of the trials that are kept, by their places in the whole."""
    frames = []
    for part, one in enumerate(results):
        if one.curves.empty or (own := kept[kept["part"] == part]).empty:
            continue
        there = one.trials[_PLACE].iloc[own["row"]].add_prefix("from_").reset_index(drop=True)
        places = pd.concat([there, own[_PLACE].reset_index(drop=True)], axis=1)
        old = one.curves.rename(columns={name: f"from_{name}" for name in _PLACE})
        frames.append(old.merge(places, on=[*there])[list(CURVE_COLUMNS)])
    if not frames:
        return pd.DataFrame(columns=list(CURVE_COLUMNS))
    whole = pd.concat([frame.assign(curve=frame["curve"].astype(str)) for frame in frames])
    whole["curve"] = whole["curve"].astype("category")
    return whole.sort_values([*_PLACE, "curve"], kind="stable", ignore_index=True)


def kept_means(parts: Sequence[Part], members: Mapping[tuple[int, int], int]) -> pd.DataFrame:
    """Return the means of curves by the positions of the whole, of parts that are separate."""
    frames = [pd.DataFrame(columns=list(MEAN_COLUMNS))]
    for number, part in enumerate(parts):
        own = part.results.curve_means
        own = own[own["dataset"].isin([*part.datasets])]
        if len(own):
            learners = {place: members[settings, number] for place, settings in enumerate(part.learners)}
            places = (_looked_up(part.datasets, own["dataset"]), _looked_up(learners, own["learner"]))
            frames.append(own.assign(dataset=places[0], learner=places[1]))
    return pd.concat(frames[1:], ignore_index=True) if frames[1:] else frames[0]


def are_separate(parts: Sequence[Part], members: Mapping[tuple[int, int], int]) -> bool:
    """Return whether no learner on a data set has trials of two experiments."""
    cells = [
        (dataset, members[settings, number])
        for number, part in enumerate(parts)
        for dataset in part.datasets.values()
        for settings in part.learners
    ]
    return len({*cells}) == len(cells)


def measures_of(trials: pd.DataFrame) -> list[str]:
    """Return the columns that are measures."""
    return [str(name) for name in trials if name not in TRIAL_COLUMNS and name not in FROM]


def split_numbers(trials: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return a number for each trial: the same for trials of the same split and order, whatever the learner."""
    return one_number([trials[name].to_numpy(dtype=np.int64) for name in _PLACE if name != "learner"])


def _looked_up(positions: Mapping[int, int], column: pd.Series[int]) -> npt.NDArray[np.int64]:
    known = np.full(max(positions) + 1, -1)
    known[[*positions]] = [*positions.values()]
    return known[column.to_numpy()]


def _offsets(
    dataset: npt.NDArray[np.int64], known: dict[tuple[int, Hashable], int], group: Hashable
) -> npt.NDArray[np.int64]:
    """Return what is added to repeats or orders by row, so that each group of splits has its own in a data set."""
    there = np.flatnonzero(np.bincount(dataset)).tolist()
    for one in there:
        taken = sum(owner == one for owner, _ in known)
        known.setdefault((one, group), taken * _ROOM)
    return _looked_up({one: known[one, group] for one in there}, pd.Series(dataset)) if there else dataset


def _dense(numbers: pd.Series[int], dataset: pd.Series[int]) -> npt.NDArray[np.int64]:
    """Return numbers without the gaps between those that a data set has."""
    return np.asarray(numbers.groupby(dataset).rank(method="dense"), dtype=np.int64) - 1
