"""A digit on a display of seven segments."""

import numpy as np

from ensembles.data.generators.bits import bits_made
from ensembles.data.generators.generator import Generator, swapped_setting
from ensembles.data.generators.stream import Made, Stream, swap
from ensembles.parameters import Real

__all__ = ["LED24", "SEGMENTS"]

#: Segments of a digit: top, upper left, upper right, middle, lower left, lower right, bottom.
SEGMENTS = np.array(
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
_IRRELEVANT = 17


def led24(stream: Stream, swapped: int) -> Made:
    """Generate LED-24: a digit on a display of seven segments, and 17 attributes that say nothing.

    A segment shows the wrong thing with probability `noise`; at 0.1 the best possible accuracy is about 0.74. In the second
    concept, the first segments have changed places with the attributes A13, A14, ...

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 2.6.1. Drift: as MOA's
    LEDGeneratorDrift, which draws the places.
    """
    rng = stream.block()
    labels = rng.integers(0, 10, size=stream.n)
    if stream.class_ratio < 1:
        labels = stream.wanted_classes(10)
    wrong = rng.random((stream.n, SEGMENTS.shape[1])) < stream.noise
    irrelevant = rng.integers(0, 2, size=(stream.n, _IRRELEVANT), dtype=np.int32)
    codes = np.hstack([SEGMENTS[labels] ^ wrong, irrelevant]).astype(np.int32)
    swap(codes, swapped, stream.concepts())
    return bits_made("LED-24", codes, labels, tuple(str(digit) for digit in range(10)))


LED24 = Generator(
    key="led24",
    rows=3_200,
    make=led24,
    noise=Real("noise", 0.1, "Noise", "Probability that a segment shows the wrong thing.", low=0.0, high=1.0),
    own=(swapped_setting(SEGMENTS.shape[1]),),
)
