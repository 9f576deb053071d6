"""Who sees an experiment or a data set: in words, as a choice, as a badge."""

from typing import get_args

import streamlit as st

from pages.parts.store import store
from pages.parts.text import escape_markdown
from storage import DatasetRecord, ExperimentRecord, Visibility
from storage.access import checked_visibility

__all__ = ["choose_visibility", "owner_badges"]

_WORDS: dict[str, tuple[str, str]] = {
    "private": ("Only me", "lock"),
    "team": ("The team", "group"),
    "link": ("Everybody with the address", "public"),
}


def choose_visibility(label: str, value: str, *, key: str) -> Visibility:
    """Draw the choice of who sees something, and return it; where nobody signs in nothing is drawn, and `value` stays."""
    if store().actor.kind != "user":
        return checked_visibility(value)
    offered: tuple[Visibility, ...] = get_args(Visibility)
    chosen = st.segmented_control(
        escape_markdown(label),
        offered,
        default=value if value in offered else "team",
        required=True,
        format_func=lambda one: f":material/{_WORDS[one][1]}: {_WORDS[one][0]}",
        key=key,
    )
    return checked_visibility(chosen)


def owner_badges(record: ExperimentRecord | DatasetRecord) -> list[str]:
    """Return, where people sign in, whose something is and who sees it, as Markdown; of the usual nothing is said."""
    actor = store().actor
    if actor.kind != "user":
        return []
    badges = []
    if record.visibility != "team":
        words, icon = _WORDS[record.visibility]
        mine = record.user_id == actor.user_id
        badges.append(f":gray-badge[:material/{icon}: {words if mine or icon != 'lock' else 'Only its owner'}]")
    if record.user_name and record.user_id != actor.user_id:
        badges.append(f":gray-badge[:material/person: {escape_markdown(record.user_name)}]")
    return badges
