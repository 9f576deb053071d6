"""A generator of the catalogue: its settings, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ensembles.data.dataset import Dataset
from ensembles.data.generators.stream import Made, Stream
from ensembles.errors import InvalidParameter
from ensembles.parameters import Choice, Integer, Parameter, Real

__all__ = ["MOST_IN_MEMORY", "Generator", "label_noise", "swapped_setting"]

MOST_IN_MEMORY = 2_000_000  #: rows of a data set; more are generated while they are read
_MOST_ROWS = 10**12


@dataclass(frozen=True)
class Generator:
    """A data set that is generated: its settings, and how it is made.

    Attributes
    ----------
    key : str
        Of the catalogue.
    rows : int
        Number of examples by default.
    make : callable
        From a `Stream` and the generator's own settings by name to what is made.
    noise : Parameter, optional
        Named "noise", if there is any.
    own : tuple of Parameter
        Settings that no other generator need have.
    by_rule : bool
        The class follows from the attributes, and is not drawn first.
    ratio : bool
        Classes may be asked for in a ratio.
    carries : bool
        Rows depend on those before.
    """

    key: str
    rows: int
    make: Callable[..., Made]
    noise: Parameter | None = None
    own: tuple[Parameter, ...] = ()
    by_rule: bool = False
    ratio: bool = True
    carries: bool = False

    @property
    def settings(self) -> tuple[Parameter, ...]:
        """All settings, as `load` takes them."""
        return (
            Integer("rows", self.rows, "Rows", _ROWS_HELP, low=100, high=_MOST_ROWS),
            Integer("seed", 1, "Seed", "The same seed gives the same data set."),
            *([self.noise] if self.noise else ()),
            *self.own,
            *([_ratio(by_rule=self.by_rule)] if self.ratio else ()),
            *_DRIFT,
        )

    def load(self, **settings: Any) -> Dataset:
        """Generate the data set with these settings, all of them given and checked, `MOST_IN_MEMORY` rows at most."""
        if settings["rows"] > MOST_IN_MEMORY:
            raise InvalidParameter(
                f"{self.key}: rows must be at most {MOST_IN_MEMORY:,} to be held in memory, got {settings['rows']:,}"
            )
        stream, own = self.stream_of(settings)
        made = self.make(stream, **own)
        return Dataset(made.name, made.table, made.labels, made.classes, "class", stream.source)

    def stream_of(self, settings: Mapping[str, Any]) -> tuple[Stream, dict[str, Any]]:
        """Return the stream of these settings, all of them given, and the generator's own settings."""
        told = [f"generated, {settings['rows']:,} rows, seed {settings['seed']}"]
        chosen = [(parameter, settings[parameter.name]) for parameter in self.settings[2:]]
        told += [f"{parameter.label.lower()} {value}" for parameter, value in chosen if value != parameter.default]
        own = {name: value for name, value in settings.items() if name not in _SHARED}
        return _stream(settings, ", ".join(told)), own

    def changes(self, **settings: Any) -> tuple[int, ...]:
        """Return after how many rows the concept changes; settings that are left out have their defaults."""
        defaults = {parameter.name: parameter.default for parameter in self.settings}
        return _stream(defaults | settings, "").changes


_SHARED = {each.name for each in fields(Stream)}
_ROWS_HELP = f"Number of examples to generate; more than {MOST_IN_MEMORY:,} are generated while they are read."


def _stream(settings: Mapping[str, Any], source: str) -> Stream:
    return Stream(**{name: value for name, value in settings.items() if name in _SHARED}, source=source)


_DRIFT = (
    Choice(
        "drift",
        "none",
        "Drift",
        "How the concept changes on the way.",
        choices=("none", "abrupt", "gradual", "recurring"),
        labels=("none", "abrupt: from one example to the next", "gradual: more and more", "recurring: again and again"),
    ),
    Real(
        "drift_at",
        0.5,
        "Place of the drift",
        "Share of the examples before the change, or above 1 their number; if recurring, before each change.",
        low=0.01,
        high=float(_MOST_ROWS),
    ),
    Real(
        "drift_width",
        0.1,
        "Width of the drift",
        "If gradual: share of the examples, or above 1 their number, in which old and new concept are mixed.",
        low=0.0,
        high=float(_MOST_ROWS),
    ),
)


def _ratio(*, by_rule: bool) -> Parameter:
    text = "Each class is this many times as frequent as the one before it, noise aside; 1: all alike."
    if by_rule:
        return Real("class_ratio", 0.0, "Class ratio", f"{text} 0: as the rule gives them.", low=0.0, high=1.0)
    return Real("class_ratio", 1.0, "Class ratio", text, low=0.0, high=1.0, open_low=True)


def label_noise(share: float) -> Parameter:
    """Declare noise that gives a share of the examples another class."""
    return Real("noise", share, "Noise", "Share of the examples that get another class.", low=0.0, high=1.0)


def swapped_setting(most: int) -> Parameter:
    """Declare how many attributes change places in the second concept."""
    text = "If there is drift: how many attributes change places with attributes of the other half."
    return Integer("swapped", most, "Attributes that drift", text, low=1, high=most)
