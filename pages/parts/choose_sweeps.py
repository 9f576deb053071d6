"""Choose several values for a setting: each of them makes a learner of its own."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import streamlit as st

from ensembles.errors import InvalidParameter
from ensembles.experiments.learner_choice import MEMBERS, LearnerChoice, has_members
from ensembles.experiments.setting_words import plain_parameters
from ensembles.parameters import Choice, Flag, Integer, Parameter, SeveralOf
from ensembles.registry import Entry, base_models, methods, within_sentence
from ensembles.reports.formatting import pluralize
from pages.parts.text import escape_markdown

__all__ = ["Several", "Sweepable", "draw_sweeps", "first_value", "swept_now"]

_SEPARATORS = re.compile(r"[,;\s]+")
_LONGEST_WORD = 20
_ON_AND_OFF = {False: "off", True: "on"}


@dataclass(frozen=True)
class Several:
    """Settings with several values: of members, and by key of the method or base model and by name."""

    members: tuple[int, ...] | None = None
    of_methods: dict[str, dict[str, tuple[Any, ...]]] = field(default_factory=dict)
    of_bases: dict[str, dict[str, tuple[Any, ...]]] = field(default_factory=dict)


class Sweepable(NamedTuple):
    """A setting that may have several values."""

    group: Literal["members", "method", "base"]
    entry: Entry
    parameter: Parameter

    @property
    def id(self) -> str:
        """What its widgets are called."""
        return MEMBERS if self.group == "members" else f"{self.group}:{self.entry.key}:{self.parameter.name}"

    @property
    def label(self) -> str:
        """What people read."""
        label = self.parameter.label
        return label if self.group == "members" else f"{label} ({within_sentence(self.entry.name)})"

    def start(self, choice: LearnerChoice) -> tuple[Any, ...]:
        """Return the values that a choice begins with; none when it has one only."""
        groups = {"method": choice.settings, "base": choice.base_settings}
        own = groups.get(self.group, {}).get(self.entry.key, {})
        value = choice.members if self.group == "members" else own.get(self.parameter.name)
        return value if isinstance(value, tuple) else ()


def first_value(value: Any) -> Any:
    """Return a value, the first of several."""
    return value[0] if isinstance(value, tuple) else value


def swept_now(chosen: Sequence[str], bases: Sequence[str], start: LearnerChoice, *, key: str) -> list[Sweepable]:
    """Return the settings that have several values in the widgets that `draw_sweeps` is about to draw."""
    offered = {one.id: one for one in _offered(chosen, bases)}
    begun = [name for name, one in offered.items() if one.start(start)]
    names = st.session_state.get(f"{key}_sweeps", begun)
    return [offered[name] for name in names if name in offered and _has_values(offered[name], start, key)]


def _has_values(setting: Sweepable, start: LearnerChoice, key: str) -> bool:
    """Whether values stand in the widget that `_draw_values` is about to draw."""
    anew = bool(setting.start(start)) or isinstance(setting.parameter, Choice | Flag)
    return bool(st.session_state.get(f"{key}_sweep_{setting.id}", anew))


def draw_sweeps(chosen: Sequence[str], bases: Sequence[str], start: LearnerChoice, *, key: str) -> Several:
    """Draw the choice of settings that have several values, and of the values, starting from those of `start`."""
    offered = {one.id: one for one in _offered(chosen, bases)}
    if not offered:
        return Several()
    names = st.multiselect(
        "Settings with several values",
        [*offered],
        default=[name for name, one in offered.items() if one.start(start)],
        format_func=lambda name: offered[name].label if name in offered else name,
        placeholder="Choose a setting",
        filter_mode="contains",
        select_all=False,
        help="Each value makes a learner of its own; results show the error against the setting.",
        key=f"{key}_sweeps",
    )
    values = {name: _draw_values(offered[name], offered[name].start(start), key) for name in names}
    return _sorted({offered[name]: own for name, own in values.items() if own})


def _offered(chosen: Sequence[str], bases: Sequence[str]) -> Iterator[Sweepable]:
    with_members = [methods()[method] for method in chosen if has_members(method)]
    for entry in with_members[:1]:
        yield from (Sweepable("members", entry, one) for one in plain_parameters(entry) if one.name == MEMBERS)
    for method in chosen:
        entry = methods()[method]
        own = [one for one in plain_parameters(entry) if one.name != MEMBERS and not isinstance(one, SeveralOf)]
        yield from (Sweepable("method", entry, one) for one in own)
    for base in bases:
        yield from (Sweepable("base", base_models()[base], one) for one in plain_parameters(base_models()[base]))


def _sorted(values: dict[Sweepable, tuple[Any, ...]]) -> Several:
    several: dict[str, dict[str, dict[str, tuple[Any, ...]]]] = {"method": {}, "base": {}}
    members = None
    for setting, own in values.items():
        if setting.group == "members":
            members = own
        else:
            several[setting.group].setdefault(setting.entry.key, {})[setting.parameter.name] = own
    return Several(members, several["method"], several["base"])


def _draw_values(setting: Sweepable, start: tuple[Any, ...], key: str) -> tuple[Any, ...]:
    """Draw the values of a setting, and return those that are allowed, none twice."""
    parameter, label, key = setting.parameter, f"{setting.label}: values", f"{key}_sweep_{setting.id}"
    if isinstance(parameter, Choice | Flag):
        words = _words(parameter)
        return tuple(
            st.multiselect(
                label,
                [*words],
                default=start or [*words],
                format_func=words.__getitem__,
                help=parameter.help,
                key=key,
            )
        )
    example = "10, 50, 100" if isinstance(parameter, Integer) else "0.1, 0.3, 0.5"
    text = st.text_input(
        label,
        value=", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in start),
        placeholder=f"Numbers with commas between, like {example}",
        help=parameter.help,
        key=key,
    )
    return _read(setting, text)


def _words(parameter: Choice | Flag) -> dict[Any, str]:
    if isinstance(parameter, Flag):
        return _ON_AND_OFF
    return dict(zip(parameter.choices, parameter.labels or parameter.choices, strict=True))


def _read(setting: Sweepable, text: str) -> tuple[Any, ...]:
    """Return the numbers in a text; what is none, or not allowed, is told and left out."""
    parameter, values, refused = setting.parameter, [], []
    for word in filter(None, _SEPARATORS.split(text)):
        try:
            value = int(word) if isinstance(parameter, Integer) else float(word)
            parameter.check(setting.entry.key, value)
        except (ValueError, InvalidParameter):
            refused.append(word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…")
        else:
            values.append(value)
    if refused:
        left_out = pluralize(len(refused), "value")
        sentence = f"{setting.label} must be {parameter.allowed()}, got {', '.join(refused[:5])}; {left_out} left out."
        st.error(escape_markdown(sentence))
    return tuple(dict.fromkeys(values))
