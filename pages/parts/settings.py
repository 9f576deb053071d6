"""Draw the widget of a declared parameter: label, help and limits come from the declaration."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st

from ensembles.errors import InvalidParameter
from ensembles.parameters import Choice, Flag, Integer, Parameter, Real, SeveralOf
from pages.parts.text import escape_markdown

__all__ = ["draw_parameter", "draw_settings", "settings_now"]


def draw_settings(
    owner: str, parameters: Iterable[Parameter], values: Mapping[str, Any], *, key: str
) -> dict[str, Any]:
    """Draw one widget per parameter and return the settings that differ from their defaults.

    Parameters
    ----------
    owner : str
        Key of what the parameters belong to, named in errors.
    values : mapping
        Settings to start from; what is absent starts at its default.
    key : str
        Prefix of the widgets' keys.
    """
    chosen = {}
    for parameter in parameters:
        value = draw_parameter(owner, parameter, values.get(parameter.name, parameter.default), key=key)
        if value != parameter.default:
            chosen[parameter.name] = value
    return chosen


def settings_now(parameters: Iterable[Parameter], values: Mapping[str, Any], *, key: str) -> dict[str, Any]:
    """Return every setting as it stands in the widgets that `draw_settings` is about to draw: what is said above them."""
    return {
        one.name: st.session_state.get(f"{key}_{one.name}", values.get(one.name, one.default)) for one in parameters
    }


def draw_parameter(owner: str, parameter: Parameter, value: Any, *, key: str) -> Any:
    """Draw the widget of one parameter, starting at `value`, and return what is chosen.

    A value that the widget allows but the declaration does not is told under the widget and replaced by the default.
    """
    widget_key = f"{key}_{parameter.name}"
    chosen: Any
    match parameter:
        case Integer():
            chosen = _draw_integer(parameter, value, widget_key)
        case Real():
            chosen = _draw_real(parameter, value, widget_key)
        case Choice():
            labels = dict(zip(parameter.choices, parameter.labels or parameter.choices, strict=True))
            chosen = st.selectbox(
                parameter.label,
                parameter.choices,
                index=parameter.choices.index(value),
                format_func=lambda choice: labels[choice],
                help=parameter.help or None,
                key=widget_key,
            )
        case SeveralOf():
            known = parameter.known()
            words = st.multiselect(
                parameter.label,
                [*known],
                default=parameter.words(value),
                format_func=known.__getitem__,
                help=parameter.help or None,
                key=f"{widget_key}_words",
            )
            chosen = st.session_state[widget_key] = "+".join(words)
        case Flag():
            chosen = st.toggle(parameter.label, value=value, help=parameter.help or None, key=widget_key)
        case _:
            raise TypeError(f"no widget is known for a parameter of type {type(parameter).__name__}")
    try:
        parameter.check(owner, chosen)
    except InvalidParameter:
        st.error(escape_markdown(f"{parameter.label} must be {parameter.allowed()}; {parameter.default} is used."))
        return parameter.default
    return chosen


def _draw_integer(parameter: Integer, value: int, key: str) -> int:
    return st.number_input(
        parameter.label,
        min_value=parameter.low,
        max_value=parameter.high,
        value=int(value),
        step=1,
        help=parameter.help or None,
        key=key,
    )


def _draw_real(parameter: Real, value: float, key: str) -> float:
    bounded = math.isfinite(parameter.low) and math.isfinite(parameter.high)
    return st.number_input(
        parameter.label,
        min_value=parameter.low if math.isfinite(parameter.low) else None,
        max_value=parameter.high if math.isfinite(parameter.high) else None,
        value=float(value),
        step=(parameter.high - parameter.low) / 20 if bounded else 0.1,
        format="%g",
        help=parameter.help or None,
        key=key,
    )
