"""Choose learners: methods times base models, with the settings of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from ensembles.experiments.config import LearnerSpec
from ensembles.learners.attribute_encoder import AttributeEncoder
from ensembles.registry import Entry, base_models, methods
from pages.parts.settings import draw_parameter, draw_settings
from pages.parts.text import plain

__all__ = ["LearnerChoice", "draw_learners"]

_MEMBERS = "n_estimators"
_PRIMING = "prime_"


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
            if base in methods()[method].bases
        )

    def _settings_of(self, method: str) -> dict[str, Any]:
        members = {_MEMBERS: self.members} if self.members is not None and _has_members(methods()[method]) else {}
        return {**members, **self.settings.get(method, {})}

    @classmethod
    def of(cls, learners: Sequence[LearnerSpec]) -> "LearnerChoice | None":
        """Return the choice that gives these learners, or None when the form cannot show them."""
        settings, base_settings, encodings, members = {}, {}, {}, set()
        for learner in learners:
            own = dict(learner.settings)
            if _has_members(learner.entry):
                own.pop(_MEMBERS, None)
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


def draw_learners(start: tuple[LearnerSpec, ...], *, key: str) -> tuple[LearnerSpec, ...]:
    """Draw the choice of learners, starting from `start`; learners the form cannot show are kept until given up."""
    choice = LearnerChoice.of(start)
    if choice is None and not st.session_state.get(f"{key}_anew"):
        st.caption("These learners differ in ways the form does not show. They are used as they are.")
        for learner in start:
            st.markdown(f"- {plain(learner.label)}")
        st.button("Choose others", on_click=_choose_anew, args=(f"{key}_anew",), key=f"{key}_others")
        return start
    return _draw_choice(choice or LearnerChoice((), ()), key).learners()


def _choose_anew(flag: str) -> None:
    st.session_state[flag] = True


def _draw_choice(start: LearnerChoice, key: str) -> LearnerChoice:
    chosen = st.pills(
        "Methods",
        list(methods()),
        selection_mode="multi",
        default=list(start.methods),
        format_func=lambda method: methods()[method].name,
        help=_summaries(methods()),
        key=f"{key}_methods",
    )
    bases = st.pills(
        "Base models",
        list(base_models()),
        selection_mode="multi",
        default=list(start.bases),
        format_func=lambda base: base_models()[base].name,
        help=_summaries(base_models()),
        key=f"{key}_bases",
    )
    in_order = tuple(method for method in methods() if method in chosen)
    members = _draw_members(in_order, start, key)
    settings = {method: _draw_priming(methods()[method], start.settings, key) for method in in_order}
    with st.container(horizontal=True):
        for method in in_order:
            settings[method] |= _draw_own(methods()[method], start.settings, key)
        drawn = {base: _draw_base(base_models()[base], start, key) for base in bases}
    base_settings, encodings = ({base: pair[part] for base, pair in drawn.items()} for part in (0, 1))
    return LearnerChoice(in_order, tuple(bases), members, settings, base_settings, encodings)


def _draw_members(chosen: Sequence[str], start: LearnerChoice, key: str) -> int | None:
    with_members = [method for method in chosen if _has_members(methods()[method])]
    if not with_members:
        return None
    parameter = next(p for p in methods()[with_members[0]].parameters if p.name == _MEMBERS)
    value = start.members if start.members is not None else parameter.default
    return int(draw_parameter(with_members[0], parameter, value, key=key))


def _draw_priming(entry: Entry, start: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    """Draw how a primed method is primed, in the open, and return what differs from the defaults."""
    priming = [parameter for parameter in entry.parameters if parameter.name.startswith(_PRIMING)]
    chosen: dict[str, Any] = {}
    for parameter, column in zip(priming, st.columns(len(priming)) if priming else (), strict=True):
        with column:
            chosen |= draw_settings(entry.key, [parameter], start.get(entry.key, {}), key=f"{key}_{entry.key}")
    return chosen


def _draw_own(entry: Entry, start: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    """Draw behind a button what only this method or base model has, and return what differs from the defaults."""
    own = [p for p in entry.parameters if p.name != _MEMBERS and not p.name.startswith(_PRIMING)]
    if not own:
        return {}
    with st.popover(entry.name, icon=":material/tune:", help=f"Settings of {entry.name}"):
        return draw_settings(entry.key, own, start.get(entry.key, {}), key=f"{key}_{entry.key}")


def _draw_base(entry: Entry, start: LearnerChoice, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw behind a button the settings of a base model and how attributes are encoded for it."""
    with st.popover(entry.name, icon=":material/tune:", help=f"Settings of {entry.name}"):
        own = start.base_settings.get(entry.key, {})
        settings = draw_settings(entry.key, entry.parameters, own, key=f"{key}_{entry.key}")
        st.caption("How it sees the attributes, fitted to the training examples")
        encoding = start.encodings.get(entry.key, {})
        encode = AttributeEncoder.parameters
        return settings, draw_settings(AttributeEncoder.key, encode, encoding, key=f"{key}_{entry.key}_encode")


def _has_members(entry: Entry) -> bool:
    return any(parameter.name == _MEMBERS for parameter in entry.parameters)


def _summaries(entries: Mapping[str, Entry]) -> str:
    return "\n".join(f"- **{entry.name}**: {entry.summary}" for entry in entries.values())
