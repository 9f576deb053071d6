"""Results of several experiments as one, over the splits that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.dataset_ref import DatasetRef, content_of
from ensembles.experiments.joined_trials import (
    Part,
    are_separate,
    kept_curves,
    kept_means,
    kept_trials,
    measures_of,
    members_of,
    placed_trials,
    split_numbers,
    whole_trials,
    with_means,
)
from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.results import Results
from ensembles.wording import distinct

__all__ = ["Joined", "join_results"]

_NAMED = 3
_OTHER_QUESTIONS = (
    " They train on other numbers of examples, or are tested by other sets: errors differ for that alone."
)
_ONE_SPLIT = ("given_split", "prequential")
_AGREE = 1e-9  # measures of the same trial are the same bits, but for what another machine's libraries round


@dataclass(frozen=True)
class Joined:
    """Results put together.

    Attributes
    ----------
    results : Results
    notes : tuple of str
        In sentences, what of them is not paired or not one learner.
    is_separate : bool
        Whether all trials of a learner on a data set in an experiment count or none, and all of a repeat come from one
        experiment: then curves may come summed up.
    """

    results: Results
    notes: tuple[str, ...]
    is_separate: bool


@dataclass(frozen=True)
class _Learner:
    """A learner of the whole, and the experiments whose trials are its own; several when these tell of the same."""

    spec: LearnerSpec
    members: tuple[int, ...]


def join_results(parts: Sequence[tuple[str, Results]], *, on: str | None = None) -> Joined:
    """Put the results of experiments together.

    The same data, protocol (but for the number of repeats and orders) and seed make the same splits: there learners of
    different experiments are paired. Elsewhere the repeats of each experiment stand for themselves. Learners of the same
    settings are one learner, unless their numbers for the same trial differ: then each is called after its experiment.
    Of trials that are there twice, one that finished counts, of the experiment with the most measures, then kinds of curves,
    then trials of that learner on that data set. Parts whose curves come summed up must be separate, as `Joined` says.

    Parameters
    ----------
    parts : sequence of (str, Results)
        Names of the experiments and what they left behind, at least one.
    on : str, optional
        Only this data set: a key of the catalogue, a content hash, or what `DatasetRef.content` says.

    Raises
    ------
    InvalidInput
        Protocols of different kinds, or none has the data set.
    """
    chosen = [(name, results, wanted) for name, results in parts if (wanted := _wanted(results.config, on))]
    names = distinct([name for name, *_ in chosen])
    alike = with_means([results for _, results, _ in chosen])
    found = [(results, wanted) for results, (*_, wanted) in zip(alike, chosen, strict=True)]
    if not found:
        raise InvalidInput("results: none of these experiments has this data set")
    configs = [results.config for results, _ in found]
    _check_protocols(names, configs)
    datasets = _datasets(found)
    placed = _parts(found, datasets)
    trials = placed_trials(placed)
    learners = _learners(configs, trials)
    members = _members(learners)
    trials = members_of(trials, members)
    kept = kept_trials(trials, placed)
    config = _config(configs, datasets, learners, kept)
    results = Results(
        config=config,
        dataset_names=config.dataset_labels(),
        learner_labels=_labels(learners, names),
        trials=whole_trials(placed, kept, config.protocol.trainings),
        curves=kept_curves([results for results, _ in found], kept),
        curve_means=kept_means(placed, members, kept),
    )
    notes = (*_unpaired(names, configs, found), *_twins(learners, results.learner_labels))
    return Joined(results, notes, are_separate(trials, kept))


def _wanted(config: ExperimentConfig, on: str | None) -> dict[int, str]:
    """Return the positions of the data sets that count, and their contents."""
    asked = None if on is None else content_of(on)
    found = enumerate(config.datasets)
    return {place: one.content for place, one in found if asked is None or asked in (one.key, one.content)}


def _check_protocols(names: Sequence[str], configs: Sequence[ExperimentConfig]) -> None:
    for name, config in zip(names, configs, strict=True):
        if config.protocol.kind != configs[0].protocol.kind:
            raise InvalidInput(
                "experiments: must have one kind of protocol to be compared, got "
                f"{configs[0].protocol.name} ({names[0]}) and {config.protocol.name} ({name})"
            )


def _datasets(found: Iterable[tuple[Results, dict[int, str]]]) -> dict[str, DatasetRef]:
    datasets: dict[str, DatasetRef] = {}
    for results, wanted in found:
        for place, content in wanted.items():
            datasets.setdefault(content, results.config.datasets[place])
    return datasets


def _parts(found: Sequence[tuple[Results, dict[int, str]]], datasets: Iterable[str]) -> list[Part]:
    """Return the experiments, and where their trials belong."""
    numbers = {content: number for number, content in enumerate(datasets)}
    settings: dict[str, int] = {}
    return [
        Part(
            results,
            {place: numbers[content] for place, content in wanted.items()},
            [settings.setdefault(one.canonical, len(settings)) for one in results.config.learners],
            _splitting(results.config),
            _running(results.config),
        )
        for results, wanted in found
    ]


def _splitting(config: ExperimentConfig) -> tuple[str, int]:
    """Return what its splits depend on besides the data; a protocol of one split depends on no seed."""
    seed = 0 if config.protocol.kind in _ONE_SPLIT else config.seed
    return str(sorted(config.protocol.split_settings().items())), seed


def _running(config: ExperimentConfig) -> tuple[str, int]:
    """Return what the orders of its one split depend on; where there are many splits these say it."""
    as_it_comes = isinstance(config.protocol, Prequential) and not config.protocol.shuffle
    seed = 0 if as_it_comes or config.protocol.kind not in _ONE_SPLIT else config.seed
    return "", seed


def _learners(configs: Sequence[ExperimentConfig], trials: pd.DataFrame) -> list[_Learner]:
    """Return the learners of the whole: one for each setting, and one more for each experiment that contradicts."""
    found: list[_Learner] = []
    specs: dict[str, LearnerSpec] = {}
    owners: dict[str, list[int]] = {}
    for part, config in enumerate(configs):
        for spec in config.learners:
            specs.setdefault(spec.canonical, spec)
            owners.setdefault(spec.canonical, []).append(part)
    numbers, went_well = split_numbers(trials), trials["error"].isna()
    for number, (canonical, parts) in enumerate(owners.items()):
        shared: dict[int, pd.DataFrame] = {}
        if len(parts) > 1:
            own = went_well & (trials["learner"] == number)
            table = trials.loc[own, measures_of(trials)].astype(float).set_axis(numbers[own])
            shared = {part: table[(trials.loc[own, "part"] == part).to_numpy()] for part in parts}
        alike: list[list[int]] = []
        for part in parts:
            home = next((group for group in alike if all(_agree(shared[one], shared[part]) for one in group)), None)
            if home is None:
                alike.append([part])
            else:
                home.append(part)
        found += [_Learner(specs[canonical], tuple(group)) for group in alike]
    return found


def _agree(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Return whether two experiments say the same of the trials that both have, or have none in common."""
    _, one, other = np.intersect1d(first.index, second.index, return_indices=True)
    gaps = np.abs(first.to_numpy()[one] - second.to_numpy()[other])
    return not bool((gaps > _AGREE).any())


def _members(learners: Sequence[_Learner]) -> dict[tuple[int, int], int]:
    """Return by settings and part the position of the learner in the whole."""
    settings = {spec: number for number, spec in enumerate(dict.fromkeys(one.spec.canonical for one in learners))}
    return {(settings[one.spec.canonical], part): number for number, one in enumerate(learners) for part in one.members}


def _labels(learners: Sequence[_Learner], names: Sequence[str]) -> tuple[str, ...]:
    """Return what people read for each learner; those that share their settings are called after their experiments."""
    unique = {one.spec.canonical: one.spec for one in learners}
    labels = dict(zip(unique, learner_names(list(unique.values())), strict=True))
    counts = [sum(other.spec.canonical == one.spec.canonical for other in learners) for one in learners]
    return tuple(
        f"{labels[one.spec.canonical]} ({', '.join(names[part] for part in one.members)})"
        if count > 1
        else labels[one.spec.canonical]
        for one, count in zip(learners, counts, strict=True)
    )


def _config(
    configs: Sequence[ExperimentConfig],
    datasets: dict[str, DatasetRef],
    learners: Sequence[_Learner],
    trials: pd.DataFrame,
) -> ExperimentConfig:
    """Return what reports read of the whole. It may hold a learner twice, so it is not checked and cannot be run."""
    first = configs[0]
    longest = max((config.protocol for config in configs), key=lambda protocol: protocol.splits[0])
    repeats = (
        {"repeats": int(trials["repeat"].max()) + 1} if "repeats" in type(longest).model_fields and len(trials) else {}
    )
    return first.model_copy(
        update={
            "name": f"Comparison of {len(configs):,} experiment{'s' if len(configs) > 1 else ''}",
            "datasets": tuple(datasets.values()),
            "learners": tuple(one.spec for one in learners),
            "protocol": longest.model_copy(update=repeats),
            "measures": tuple(dict.fromkeys(measure for config in configs for measure in config.measures)),
            "curves": tuple(dict.fromkeys(curve for config in configs for curve in config.curves)),
        }
    )


def _unpaired(
    names: Sequence[str], configs: Sequence[ExperimentConfig], found: Sequence[tuple[Results, dict[int, str]]]
) -> list[str]:
    """Say which experiments split the same data differently, and what that leaves."""
    on_streams = isinstance(configs[0].protocol, Prequential)
    groups: dict[Any, list[int]] = {}
    for part, config in enumerate(configs):
        splits = (_splitting(config), _running(config)) if on_streams else _splitting(config)
        groups.setdefault(splits, []).append(part)
    contents = [set().union(*(found[part][1].values() for part in parts)) for parts in groups.values()]
    if not any(one & other for place, one in enumerate(contents) for other in contents[:place]):
        return []
    told = "; ".join(
        f"{_some([names[part] for part in parts])} ({configs[parts[0]].protocol.sentence}, seed {configs[parts[0]].seed})"
        for parts in groups.values()
    )
    apart = len({config.protocol.told_apart for config in configs}) > 1
    if on_streams:
        if apart:
            return [
                f"Not paired, as they ask other questions: {told}. Learners of different ones are compared at the same "
                "places of the stream all the same, but their errors differ for that alone."
            ]
        return [
            f"Not paired, as their orders differ: {told}. Learners of different ones are compared at the same places of the "
            "stream, which hold other examples."
        ]
    return [
        f"Not paired, as their splits differ: {told}. Learners are paired within each of these only; those that share no "
        f"split are compared by their means, on one data set by Welch's test.{_OTHER_QUESTIONS * apart}"
    ]


def _twins(learners: Sequence[_Learner], labels: Sequence[str]) -> list[str]:
    specs = [one.spec.canonical for one in learners]
    twins = [label for spec, label in zip(specs, labels, strict=True) if specs.count(spec) > 1]
    if not twins:
        return []
    return [f"Trials of the same settings have different numbers, so these are told apart: {_some(twins)}."]


def _some(names: Sequence[str]) -> str:
    """Return names in a sentence, the first few of many."""
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED:,} more"
