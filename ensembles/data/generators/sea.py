"""Two attributes whose sum decides, and one that says nothing."""

import numpy as np

from ensembles.data.generators.generator import Generator, label_noise
from ensembles.data.generators.stream import Made, Stream, draw_by_rule
from ensembles.data.table import Attribute, Table
from ensembles.parameters import Integer

__all__ = ["SEA"]

_THRESHOLDS = np.array([8.0, 9.0, 7.0, 9.5])
_HIGHEST = 10.0


def sea(stream: Stream, concept: int) -> Made:
    """Generate SEA concepts: three numbers in [0, 10); class 0 if x1 + x2 is at most the threshold, class 1 above it.

    The four concepts have the thresholds 8, 9, 7 and 9.5, and follow each other in this order. A share `noise` of the
    examples gets the other class.

    References
    ----------
    Street and Kim (2001), A streaming ensemble algorithm (SEA) for large-scale classification, section 4.
    """
    thresholds = _THRESHOLDS[stream.concepts(len(_THRESHOLDS), concept - 1)]
    drawn, labels = draw_by_rule(
        stream,
        3,
        2,
        lambda values, rows: (_HIGHEST * values[:, 0] + _HIGHEST * values[:, 1] > thresholds[rows]).astype(np.int64),
        "sea",
    )
    attributes = [Attribute(f"x{position}", "numeric") for position in (1, 2, 3)]
    table = Table.from_columns(attributes, list(_HIGHEST * drawn.T))
    return Made("SEA concepts", table, labels, ("0", "1"))


SEA = Generator(
    key="sea",
    rows=50_000,
    make=sea,
    noise=label_noise(0.1),
    own=(Integer("concept", 1, "First concept", "Thresholds: 8, 9, 7, 9.5.", low=1, high=len(_THRESHOLDS)),),
    by_rule=True,
)
