"""Learners as a form shows them: rows of methods and of base models, and what is chosen in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ensembles.errors import InvalidParameter
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.sweeps import swept
from ensembles.parameters import SeveralOf
from ensembles.registry import Entry, base_models, make_learner, methods

__all__ = ["MEMBERS", "NOTES", "LearnerChoice", "base_rows", "has_members", "method_rows"]

MEMBERS = "n_estimators"  #: the parameter that all methods share that have members
_MOST_OF_A_PAIR = 1001  # of more learners than an experiment may have, nobody needs to see all
_HEADINGS = {
    ("single", True): "Alone",
    ("bagging", False): "Bagging",
    ("bagging", True): "Bagging, online",
    ("boosting", False): "Boosting",
    ("boosting", True): "Boosting, online",
    ("weighting", True): "Weighted pools",
    ("combining", True): "Weighted pools",
    ("forests", False): "Forests, gradients",
    ("forests", True): "Forests, gradients",
    ("gradient_boosting", False): "Forests, gradients",
    ("gradient_boosting", True): "Forests, gradients",
    ("subspaces", False): "Subspaces, mixtures",
    ("subspaces", True): "Subspaces, mixtures",
    ("combining", False): "Subspaces, mixtures",
}
"""Headings of the rows of methods, by family and whether they learn online; other families have their name.

Each row is a stop of the Tab key, so that there are few.
"""
_ALL_AT_ONCE = "They see all examples at once, so online methods cannot use them."
NOTES = {
    "Lossless": "They learn online as well, and end in the same model as in batch.",
    "Online": "They learn example by example, and the order of examples matters.",
    "Batch": _ALL_AT_ONCE,
    "scikit-learn": _ALL_AT_ONCE,
}
"""Rows of base models, and what their members have in common."""


@dataclass(frozen=True)
class LearnerChoice:
    """Learners as the form shows them: every method with every base model it can use, one number of members for all.

    A method that has no base model makes one learner, and so does one that can use none of those chosen because it can use a
    few only: with the first of these.

    Attributes
    ----------
    methods, bases : tuple of str
        Keys.
    members : int, tuple of int or None
        Several: every method with each of them. None: the default of each method.
    settings, base_settings : mapping
        By key of the method or base model: settings that differ from the defaults; a tuple stands for several values.
    encodings : mapping
        By key of the base model: how attributes are encoded for it.
    """

    methods: tuple[str, ...]
    bases: tuple[str, ...]
    members: int | tuple[int, ...] | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    base_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    encodings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def learners(self) -> tuple[LearnerSpec, ...]:
        """Return the learners, method by method."""
        pairs = ((method, base) for method in self.methods for base in self._bases_of(method))
        return tuple(learner for pair in pairs for learner in self._learners_of(*pair))

    def left_out(self) -> dict[str, list[str]]:
        """Return the keys of the methods that cannot use a base model, by the key of each such base model."""
        some = [one for one in self.methods if not methods()[one].chooses_base]
        pairs = {base: [one for one in some if not self._learners_of(one, base)] for base in self.bases}
        return {base: without for base, without in pairs.items() if without}

    def _bases_of(self, method: str) -> tuple[str | None, ...]:
        entry = methods()[method]
        if not entry.chooses_base:
            return self.bases
        own = entry.bases
        return tuple(base for base in self.bases if base in own) or (own[0] if own else None,)

    def _learners_of(self, method: str, base: str | None) -> list[LearnerSpec]:
        """Return a method with a base model, once for each combination of values that go together."""
        members = {MEMBERS: self.members} if self.members is not None and has_members(method) else {}
        document = {
            "method": method,
            "base": base,
            "settings": {**members, **self.settings.get(method, {})},
            "base_settings": dict(self.base_settings.get(base, {})) if base else {},
            "encode": dict(self.encodings.get(base, {})) if base else {},
        }
        some = islice(swept(document), _MOST_OF_A_PAIR)
        return [LearnerSpec(**one) for one in some if _go_together(one)]

    @classmethod
    def of(cls, learners: Sequence[LearnerSpec]) -> LearnerChoice | None:
        """Return the choice that gives these learners, or None when the form cannot show them."""
        settings: dict[str, dict[str, Any]] = {}
        base_settings: dict[str, dict[str, Any]] = {}
        encodings: dict[str, dict[str, Any]] = {}
        members: set[tuple[int, ...]] = set()
        for key in dict.fromkeys(learner.method for learner in learners):
            own = [learner for learner in learners if learner.method == key]
            settings[key] = _values(methods()[key], [learner.settings for learner in own])
            settings[key].pop(MEMBERS, None)
            if has_members(key):
                members.add(tuple(sorted({learner.n_members for learner in own})))
        bases = dict.fromkeys(one.base for one in learners if one.base and not one.entry.chooses_base)
        for key in bases or dict.fromkeys(one.base for one in learners if one.base):
            own = [learner for learner in learners if learner.base == key]
            base_settings[key] = _values(base_models()[key], [learner.base_settings for learner in own])
            encodings[key] = dict(own[0].encode)
        if len(members) > 1 or any(_differ_in_lists(methods()[key], own) for key, own in settings.items()):
            return None
        of_all = next(iter(members), None)
        one_of_all = of_all[0] if of_all and len(of_all) == 1 else of_all
        choice = cls(tuple(settings), tuple(base_settings), one_of_all, settings, base_settings, encodings)
        given, shown = (sorted(learner.canonical for learner in group) for group in (learners, choice.learners()))
        return choice if given == shown else None


def _values(entry: Entry, given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what several learners have of the settings of `entry`: tuples where they differ."""
    values: dict[str, Any] = {}
    for parameter in entry.parameters:
        each = tuple(dict.fromkeys(own.get(parameter.name, parameter.default) for own in given))
        if len(each) > 1:
            values[parameter.name] = each
        elif any(parameter.name in own for own in given):
            values[parameter.name] = each[0]
    return values


def _differ_in_lists(entry: Entry, values: Mapping[str, Any]) -> bool:
    """Whether learners differ in a setting that is a list itself, which the form shows once."""
    lists = [one.name for one in entry.parameters if isinstance(one, SeveralOf)]
    return any(isinstance(values.get(name), tuple) for name in lists)


def _go_together(learner: Mapping[str, Any]) -> bool:
    """Whether a method can use a base model, with the settings that were chosen for both."""
    try:
        made = make_learner(
            learner["method"], learner["base"], base_settings=learner["base_settings"], settings=learner["settings"]
        )
        if learner["base"] and hasattr(made, "base_model"):  # which looks at both together
            made.base_model()
    except InvalidParameter:
        return False
    return True


def method_rows() -> dict[str, list[str]]:
    """Return the keys of methods by the heading of the row they stand in; no row is empty."""
    rows: dict[str, list[str]] = {heading: [] for heading in _HEADINGS.values()}
    for key, entry in methods().items():
        rows.setdefault(_heading(entry.family, entry.online), []).append(key)
    return {heading: row for heading, row in rows.items() if row}


def base_rows() -> dict[str, list[str]]:
    """Return the keys of base models by the heading of the row they stand in."""
    rows: dict[str, list[str]] = {heading: [] for heading in NOTES}
    lossless, online, batch, foreign = rows.values()
    for key, entry in base_models().items():
        if key.startswith("sklearn:"):
            foreign.append(key)
        elif entry.online:
            (online if entry.order_matters else lossless).append(key)
        else:
            batch.append(key)
    return rows


def has_members(method: str) -> bool:
    """Whether the number of members of a method can be chosen."""
    return any(parameter.name == MEMBERS for parameter in methods()[method].parameters)


def _heading(family: str, online: bool) -> str:
    own = family.replace("_", " ")
    return _HEADINGS.get((family, online)) or f"{own[:1].upper()}{own[1:]}{', online' if online else ''}"
