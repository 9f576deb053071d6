"""The mark of Ensemble Lab: members around what they decide together."""

from functools import cache
from pathlib import Path

__all__ = ["favicon", "logo"]

_FOLDER = Path(__file__).parent
_DARK = {"#11171a": "#e8e8e3", "#0f6b6d": "#4fb8b4"}  # ink and accent of the light theme -> of the dark one


@cache
def logo(theme: str | None) -> str:
    """Return mark and name as SVG for a "light" or "dark" theme."""
    drawing = (_FOLDER / "logo.svg").read_text(encoding="utf-8")
    if theme == "dark":
        for light, dark in _DARK.items():
            drawing = drawing.replace(light, dark)
    return drawing


@cache
def favicon() -> str:
    """Return the mark alone as SVG."""
    return (_FOLDER / "mark.svg").read_text(encoding="utf-8")
