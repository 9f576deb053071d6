"""Learners as a form shows them: rows of methods and of base models, and what is chosen in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ensembles.errors import InvalidParameter
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.registry import base_models, make_learner, methods

__all__ = ["MEMBERS", "NOTES", "LearnerChoice", "base_rows", "has_members", "method_rows"]

MEMBERS = "n_estimators"  #: the parameter that all methods share that have members
_HEADINGS = {
    ("single", True): "Alone",
    ("bagging", False): "Bagging",
    ("bagging", True): "Bagging, online",
    ("boosting", False): "Boosting",
    ("boosting", True): "Boosting, online",
    ("weighting", True): "Weighted pools",
}
"""Headings of the rows of methods, by family and whether they learn online; other families have their name."""
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

    Attributes
    ----------
    methods, bases : tuple of str
        Keys.
    members : int or None
        None: the default of each method.
    settings, base_settings : mapping
        By key of the method or base model: settings that differ from the defaults.
    encodings : mapping
        By key of the base model: how attributes are encoded for it.
    """

    methods: tuple[str, ...]
    bases: tuple[str, ...]
    members: int | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    base_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    encodings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def learners(self) -> tuple[LearnerSpec, ...]:
        """Return the learners, method by method."""
        return tuple(
            LearnerSpec(
                method=method,
                base=base,
                settings=self._settings_of(method),
                base_settings=dict(self.base_settings.get(base, {})),
                encode=dict(self.encodings.get(base, {})),
            )
            for method in self.methods
            for base in self.bases
            if self._go_together(method, base)
        )

    def left_out(self) -> dict[str, list[str]]:
        """Return the keys of the methods that cannot use a base model, by the key of each such base model."""
        pairs = {base: [one for one in self.methods if not self._go_together(one, base)] for base in self.bases}
        return {base: without for base, without in pairs.items() if without}

    def _go_together(self, method: str, base: str) -> bool:
        """Whether a method can use a base model, with the settings that were chosen for both."""
        try:
            learner = make_learner(
                method, base, base_settings=self.base_settings.get(base), settings=self._settings_of(method)
            )
            if hasattr(learner, "base_model"):  # which looks at both together
                learner.base_model()
        except InvalidParameter:
            return False
        return True

    def _settings_of(self, method: str) -> dict[str, Any]:
        members = {MEMBERS: self.members} if self.members is not None and has_members(method) else {}
        return {**members, **self.settings.get(method, {})}

    @classmethod
    def of(cls, learners: Sequence[LearnerSpec]) -> LearnerChoice | None:
        """Return the choice that gives these learners, or None when the form cannot show them."""
        settings, base_settings, encodings, members = {}, {}, {}, set()
        for learner in learners:
            own = dict(learner.settings)
            if has_members(learner.method):
                own.pop(MEMBERS, None)
                members.add(learner.n_members)
            settings[learner.method] = own
            base_settings[learner.base] = dict(learner.base_settings)
            encodings[learner.base] = dict(learner.encode)
        if len(members) > 1:
            return None
        members_of_all = next(iter(members), None)
        choice = cls(tuple(settings), tuple(base_settings), members_of_all, settings, base_settings, encodings)
        given, shown = (sorted(learner.canonical for learner in group) for group in (learners, choice.learners()))
        return choice if given == shown else None


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
