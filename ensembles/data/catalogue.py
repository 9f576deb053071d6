"""The catalogue: data sets that are there without a file and without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn import datasets as bundled

from ensembles.data import generators
from ensembles.data.dataset import Dataset
from ensembles.data.table import Attribute, Table
from ensembles.errors import InvalidParameter, NotFound
from ensembles.parameters import Integer, Parameter, Real

__all__ = ["CatalogueEntry", "catalogue", "load_dataset"]

_UCI_LICENCE = "CC BY 4.0 (UCI Machine Learning Repository)"
_FREE = "No restriction: computed by this program"
_OZA = "Oza (2001), Online Ensemble Learning, section 3.5.1 and table 3.2"
_CART = "Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees"


@dataclass(frozen=True)
class CatalogueEntry:
    """One data set of the catalogue.

    Attributes
    ----------
    name : str
        What people read ("LED-24").
    rows : int
        Number of examples with the default settings.
    nominal, numeric, classes : int
        Numbers of nominal attributes, numeric attributes and classes.
    origin : {"scikit-learn", "generated", "computed"}
    offline : bool
        Needs no network.
    used_in : str
        Who has published results on it, in words.
    settings : tuple of Parameter
        What `load_dataset` accepts besides the key.
    """

    key: str
    name: str
    rows: int
    nominal: int
    numeric: int
    classes: int
    origin: str
    citation: str
    licence: str
    used_in: str
    load: Callable[..., Dataset] = field(repr=False)
    settings: tuple[Parameter, ...] = ()
    offline: bool = True

    @property
    def attributes(self) -> int:
        """Number of attributes."""
        return self.nominal + self.numeric

    def describe(self) -> dict[str, Any]:
        """Return the entry as plain values, for `python -m runner datasets --json`."""
        names = ("key", "name", "rows", "attributes", "nominal", "numeric", "classes", "origin", "offline")
        plain = {name: getattr(self, name) for name in (*names, "citation", "licence", "used_in")}
        return {**plain, "settings": [parameter.describe() for parameter in self.settings]}


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """Return every data set of the catalogue by key."""
    entries = [*_bundled_entries(), _balance_scale_entry(), *_synthetic_entries(), _led_entry(), _waveform_entry()]
    return {entry.key: entry for entry in entries}


def load_dataset(key: str, **settings: Any) -> Dataset:
    """Load or generate the data set `key` of the catalogue.

    Parameters
    ----------
    key : str
        A key of `catalogue()`.
    **settings
        Those the entry declares (`rows`, `seed`, `noise`); the rest keep their defaults.

    Raises
    ------
    NotFound
        Unknown key.
    InvalidParameter
        Unknown setting or a value out of range.
    """
    entry = catalogue().get(key)
    if entry is None:
        raise NotFound(f"no data set is called {key!r}; there are {', '.join(catalogue())}")
    declared = {parameter.name: parameter for parameter in entry.settings}
    for name, value in settings.items():
        if name not in declared:
            raise InvalidParameter(f"{key}: unknown setting {name!r}; there are {', '.join(declared) or 'none'}")
        declared[name].check(key, value)
    return entry.load(**{name: parameter.default for name, parameter in declared.items()} | settings)


def _bundled_entries() -> list[CatalogueEntry]:
    fisher = "Fisher (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7"
    aeberhard = "Aeberhard and Forina (1992), Wine, UCI Machine Learning Repository"
    wolberg = "Wolberg, Mangasarian, Street and Street (1993), Breast Cancer Wisconsin (Diagnostic), UCI"
    alpaydin = "Alpaydin and Kaynak (1998), Optical Recognition of Handwritten Digits (test part), UCI"
    lee_clyde, teaching = "Lee and Clyde (2004)", "Textbooks and tutorials"
    return [
        _bundled("iris", "Iris", (150, 4, 3), bundled.load_iris, fisher, lee_clyde),
        _bundled("wine", "Wine", (178, 13, 3), bundled.load_wine, aeberhard, lee_clyde),
        _bundled(
            "breast_cancer", "Breast cancer (diagnostic)", (569, 30, 2), bundled.load_breast_cancer, wolberg, teaching
        ),
        _bundled("digits", "Digits", (1797, 64, 10), bundled.load_digits, alpaydin, teaching),
    ]


def _bundled(
    key: str, name: str, shape: tuple[int, int, int], loader: Callable[..., Any], citation: str, used_in: str
) -> CatalogueEntry:
    rows, numeric, classes = shape
    return CatalogueEntry(
        key=key,
        name=name,
        rows=rows,
        nominal=0,
        numeric=numeric,
        classes=classes,
        origin="scikit-learn",
        citation=citation,
        licence=_UCI_LICENCE,
        used_in=used_in,
        load=partial(_load_bundled, name, loader),
    )


def _balance_scale_entry() -> CatalogueEntry:
    return CatalogueEntry(
        key="balance_scale",
        name="Balance scale",
        rows=625,
        nominal=0,
        numeric=4,
        classes=3,
        origin="computed",
        citation="Siegler (1976), Three aspects of cognitive development, Cognitive Psychology 8",
        licence=_FREE,
        used_in="Oza (2001); Jung, Goetz and Tewari (2017)",
        load=generators.balance_scale,
    )


def _synthetic_entries() -> list[CatalogueEntry]:
    return [
        CatalogueEntry(
            key=f"synthetic_{which}",
            name=f"Synthetic-{which}",
            rows=100_000,
            nominal=20,
            numeric=0,
            classes=2,
            origin="generated",
            citation=_OZA,
            licence=_FREE,
            used_in="Oza (2001)",
            settings=_sizes(100_000),
            load=partial(generators.synthetic, which),
        )
        for which in generators.SYNTHETIC_PRIORS
    ]


def _led_entry() -> CatalogueEntry:
    noise = Real("noise", 0.1, "Noise", "Probability that a segment shows the wrong thing.", low=0.0, high=1.0)
    return CatalogueEntry(
        key="led24",
        name="LED-24",
        rows=3_200,
        nominal=24,
        numeric=0,
        classes=10,
        origin="generated",
        citation=f"{_CART}, section 2.6.1",
        licence=_FREE,
        used_in="Bauer and Kohavi (1999)",
        settings=(*_sizes(3_200), noise),
        load=generators.led24,
    )


def _waveform_entry() -> CatalogueEntry:
    return CatalogueEntry(
        key="waveform40",
        name="Waveform-40",
        rows=5_000,
        nominal=0,
        numeric=40,
        classes=3,
        origin="generated",
        citation=f"{_CART}, section 2.6.2",
        licence=_FREE,
        used_in="Bauer and Kohavi (1999)",
        settings=_sizes(5_000),
        load=generators.waveform40,
    )


def _sizes(rows: int) -> tuple[Parameter, ...]:
    return (
        Integer("rows", rows, "Rows", "Number of examples to generate.", low=100, high=2_000_000),
        Integer("seed", 1, "Seed", "The same seed gives the same data set."),
    )


def _load_bundled(name: str, loader: Callable[..., Any]) -> Dataset:
    loaded = loader()
    attributes = [Attribute(str(attribute), "numeric") for attribute in loaded.feature_names]
    columns = list(np.asarray(loaded.data, dtype=np.float64).T)
    classes = tuple(str(label) for label in loaded.target_names)
    return Dataset(name, Table.from_columns(attributes, columns), loaded.target, classes, "class", "scikit-learn")
