"""Data sets that are computed: the thesis' synthetic ones, LED, waveform and balance scale.

Every function is vectorised, draws from `numpy.random.default_rng(seed)` alone, and so gives the same data set for the
same settings on every machine.
"""

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.table import Attribute, Table

__all__ = ["SYNTHETIC_PRIORS", "balance_scale", "led24", "synthetic", "waveform40"]

_BITS = ("0", "1")

#: P(A_20 = 0 | C = 0) and P(A_20 = 0 | C = 1), the only difference between the three synthetic data sets.
SYNTHETIC_PRIORS = {1: (0.495, 0.505), 2: (0.1, 0.8), 3: (0.01, 0.975)}

#: P(A_a = 0 | C = c, A_{a+1} = v), row c, column v; the same for a = 1..19.
_SYNTHETIC_CHAIN = np.array([[0.8, 0.2], [0.9, 0.1]])

#: Segments of a digit: top, upper left, upper right, middle, lower left, lower right, bottom.
_SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=np.int32,
)
_LED_IRRELEVANT = 17

_WAVE_POINTS = 21
_WAVE_NOISE = 19
_WAVE_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def synthetic(which: int, rows: int, seed: int) -> Dataset:
    """Generate Synthetic-1, -2 or -3: a chain of 20 binary attributes below the class.

    Parameters
    ----------
    which : {1, 2, 3}
    rows : int
        Number of examples.
    seed : int

    References
    ----------
    Oza (2001), Online Ensemble Learning, section 3.5.1 and table 3.2. A_20 is drawn first, A_1 last.
    """
    rng = np.random.default_rng(seed)
    n_attributes = 20
    labels = rng.integers(0, 2, size=rows)
    codes = np.empty((rows, n_attributes), dtype=np.int32)
    zero = np.asarray(SYNTHETIC_PRIORS[which])[labels]
    for position in range(n_attributes - 1, -1, -1):
        codes[:, position] = rng.random(rows) >= zero
        zero = _SYNTHETIC_CHAIN[labels, codes[:, position]]
    return _binary_dataset(f"Synthetic-{which}", codes, labels, _BITS, _generated(rows, seed))


def led24(rows: int, seed: int, noise: float) -> Dataset:
    """Generate LED-24: a digit on a display of seven segments, and 17 attributes that say nothing.

    Parameters
    ----------
    rows : int
        Number of examples.
    seed : int
    noise : float in [0, 1]
        Probability that a segment shows the wrong thing. At 0.1 the best possible accuracy is about 0.74.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 2.6.1.
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, size=rows)
    wrong = rng.random((rows, _SEGMENTS.shape[1])) < noise
    irrelevant = rng.integers(0, 2, size=(rows, _LED_IRRELEVANT), dtype=np.int32)
    codes = np.hstack([_SEGMENTS[labels] ^ wrong, irrelevant]).astype(np.int32)
    digits = tuple(str(digit) for digit in range(10))
    return _binary_dataset("LED-24", codes, labels, digits, f"{_generated(rows, seed)}, noise {noise:g}")


def waveform40(rows: int, seed: int) -> Dataset:
    """Generate waveform-40: mixtures of two of three triangular waves at 21 points, and 19 attributes of noise.

    The best possible accuracy is 0.86.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 2.6.2.
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=rows)
    points = np.arange(1, _WAVE_POINTS + 1)
    waves = np.maximum(6.0 - np.abs(points - np.array([[7], [15], [11]])), 0.0)
    share = rng.random((rows, 1))
    first, second = _WAVE_PAIRS[labels].T
    numbers = rng.standard_normal((rows, _WAVE_POINTS + _WAVE_NOISE))
    numbers[:, :_WAVE_POINTS] += share * waves[first] + (1.0 - share) * waves[second]
    attributes = [Attribute(f"x{position}", "numeric") for position in range(1, numbers.shape[1] + 1)]
    table = Table.from_columns(attributes, list(numbers.T))
    return Dataset("Waveform-40", table, labels, ("0", "1", "2"), "class", _generated(rows, seed))


def balance_scale() -> Dataset:
    """Compute balance scale: all 625 settings of two weights and two distances, each 1..5, and where the scale tips.

    The rows stand in the order of the UCI file, the right distance changing fastest.

    References
    ----------
    Siegler (1976), Three aspects of cognitive development, Cognitive Psychology 8.
    """
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    numbers = np.stack(np.meshgrid(*[np.arange(1.0, 6.0)] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    torque = numbers[:, 0] * numbers[:, 1] - numbers[:, 2] * numbers[:, 3]
    labels = np.select([torque == 0, torque > 0], [0, 1], default=2)
    table = Table.from_columns([Attribute(name, "numeric") for name in names], list(numbers.T))
    return Dataset(
        "Balance scale", table, labels, ("B", "L", "R"), "class", "computed, full factorial of 5 × 5 × 5 × 5"
    )


def _binary_dataset(
    name: str, codes: npt.NDArray[np.int32], labels: npt.NDArray[np.int64], classes: tuple[str, ...], source: str
) -> Dataset:
    attributes = [Attribute(f"A{position}", "nominal", _BITS) for position in range(1, codes.shape[1] + 1)]
    return Dataset(name, Table.from_columns(attributes, list(codes.T)), labels, classes, "class", source)


def _generated(rows: int, seed: int) -> str:
    return f"generated, {rows:,} rows, seed {seed}"
