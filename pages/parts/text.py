"""Text for people: what users bring made harmless, moments in the reader's time zone."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from ensembles.data.names import clean_text
from ensembles.reports.formatting import when

__all__ = ["escape_lines", "escape_markdown", "format_datetime"]

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Shortcodes (:smile:, :material/home:) and bare links are recognised after unescaping; an invisible joiner stops them.
_LATE_SYNTAX = re.compile(r"(?<=:)(?=[\w+/-]+:|//)|(?<=@)(?=\w)|(?<=\bwww)(?=\.)", re.IGNORECASE)
_JOINER = "\u2060"


def escape_markdown(text: str) -> str:
    """Return `text` of a user such that Markdown shows it letter by letter, on one line, with nothing clickable."""
    joined = _LATE_SYNTAX.sub(_JOINER, " ".join(clean_text(text).split()))
    return _PUNCTUATION.sub(r"\\\1", joined)


def escape_lines(text: str) -> str:
    """Return sentences, one a line, as `escape_markdown` does; several as a list, below the first if it ends in a colon."""
    lines = [line for line in text.splitlines() if line.strip()]
    lead = [escape_markdown(lines.pop(0))] if len(lines) > 1 and lines[0].endswith(":") else []
    if len(lines) == 1:
        return " ".join([*lead, escape_markdown(lines[0])])
    return "\n".join([*lead, *(f"* {escape_markdown(line)}" for line in lines)])


def format_datetime(moment: datetime) -> str:
    """Return a moment in the reader's time zone: "today 09:41"."""
    return when(moment, datetime.now(_reader_zone()))


def _reader_zone() -> tzinfo:
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
