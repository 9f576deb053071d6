"""Sweeps: where a list of values stands for one setting, a learner of an experiment file stands for several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ensembles.experiments.yaml_io import problem

__all__ = ["swept"]

_GROUPS = ("base", "base_settings", "settings", "encode")

_Path = tuple[str, ...]


def swept(learner: Any) -> Iterator[Any]:
    """Yield the learners that an entry of an experiment file stands for: one for each combination of listed values.

    `{method: bagging, base: naive_bayes, n_estimators: [10, 50]}` stands for two; an entry without a list for itself. The
    last list that is written changes first.

    Raises
    ------
    PydanticCustomError
        An empty list.
    """
    lists = dict(_lists(learner)) if isinstance(learner, Mapping) else {}
    for path, values in lists.items():
        if not values:
            raise problem(f"{'.'.join(map(str, path))} must be a value or a list of values, got an empty list")
    for chosen in product(*lists.values()):
        one = _with(learner, dict(zip(lists, chosen, strict=True))) if lists else learner
        if ("base",) in lists and isinstance(one["base"], Mapping):
            yield from swept(one)  # one of several base models may have lists of its own
        else:
            yield one


def _lists(fields: Mapping[Any, Any]) -> Iterator[tuple[_Path, Sequence[Any]]]:
    for name, value in fields.items():
        if isinstance(value, list | tuple) and name not in _GROUPS[1:]:
            yield (name,), value
        elif isinstance(value, Mapping) and name in _GROUPS:
            yield from (((name, *path), values) for path, values in _lists(value))


def _with(learner: Mapping[Any, Any], chosen: Mapping[_Path, Any]) -> dict[Any, Any]:
    """Return a copy of `learner` with one value in each of the places."""
    copied = {name: dict(value) if isinstance(value, Mapping) else value for name, value in learner.items()}
    for path, value in chosen.items():
        place = copied
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
    return copied
