"""The three synthetic data sets of Oza's thesis."""

from functools import partial

import numpy as np

from ensembles.data.generators.bits import bits_made
from ensembles.data.generators.generator import Generator, label_noise, swapped_setting
from ensembles.data.generators.stream import Made, Stream, swap

__all__ = ["SYNTHETIC"]

_ATTRIBUTES = 20

#: P(A_20 = 0 | C = 0) and P(A_20 = 0 | C = 1), the only difference between the three.
_PRIORS = {1: (0.495, 0.505), 2: (0.1, 0.8), 3: (0.01, 0.975)}

#: P(A_a = 0 | C = c, A_{a+1} = v), row c, column v; the same for a = 1..19.
_CHAIN = np.array([[0.8, 0.2], [0.9, 0.1]])


def synthetic(which: int, stream: Stream, swapped: int) -> Made:
    """Generate Synthetic-1, -2 or -3: a chain of 20 binary attributes below the class.

    A_20 is drawn first, A_1 last. In the second concept, attributes of A_1 to A_10 have changed places with those of A_11
    to A_20.

    References
    ----------
    Oza (2001), Online Ensemble Learning, section 3.5.1 and table 3.2.
    """
    rng = stream.block()
    labels = rng.integers(0, 2, size=stream.n)
    if stream.class_ratio < 1:
        labels = stream.wanted_classes(2)
    codes = np.empty((stream.n, _ATTRIBUTES), dtype=np.int32)
    zero = np.asarray(_PRIORS[which])[labels]
    for position in range(_ATTRIBUTES - 1, -1, -1):
        codes[:, position] = rng.random(stream.n) >= zero
        zero = _CHAIN[labels, codes[:, position]]
    swap(codes, swapped, stream.concepts())
    return bits_made(f"Synthetic-{which}", codes, stream.flipped(labels, 2), ("0", "1"))


SYNTHETIC = tuple(
    Generator(
        key=f"synthetic_{which}",
        rows=100_000,
        make=partial(synthetic, which),
        noise=label_noise(0.0),
        own=(swapped_setting(_ATTRIBUTES // 2),),
    )
    for which in _PRIORS
)
