"""Points on two sides of a plane that turns."""

import numpy as np

from ensembles.data.generators.generator import Generator, label_noise
from ensembles.data.generators.stream import Floats, Labels, Made, Stream, draw_by_rule
from ensembles.data.table import Attribute, Table
from ensembles.parameters import Integer, Real

__all__ = ["HYPERPLANE"]


def hyperplane(stream: Stream, attributes: int, turning: int, magnitude: float, turn_back: float) -> Made:
    """Generate a rotating hyperplane: numbers in [0, 1), class 1 if their weighted sum is at least half the sum of weights.

    Weights are drawn from [0, 1). After each example the weights of the first `turning` attributes move by `magnitude`, each
    in its direction, which turns round with probability `turn_back`. A drift besides goes over to other first weights. A
    share `noise` of the examples gets the other class.

    References
    ----------
    Hulten, Spencer and Domingos (2001), Mining time-changing data streams, section 4; the settings are those of MOA's
    HyperplaneGenerator.
    """
    turning = min(turning, attributes)
    weights = stream.numbers("concept").random((2, attributes))
    concepts, moved = stream.concepts(), _moved(stream, turning, magnitude, turn_back)

    def classify(values: Floats, rows: Labels) -> Labels:
        now = weights[concepts[rows]]
        now[:, :turning] += moved[rows]
        above: Labels = ((values * now).sum(axis=1) >= now.sum(axis=1) / 2).astype(np.int64)
        return above

    drawn, labels = draw_by_rule(stream, attributes, 2, classify, "hyperplane")
    columns = [Attribute(f"x{position}", "numeric") for position in range(1, attributes + 1)]
    table = Table.from_columns(columns, list(drawn.T))
    return Made("Rotating hyperplane", table, labels, ("0", "1"))


def _moved(stream: Stream, turning: int, magnitude: float, turn_back: float) -> Floats:
    """Return how far each weight that turns has moved before each row."""
    turns = np.where(stream.drawn("turns", turning) < turn_back, -1.0, 1.0)
    steps_before, step = stream.carried.get("moved", (np.zeros(turning), np.ones(turning)))  # the first step is forward
    steps = np.cumprod(np.vstack([step, turns]), axis=0)  # whole numbers, whose sums are exact
    sums = steps_before + np.cumsum(np.vstack([np.zeros(turning), steps[:-1]]), axis=0)
    stream.carried["moved"] = sums[-1], steps[-1]
    moved: Floats = magnitude * sums[:-1]
    return moved


HYPERPLANE = Generator(
    key="hyperplane",
    rows=50_000,
    make=hyperplane,
    noise=label_noise(0.05),
    own=(
        Integer("attributes", 10, "Attributes", "Dimensions of the space.", low=2, high=200),
        Integer("turning", 2, "Attributes that turn", "Whose weights move with every example.", low=0, high=200),
        Real("magnitude", 0.001, "Step", "How far their weights move with every example.", low=0.0, high=10.0),
        Real("turn_back", 0.1, "Turning back", "Probability that a weight changes its direction.", low=0.0, high=1.0),
    ),
    by_rule=True,
    carries=True,
)
