"""How examples are handed to estimators of other libraries: a matrix of numbers, made by what training examples show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ensembles.data.table import MISSING, Schema, Table

__all__ = ["Handover"]

Floats = npt.NDArray[np.float64]

_LARGEST = 3e38  # trees of other libraries read single precision


@dataclass(frozen=True)
class Handover:
    """What becomes of the attributes, in their order.

    Numeric attributes stay as they are, NaN where a value is missing; one without any value in training is 0. A nominal
    one becomes the number of its value among those in training, NaN where it is missing or not among them; or, `one_hot`, an
    input for each of its values in training, and one for "missing" if there it was missing, which stands for values never
    seen as well.

    Attributes
    ----------
    numbers : tuple of array
        Of each nominal attribute: the number of each of its values, then those of `UNSEEN` and `MISSING`.
    widths : tuple of int
        How many inputs each attribute becomes.
    blank : frozenset of int
        Numeric attributes without any value in training, which not every estimator takes.
    """

    schema: Schema
    numbers: tuple[Floats, ...]
    widths: tuple[int, ...]
    one_hot: bool
    blank: frozenset[int]

    @classmethod
    def learned(cls, table: Table, *, one_hot: bool, most_values: int | None = None) -> Handover:
        """Return how examples like those of `table` are handed over.

        `most_values`: an attribute with more values keeps the most frequent, and all others share the last number.
        """
        numbers, widths = [], [1] * len(table.schema.attributes)
        for place, position in enumerate(table.schema.nominal):
            codes, count = table.codes[:, place], len(table.schema.attributes[position].categories)
            own = _numbered(np.bincount(codes[codes >= 0], minlength=count), most_values)
            if one_hot:
                n_values = int(np.nanmax(own, initial=-1.0)) + 1
                lacks = bool((codes == MISSING).any())
                own[np.isnan(own)] = n_values if lacks else -1.0
                widths[position] = n_values + lacks
            numbers.append(own)
        lacking = np.isnan(table.numbers)
        blank = frozenset(at for j, at in enumerate(table.schema.numeric) if lacking[:, j].all())
        return cls(table.schema, tuple(numbers), tuple(widths), one_hot, blank)

    def inputs(self, table: Table) -> Floats:
        """Return the inputs of examples of the very schema, shape (n_examples, n_inputs)."""
        columns: list[npt.NDArray[np.float64] | npt.NDArray[np.bool_]] = []
        for position, place in enumerate(self.schema.places):
            if position in self.blank:
                columns.append(np.zeros((len(table), 1)))
                continue
            if self.schema.attributes[position].kind == "numeric":
                columns.append(np.clip(table.numbers[:, place, None], -_LARGEST, _LARGEST))
                continue
            own = self.numbers[place][table.codes[:, place, None]]
            columns.append(own == np.arange(self.widths[position]) if self.one_hot else own)
        return np.concatenate(columns, axis=1, dtype=np.float64)

    @property
    def nominal(self) -> list[int]:
        """Which inputs are numbers of nominal values."""
        return [] if self.one_hot else [*self.schema.nominal]

    def by_attribute(self, of_inputs: npt.NDArray[np.floating]) -> Floats:
        """Return the sums of what is told of each input, by attribute, as shares of them all; 0 if there is nothing."""
        owners = np.repeat(np.arange(len(self.widths)), self.widths)
        sums = np.bincount(owners, of_inputs.astype(np.float64), minlength=len(self.widths))
        shares: Floats = sums / max(float(sums.sum()), np.finfo(float).tiny)
        return shares


def _numbered(counts: npt.NDArray[np.int64], most_values: int | None) -> Floats:
    """Return the number of each value that occurs, NaN for all others, `UNSEEN` and `MISSING` at the end."""
    numbers = np.full(len(counts) + 2, np.nan)
    there = np.flatnonzero(counts)
    if most_values is not None and len(there) > most_values:
        numbers[there] = most_values - 1
        by_frequency = there[np.argsort(-counts[there], kind="stable")]
        there = np.sort(by_frequency[: most_values - 1])
    numbers[there] = np.arange(len(there))
    return numbers
