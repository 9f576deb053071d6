"""What the address of a page says: what it is about, which view is open, and what to say when it leads nowhere."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NoReturn, TypedDict, TypeVar
from urllib.parse import urlencode

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.parts.text import escape_markdown

__all__ = [
    "address_query",
    "choose_page",
    "choose_segment",
    "choose_view",
    "end_nowhere",
    "held",
    "in_address",
    "is_about_something",
    "kept_address",
    "place",
    "switch_subject",
    "tell_unknown",
    "visit",
]

_SUBJECTS = ("token", "experiment", "experiments", "on", "table", "dataset", "clone", "extend", "settings")
"""Parameters that say what a page is about; all others belong to a widget, which keeps its own up to date."""
_KEPT = "address_kept"
_TOLD = "address_told"
_NAMED = "address_named"
_VISITS = "address_visits"
_T = TypeVar("_T")


@contextmanager
def kept_address(page: str) -> Iterator[None]:
    """Draw a page, and have the browser show and remember what it is about.

    A link to the page one is on gives its parameters to the next run and to no other: the browser neither shows nor
    sends them again, so the next widget would lose them. Saying them once more puts that right, with one entry in the
    browser's history. Where the page changed as well the browser has seen to it. A run that was interrupted may not
    have been heard, so only one that came to its end counts.
    """
    subject = _subject()
    told = st.session_state.pop(_TOLD, None)
    known = st.session_state.get(_KEPT)
    if known is not None and known != (page, subject):
        _forget_widgets()
    if known is None or known[0] != page:
        st.session_state[_VISITS] = visit() + 1
        st.session_state[_KEPT] = (page, subject)
    elif known[1] != subject:
        st.session_state[_KEPT] = (page, None)
        if told != subject:
            st.query_params.update(subject)
    yield
    st.session_state[_KEPT] = (page, subject)


def visit() -> int:
    """Return a number that is another one each time a page is come to, for widgets that shall start anew then.

    The browser keeps what widgets of a page had when it is left, and sends it again when one comes back.
    """
    number: int = st.session_state.get(_VISITS, 0)
    return number


def place() -> tuple[int, dict[str, str]]:
    """Return what differs as soon as a page is come to anew, or is about something else."""
    return visit(), _subject()


def _subject() -> dict[str, str]:
    return {name: st.query_params[name] for name in _SUBJECTS if name in st.query_params}


def is_about_something() -> bool:
    """Return whether the address says what the page is about: it stands there for more than itself."""
    return bool(_subject())


def address_query() -> str:
    """Return what stands in the address behind its question mark: of a choice of several all of them."""
    return urlencode({name: st.query_params.get_all(name) for name in st.query_params}, doseq=True)


def switch_subject(page: str | StreamlitPage, subject: Mapping[str, str | Sequence[str]]) -> NoReturn:
    """Run the page one is on about something else.

    `st.switch_page` has the browser show it. Said once more, it could come after a quick Back, and stand in the browser's
    history anew.
    """
    st.session_state[_TOLD] = dict(subject)
    st.switch_page(page, query_params=subject)


class _InAddress(TypedDict):
    """What a widget is told whose value stands in the address."""

    key: str
    bind: Literal["query-params"]


def in_address(name: str) -> _InAddress:
    """Return the arguments by which a widget keeps its value in the address, as the parameter `name`, and remember it."""
    st.session_state.setdefault(_NAMED, set()).add(name)
    return {"key": name, "bind": "query-params"}


def _forget_widgets() -> None:
    """Let widgets of the address that this one does not name start anew: what was chosen there was about other things.

    Streamlit would draw them as they were, and push a second entry into the browser's history to say so. The widgets are
    known since they were drawn: the run that would have heard a choice may have been cut off by a quick Back.
    """
    for name in st.session_state.get(_NAMED, set()).difference(st.query_params):
        st.session_state.pop(name, None)


def held(name: str, options: Sequence[_T]) -> _T | None:
    """Return which of the options a choice holds that is drawn later; at the first run the address alone knows."""
    value: Any = st.session_state[name] if name in st.session_state else st.query_params.get(name)
    return value if value in options else None


def tell_unknown(*asked: tuple[str, Collection[str], str], instead: str = "What is shown is chosen below.") -> None:
    """Say that the address names what is not there: choices drop it without a word, so this is drawn before them.

    Each is a parameter, the values that it may have, and what one of them is.
    """
    unknown = [
        f"no {what} is called “{value}”"
        for name, known, what in asked
        for value in st.query_params.get_all(name)
        if value and value not in known
    ]
    if unknown:
        said = "; ".join(unknown)
        st.warning(escape_markdown(f"{said[0].upper()}{said[1:]} here. {instead}"), icon=":material/link_off:")


def choose_view(views: Sequence[str], *, key: str) -> str:
    """Draw the choice of a view, the first one at the start, and return it; the address keeps it as `key`."""
    return choose_segment("View", views, key=key, label_visibility="collapsed")


def choose_segment(
    label: str,
    options: Sequence[_T],
    *,
    key: str,
    say: Callable[[_T], str] = str,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> _T:
    """Draw a choice in segments, the first one at the start, and return it; the address keeps it as `key`.

    An address that names the choice and says nothing (`view=`) leaves it without a value: that is the first one too.
    """
    chosen: _T | None = st.segmented_control(
        label,
        options,
        format_func=say,
        default=options[0],
        required=True,
        **in_address(key),
        label_visibility=label_visibility,
    )
    return options[0] if chosen is None else chosen


def choose_page(pages: int, *, key: str) -> int:
    """Draw the choice of a page where there are several, and return it; the address keeps it as `key`.

    It has to be drawn before the page itself, which stands above it: before it is drawn, the address is not heard.
    """
    return st.pagination(pages, **in_address(key)) if pages > 1 else 1


def end_nowhere(title: str, error: Exception, page: str, label: str) -> NoReturn:
    """Say what the address asks for and is not there, show a way out, and end the page."""
    sentence = str(error)
    st.title(title, anchor=False)
    st.error(escape_markdown(f"{sentence[:1].upper()}{sentence[1:]}."), icon=":material/link_off:")
    st.page_link(page, label=label, icon=":material/arrow_back:")
    st.stop()
