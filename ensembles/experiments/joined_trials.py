"""Trials of several experiments in one table: each once, by its place in the whole."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.experiments.curve_means import MEAN_COLUMNS, added_means, all_means
from ensembles.experiments.groups import one_number
from ensembles.experiments.point_means import PAIRS
from ensembles.experiments.results import CURVE_COLUMNS, SECONDS, TRIAL_COLUMNS, Results

__all__ = [
    "FROM",
    "Part",
    "are_separate",
    "kept_curves",
    "kept_means",
    "kept_trials",
    "measures_of",
    "members_of",
    "placed_trials",
    "split_numbers",
    "whole_trials",
    "with_means",
]

FROM = ("part", "row", "cell")
"""Columns besides those of results: of which experiment a trial is, which row of its trials, and a number that is the same
for the trials of a learner on a data set in that experiment."""

_PLACE = ["dataset", "learner", "repeat", "fold", "order"]
_OTHERS = tuple(name for name in TRIAL_COLUMNS if name not in (*_PLACE, "error"))
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


def with_means(found: Sequence[Results]) -> list[Results]:
    """Return results of which some have curves as their means with those of the others as means too."""
    names = {name for one in found for name in one.curve_means["curve"].unique()}
    return [_with_means(one, names) for one in found] if names else [*found]


def _with_means(results: Results, names: set[str]) -> Results:
    """Return results with their curves of these names as means; pairs of members are drawn, so they stay."""
    curves = results.curves
    ours = {name for name in names if (curves["curve"] == name).any()} - {*results.curve_means["curve"]}
    means = [all_means(curves[curves["curve"] == name], name) for name in sorted(ours)]
    means += [results.curve_means] if len(results.curve_means) else []  # an empty frame knows no numbers
    left = curves[~curves["curve"].isin(ours - {PAIRS})]
    return replace(results, curves=left, curve_means=pd.concat(means, ignore_index=True)) if ours else results


def placed_trials(parts: Sequence[Part]) -> pd.DataFrame:
    """Return the trials of all experiments by their places in the whole, repeats and orders without gaps, with `FROM`.

    With measures and sentences of failed ones, and without `_OTHERS`: of a million trials most of the time goes into copies.
    """
    repeats: dict[tuple[int, Hashable], int] = {}
    orders: dict[tuple[int, Hashable], int] = {}
    frames = []
    for number, part in enumerate(parts):
        frame = part.results.trials.drop(columns=[*_OTHERS])
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
    dataset = whole["dataset"].to_numpy()
    return whole.assign(**{name: _dense(whole[name].to_numpy(), dataset) for name in ("repeat", "order")})


def members_of(trials: pd.DataFrame, members: Mapping[tuple[int, int], int]) -> pd.DataFrame:
    """Return trials with the positions of their learners in the whole, and their cells.

    Parameters
    ----------
    members : dict of int
        By settings and part the position of the learner in the whole.
    """
    positions = np.full(np.max([*members], axis=0) + 1, -1)
    positions[tuple(np.transpose([*members]))] = [*members.values()]
    learner = positions[trials["learner"], trials["part"]]
    cell = one_number([trials["part"].to_numpy(), trials["dataset"].to_numpy(), learner])
    return trials.assign(learner=learner, cell=cell)


def kept_trials(trials: pd.DataFrame, parts: Sequence[Part]) -> pd.DataFrame:
    """Return each trial once, sorted; of trials that are there twice, one that finished, of the part with the most measures.

    Then of the part with the most kinds of curves, then with the most trials of that learner on that data set: where one
    experiment has all that another has, all are its own.
    """
    place = one_number([trials[name].to_numpy(dtype=np.int64) for name in _PLACE])
    if (place[1:] > place[:-1]).all():
        return trials
    order = np.argsort(place, kind="stable")
    if not (place[order][1:] > place[order][:-1]).all():
        n_measures = trials[measures_of(trials)].notna().sum(axis=1).to_numpy()
        part, cell = trials["part"].to_numpy(), trials["cell"].to_numpy()
        n_curves = np.array([len(one.results.config.curves) for one in parts])[part]
        ranks = (part, -np.bincount(cell)[cell], -n_curves, -n_measures, trials["error"].notna().to_numpy())
        order = np.lexsort((*ranks, place))
        order = order[np.append(True, place[order][1:] != place[order][:-1])]
    return trials.iloc[order].reset_index(drop=True)


def whole_trials(parts: Sequence[Part], kept: pd.DataFrame, trainings: int) -> pd.DataFrame:
    """Return the trials that are kept with all of their columns, without `FROM`, and seconds of so many trainings."""
    firsts = np.cumsum([0, *(len(part.results.trials) for part in parts)])
    at = firsts[kept["part"].to_numpy()] + kept["row"].to_numpy()
    columns = {name: kept[name] for name in kept if name not in FROM}
    for name in _OTHERS:
        columns[name] = np.concatenate([_told(part.results, name, trainings) for part in parts])[at]
    measures = [name for name in columns if name not in TRIAL_COLUMNS]
    return pd.DataFrame({name: columns[name] for name in (*_PLACE, *measures, *_OTHERS, "error")}, copy=False)


def _told(results: Results, name: str, trainings: int) -> npt.NDArray[Any]:
    told: npt.NDArray[Any] = results.trials[name].to_numpy()
    own = results.config.protocol.trainings
    return told.astype(float) * (trainings / own) if name in SECONDS and own != trainings else told


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


def kept_means(parts: Sequence[Part], members: Mapping[tuple[int, int], int], kept: pd.DataFrame) -> pd.DataFrame:
    """Return the means of curves by the positions of the whole, of parts that are separate."""
    frames = []
    for number, part in enumerate(parts):
        own = part.results.curve_means
        own = own[own["dataset"].isin([*part.datasets])]
        if len(own):
            learners = {place: members[settings, number] for place, settings in enumerate(part.learners)}
            places = (_looked_up(part.datasets, own["dataset"]), _looked_up(learners, own["learner"]))
            frames.append(own.assign(dataset=places[0], learner=places[1], part=number))
    if not frames:
        return pd.DataFrame(columns=list(MEAN_COLUMNS))
    means = pd.concat(frames, ignore_index=True)
    count = kept.loc[~kept["cell"].duplicated(), ["part", "dataset", "learner"]]
    means = means.merge(count)
    lines = ["curve", "over", "dataset", "learner"]
    several = means.groupby(lines)["part"].transform("nunique") > 1
    whole = [means.loc[~several, list(MEAN_COLUMNS)]]
    return pd.concat([*whole, added_means(means[several])] if several.any() else whole, ignore_index=True)


def are_separate(trials: pd.DataFrame, kept: pd.DataFrame) -> bool:
    """Return whether no repeat of a learner on a data set has trials of two experiments, and each has kept all or none.

    Parameters
    ----------
    kept : DataFrame
        Those of `trials` that count, sorted.
    """
    if len(kept) < len(trials):
        every, counted = np.bincount(trials["cell"]), np.bincount(kept["cell"])
        if (every[: len(counted)] != counted)[counted > 0].any():
            return False
    repeat = one_number([kept[name].to_numpy(dtype=np.int64) for name in ("dataset", "learner", "repeat")])
    part = kept["part"].to_numpy()
    return not bool(((repeat[1:] == repeat[:-1]) & (part[1:] != part[:-1])).any())


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


def _dense(numbers: npt.NDArray[np.int64], dataset: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return numbers without the gaps between those that a data set has."""
    room = int(numbers.max(initial=0)) + 1
    codes, there = pd.factorize(dataset * room + numbers, sort=True)
    firsts = np.searchsorted(there, np.arange(int(dataset.max(initial=0)) + 1) * room)
    return np.asarray(codes - firsts[dataset], dtype=np.int64)
