"""Rules over size, colour and shape."""

import numpy as np

from ensembles.data.generators.generator import Generator, label_noise
from ensembles.data.generators.stream import Floats, Labels, Made, Stream, draw_by_rule
from ensembles.data.table import Attribute, Table
from ensembles.parameters import Integer

__all__ = ["STAGGER"]

_ATTRIBUTES = (
    Attribute("size", "nominal", ("small", "medium", "large")),
    Attribute("color", "nominal", ("red", "green", "blue")),
    Attribute("shape", "nominal", ("square", "circular", "triangular")),
)


def stagger(stream: Stream, concept: int) -> Made:
    """Generate STAGGER concepts: objects with a size, a color and a shape, each of three values.

    True is, in the first concept, what is small and red; in the second, what is green or circular; in the third, what is
    medium or large. A share `noise` of the examples gets the other class.

    References
    ----------
    Schlimmer and Granger (1986), Incremental learning from noisy data, Machine Learning 1.
    """
    concepts = stream.concepts(3, concept - 1)

    def classify(values: Floats, rows: Labels) -> Labels:
        size, color, shape = (3 * values).astype(np.int64).T
        rules = [(size == 0) & (color == 0), (color == 1) | (shape == 1), size > 0]
        return np.choose(concepts[rows], rules).astype(np.int64)

    drawn, labels = draw_by_rule(stream, 3, 2, classify, "stagger")
    table = Table.from_columns(_ATTRIBUTES, list((3 * drawn.T).astype(np.int32)))
    return Made("STAGGER concepts", table, labels, ("false", "true"))


STAGGER = Generator(
    key="stagger",
    rows=10_000,
    make=stagger,
    noise=label_noise(0.0),
    own=(
        Integer(
            "concept",
            1,
            "First concept",
            "1: small and red; 2: green or circular; 3: medium or large.",
            low=1,
            high=3,
        ),
    ),
    by_rule=True,
)
