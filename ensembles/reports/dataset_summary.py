"""What a data set looks like as a whole: what is missing, which attributes go together, how it lies in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.decomposition import PCA

from ensembles.data.dataset import Dataset
from ensembles.data.table import MISSING, Table
from ensembles.learners.core.attribute_encoder import AttributeEncoder

__all__ = ["Associations", "Projection", "associations", "missing_patterns", "missing_shares", "project", "sample"]

MOST_ATTRIBUTES = 40  #: of a matrix of associations: more cannot be read
SAMPLED = 10_000  #: examples that associations are computed from
PROJECTED = 2_000  #: points of a projection
_MOST_PATTERNS = 12
_MOST_VALUES = 50  # of a nominal attribute; the rarer ones count as one

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Associations:
    """How strongly attributes go together.

    Attributes
    ----------
    matrix : DataFrame, shape (k, k)
        The class last. Two numbers: their correlation, in [-1, 1]; two nominal attributes: Cramér's V, in [0, 1]; one of
        each: the correlation ratio, in [0, 1]. NaN where one of them does not vary.
    examples, attributes : int
        How many there were to choose from.
    sampled : int
        How many examples were looked at.
    """

    matrix: pd.DataFrame
    examples: int
    sampled: int
    attributes: int


@dataclass(frozen=True)
class Projection:
    """Examples in two dimensions.

    Attributes
    ----------
    points : ndarray, shape (n, 2)
    labels : ndarray of int, shape (n,)
    explained : tuple of two floats in [0, 1]
        Share of the variance of the encoded attributes that each dimension shows.
    left_out : int
        Nominal attributes with too many values.
    """

    points: Floats
    labels: npt.NDArray[np.int64]
    explained: tuple[float, float]
    left_out: int


def sample(dataset: Dataset, most: int) -> Dataset:
    """Return `most` examples drawn without replacement, in their order; the data set itself if it has no more."""
    if len(dataset) <= most:
        return dataset
    rows = np.sort(np.random.default_rng(0).choice(len(dataset), most, replace=False))
    rare = [np.flatnonzero(dataset.labels == label)[:1] for label in range(len(dataset.classes))]
    rows = np.union1d(rows, np.concatenate(rare))  # no class is lost
    table, labels = dataset.take(rows)
    return Dataset(dataset.name, table, labels, dataset.classes, dataset.target, dataset.source)


def missing_shares(dataset: Dataset) -> pd.DataFrame:
    """Return the attributes that lack values, most first: "Attribute", "Missing", and "Share" of the examples in [0, 1]."""
    counts = [int(_is_missing(dataset, position).sum()) for position in range(len(dataset.attributes))]
    names = [attribute.name for attribute in dataset.attributes]
    table = pd.DataFrame({"Attribute": names, "Missing": counts, "Share": np.array(counts) / len(dataset)})
    return table[table["Missing"] > 0].sort_values("Missing", ascending=False, kind="stable", ignore_index=True)


def missing_patterns(dataset: Dataset) -> pd.DataFrame:
    """Return which attributes lack values together: "Missing together", "Examples", "Share"; the most frequent first."""
    lacking = [p for p in range(len(dataset.attributes)) if _is_missing(dataset, p).any()]
    if not lacking:
        return pd.DataFrame({"Missing together": [], "Examples": [], "Share": []})
    holes = np.column_stack([_is_missing(dataset, position) for position in lacking])
    packed = np.packbits(holes[holes.any(axis=1)], axis=1)
    keys, counts = np.unique(packed.view(np.dtype((np.void, packed.shape[1]))).ravel(), return_counts=True)
    first = np.argsort(-counts, kind="stable")[:_MOST_PATTERNS]
    patterns = np.unpackbits(keys[first].view(np.uint8).reshape(len(first), -1), axis=1, count=len(lacking))
    names = [dataset.attributes[position].name for position in lacking]
    told = [", ".join(names[j] for j in np.flatnonzero(pattern)) for pattern in patterns]
    return pd.DataFrame({"Missing together": told, "Examples": counts[first], "Share": counts[first] / len(dataset)})


def associations(dataset: Dataset, numbers: str = "pearson") -> Associations:
    """Return how strongly the attributes go together with each other and with the class.

    Of more than 40 attributes, those that go most with the class. Examples are left out of a pair where a value is missing.

    Parameters
    ----------
    numbers : {"pearson", "spearman"}
        Correlation of two numeric attributes.
    """
    some = sample(dataset, SAMPLED)
    columns = [_values(some, position, numbers) for position in range(len(some.attributes))]
    kinds = [attribute.kind for attribute in some.attributes]
    with_class = [
        _associated(column, kind, some.labels, "nominal") for column, kind in zip(columns, kinds, strict=True)
    ]
    strongest = np.argsort(-np.nan_to_num(with_class), kind="stable")[:MOST_ATTRIBUTES]
    chosen = np.sort(strongest)
    k = len(chosen)
    matrix = np.full((k + 1, k + 1), np.nan)
    for i, j in combinations(range(k), 2):
        a, b = chosen[i], chosen[j]
        matrix[i, j] = matrix[j, i] = _associated(columns[a], kinds[a], columns[b], kinds[b])
    matrix[:k, k] = matrix[k, :k] = np.array(with_class)[chosen]
    varied = [len(np.unique(columns[a][_known(columns[a])])) > 1 for a in chosen]
    matrix[np.arange(k + 1), np.arange(k + 1)] = np.where([*varied, True], 1.0, np.nan)
    names = [*(some.attributes[a].name for a in chosen), dataset.target]
    return Associations(pd.DataFrame(matrix, names, names), len(dataset), len(some), len(dataset.attributes))


def project(dataset: Dataset) -> Projection:
    """Return a sample of the examples on their first two principal components.

    Numbers are standardised, nominal attributes one-hot; a missing number counts as the mean. Nominal attributes with more
    than 50 values are left out.
    """
    some = sample(dataset, PROJECTED)
    kept = [p for p, attribute in enumerate(some.attributes) if len(attribute.categories) <= _MOST_VALUES]
    points, explained = np.zeros((len(some), 2)), np.zeros(2)
    if kept:
        table = Table.from_columns([some.attributes[p] for p in kept], [some.table.column(p) for p in kept])
        numbers = np.nan_to_num(AttributeEncoder("scale", nominal="one_hot").fit_transform(table).numbers)
        components = min(2, *numbers.shape)
        if components and numbers.std(axis=0).any():
            pca = PCA(components, random_state=0)
            points[:, :components] = pca.fit_transform(np.clip(numbers, -1e6, 1e6))
            explained[:components] = pca.explained_variance_ratio_
    return Projection(points, some.labels, (float(explained[0]), float(explained[1])), len(some.attributes) - len(kept))


def _is_missing(dataset: Dataset, position: int) -> npt.NDArray[np.bool_]:
    return ~_known(dataset.table.column(position))


def _known(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    known: npt.NDArray[np.bool_] = column != MISSING if column.dtype.kind == "i" else ~np.isnan(column)
    return known


def _values(dataset: Dataset, position: int, numbers: str) -> npt.NDArray[Any]:
    """Return a column ready to be compared: ranks where ranks are wanted, the rarer of many values as one."""
    column = dataset.table.column(position)
    if dataset.attributes[position].kind == "numeric":
        return pd.Series(column).rank().to_numpy() if numbers == "spearman" else column
    codes = column.astype(np.int64, copy=False)
    counts = np.bincount(codes[codes >= 0], minlength=1)
    if len(counts) <= _MOST_VALUES:
        return column
    place = np.full(len(counts), _MOST_VALUES)
    place[np.argsort(-counts, kind="stable")[:_MOST_VALUES]] = np.arange(_MOST_VALUES)
    return np.where(column >= 0, place[column], column)


def _associated(a: npt.NDArray[Any], kind: str, b: npt.NDArray[Any], other: str) -> float:
    rows = _known(a) & _known(b)
    if not rows.all():
        a, b = a[rows], b[rows]
    if len(a) == 0:
        return float("nan")
    if kind == other == "numeric":
        return _correlation(a, b)
    if kind == other:
        return _cramers_v(a, b)
    return _correlation_ratio(a, b) if kind == "numeric" else _correlation_ratio(b, a)


def _correlation(a: Floats, b: Floats) -> float:
    scale = max(np.abs(a).max(), 1e-300), max(np.abs(b).max(), 1e-300)  # squares neither overflow nor vanish
    a, b = a / scale[0], b / scale[1]
    a, b = a - a.mean(), b - b.mean()
    norm = np.sqrt((a @ a) * (b @ b))
    return float(np.clip(a @ b / norm, -1.0, 1.0)) if norm > 0 else float("nan")


def _correlation_ratio(numbers: Floats, codes: npt.NDArray[np.int64]) -> float:
    """Return the square root of the share of the variance that lies between the categories."""
    numbers = numbers / max(np.abs(numbers).max(), 1e-300)
    numbers = numbers - numbers.mean()
    counts, sums = np.bincount(codes), np.bincount(codes, numbers)
    counts, sums, whole = counts[counts > 0], sums[counts > 0], numbers @ numbers
    if len(counts) < 2 or whole <= 0:
        return float("nan")
    return float(np.sqrt(np.minimum((sums**2 / counts).sum() / whole, 1.0)))


def _cramers_v(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> float:
    """Return sqrt(chi2 / (n (min(counts.shape) - 1))), without a correction for small samples."""
    r, c = int(a.max()) + 1, int(b.max()) + 1
    counts = np.bincount(a.astype(np.int64) * c + b, minlength=r * c).reshape(r, c)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    if min(counts.shape) < 2:
        return float("nan")
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(a)
    chi2 = ((counts - expected) ** 2 / expected).sum()
    return float(np.sqrt(min(chi2 / (len(a) * (min(counts.shape) - 1)), 1.0)))
