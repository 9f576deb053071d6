"""Presets: learners, protocol and records under a name, for any data sets; some come along, others are saved by users."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import FORMAT, ExperimentConfig

__all__ = ["BUILT_IN", "Preset", "comes_along", "kept_config", "saved_preset"]

_MANY_ROWS = 20_000  # of a data set: one split of them tells as much as many of a small one, and takes as long
_THEN_FEWER = {"kind": "holdout", "repeats": 5, "train_size": 0.7, "stratified": True, "orders": 1}
_STANDS_IN = "iris"  # a document needs a data set; those of a preset are chosen in the form

_MAIN = ("bagging", "online_bagging", "adaboost", "online_boosting")
#: Protocol of the thesis; settings that its learners leave open have the defaults that follow it, those of the first format.
#: What the thesis leaves open is as in its tables that are run again (`ensembles/papers/oza2001.py` says why).
_AS_PRINTED = {
    "format": 1,
    "protocol": {"kind": "cross_validation", "repeats": 10, "folds": 5, "orders": 5, "stratified": False},
    "measures": ["accuracy", "error"],
}
_SAMPLES = {"adaboost": {"weighting": "resample"}}
_BALANCED = {method: {"norm": "examples"} for method in ("online_boosting", "primed_online_boosting")}


def _learners(methods: Sequence[str], base: Any, members: int) -> list[dict[str, Any]]:
    ensembles = [{"method": method, "base": base, "n_estimators": members} for method in methods]
    return [{"method": "single", "base": base}, *ensembles]


def _with_settings(learners: list[dict[str, Any]], settings: Mapping[str, dict[str, str]]) -> list[dict[str, Any]]:
    return [one | settings.get(one["method"], {}) for one in learners]


@dataclass(frozen=True)
class Preset:
    """A name, a sentence, and from the number of rows of the largest data set to an experiment without data sets."""

    name: str
    summary: str
    document: Callable[[int], dict[str, Any]]

    def config(self, rows: int) -> ExperimentConfig:
        """Return an experiment whose learners, protocol, measures and curves are meant, fit for so many rows."""
        document = {"format": FORMAT, "name": self.name, "datasets": [_STANDS_IN], **self.document(rows)}
        return ExperimentConfig.from_dict(document)


def _quick(rows: int) -> dict[str, Any]:
    splits = {"kind": "cross_validation", "repeats": 2, "folds": 5, "orders": 1}
    return {
        "learners": _learners(_MAIN, "naive_bayes", 10),
        "protocol": {**_THEN_FEWER, "repeats": 3} if rows > _MANY_ROWS else splits,
        "measures": ["accuracy", "error"],
    }


def _publication(rows: int) -> dict[str, Any]:
    splits = {"kind": "cross_validation", "repeats": 10, "folds": 10, "orders": 1}
    return {
        "learners": [*_learners(_MAIN, "naive_bayes", 100), *_learners(_MAIN, "decision_stump", 100)],
        "protocol": {**_THEN_FEWER, "repeats": 10} if rows > _MANY_ROWS else splits,
        "measures": ["accuracy", "error", "mse"],
        "curves": ["learning_curve"],
    }


def _stream(rows: int) -> dict[str, Any]:
    methods = ("online_bagging", "online_boosting", "leveraging_bagging", "adwin_bagging")
    return {
        "learners": _learners(methods, "hoeffding_tree", 10),
        "protocol": {"kind": "prequential", "orders": 1 if rows > _MANY_ROWS else 5},
        "measures": ["accuracy", "kappa_temporal"],
        "curves": ["prequential_error"],
    }


def _oza(_: int) -> dict[str, Any]:
    learners = _learners((*_MAIN, "primed_online_boosting"), {"key": "naive_bayes", "smoothing": "literal"}, 100)
    return {
        **_AS_PRINTED,
        "learners": _with_settings(learners, {**_SAMPLES, **_BALANCED}),
        "curves": ["learning_curve", "member_errors"],
    }


def _oza_trees(_: int) -> dict[str, Any]:
    learners = _learners((*_MAIN, "primed_online_boosting"), "decision_tree", 100)
    return {**_AS_PRINTED, "learners": _with_settings(learners, _BALANCED)}


def _oza_networks(_: int) -> dict[str, Any]:
    network = {"key": "neural_network", "hidden": 10, "learning_rate": 0.35, "momentum": 0.0}
    return {**_AS_PRINTED, "learners": _with_settings(_learners(_MAIN, network, 100), _SAMPLES)}


#: Those that come along.
BUILT_IN = (
    Preset("Quick look", "A first impression: 10 naive Bayes a method, 10 splits; of large data 3.", _quick),
    Preset(
        "Publication (10 × 10, corrected)",
        "100 naive Bayes or stumps a method, ten times ten folds, by the corrected test; of large data 10 hold-outs.",
        _publication,
    ),
    Preset(
        "Stream",
        "Each example is predicted, then learned, by Hoeffding trees; five orders of the examples, of large data one.",
        _stream,
    ),
    Preset("As in Oza 2001", "The thesis: naive Bayes, 100 members, ten times five folds in five orders.", _oza),
    Preset("As in Oza 2001, trees", "The thesis with its trees: parted by distance, boosted by M1.", _oza_trees),
    Preset(
        "As in Oza 2001, networks",
        "The thesis with its networks: 10 hidden units, squared error, ten passes in batch and one online, boosted by M1.",
        _oza_networks,
    ),
)


def kept_config(name: str, config: ExperimentConfig) -> ExperimentConfig:
    """Return what is kept of an experiment under a name: its learners, protocol, measures and curves.

    Raises
    ------
    InvalidConfig
        No name, or one of those that come along; or the test set is given, which goes with its data set.
    """
    document = {**config.to_dict(), "name": name, "datasets": [_STANDS_IN], "seed": 1}
    kept = ExperimentConfig.from_dict(document)
    if config.protocol.kind == "given_split":
        raise InvalidConfig("preset: a given test set goes with its data set, so it cannot be kept for others")
    if comes_along(kept.name):
        raise InvalidConfig(f"preset: {kept.name!r} comes along with the program; choose another name")
    return kept


def saved_preset(kept: ExperimentConfig) -> Preset:
    """Return the preset that offers what was kept."""
    document, n = kept.to_dict(), len(kept.learners)
    summary = f"Saved here: {n:,} learner{'s' * (n > 1)}, {kept.protocol.sentence}."
    return Preset(kept.name, summary, lambda _: document)


def comes_along(name: str) -> bool:
    """Return whether a preset that comes along is called so, in capitals or not."""
    return name.casefold() in [preset.name.casefold() for preset in BUILT_IN]
