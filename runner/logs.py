"""What the program says about its work on standard error: as text, or as one JSON object a line; never a secret.

What a message names as `experiment %s`, `trial %s` or `user %s` stands in fields of those names too.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO
from urllib.parse import unquote, urlsplit

from ensembles.errors import InvalidInput

__all__ = ["JsonFormatter", "SafeFormatter", "log_form", "set_up_logs"]

_OURS = ("ensembles", "pages", "runner", "server", "storage")
_NOISY = ("alembic", "distributed")
_FIELDS = ("experiment", "trial", "user")
_PLACE = re.compile(rf"%%|(?:\b({'|'.join(_FIELDS)}) )?%[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
_SECRETS = (
    (re.compile(r"(://[^\s:/@]*:)\S+(@)"), r"\1***\2"),
    (re.compile(r"(?i)((?:set-)?cookie|authorization)(['\"]?\s*[:=,]\s*)[^\r\n]+"), r"\1\2***"),
    (re.compile(r"(?i)\b(bearer|basic) +[\w.~+/=-]+"), r"\1 ***"),
    (
        re.compile(r"(?i)(\w*(?:password|passwd|token|secret)['\"]?\s*[=:]\s*)(?:'[^']*'|\"[^\"]*\"|[^\s'\"&,;)]+)"),
        r"\1***",
    ),
    (re.compile(r"(?i)\b((?:link|code|state)=)[\w.~-]{16,}"), r"\1***"),
    (re.compile(r"\blab_[\w-]{16,}"), "lab_***"),
)


def log_form() -> str:
    """Return how logs are written, `json` or `text`; raise `InvalidInput` where `ENSEMBLE_LAB_LOG` says something else."""
    wanted = os.environ.get("ENSEMBLE_LAB_LOG") or "text"
    if wanted not in {"json", "text"}:
        raise InvalidInput(f"ENSEMBLE_LAB_LOG: must be json or text, got {wanted!r}")
    return wanted


def set_up_logs(database: str | None = None) -> None:
    """Let everything that is logged go to standard error as `ENSEMBLE_LAB_LOG` says, `text` or `json`.

    Handlers of others that write to the terminal write the same way from then on.

    Parameters
    ----------
    database : str, optional
        As in `open_storage`; its password is never told.

    Raises
    ------
    InvalidInput
        `ENSEMBLE_LAB_LOG` says something else.
    """
    wanted = log_form()
    known = _secrets_of_settings(database)
    for handler in _terminal_handlers():
        handler.setFormatter(JsonFormatter(known) if wanted == "json" else SafeFormatter(known, handler.formatter))
    ours = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(message)s")
    ours.setFormatter(JsonFormatter(known) if wanted == "json" else SafeFormatter(known, plain))
    logging.basicConfig(handlers=[ours])
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").propagate = True  # else Streamlit leaves it without any handler
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.CRITICAL)


class SafeFormatter(logging.Formatter):
    """Writes a line as another formatter does, without secrets.

    Parameters
    ----------
    known : iterable of str
        Secrets that are taken out wherever they stand, besides what looks like one.
    inner : logging.Formatter, optional
    """

    def __init__(self, known: Iterable[str] = (), inner: logging.Formatter | None = None) -> None:
        super().__init__()
        self._known = sorted(known, key=len, reverse=True)
        self._inner = inner or logging.Formatter()

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return self._safe(self._inner.format(record))

    def _safe(self, text: str) -> str:
        for secret in self._known:
            text = text.replace(secret, "***")
        for pattern, shown in _SECRETS:
            text = pattern.sub(shown, text)
        return text


class JsonFormatter(SafeFormatter):
    """Writes one JSON object a line: time (UTC), level, logger, message, and what is known of the work."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        told: dict[str, str] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._safe(record.getMessage()),
            **{name: self._safe(value) for name, value in _named_in(record).items()},
        }
        if record.exc_info:
            told["exception"] = self._safe(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False)


def _named_in(record: logging.LogRecord) -> dict[str, str]:
    given = record.args if isinstance(record.args, tuple) else ()
    places = [place for place in _PLACE.finditer(str(record.msg)) if place[0] != "%%"]
    named = {place[1]: str(value) for place, value in zip(places, given, strict=False) if place[1]}
    return named | {name: str(getattr(record, name)) for name in _FIELDS if hasattr(record, name)}


def _terminal_handlers() -> list["logging.StreamHandler[TextIO]"]:
    """Return the handlers of all loggers that write to standard output or error, those of libraries too."""
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.getLogger().manager.loggerDict)]
    handlers = {id(handler): handler for logger in loggers for handler in logger.handlers}
    terminals = {sys.stdout, sys.stderr}
    return [one for one in handlers.values() if isinstance(one, logging.StreamHandler) and one.stream in terminals]


def _secrets_of_settings(database: str | None) -> set[str]:
    password = _password_of(_text_of(database or os.environ.get("DATABASE_URL", "")))
    token = _text_of(os.environ.get("ENSEMBLE_LAB_METRICS_TOKEN", ""))
    return {secret for secret in (password, unquote(password), token) if len(secret) >= 4}  # less is part of any word


def _password_of(address: str) -> str:
    try:
        return urlsplit(address).password or ""
    except ValueError:
        return ""


def _text_of(given: str) -> str:
    """Return a setting, read from its file where it names one."""
    try:
        return Path(given[1:]).expanduser().read_text(encoding="utf-8").strip() if given.startswith("@") else given
    except (OSError, UnicodeDecodeError):
        return ""
