"""What takes long leaves a page free to be asked for something else."""

import threading
from functools import partial
from typing import Any

import pytest
from streamlit.delta_generator import DeltaGenerator

from pages.parts import meanwhile, plan_summary
from pages.parts.meanwhile import do_meanwhile
from tests.pages.made_up import tiny_config


class _Chosen(BaseException):
    """What Streamlit raises in a page where something else was chosen."""


@pytest.mark.usefixtures("storage")
def test_the_form_hears_what_is_chosen_while_learners_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, said = threading.Event(), []

    def say(_: DeltaGenerator, text: str, **__: Any) -> None:
        said.append(text)
        if len(said) == 3:
            raise _Chosen

    monkeypatch.setattr(meanwhile, "_PAUSE", 0.01)
    monkeypatch.setattr(plan_summary, "_LONG", 0.0)
    monkeypatch.setattr(plan_summary, "estimate_seconds", lambda *_, **__: compiled.wait(60))
    monkeypatch.setattr(DeltaGenerator, "caption", say)
    try:
        with pytest.raises(_Chosen):
            plan_summary._draw_time(tiny_config(), DeltaGenerator())
    finally:
        compiled.set()
    assert said[0].endswith("Estimating the time …")
    assert "compiled first" in said[2]


def test_what_is_done_comes_back_and_what_fails_is_raised() -> None:
    assert do_meanwhile(partial(int, "7"), pytest.fail) == 7
    with pytest.raises(ValueError, match="seven"):
        do_meanwhile(partial(int, "seven"), pytest.fail)
