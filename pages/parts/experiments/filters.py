"""Which experiments are wanted: a search and filters, all kept in the address."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

from ensembles.wording import distinct
from pages.parts.address import held, in_address, tell_unknown
from pages.parts.experiment_rows import STATE_WORDS
from pages.parts.experiments.papers import NAMES, PAPER, papers_among
from pages.parts.live import words_now
from pages.parts.store import show_errors, store
from storage import Sorting, Wanted, Word
from storage.records import State

__all__ = ["SORTINGS", "draw_filters", "sort_by"]

SORTINGS: dict[Sorting, str] = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "name": "Name",
    "error": "Lowest error",
    "quickest": "Quickest",
    "longest": "Longest",
    "trials": "Most trials",
}
_KINDS = {
    "dataset": ("Data set", "uses"),
    "method": ("Method", "method"),
    "base": ("Base model", "base"),
    "protocol": ("Protocol", "protocol"),
    "tag": ("Tag", "tag"),
}
"""Kinds of words: what people read, and the key of the widget, which stands in the address."""
_ALL = "Any"


def draw_filters() -> Wanted:
    """Draw the search, the filters and the order; return what is wanted."""
    with show_errors():
        words = words_now()
    _tell_unknown(words)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="experiments_filters"):
        part = st.text_input(
            "Search",
            **in_address("search"),
            max_chars=200,
            placeholder="Search names, notes, tags, data sets",
            icon=":material/search:",
            label_visibility="collapsed",
            width=320,
        )
        label = _label(words)
        with st.popover(label, icon=":material/filter_list:", key="experiments_filter"):
            chosen = _choose_words(words)
        if _label(words) != label:  # after Back, what a filter held is known once it has heard the address
            st.rerun()
        mine = store().actor.kind == "user" and st.toggle("Mine", **in_address("mine"))
        starred = st.toggle("Starred", **in_address("starred"))
        archived = st.toggle("Archived", **in_address("archived"))
        sort = st.selectbox(
            "Sort by",
            list(SORTINGS.values()),
            **in_address("sort"),
            label_visibility="collapsed",
            width=160,
        )
    return replace(
        chosen,
        part=(part or "").strip(),
        starred=starred,
        mine=mine,
        archived=archived,
        sort=next(key for key, words_of_it in SORTINGS.items() if words_of_it == sort),
    )


def _tell_unknown(words: Mapping[str, Sequence[Word]]) -> None:
    """Say so where the address asks for what no experiment has."""
    options = _options(words)
    kinds = {"state": "state", PAPER: "paper", **{key: label.lower() for label, key in _KINDS.values()}}
    tell_unknown(
        *((key, options[key], kind) for key, kind in kinds.items()), instead="The list is not filtered by that."
    )


def _choose_words(words: Mapping[str, Sequence[Word]]) -> Wanted:
    """Draw the filters by state and by what experiments are found by."""
    states, papers, options = [*STATE_WORDS], _papers(words), _options(words)
    state = _choose("State", options["state"], "state")
    chosen = [_choose_word(kind, words.get(kind, []), options) for kind in _KINDS]
    paper = _choose("Published tables run again", options[PAPER], PAPER)
    found = tuple(word for word in chosen if word is not None)
    by_tag = {word for kind, word in found if kind == "tag"}
    return Wanted(
        states=() if state is None else (cast(State, states[state]),),
        words=found,
        tagged=() if paper is None else papers[paper],
        folds=tuple(tags for tags in papers if not by_tag.intersection(tags)) if paper is None else (),
    )


def sort_by(sort: Sorting) -> None:
    """Let the table have another order, as the choice of it would."""
    st.session_state["sort"] = SORTINGS[sort]


def _papers(words: Mapping[str, Sequence[Word]]) -> list[tuple[str, ...]]:
    return papers_among(word.word for word in words.get("tag", []))


def _options(words: Mapping[str, Sequence[Word]]) -> dict[str, Sequence[str]]:
    """Return what people read for everything that each filter offers, by the key of its widget."""
    own = {key: distinct([word.label for word in words.get(kind, [])]) for kind, (_, key) in _KINDS.items()}
    return {"state": [*STATE_WORDS.values()], **own, PAPER: [NAMES[tags] for tags in _papers(words)]}


def _label(words: Mapping[str, Sequence[Word]]) -> str:
    """Return what stands on the button: it says how many filters are set."""
    number = sum(held(key, options) is not None for key, options in _options(words).items())
    return f"Filter ({number})" if number else "Filter"


def _choose(label: str, options: Sequence[str], key: str) -> int | None:
    chosen = st.selectbox(label, options, index=None, placeholder=_ALL, **in_address(key), width=260)
    return options.index(chosen) if chosen in options else None


def _choose_word(kind: str, words: Sequence[Word], options: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    label, key = _KINDS[kind]
    place = _choose(label, options[key], key)
    return None if place is None else (kind, words[place].word)
