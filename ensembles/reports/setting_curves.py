"""Error against a setting that has several values: one line for all learners that differ in nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from ensembles.evaluation.comparable import varying
from ensembles.evaluation.finding import DECIMALS
from ensembles.experiments.learner_keys import all_settings
from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.results import Results
from ensembles.experiments.setting_words import plain_parameters, told_value
from ensembles.parameters import Choice, Flag, Parameter, SeveralOf
from ensembles.reports import formatting
from ensembles.reports.shared_means import shared_means
from ensembles.reports.significance import Question, split_values
from ensembles.wording import distinct

if TYPE_CHECKING:
    from ensembles.experiments.config import LearnerSpec

__all__ = ["Line", "Setting", "numbers_of", "swept_measure", "swept_settings"]

_BASE = "base."
_FEWEST_SPLITS = 3
_LEVEL = 0.95


@dataclass(frozen=True)
class Line:
    """Learners that differ in one setting only, by its values.

    Attributes
    ----------
    label : str
        What they are called, without the setting.
    learners : tuple of int
        Positions in the experiment.
    values : tuple
        What each of them has; empty for a learner that has no such setting.
    """

    label: str
    learners: tuple[int, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Setting:
    """A setting in which learners of an experiment differ that are otherwise the same."""

    parameter: Parameter
    lines: tuple[Line, ...]

    @property
    def label(self) -> str:
        """What people read."""
        return self.parameter.label

    @property
    def is_number(self) -> bool:
        """Whether its values have an order and distances."""
        return not isinstance(self.parameter, Choice | Flag | SeveralOf)

    def word(self, value: Any) -> str:
        """Return what people read for a value."""
        return f"{value:g}" if isinstance(value, float) else told_value(self.parameter, value)


def swept_settings(learners: Sequence[LearnerSpec]) -> list[Setting]:
    """Return every setting that has two values or more among learners that are otherwise the same."""
    found = []
    for place in dict.fromkeys(place for learner in learners for place in _places(learner)):
        having = [position for position, learner in enumerate(learners) if place in _places(learner)]
        groups: dict[str, list[int]] = {}
        for position in having:
            groups.setdefault(_rest(learners[position], place), []).append(position)
        if max(map(len, groups.values())) > 1:
            parameter = _places(learners[having[0]])[place]
            found.append(Setting(parameter, _lines(learners, place, [*groups.values()])))
    return found


def swept_measure(results: Results) -> str:
    """Return the measure that is drawn: the error where it is known."""
    return "error" if "error" in results.measures else next(iter(results.measures), "")


def numbers_of(results: Results, setting: Setting, measure: str, dataset: int | None) -> pd.DataFrame:
    """Return one row for each learner: its line, its value, the mean of the measure, and the 95 % interval of that mean.

    The interval is Student's, of the splits, corrected for the training examples that they share (Nadeau and Bengio); NaN
    below three splits, and where all have the same value. Without a data set, means are over those that all learners have
    finished, on the splits that they share, and have no interval.
    """
    means, low, high = _intervals(results, measure, dataset)
    named = [(line.label, value) for line in setting.lines for value in line.values or (None,)]
    learners = [learner for line in setting.lines for learner in line.learners]
    table = pd.DataFrame(
        {
            "Learner": [label for label, _ in named],
            setting.label: pd.Series([value for _, value in named], dtype=object),
            formatting.measure_name(measure): means[learners],
            "From": low[learners],
            "To": high[learners],
        }
    )
    return table.dropna(subset=[formatting.measure_name(measure)], ignore_index=True)


def _places(learner: LearnerSpec) -> dict[tuple[str, str, str], Parameter]:
    """Return the parameters of a learner by what makes two the same setting: methods share some, base models none."""
    own = {("", one.name, one.label): one for one in plain_parameters(learner.entry)}
    if learner.base is None or learner.base_entry is None:
        return own
    return own | {(learner.base, one.name, one.label): one for one in plain_parameters(learner.base_entry)}


def _name(place: tuple[str, str, str]) -> str:
    return f"{_BASE if place[0] else ''}{place[1]}"


def _rest(learner: LearnerSpec, place: tuple[str, str, str]) -> str:
    others = {name: value for name, value in all_settings(learner).items() if name != _name(place)}
    return repr((learner.method, learner.base, others))


def _lines(
    learners: Sequence[LearnerSpec], place: tuple[str, str, str], groups: Sequence[list[int]]
) -> tuple[Line, ...]:
    """Return a line for each group, and one for each learner that has no such setting; named as if all had one value."""
    having = {position for group in groups for position in group}
    lacking = [[position] for position in range(len(learners)) if position not in having]
    groups = sorted(groups, key=min) + lacking
    field = "base_settings" if place[0] else "settings"

    def alike(position: int) -> LearnerSpec:
        own = {name: value for name, value in getattr(learners[position], field).items() if name != place[1]}
        return learners[position].model_copy(update={field: own} if position in having else {})

    labels = distinct(learner_names([alike(group[0]) for group in groups]))
    return tuple(_line(label, learners, group, place, having) for label, group in zip(labels, groups, strict=True))


def _line(
    label: str, learners: Sequence[LearnerSpec], group: Sequence[int], place: tuple[str, str, str], having: set[int]
) -> Line:
    """Return a line, numbers from the smallest on."""
    if group[0] not in having:
        return Line(label, tuple(group), ())
    values = {position: all_settings(learners[position])[_name(place)] for position in group}
    if not any(isinstance(value, str) for value in values.values()):
        values = dict(sorted(values.items(), key=lambda item: item[1]))
    return Line(label, tuple(values), tuple(values.values()))


def _intervals(results: Results, measure: str, dataset: int | None) -> tuple[Any, Any, Any]:
    none = np.full(len(results.learners), np.nan)
    if dataset is None:
        means = shared_means(results, measure)
        shared = np.isfinite(means).all(axis=1)
        return (means[shared].mean(axis=0) if shared.any() else none), none, none
    values, ratio, *_ = split_values(results, Question(measure))[dataset]
    n = np.isfinite(values).sum(axis=0)
    means = results.mean(measure).to_numpy()[dataset]
    squares = np.nansum((values - np.where(n > 0, np.nansum(values, axis=0) / np.maximum(n, 1), 0.0)) ** 2, axis=0)
    variance = squares / np.maximum(n - 1, 1)
    half = stats.t.ppf(0.5 + _LEVEL / 2, np.maximum(n - 1, 1)) * np.sqrt((1 / np.maximum(n, 1) + ratio) * variance)
    half = np.where((n >= _FEWEST_SPLITS) & varying(np.round(values, DECIMALS)), half, np.nan)
    return means, means - half, means + half
