"""Examples of different make: nominal, numeric and mixed, of 2 to 26 classes, even and skewed, of 9 to 600 attributes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ensembles.data import Dataset, load_dataset
from ensembles.data.table import Attribute, Schema, Table

__all__ = ["STREAMS", "Make"]


class Make(NamedTuple):
    """What made-up data look like: normal distributions around a mean a class, values that lean to one a class."""

    numbers: int = 0
    nominal: Sequence[int] = ()  # values of each
    shares: Sequence[float] = (0.5, 0.5)  # of classes
    whole: bool = False  # numbers are whole

    def draw(self, rows: int) -> Dataset:
        """Return so many examples, always the same."""
        rng = np.random.default_rng(1)
        labels = rng.choice(len(self.shares), rows, p=self.shares)
        means = rng.normal(size=(len(self.shares), self.numbers))
        numbers = rng.normal(size=(rows, self.numbers)) + means[labels]
        numbers = np.round(4 * numbers) if self.whole else numbers
        codes = np.empty((rows, len(self.nominal)), dtype=np.int32)
        for a, n_values in enumerate(self.nominal):
            leaning = rng.integers(0, n_values, len(self.shares))[labels]
            codes[:, a] = np.where(rng.random(rows) < 0.3, leaning, rng.integers(0, n_values, rows))
        attributes = [Attribute(f"x{n}", "numeric") for n in range(self.numbers)]
        attributes += [
            Attribute(f"a{a}", "nominal", tuple(f"v{v}" for v in range(k))) for a, k in enumerate(self.nominal)
        ]
        table = Table(Schema(tuple(attributes)), codes, np.ascontiguousarray(numbers))
        return Dataset("made up", table, labels, tuple(f"c{c}" for c in range(len(self.shares))))


_SKEWED = (0.787, 0.154, 0.05, 0.005, 0.002, 0.001, 0.001)
STREAMS: dict[str, Callable[[int], Dataset]] = {
    "20 nominal, 2 classes": lambda rows: load_dataset("synthetic_2", rows=rows, seed=1),
    "16 numbers, 26 classes": Make(16, shares=[1 / 26] * 26, whole=True).draw,
    "6 numbers and 8 nominal, 2 classes": Make(6, (9, 16, 7, 15, 6, 5, 2, 42), (0.76, 0.24), whole=True).draw,
    "9 numbers, 7 classes, skewed": Make(9, shares=_SKEWED, whole=True).draw,
    "40 numbers of 17 digits, 3 classes": lambda rows: load_dataset("waveform40", rows=rows, seed=1),
    "36 numbers, 6 classes": Make(36, shares=(0.24, 0.11, 0.21, 0.1, 0.11, 0.23), whole=True).draw,
    "57 numbers of 17 digits, 2 classes": Make(57, shares=(0.6, 0.4)).draw,
    "10 numbers and 44 of two values, 7 classes": Make(10, (2,) * 44, (0.37, 0.48, 0.06, 0.01, 0.02, 0.03, 0.03)).draw,
    "24 of two values, 10 classes, drift": lambda rows: load_dataset(
        "moa_led", rows=rows, drift="abrupt", drift_at=0.25, times=3
    ),
    "600 of two values, 2 classes": Make(0, (2,) * 600).draw,
}
