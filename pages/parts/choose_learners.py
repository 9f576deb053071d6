"""Choose learners: methods times base models, with the settings of each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ensembles.experiments.config import LearnerSpec
from ensembles.experiments.learner_choice import (
    MEMBERS,
    LearnerChoice,
    base_rows,
    has_members,
    method_rows,
)
from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.setting_words import plain_parameters, told_setting
from ensembles.learners.core.attribute_encoder import AttributeEncoder
from ensembles.libraries import REMEDY, lack_of
from ensembles.parameters import Parameter
from ensembles.registry import Entry, base_models, methods, within_sentence
from ensembles.reports.formatting import and_list
from pages.parts.choose_sweeps import Several, draw_sweeps, first_value, swept_now
from pages.parts.settings import draw_parameter, draw_settings, settings_now
from pages.parts.text import escape_markdown

__all__ = ["draw_learners"]

_FOREIGN = "scikit-learn "
_PRIMING = "prime_"
_MOST_TOLD, _MOST_LISTED = 3, 20
_USUAL = "Settings, or several values of one"


def draw_learners(start: tuple[LearnerSpec, ...], *, key: str) -> tuple[LearnerSpec, ...]:
    """Draw the choice of learners, starting from `start`; learners the form cannot show are kept until given up."""
    choice = LearnerChoice.of(start)
    if choice is None and not st.session_state.get(f"{key}_anew"):
        st.caption("These learners differ in ways the form does not show. They are used as they are.")
        names = learner_names(start)
        st.markdown("\n".join(f"- {escape_markdown(name)}" for name in names[:_MOST_LISTED]))
        if len(names) > _MOST_LISTED:
            st.caption(f"and {len(names) - _MOST_LISTED:,} more")
        st.button("Choose others", on_click=_choose_anew, args=(f"{key}_anew",), key=f"{key}_others")
        return start
    return _draw_choice(choice or LearnerChoice((), ()), key).learners()


def _choose_anew(flag: str) -> None:
    st.session_state[flag] = True


def _draw_choice(start: LearnerChoice, key: str) -> LearnerChoice:
    st.markdown("**Methods**")
    in_order = _draw_rows(method_rows(), methods(), start.methods, f"{key}_methods")
    st.markdown("**Base models**")
    bases = _draw_rows(base_rows(), base_models(), start.bases, f"{key}_bases")
    st.caption("*Learners*, in the menu, tells what each of them is; what is chosen here stays.")
    in_the_open = st.container()
    with st.expander(_title(in_order, bases, start, key), key=f"{key}_settings"):
        folded = st.container(horizontal=True)
        several = draw_sweeps(in_order, bases, start, key=key)  # first, as it says which settings are not drawn above
    choice = _draw_settings(in_order, bases, start, several, key, (in_the_open, folded))
    if free := [one for one in in_order if methods()[one].chooses_base]:
        stay = "stay what they are" if len(free) > 1 else "stays what it is"
        st.caption(f"Whichever base models are chosen, {_listed(free)} {stay}.")
    for base, without in choice.left_out().items():
        st.caption(f"{_shown(base_models()[base])} sees all examples at once: left out with {_listed(without)}.")
    return choice


def _listed(keys: Sequence[str]) -> str:
    return and_list(within_sentence(methods()[key].name) for key in keys)


def _title(in_order: tuple[str, ...], bases: tuple[str, ...], start: LearnerChoice, key: str) -> str:
    """Return what is not as usual in the settings that are folded away."""
    swept = swept_now(in_order, bases, start, key=key)
    told = [f"several values of {and_list(within_sentence(one.label) for one in swept)}"] if swept else []
    elsewhere = {(one.entry.key, one.parameter.name) for one in swept}
    method_entries, base_entries = [methods()[one] for one in in_order], [base_models()[one] for one in bases]
    for entry in (*method_entries, *base_entries):
        values = _first_values(start.base_settings if entry.kind == "base" else start.settings, entry)
        own = [one for one in _folded(entry) if (entry.key, one.name) not in elsewhere]
        words = _changed(own, values, f"{key}_{entry.key}")
        if entry.kind == "base":
            encoding = start.encodings.get(entry.key, {})
            words += _changed(AttributeEncoder.parameters, encoding, f"{key}_{entry.key}_encode")
        told += [f"{within_sentence(entry.name)} ({_some(words)})"] * bool(words)
    return escape_markdown(f"Settings: {_some(told)}") if told else _USUAL


def _some(words: list[str]) -> str:
    return ", ".join([*words[:_MOST_TOLD], *[f"{len(words) - _MOST_TOLD} more"] * (len(words) > _MOST_TOLD)])


def _changed(parameters: Sequence[Parameter], values: Mapping[str, Any], key: str) -> list[str]:
    """Return in words what differs from the defaults in the widgets that are about to be drawn."""
    now = settings_now(parameters, values, key=key)
    return [told_setting(one, now[one.name]) for one in parameters if now[one.name] != one.default]


def _folded(entry: Entry) -> list[Parameter]:
    """Return the parameters that are drawn behind a button, not in the open."""
    parameters = plain_parameters(entry)
    if entry.kind == "base":
        return [*parameters]
    return [one for one in parameters if one.name != MEMBERS and not one.name.startswith(_PRIMING)]


def _draw_settings(
    in_order: tuple[str, ...],
    bases: tuple[str, ...],
    start: LearnerChoice,
    several: Several,
    key: str,
    places: tuple[DeltaGenerator, DeltaGenerator],
) -> LearnerChoice:
    """Draw the settings that have one value, and return the choice with those that have several."""
    in_the_open, folded = places
    with in_the_open:
        members = several.members or _draw_members(in_order, start, key)
        settings = {method: _draw_priming(methods()[method], start, several, key) for method in in_order}
    with folded:
        for method in in_order:
            settings[method] |= _draw_own(methods()[method], start, several, key)
        drawn = {base: _draw_base(base_models()[base], start, several, key) for base in bases}
    base_settings, encodings = ({base: pair[part] for base, pair in drawn.items()} for part in (0, 1))
    settings = {method: own | several.of_methods.get(method, {}) for method, own in settings.items()}
    base_settings = {base: own | several.of_bases.get(base, {}) for base, own in base_settings.items()}
    return LearnerChoice(in_order, bases, members, settings, base_settings, encodings)


def _shown(entry: Entry) -> str:
    """Return the name of a learner as it stands in a list: "Decision tree (scikit-learn)"."""
    _, foreign, own = entry.name.partition(_FOREIGN)
    return f"{own[:1].upper()}{own[1:]} ({_FOREIGN.strip()})" if foreign else entry.name


def _draw_rows(
    rows: Mapping[str, list[str]], entries: Mapping[str, Entry], start: Sequence[str], key: str
) -> tuple[str, ...]:
    """Draw a row of pills for each family, and return the keys chosen in all of them, in the order of `entries`."""
    chosen: list[str] = []
    for label, row in rows.items():
        name, pills = st.columns([1, 3], gap="small")
        names = {one: _shown(entries[one]).removesuffix(f" ({label})") for one in row}
        lacking = [one for one in row if lack_of(entries[one].cls)]
        name.markdown(f":small[{label}]")
        chosen += pills.pills(
            label,
            [one for one in row if one not in lacking or one in start],
            selection_mode="multi",
            default=[one for one in row if one in start],
            format_func=names.__getitem__,
            label_visibility="collapsed",
            wrap=True,
            key=f"{key}_{label}",
        )
        if lacking:
            pills.caption(
                f"Not installed: {and_list(names[one] for one in lacking)}. {REMEDY[:1].upper()}{REMEDY[1:]}."
            )
    return tuple(one for one in entries if one in chosen)


def _draw_members(chosen: Sequence[str], start: LearnerChoice, key: str) -> int | None:
    with_members = [method for method in chosen if has_members(method)]
    if not with_members:
        return None
    parameter = next(p for p in methods()[with_members[0]].parameters if p.name == MEMBERS)
    parameter = replace(parameter, help="")  # its label says it, and a sign to point at is a stop of the Tab key
    value = first_value(start.members)
    return int(draw_parameter(with_members[0], parameter, parameter.default if value is None else value, key=key))


def _draw_priming(entry: Entry, start: LearnerChoice, several: Several, key: str) -> dict[str, Any]:
    """Draw how a primed method is primed, in the open, and return what differs from the defaults."""
    known = several.of_methods.get(entry.key, {})
    priming = [one for one in plain_parameters(entry) if one.name.startswith(_PRIMING) and one.name not in known]
    values = _first_values(start.settings, entry)
    chosen: dict[str, Any] = {}
    for parameter, column in zip(priming, st.columns(len(priming)) if priming else (), strict=True):
        with column:
            chosen |= draw_settings(entry.key, [parameter], values, key=f"{key}_{entry.key}")
    return chosen


def _draw_own(entry: Entry, start: LearnerChoice, several: Several, key: str) -> dict[str, Any]:
    """Draw behind a button what only this method or base model has, and return what differs from the defaults."""
    own = [one for one in _folded(entry) if one.name not in several.of_methods.get(entry.key, {})]
    if not own:
        return {}
    with st.popover(_shown(entry), icon=":material/tune:", help=f"Settings of {within_sentence(entry.name)}"):
        return draw_settings(entry.key, own, _first_values(start.settings, entry), key=f"{key}_{entry.key}")


def _draw_base(entry: Entry, start: LearnerChoice, several: Several, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw behind a button the settings of a base model and how attributes are encoded for it."""
    own = [one for one in _folded(entry) if one.name not in several.of_bases.get(entry.key, {})]
    with st.popover(_shown(entry), icon=":material/tune:", help=f"Settings of {within_sentence(entry.name)}"):
        settings = draw_settings(entry.key, own, _first_values(start.base_settings, entry), key=f"{key}_{entry.key}")
        st.caption("How it sees the attributes, fitted to the training examples")
        encoding = start.encodings.get(entry.key, {})
        encode = AttributeEncoder.parameters
        return settings, draw_settings(AttributeEncoder.key, encode, encoding, key=f"{key}_{entry.key}_encode")


def _first_values(settings: Mapping[str, Mapping[str, Any]], entry: Entry) -> dict[str, Any]:
    return {name: first_value(value) for name, value in settings.get(entry.key, {}).items()}
