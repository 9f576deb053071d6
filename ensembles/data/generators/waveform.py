"""Mixtures of two of three triangular waves."""

from functools import partial

import numpy as np

from ensembles.data.generators.generator import Generator, swapped_setting
from ensembles.data.generators.stream import Made, Stream, swap
from ensembles.data.table import Attribute, Table
from ensembles.parameters import Real

__all__ = ["WAVEFORM"]

_POINTS = 21
_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def waveform(n_attributes: int, stream: Stream, swapped: int) -> Made:
    """Generate waveform-21 or -40: mixtures of two of three triangular waves at 21 points, and attributes of noise.

    Noise is normal, with standard deviation `noise`; at 1 the best possible accuracy is 0.86. In the second concept, the
    first attributes have changed places with those that begin the other half.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, section 2.6.2.
    """
    rng = stream.block()
    labels = rng.integers(0, 3, size=stream.n)
    if stream.class_ratio < 1:
        labels = stream.wanted_classes(3)
    waves = np.maximum(6.0 - np.abs(np.arange(1, _POINTS + 1) - np.array([[7], [15], [11]])), 0.0)
    share = rng.random((stream.n, 1))
    first, second = _PAIRS[labels].T
    numbers = rng.standard_normal((stream.n, n_attributes)) * stream.noise
    numbers[:, :_POINTS] += share * waves[first] + (1.0 - share) * waves[second]
    swap(numbers, swapped, stream.concepts())
    attributes = [Attribute(f"x{position}", "numeric") for position in range(1, n_attributes + 1)]
    table = Table.from_columns(attributes, list(numbers.T))
    return Made(f"Waveform-{n_attributes}", table, labels, ("0", "1", "2"))


WAVEFORM = tuple(
    Generator(
        key=f"waveform{n_attributes}",
        rows=5_000,
        make=partial(waveform, n_attributes),
        noise=Real("noise", 1.0, "Noise", "Standard deviation of the noise.", low=0.0, high=100.0),
        own=(swapped_setting(n_attributes // 2),),
    )
    for n_attributes in (_POINTS, 40)
)
