"""Parts of a page that run again without the rest of it: dialogs, and what looks anew every few seconds."""

from collections.abc import Callable
from functools import wraps
from typing import Literal, ParamSpec

import streamlit as st

from pages.parts.store import show_errors

__all__ = ["dialog", "fragment"]

_Given = ParamSpec("_Given")


def fragment(draw: Callable[_Given, None], *, run_every: float | None) -> Callable[_Given, None]:
    """Return `draw` as a part that runs again every few seconds; what the storage refuses meanwhile is told in its place."""
    return st.fragment(_told(draw), run_every=run_every)


def dialog(
    title: str, *, width: Literal["small", "medium"] = "small", on_dismiss: Callable[[], None]
) -> Callable[[Callable[_Given, None]], Callable[_Given, None]]:
    """Return what makes a function a dialog; what the storage refuses while it is open is told in it."""

    def declare(draw: Callable[_Given, None]) -> Callable[_Given, None]:
        return st.dialog(title, width=width, on_dismiss=on_dismiss)(_told(draw))

    return declare


def _told(draw: Callable[_Given, None]) -> Callable[_Given, None]:
    @wraps(draw)
    def drawn(*given: _Given.args, **named: _Given.kwargs) -> None:
        with show_errors():  # the page, which would tell it, does not run
            draw(*given, **named)

    return drawn
