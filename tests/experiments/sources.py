"""A data set as a source: read in batches of uneven sizes."""

import numpy as np

from ensembles.data import Dataset


class InBatches:
    """The examples of a data set, with its hash, so that learners draw the same numbers."""

    def __init__(self, dataset: Dataset, *, endless: bool = False, promised: int | None = None):
        self._dataset, self._endless = dataset, endless
        self.name, self.schema, self.classes = dataset.name, dataset.table.schema, dataset.classes
        self.target, self.origin, self.sha256 = dataset.target, dataset.source, dataset.sha256
        self.n_examples = None if endless else promised or len(dataset)

    def batches(self, start=0):
        sizes, n = np.random.default_rng(start), len(self._dataset)
        while start < n or self._endless:
            stop = min(start % n + int(sizes.integers(1, 300)), n)
            yield self._dataset.take(np.arange(start % n, stop))
            start += stop - start % n
