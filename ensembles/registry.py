"""All learners by key, with their family, what they can do and where they come from.

A learner is registered by being there: a class called `...Classifier` with a `key` of its own, in a module of the packages
`learners` and `methods`. Installed packages offer theirs as entry points of the group `ensemble_lab.learners`, which every
process finds; other classes are given to `register`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import signature
from pkgutil import walk_packages
from typing import Any, TypeVar

from ensembles.errors import InvalidParameter, NotFound
from ensembles.libraries import lack_of
from ensembles.parameters import Parameter, check_settings

__all__ = [
    "Entry",
    "base_models",
    "find_learner",
    "learner_classes",
    "make_learner",
    "methods",
    "register",
    "unregister",
    "within_sentence",
]

_Class = TypeVar("_Class", bound=type)

_PROPER = {"Arc-x4", "Bayesian", "Cohen's", "Hoeffding", "Mondrian", "Monte", "Poisson", "Winnow"}

_DECLARED = ("key", "name", "family", "kind", "summary", "source")
_KINDS = ("method", "base")
_ROOMS = ("ensembles.learners", "ensembles.methods")
_LAST = 1000  # the position of classes that declare none
_OFFERED = "ensemble_lab.learners"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """One learner of the catalogue.

    Attributes
    ----------
    kind : {"method", "base"}
    name : str
        What people read ("Online boosting").
    family : str
        `single`, `bagging`, `boosting`, ... for methods; `bayes`, `tree`, ... for base models.
    online : bool
        Has `partial_fit`, or, for the single model, has it with a base model that does.
    order_matters : bool
        Training order changes the model, so protocols run it in several orders.
    weighted : bool
        Takes weights (base model), or trains its members with fractions of examples (method): a base model that takes no
        weights gets a sample instead.
    bases : tuple of str
        Keys of the base models a method can use, the one it has unless told first; empty for a base model, and for a method
        that has none.
    """

    key: str
    kind: str
    name: str
    family: str
    summary: str
    online: bool
    order_matters: bool
    weighted: bool
    binary_only: bool
    bases: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    source: str
    cls: type

    @property
    def chooses_base(self) -> bool:
        """Whether it is a method that says itself what it is made of: one of a few base models, or none."""
        return self.kind == "method" and (not self.bases or bool(getattr(self.cls, "only_bases", ())))

    def describe(self) -> dict[str, Any]:
        """Return the entry as plain values, as `learners --json` prints it."""
        plain = {name: getattr(self, name) for name in ("key", "kind", "name", "family", "summary", "source")}
        flags = {name: getattr(self, name) for name in ("online", "order_matters", "weighted", "binary_only")}
        return {
            **plain,
            **flags,
            "installed": lack_of(self.cls) is None,
            "bases": list(self.bases),
            "parameters": [parameter.describe() for parameter in self.parameters],
        }


def base_models() -> dict[str, Entry]:
    """Return every base model by key, in the order in which they are shown."""
    return _entries("base")


def methods() -> dict[str, Entry]:
    """Return every ensemble method by key, in the order in which they are shown."""
    return _entries("method")


def learner_classes() -> tuple[Any, ...]:
    """Return the classes of all learners, as `position` orders them; those of one position as they were found."""
    _take_in(entry_points(group=_OFFERED))
    return tuple(sorted(_classes().values(), key=lambda cls: getattr(cls, "position", _LAST)))


def register(cls: _Class) -> _Class:
    """Add a learner that lives outside of this package; usable as a decorator. Returns the class.

    Afterwards experiment files, pages and reports of this process know it by its key. Other processes that train it have to
    import the module that registers it, or find it among the entry points of an installed package. A class that was
    registered before, and is defined anew, takes the place of the old one.

    Raises
    ------
    InvalidParameter
        It does not declare `key`, `name`, `family`, `kind` ("method" or "base"), `summary` and `source`, takes no
        `estimator` although it is a method, or has the key of another learner.
    """
    _check(cls)
    known = _classes().get(cls.key)  # type: ignore[attr-defined]
    if known is not None and _place_of(known) != _place_of(cls):
        raise InvalidParameter(f"{cls.__name__}: key must be its own, got {known.key!r}, which {known.__name__} has")
    _classes()[cls.key] = cls  # type: ignore[attr-defined]
    _entries.cache_clear()
    return cls


_taken_in: set[EntryPoint] = set()


def _take_in(offered: Iterable[EntryPoint]) -> None:
    """Register what other packages offer, once; of one that cannot be used the log says why, and all others are there."""
    for point in offered:
        if point in _taken_in:
            continue
        _taken_in.add(point)  # first, as importing it may ask for learners
        try:
            register(point.load())
        except Exception as error:
            _log.warning("the learner %s (%s) cannot be used: %s", point.name, point.value, error)


def unregister(key: str) -> None:
    """Forget the learner called `key`; raise `NotFound` if there is none."""
    find_learner(key)
    del _classes()[key]
    _entries.cache_clear()


def within_sentence(name: str) -> str:
    """Return a name or label as it stands within a sentence: "naive Bayes", "Hoeffding tree", "ADWIN bagging"."""
    first = name.split(" ", 1)[0]
    keeps = first in _PROPER or len(first) == 1 or first[1:] != first[1:].lower()
    return name if keeps else name[:1].lower() + name[1:]


def find_learner(key: str) -> Entry:
    """Return the method or base model called `key`; raise `NotFound` with the keys that exist."""
    entry = methods().get(key) or base_models().get(key)
    if entry is None:
        known = ", ".join([*methods(), *base_models()])
        raise NotFound(f"no learner is called {key!r}; there are {known}")
    return entry


def make_learner(
    method: str,
    base: str | None = None,
    *,
    base_settings: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    random_state: int | None = None,
) -> Any:
    """Build an untrained ensemble; `base` is None for a method that has no base model, and for no other.

    Raises
    ------
    InvalidParameter
        Unknown key or setting, a value out of range, or a base model that the method cannot use.
    """
    entry = _known(methods(), method, "method")
    parts = {}
    if entry.bases or base is not None or base_settings:
        base_entry = _base_for(entry, base)
        parts["estimator"] = base_entry.cls(**_accepted(base_entry, base_settings or {}))
    learner = entry.cls(**parts, **_accepted(entry, settings or {}))
    for part in (*parts.values(), learner):
        if "random_state" in part.get_params(deep=False):
            part.set_params(random_state=random_state)
    return learner


def _base_for(entry: Entry, base: str | None) -> Entry:
    """Return the base model called `base`, which the method can use."""
    if not entry.bases:
        raise InvalidParameter(f"{entry.key}: it has no base model, got {base!r}")
    if base is None:
        raise InvalidParameter(f"{entry.key}: base must be one of {', '.join(entry.bases)}, got none")
    base_entry = _known(base_models(), base, "base model")
    if base not in entry.bases:
        online = "" if entry.chooses_base else "learn online, so "
        raise InvalidParameter(f"{entry.key}: base must {online}be one of {', '.join(entry.bases)}, got {base!r}")
    return base_entry


def _known(table: Mapping[str, Entry], key: str, what: str) -> Entry:
    if key not in table:
        raise InvalidParameter(f"{what} must be one of {', '.join(table)}, got {key!r}")
    return table[key]


def _accepted(entry: Entry, settings: Mapping[str, Any]) -> dict[str, Any]:
    check_settings(entry.key, entry.parameters, settings)
    return dict(settings)


@cache
def _classes() -> dict[str, Any]:
    """Return the classes of all learners by key: those of this package, and what `register` adds."""
    found: dict[str, Any] = {}
    for cls in _found():
        _check(cls)
        if cls.key in found:
            known = found[cls.key].__name__
            raise InvalidParameter(f"{cls.__name__}: key must be its own, got {cls.key!r}, which {known} has")
        found[cls.key] = cls
    return found


def _found() -> Iterator[Any]:
    for room in _ROOMS:
        for module in walk_packages(import_module(room).__path__, f"{room}."):
            for name, value in vars(import_module(module.name)).items():
                is_own = isinstance(value, type) and value.__module__ == module.name
                if is_own and name.endswith("Classifier") and isinstance(vars(value).get("key"), str):
                    yield value


def _check(cls: Any) -> None:
    if not hasattr(cls, "__qualname__"):
        raise InvalidParameter(f"register: a learner must be a class, got {cls!r}")
    if missing := [name for name in _DECLARED if not isinstance(getattr(cls, name, None), str)]:
        got = f"got no {', '.join(missing)}"
        raise InvalidParameter(f"{cls.__name__}: a learner must declare {', '.join(_DECLARED)} as text, {got}")
    if cls.kind not in _KINDS:
        raise InvalidParameter(f"{cls.__name__}: kind must be one of {', '.join(_KINDS)}, got {cls.kind!r}")
    needs_base = cls.kind == "method" and getattr(cls, "takes_base", True)
    if needs_base and "estimator" not in signature(cls).parameters:
        raise InvalidParameter(f"{cls.__name__}: a method must take its base model as estimator, got {signature(cls)}")


def _place_of(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


@cache
def _entries(kind: str) -> dict[str, Entry]:
    return {cls.key: _entry(cls) for cls in learner_classes() if cls.kind == kind}


def _bases_of(cls: Any) -> tuple[str, ...]:
    """Return the keys of the base models that a learner can use; none if it is one, or has none."""
    if cls.kind == "base" or not getattr(cls, "takes_base", True):
        return ()
    if only := getattr(cls, "only_bases", ()):
        return tuple(key for key in only if key in base_models())
    only_online = getattr(cls, "needs_online_base", False)
    return tuple(key for key, entry in base_models().items() if entry.online or not only_online)


def _entry(cls: Any) -> Entry:
    return Entry(
        key=cls.key,
        kind=cls.kind,
        name=cls.name,
        family=cls.family,
        summary=cls.summary,
        online=hasattr(cls, "partial_fit") and getattr(cls, "learns_online", True),
        order_matters=getattr(cls, "order_matters", False),
        weighted=getattr(cls, "weighted", False),
        binary_only=getattr(cls, "binary_only", False),
        bases=_bases_of(cls),
        parameters=getattr(cls, "parameters", ()),
        source=cls.source,
        cls=cls,
    )
