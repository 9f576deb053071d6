"""The catalogue: data sets that are there by name, where they come from and who has published results on them.

What they are stands in `catalogue.toml`; how they are made or loaded stands here, by origin.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from typing import Any

import numpy as np

from ensembles.data import bundled, openml, rule_datasets
from ensembles.data.attribute_kinds import KINDS, wanted_kinds, with_kinds
from ensembles.data.dataset import Dataset
from ensembles.data.generators import GENERATORS, balance_scale
from ensembles.data.generators.generator import MOST_IN_MEMORY
from ensembles.data.generators.source import GeneratedSource
from ensembles.data.table import Attribute, Table
from ensembles.errors import InvalidParameter, NotFound
from ensembles.parameters import Parameter, check_settings

__all__ = ["PAPERS", "CatalogueEntry", "catalogue", "is_source", "load_dataset", "open_source"]

#: The papers whose results the catalogue follows, by key.
PAPERS = {
    "bauer1999": "Bauer and Kohavi (1999)",
    "oza2001": "Oza (2001)",
    "leeclyde2004": "Lee and Clyde (2004)",
    "bai2016": "Bai, Lam and Sclaroff (2016)",
    "jung2017": "Jung, Goetz and Tewari (2017)",
}
_UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
_FREE = "No restriction: computed by this program"


@dataclass(frozen=True)
class CatalogueEntry:
    """One data set of the catalogue.

    Attributes
    ----------
    name : str
        What people read ("LED-24").
    origin : {"scikit-learn", "generated", "computed", "bundled", "OpenML"}
    rows, attributes, classes : int
        Numbers of examples (with the default settings), attributes and classes.
    nominal_positions : tuple of int
        Which attributes are nominal, counted from 0.
    class_sizes : tuple of int
        Examples of each class, the largest first; empty for generated data.
    sha256 : str or None
        Hash of the content (`Dataset.sha256`), where it is always the same.
    citation, licence, note : str
        Note: what should be known besides, in sentences; may be empty.
    papers : mapping of str to str
        Keys of `PAPERS` that show results on it, and in which tables ("" when that is not known).
    settings : tuple of Parameter
        What `load_dataset` accepts besides the key.
    openml : OpenMLSource or None
        Where OpenML has it, if it comes from there.
    """

    key: str
    name: str
    origin: str
    rows: int
    attributes: int
    classes: int
    citation: str
    licence: str
    nominal_positions: tuple[int, ...] = ()
    class_sizes: tuple[int, ...] = ()
    sha256: str | None = None
    note: str = ""
    papers: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[Parameter, ...] = ()
    openml: openml.OpenMLSource | None = None

    @property
    def nominal(self) -> int:
        """Number of nominal attributes."""
        return len(self.nominal_positions)

    @property
    def numeric(self) -> int:
        """Number of numeric attributes."""
        return self.attributes - self.nominal

    @property
    def offline(self) -> bool:
        """Needs no network."""
        return self.openml is None

    @property
    def here(self) -> bool:
        """Needs no network any more: it comes with the program, or has been fetched."""
        return self.openml is None or openml.is_kept(self)

    @property
    def used_in(self) -> str:
        """Who has published results on it, in words."""
        uses = (PAPERS[paper] + (f", {tables}" if tables else "") for paper, tables in self.papers.items())
        return "; ".join(uses) or "Textbooks and benchmarks"

    def check(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of `settings` that ask for kinds of attributes, as `load_dataset` takes them.

        Raises
        ------
        InvalidInput
            An unknown setting, or a value that is not allowed.
        """
        declared = {parameter.name for parameter in self.settings}
        kinds = {name: settings[name] for name in KINDS if name in settings and name not in declared}
        wanted_kinds(self.key, **kinds)
        check_settings(self.key, self.settings, {name: settings[name] for name in settings if name not in kinds})
        return kinds

    def describe(self) -> dict[str, Any]:
        """Return the entry as plain values, for `python -m runner datasets --json`."""
        names = ("key", "name", "rows", "attributes", "nominal", "numeric", "classes", "origin", "offline")
        plain = {name: getattr(self, name) for name in (*names, "citation", "licence", "note", "used_in")}
        settings = [parameter.describe() for parameter in self.settings]
        return {**plain, "papers": dict(self.papers), "settings": settings}


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """Return every data set of the catalogue by key."""
    described = tomllib.loads(resources.files(__package__).joinpath("catalogue.toml").read_text("utf-8"))
    return {key: _entry(key, **facts) for key, facts in described.items()}


def load_dataset(key: str, *, progress: openml.Progress | None = None, **settings: Any) -> Dataset:
    """Load or generate the data set `key` of the catalogue.

    Parameters
    ----------
    key : str
        A key of `catalogue()`.
    progress : callable, optional
        Called with the number of bytes that have come, while a data set is fetched for the first time.
    **settings
        Those the entry declares (`rows`, `seed`, `noise`); the rest keep their defaults. Besides, unless the entry
        declares a setting of that name: `nominal` ("all" or names of attributes), `numeric`, `ignore`, as `with_kinds`
        takes them.

    Raises
    ------
    NotFound
        Unknown key.
    InvalidParameter
        Unknown setting or a value out of range.
    InvalidData
        A data set that OpenML keeps cannot be fetched, or an attribute cannot be of the kind that is asked for.
    """
    entry = catalogue().get(key)
    if entry is None:
        raise NotFound(f"no data set is called {key!r}; there are {', '.join(catalogue())}")
    kinds = entry.check(settings)
    others = {name: value for name, value in settings.items() if name not in kinds}
    return with_kinds(_load(entry, others, progress), **kinds)


def open_source(key: str, **settings: Any) -> GeneratedSource:
    """Return the generator `key` of the catalogue as a `Source`: its examples are drawn while they are read.

    Parameters are those of `load_dataset`, with as many `rows` as one likes; kinds of attributes cannot be changed.

    Raises
    ------
    NotFound
        Unknown key.
    InvalidParameter
        Unknown setting, a value out of range, or what is called so is not generated.
    """
    entry = catalogue().get(key)
    if entry is None:
        raise NotFound(f"no data set is called {key!r}; there are {', '.join(catalogue())}")
    if key not in GENERATORS:
        raise InvalidParameter(f"{key}: a source must be one of {', '.join(GENERATORS)}, got {key}")
    if kinds := entry.check(settings):
        raise InvalidParameter(f"{key}: a source must keep the kinds of its attributes, got {', '.join(kinds)}")
    return GeneratedSource(key, {parameter.name: parameter.default for parameter in entry.settings} | settings)


def is_source(key: str, settings: Mapping[str, Any]) -> bool:
    """Return whether a data set of the catalogue is so large with these settings that it is drawn while it is read."""
    return key in GENERATORS and settings.get("rows", 0) > MOST_IN_MEMORY


def _load(entry: CatalogueEntry, settings: dict[str, Any], progress: openml.Progress | None) -> Dataset:
    if entry.openml:
        return openml.load(entry, entry.openml, progress)
    if entry.origin == "bundled":
        return bundled.load(entry.key)
    if entry.origin == "scikit-learn":
        return _load_from_sklearn(entry)
    if entry.origin == "computed":
        return _COMPUTED[entry.key]()
    return GENERATORS[entry.key].load(**{parameter.name: parameter.default for parameter in entry.settings} | settings)


_COMPUTED: dict[str, Callable[[], Dataset]] = {
    "balance_scale": balance_scale,
    "car": rule_datasets.car,
    "nursery": rule_datasets.nursery,
    "monks_1": partial(rule_datasets.monks, 1),
    "monks_2": partial(rule_datasets.monks, 2),
    "monks_3": partial(rule_datasets.monks, 3),
    "tic_tac_toe": rule_datasets.tic_tac_toe,
}


def _entry(
    key: str,
    *,
    attributes: int,
    nominal: str | list[int] = "none",
    class_sizes: list[int] | tuple[()] = (),
    licence: str | None = None,
    openml_id: int | None = None,
    drop: list[int] | tuple[()] = (),
    columns: list[str] | tuple[()] = (),
    **facts: Any,
) -> CatalogueEntry:
    everywhere = {"all": tuple(range(attributes)), "none": ()}
    return CatalogueEntry(
        key=key,
        attributes=attributes,
        nominal_positions=everywhere[nominal] if isinstance(nominal, str) else tuple(p - 1 for p in nominal),
        class_sizes=tuple(class_sizes),
        licence=licence or (_FREE if facts["origin"] in ("computed", "generated") else _UCI),
        settings=GENERATORS[key].settings if key in GENERATORS else (),
        openml=openml.OpenMLSource(openml_id, tuple(drop), tuple(columns)) if openml_id else None,
        **facts,
    )


def _load_from_sklearn(entry: CatalogueEntry) -> Dataset:
    from sklearn import datasets  # see data/openml.py

    loaded = getattr(datasets, f"load_{entry.key}")()
    attributes = [Attribute(str(attribute), "numeric") for attribute in loaded.feature_names]
    columns = list(np.asarray(loaded.data, dtype=np.float64).T)
    classes = tuple(str(label) for label in loaded.target_names)
    return Dataset(entry.name, Table.from_columns(attributes, columns), loaded.target, classes, "class", "scikit-learn")
