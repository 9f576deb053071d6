"""A declared parameter draws its own widget."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ensembles.parameters import Choice, Flag, Integer, Real, SeveralOf
from pages.parts.settings import draw_parameter

PARAMETERS = (
    Integer("members", 100, "Members", "How many vote.", low=1, high=10_000),
    Real("share", 0.2, "Share", "Of the examples.", low=0.0, high=1.0, open_low=True),
    Real("rate", 0.1, "Rate", "No upper end."),
    Choice("vote", "hard", "Votes", "How to vote.", choices=("hard", "soft"), labels=("one each", "average")),
    Flag("stratified", True, "Stratified", "Same shares."),
    SeveralOf("models", "a+b", "Models", "Which.", known={"a": "First", "b": "Second", "c": "Third"}.copy),
)


def _page(parameters: tuple, values: dict) -> None:
    import streamlit as st

    from pages.parts.settings import draw_settings

    st.session_state["chosen"] = draw_settings("somebody", parameters, values, key="t")


def draw(values: dict[str, Any] | None = None) -> AppTest:
    return AppTest.from_function(_page, args=(PARAMETERS, values or {}), default_timeout=90).run()


def test_untouched_settings_are_the_defaults_and_need_no_word() -> None:
    assert draw().session_state["chosen"] == {}


def test_label_help_and_limits_come_from_the_declaration() -> None:
    app = draw()
    members = app.number_input(key="t_members")
    assert (members.label, members.help, members.min, members.max) == ("Members", "How many vote.", 1, 10_000)
    assert app.selectbox(key="t_vote").options == ["one each", "average"]
    assert app.toggle(key="t_stratified").value is True


def test_given_values_are_where_the_widgets_start() -> None:
    given = {"members": 7, "share": 0.5, "vote": "soft", "stratified": False}
    assert draw(given).session_state["chosen"] == given


def test_several_are_chosen_from_a_list_and_too_few_are_refused() -> None:
    app = draw({"models": "c+a"})
    models = app.multiselect(key="t_models_words")
    assert (models.options, models.value) == (["First", "Second", "Third"], ["c", "a"])
    models.set_value(["b", "c"]).run()
    assert app.session_state["chosen"] == {"models": "b+c"}
    app.multiselect(key="t_models_words").set_value(["b"]).run()
    assert app.session_state["chosen"] == {}
    assert 'Models must be at least 2 different ones joined by "+" of a, b, c; a+b is used.' in app.error[
        0
    ].value.replace("\\", "")


def test_changes_are_returned_with_their_types() -> None:
    app = draw()
    app.number_input(key="t_members").set_value(50)
    app.number_input(key="t_rate").set_value(2.5)
    app.selectbox(key="t_vote").select("soft").run()
    chosen = app.session_state["chosen"]
    assert chosen == {"members": 50, "rate": 2.5, "vote": "soft"}
    assert isinstance(chosen["members"], int)


def test_a_value_the_widget_lets_through_is_told_and_replaced() -> None:
    app = draw()
    app.number_input(key="t_share").set_value(0.0).run()
    assert "Share must be a number in" in app.error[0].value.replace("\\", "")
    assert app.session_state["chosen"] == {}


def test_an_unknown_kind_of_parameter_is_refused() -> None:
    from ensembles.parameters import Parameter

    with pytest.raises(TypeError, match="no widget is known for a parameter of type Parameter"):
        draw_parameter("somebody", Parameter("x", 1, "X", ""), 1, key="t")
