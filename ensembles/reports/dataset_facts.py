"""What a data set's card says, as plain tables of numbers."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ensembles.data import MISSING, Dataset
from ensembles.reports.dataset_summary import sample

__all__ = ["Facts", "attribute_facts", "class_counts", "distribution", "is_cut"]

_NAMED_VALUES = 6  #: categories written out in the table of attributes
_BARS = 24  #: bars of a distribution; rarer categories are added up
_SPLIT_CLASSES = 10  #: with more classes than this, colours can no longer be told apart
_SAMPLED = 20_000  #: examples behind the small distributions of the table of attributes
_OTHERS = "all others"
_TINY = 1e-9  # smaller numbers have an exponent
_LOOKED_AT = 1_000  # numbers by which is told, of nearly all columns, that they are many
_FORMAT = 1  # to be raised when other facts are told than before: those that are kept are worked out anew then
_FRAMES = ("attributes", "classes", "first")


@dataclass(frozen=True)
class Facts:
    """What the card of a data set says at first sight.

    Attributes
    ----------
    target : str
        The name of the class column.
    attributes, classes : DataFrame
        As `attribute_facts` and `class_counts` return them.
    first : DataFrame
        The `distribution` of the first attribute.
    is_cut : bool
        Whether the rows of `first` are intervals, not values.
    """

    target: str
    attributes: pd.DataFrame
    classes: pd.DataFrame
    first: pd.DataFrame
    is_cut: bool

    @classmethod
    def of(cls, dataset: Dataset) -> Self:
        """Work out the facts of a data set."""
        first = distribution(dataset, 0)
        return cls(dataset.target, attribute_facts(dataset), class_counts(dataset), first, is_cut(dataset, 0, first))

    @property
    def n_examples(self) -> int:
        """How many examples they are told of."""
        return int(self.classes["Examples"].sum())

    def to_json(self) -> str:
        """Return the facts as a text to keep."""
        frames = {name: _packed(getattr(self, name)) for name in _FRAMES}
        return json.dumps({"format": _FORMAT, "target": self.target, **frames, "is_cut": self.is_cut})

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """Return the facts that `to_json` wrote, or None where another version wrote them, or something else."""
        try:
            held = json.loads(text)
            if held["format"] != _FORMAT:
                return None
            attributes, classes, first = (_unpacked(held[name]) for name in _FRAMES)
            return cls(held["target"], attributes, classes, first.astype("int64"), held["is_cut"])
        except (ValueError, LookupError, TypeError):
            return None


def _packed(frame: pd.DataFrame) -> dict[str, Any]:
    return {**frame.to_dict("split"), "name": frame.index.name}


def _unpacked(held: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(held["data"], pd.Index(held["index"], name=held["name"]), held["columns"])


def attribute_facts(dataset: Dataset) -> pd.DataFrame:
    """Return one row per attribute: name, kind, what values it takes, how many are missing, how often values occur."""
    rows, some, codes, numbers = [], sample(dataset, _SAMPLED), dataset.table.codes, dataset.table.numbers
    lowest, highest = np.fmin.reduce(numbers, axis=0), np.fmax.reduce(numbers, axis=0)  # by rows, as they lie in memory
    lacking = {"nominal": (codes == MISSING).sum(axis=0), "numeric": np.isnan(numbers).sum(axis=0)}
    for position, attribute in enumerate(dataset.attributes):
        place = dataset.table.schema.places[position]
        is_nominal = attribute.kind == "nominal"
        values = _named(attribute.categories) if is_nominal else _range(lowest[place], highest[place])
        bars = distribution(some, position).sum(axis=1).tolist()
        rows.append((attribute.name, attribute.kind, values, int(lacking[attribute.kind][place]), bars))
    return pd.DataFrame(rows, columns=["Attribute", "Kind", "Values", "Missing", "Distribution"])


def class_counts(dataset: Dataset) -> pd.DataFrame:
    """Return one row per class: its name, its number of examples, its share in [0, 1]."""
    counts = np.bincount(dataset.labels, minlength=len(dataset.classes))
    return pd.DataFrame({"Class": dataset.classes, "Examples": counts, "Share": counts / len(dataset)})


def distribution(dataset: Dataset, position: int) -> pd.DataFrame:
    """Return how often the attribute at `position` takes each value, split by class.

    Returns
    -------
    DataFrame
        Index: category, value or lower end of an interval, as text in the order to draw; columns: the classes, or
        "examples" alone when there are more than ten. Missing values are left out.
    """
    attribute, column = dataset.attributes[position], dataset.table.column(position)
    known = column >= 0 if attribute.kind == "nominal" else ~np.isnan(column)
    values, labels = column[known], dataset.labels[known]
    if attribute.kind == "nominal":
        bars, names = _merged(values.astype(np.int64), attribute.categories)
    else:
        bars, names = _intervals(values)
    split = len(dataset.classes) <= _SPLIT_CLASSES
    columns = list(dataset.classes) if split else ["examples"]
    counts = np.zeros((len(names), len(columns)), dtype=np.int64)
    np.add.at(counts, (bars, labels if split else np.zeros_like(labels)), 1)
    return pd.DataFrame(counts, index=pd.Index(names, name=attribute.name), columns=columns)


def _named(categories: tuple[str, ...]) -> str:
    shown = ", ".join(map(_as_word, categories[:_NAMED_VALUES]))
    return f"{len(categories):,}: {shown}{', …' if len(categories) > _NAMED_VALUES else ''}"


def is_cut(dataset: Dataset, position: int, counts: pd.DataFrame) -> bool:
    """Return whether the rows of a distribution are intervals, not values."""
    if dataset.attributes[position].kind == "nominal" or len(counts) < _BARS:
        return False
    column = dataset.table.column(position)
    return _few_values(column[~np.isnan(column)]) is None


def _as_word(category: str) -> str:
    """Return a value as it stands in a list: in quotes where one could not tell where it ends."""
    return f"“{category}”" if "," in category or not category or category != category.strip() else category


def _range(lowest: float, highest: float) -> str:
    return "none known" if np.isnan(lowest) else " to ".join(_short([lowest, highest]))


def _short(numbers: Iterable[float]) -> list[str]:
    """Return numbers with four digits, or as many as tell different ones apart."""
    told = [float(number) for number in numbers]
    enough = (digits for digits in (4, 6, 9, 12) if len({f"{one:.{digits}g}" for one in told}) == len({*told}))
    digits = next(enough, 17)
    return [_with_digits(number, digits) for number in told]


def _with_digits(number: float, digits: int) -> str:
    if number.is_integer() and abs(number) < 1e15:
        return f"{int(number):,}" if abs(number) >= 10_000 else f"{int(number)}"  # those of four digits may be years
    if not 1000.0 <= abs(number) < 1e15:
        told = f"{number:.{digits}g}"
        return np.format_float_positional(float(told), trim="-") if abs(number) >= _TINY else told
    told = f"{number:,.{max(0, digits - len(f'{abs(number):.0f}'))}f}"
    return told.rstrip("0").rstrip(".") if "." in told else told


def _merged(codes: np.ndarray, categories: tuple[str, ...]) -> tuple[np.ndarray, list[str]]:
    if len(categories) <= _BARS:
        return codes, list(categories)
    frequent = np.argsort(-np.bincount(codes, minlength=len(categories)), kind="stable")[: _BARS - 1]
    bar_of = np.full(len(categories), _BARS - 1)
    bar_of[frequent] = np.arange(_BARS - 1)
    return bar_of[codes], [categories[code] for code in frequent] + [_OTHERS]


def _intervals(numbers: np.ndarray) -> tuple[np.ndarray, list[str]]:
    few = _few_values(numbers)
    if few is not None:
        return np.searchsorted(few, numbers), _short(few)
    edges = np.linspace(numbers.min(), numbers.max(), _BARS + 1)
    bars = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, _BARS - 1)
    return bars, _short(edges[:-1])


def _few_values(numbers: np.ndarray) -> np.ndarray | None:
    """Return the different numbers in order, or None where they are more than there are bars."""
    if len(np.unique(numbers[:_LOOKED_AT])) > _BARS:  # a million are looked through for nothing
        return None
    found = np.unique(numbers)
    return found if len(found) <= _BARS else None
