"""Declare a parameter once: the declaration checks values, documents them and draws the widget on the page."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ensembles.errors import InvalidParameter
from ensembles.wording import written

__all__ = [
    "Argument",
    "Choice",
    "Flag",
    "Integer",
    "Parameter",
    "Real",
    "SeveralOf",
    "check_parameters",
    "check_settings",
    "with_defaults_of",
    "with_names_of_today",
]


@dataclass(frozen=True)
class Parameter:
    """One setting of a learner: its name in Python, its default, and the words a person reads.

    `details` are what `help()` says, where it says more than the page. `lasting`: what members have learned depends on it,
    so that it stays until `fit` begins anew. One that does not last may change between two calls of `partial_fit`. `former`:
    the name it had once: experiment files may go on saying it, and what was stored is still found by it. `former_defaults`:
    the defaults it had in documents of format 1, 2 and so on, up to the last in which it was not that of today: documents of
    these formats go on meaning them, and keys of trials go on leaving the first out.
    """

    name: str = ""  # in the body of a class it is the name of the attribute
    default: Any = None
    label: str = ""
    help: str = ""
    details: str = field(default="", kw_only=True)
    lasting: bool = field(default=True, kw_only=True)
    former: str = field(default="", kw_only=True)
    former_defaults: tuple[Any, ...] = field(default=(), kw_only=True)

    @property
    def unwritten(self) -> Any:
        """The value that keys of trials leave out: the default in documents of the first format."""
        return self.default_in(1)

    def default_in(self, form: int) -> Any:
        """Return what documents of format `form`, counted from 1, mean where they say nothing."""
        return self.former_defaults[form - 1] if form <= len(self.former_defaults) else self.default

    def check(self, owner: str, value: Any) -> None:
        """Raise `InvalidParameter` unless `value` is allowed; `owner` is the key of the learner that is named."""
        if not self._allows(value):
            raise InvalidParameter(f"{owner}: {self.name} must be {self.allowed()}, got {written(value)}")

    def check_default(self, owner: str) -> None:
        """Raise `InvalidParameter` unless the default, and those before it, are allowed, once a class declares it."""
        for default in (self.default, *self.former_defaults):
            self.check(owner, default)

    def allowed(self) -> str:
        """Return what is allowed, in words."""
        raise NotImplementedError

    def kind(self) -> str:
        """Return what it is in the words of a docstring: `int`, `{"hard", "soft"}`."""
        raise NotImplementedError

    def said(self) -> str:
        """Return what it does, in sentences."""
        return self.details or self.help

    def _allows(self, value: Any) -> bool:
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return the declaration as plain values, for the command line and the pages."""
        return {
            "name": self.name,
            "default": self.default,
            "label": self.label,
            "help": self.help,
            "allowed": self.allowed(),
        }


@dataclass(frozen=True)
class Integer(Parameter):
    """A whole number in [low, high]."""

    low: int = 0
    high: int = 2**31 - 1

    def allowed(self) -> str:
        return f"an integer in [{self.low}, {self.high}]"

    def kind(self) -> str:
        return f"int in [{self.low}, {self.high}]"

    def _allows(self, value: Any) -> bool:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        return whole and bool(self.low <= value <= self.high)


@dataclass(frozen=True)
class Real(Parameter):
    """A finite number in [low, high], or (low, high] when `open_low`."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False

    def allowed(self) -> str:
        return f"a number in {self._range()}"

    def kind(self) -> str:
        return f"float in {self._range()}"

    def _range(self) -> str:
        begin, end = "(" if self.open_low or math.isinf(self.low) else "[", ")" if math.isinf(self.high) else "]"
        return f"{begin}{self.low:g}, {self.high:g}{end}"

    def _allows(self, value: Any) -> bool:
        number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            return False
        return bool((self.low < value if self.open_low else self.low <= value) and value <= self.high)


@dataclass(frozen=True)
class Choice(Parameter):
    """One of a few words; `labels` are what a person reads for each."""

    choices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def allowed(self) -> str:
        return "one of " + ", ".join(repr(choice) for choice in self.choices)

    def kind(self) -> str:
        return "{" + ", ".join(f'"{choice}"' for choice in self.choices) + "}"

    def said(self) -> str:
        pairs = zip(self.choices, self.labels, strict=True) if self.labels else ()
        labelled = "; ".join(f'"{word}": {label}' for word, label in pairs)
        return self.details or f"{self.help} {labelled}." if labelled else super().said()

    def _allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.choices


@dataclass(frozen=True)
class Flag(Parameter):
    """Yes or no."""

    def allowed(self) -> str:
        return "true or false"

    def kind(self) -> str:
        return "bool"

    def _allows(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True)
class SeveralOf(Parameter):
    """Different words of a list, in a text that joins them by "+"; `known` gives the list, once somebody asks for it.

    `least`: how many there must be.
    """

    known: Callable[[], Mapping[str, str]] = dict  # by word: what a person reads for it
    least: int = 2

    def check_default(self, owner: str) -> None:
        """Check nothing: the list may not be there yet."""

    def allowed(self) -> str:
        return f'at least {self.least} different ones joined by "+" of {", ".join(self.known())}'

    def kind(self) -> str:
        return "str"

    def words(self, value: str) -> list[str]:
        """Return the words in a value."""
        return value.split("+") if value else []

    def _allows(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        words = self.words(value)
        return len(words) >= self.least and len({*words}) == len(words) and {*words} <= {*self.known()}


@dataclass(frozen=True)
class Argument(Parameter):
    """What a learner takes in Python only, and checks itself: a base model, names of columns, a seed.

    `what`: what it is, in words. `at_end`: it comes after all others, also after those that subclasses add.
    """

    what: str = field(default="", kw_only=True)
    at_end: bool = field(default=False, kw_only=True)

    def allowed(self) -> str:
        return self.what

    def kind(self) -> str:
        return self.what

    def _allows(self, value: Any) -> bool:  # noqa: ARG002
        return True


def check_parameters(learner: Any) -> None:
    """Check every declared parameter of `learner` (attributes `key` and `parameters` of its class)."""
    for parameter in learner.parameters:
        parameter.check(learner.key, getattr(learner, parameter.name))


def check_settings(owner: str, parameters: Iterable[Parameter], settings: Mapping[str, Any]) -> None:
    """Raise `InvalidParameter` unless every setting is one of `parameters` and has a value that it allows."""
    declared = {parameter.name: parameter for parameter in parameters}
    renamed = {parameter.former: parameter.name for parameter in declared.values() if parameter.former}
    for name, value in settings.items():
        if name in renamed:
            raise InvalidParameter(f"{owner}: {name} is called {renamed[name]} now")
        if name not in declared:
            raise InvalidParameter(f"{owner}: unknown setting {name!r}; there are {', '.join(declared) or 'none'}")
        declared[name].check(owner, value)


def with_names_of_today(owner: str, parameters: Iterable[Parameter], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by the names that parameters have now, also those given by a former name.

    Raises
    ------
    InvalidParameter
        A setting is given by both names.
    """
    renamed = {parameter.former: parameter.name for parameter in parameters if parameter.former}
    named: dict[str, Any] = {}
    for name, value in settings.items():
        today = renamed.get(name, name)
        if today in named:
            raise InvalidParameter(f"{owner}: {today} must be given once, got it by its former name as well")
        named[today] = value
    return named


def with_defaults_of(form: int, parameters: Iterable[Parameter], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a document of format `form`: what they leave open, and has another default now, is said."""
    meant = {parameter.name: (parameter.default_in(form), parameter.default) for parameter in parameters}
    return {name: then for name, (then, now) in meant.items() if then != now} | dict(settings)
