"""Small random data sets with everything in them: both kinds of attributes, missing values, weights, few or many classes."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from ensembles.data.encoding import encode_frame

__all__ = ["as_lists", "iris_like", "mixed_examples", "nominal_toy", "random_examples", "random_table", "rows_of"]

CATEGORIES = ["a", "b", "c", "d"]


def random_examples(seed, n=40, nominal=2, numeric=2, n_classes=3, missing=0.15, decimals=None):
    """Return X, y and weights drawn from `seed`; classes depend on the attributes, so that there is something to learn."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    columns = {}
    for j in range(nominal):
        codes = (y + rng.integers(0, 3, n)) % len(CATEGORIES)
        codes[rng.random(n) < missing] = -1
        columns[f"n{j}"] = pd.Categorical.from_codes(codes, CATEGORIES)
    for j in range(numeric):
        values = rng.normal(size=n) * 10.0 ** rng.integers(-3, 6) + y
        values = values if decimals is None else np.round(values, decimals)
        values[rng.random(n) < missing] = np.nan
        columns[f"m{j}"] = values
    weights = rng.choice([0.0, 1.0, 2.0, 0.5, 1.37, 3.0], n)
    weights[0] = 1.0
    return pd.DataFrame(columns), y, weights


def random_table(seed, **shape):
    """Return the same with X as an encoded table, which learners read in a tenth of the time of a data frame."""
    X, y, weights = random_examples(seed, **shape)
    return encode_frame(X), y, weights


def rows_of(X):
    """Return a function of columns for each row: these of its cells, as an encoded table."""
    tables = {}

    def of(i):
        def cells(seen):
            key = tuple(map(int, seen))
            if key not in tables:
                tables[key] = encode_frame(X.iloc[:, list(key)])
            return tables[key][[i]]

        return cells

    return [of(i) for i in range(len(X))]


def iris_like(n=150):
    """Return X and y of three classes, in turn, that two numeric attributes tell apart but for some examples."""
    rng, y = np.random.default_rng(0), np.arange(n) % 3
    return pd.DataFrame(
        {"m0": (rng.normal(size=n) + 3 * y).round(1), "m1": (rng.normal(size=n) + 3 * (y == 1)).round(1)}
    ), y


def nominal_toy(n=150):
    """Return X and y of two classes, in turn; each of three nominal attributes tells the class of two examples in three."""
    rng, y = np.random.default_rng(1), np.arange(n) % 2
    drawn = rng.integers(0, len(CATEGORIES), (3, n))
    codes = np.where(rng.random((3, n)) < 2 / 3, y, drawn)
    return pd.DataFrame({f"n{j}": pd.Categorical.from_codes(row, CATEGORIES) for j, row in enumerate(codes)}), y


@st.composite
def mixed_examples(draw):
    """Draw the shape of a random data set; its cells follow from a drawn seed."""
    nominal, numeric = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    return random_examples(
        draw(st.integers(0, 2**32 - 1)),
        n=draw(st.integers(1, 60)),
        nominal=max(nominal, 1 - min(numeric, 1)),
        numeric=numeric,
        n_classes=draw(st.integers(1, 5)),
        missing=draw(st.sampled_from([0.0, 0.2, 0.9])),
        decimals=draw(st.sampled_from([None, 0, 2])),
    )


def as_lists(X, y, weights):
    """Return the examples as (values, class, weight) for the oracles."""
    rows = []
    for i in range(len(X)):
        values = []
        for name in X.columns:
            value = X[name].iloc[i]
            values.append(None if pd.isna(value) else value if isinstance(value, str) else float(value))
        rows.append((values, int(y[i]), float(weights[i])))
    return rows
