"""Random numbers: one independent stream a member, one uniform number an (example, member), and what kernels make of it.

Kernels hold no generator: they get a matrix of uniform numbers, so that a run compiled, a run not compiled and a replay in
a test draw alike, and member m draws the same numbers whatever the number of members. Members that draw as they grow, at
moments that nobody knows beforehand, have the state of a small generator among their arrays (`next_uniform`), for which all
that holds too.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammainccinv
from sklearn.utils import check_random_state

from ensembles.errors import InvalidParameter
from ensembles.exact import WEIGHT_STEP
from ensembles.jit import inner, kernel, part
from ensembles.wording import written

__all__ = [
    "BLOCK",
    "draw_counts",
    "entropy_of",
    "exponentials",
    "generator_states",
    "long_block",
    "next_uniform",
    "poisson",
    "poisson_by_means",
    "poisson_counts",
    "poisson_means",
    "stream",
    "streams",
    "uniforms",
]

BLOCK = 1024  #: examples for which uniform numbers are drawn at a time: they stay in the cache
_LONG = 131_072  # the same at most, where a block passes through one member before the next
_LONG_NUMBERS = 1_638_400  # numbers drawn at a time for such a block: 13 MB

PURPOSES = {
    "bagging": 1,
    "online_bagging": 2,
    "online_boosting": 3,
    "first_weights": 4,
    "training_orders": 5,
    "bayesian_bagging": 6,
    "wagging": 7,
    "fixed_fraction_bagging": 8,
    "adaboost": 40,
    "adaboost_resets": 41,
    "arc_x4": 42,
    "blocked_boosting": 43,
    "sklearn_samples": 44,
    "sklearn_seeds": 45,
    "randomised_trees": 60,
    "weight_scales": 61,
    "votes_to_come": 62,
    "experts": 63,
    "attribute_subsets": 70,
}


def entropy_of(random_state: Any) -> int:
    """Return the seed that `random_state` (None, int or RandomState) stands for; raise `InvalidParameter` for others."""
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise InvalidParameter(
            f"random_state must be None, an integer of at least 0 or a RandomState of NumPy, got {written(random_state)}; "
            "a Generator makes an integer by rng.integers(2**31)"
        ) from None


def streams(seed: int, purpose: str, n_members: int) -> list[np.random.Generator]:
    """Return one generator a member, a function of (seed, purpose, member) only."""
    return [stream(seed, purpose, m) for m in range(n_members)]


def stream(seed: int, purpose: str, m: int, *more: int) -> np.random.Generator:
    """Return the generator of member m; `more` numbers set several of one member apart."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, _number_of(purpose), m, *more))))


def _number_of(purpose: str) -> int:
    """Return the number of a purpose: of the first release's the one they had, of others one made of their letters."""
    if purpose in PURPOSES:
        return PURPOSES[purpose]
    return int.from_bytes(sha256(purpose.encode()).digest()[:8], "big")


def uniforms(
    generators: Sequence[np.random.Generator], n_examples: int, room: npt.NDArray[np.float64] | None = None
) -> npt.NDArray[np.float64]:
    """Draw one number of [0, 1) for each (example, member): shape (n_examples, n_members), the first rows of `room`."""
    # Rows a power of two apart would share a few lines of the cache: turning them over took longer than to draw them.
    drawn = np.empty((len(generators), n_examples + 8))[:, :n_examples]
    for m, generator in enumerate(generators):
        generator.random(out=drawn[m])
    if room is None:
        return np.ascontiguousarray(drawn.T)
    room[:n_examples] = drawn.T
    return room[:n_examples]


def long_block(n_members: int) -> int:
    """Return how many examples pass through one member before the next, where they do: what they need comes near it once."""
    return max(BLOCK, min(_LONG, _LONG_NUMBERS // n_members))


def draw_counts(weights: npt.NDArray[np.float64], n: int, generator: np.random.Generator) -> npt.NDArray[np.float64]:
    """Draw n examples with replacement, in proportion to their weights; return how often each was drawn."""
    heap = np.cumsum(weights)
    drawn = np.searchsorted(heap, generator.random(n) * heap[-1], side="right")
    last = np.flatnonzero(weights)[-1]  # a product rounded up to the whole heap lies beyond it
    return np.bincount(np.minimum(drawn, last), minlength=len(weights)).astype(np.float64)


@inner
def poisson(mean, uniform):
    """Return the Poisson variable of expectation `mean` that inversion makes of one uniform number.

    Outcomes are searched upwards from 0, or, for large means, outwards from the mode: inversion is exact for any fixed
    order in which outcomes are tried.
    """
    if mean > 30.0:
        return _poisson_from_mode(mean, uniform)
    if uniform < 1.0 - mean - 1e-15:  # the exponential, which takes long, is larger by more than rounding
        return 0
    mass = math.exp(-mean)
    k = 0
    while uniform >= mass and k < 1000:
        uniform -= mass
        k += 1
        mass *= mean / k
    return k


@lru_cache(maxsize=1)
def poisson_means() -> npt.NDArray[np.float64]:
    """Return at what expectation `poisson` of the uniform numbers 0, 1/256, ..., 1 becomes 1, ..., 8: shape (257, 8)."""
    return np.asarray(gammainccinv(np.arange(1.0, 9.0), np.arange(257.0)[:, None] / 256.0), dtype=np.float64)


@inner
def poisson_by_means(mean, uniform, means):
    """Return `poisson` by `poisson_means`, without an exponential or a branch unless the number is near a boundary."""
    cell = int(uniform * 256.0)
    low, high = mean * (1.0 - 1e-9), mean * (1.0 + 1e-9)
    least, most = 0, 0
    for k in range(8):
        least += low >= means[cell, k]
        most += high >= means[cell + 1, k]
    return least if (least == most) & (least < 8) else poisson(mean, uniform)


@part
def _poisson_from_mode(mean, uniform):
    mode = math.floor(mean)
    centre = math.exp(mode * math.log(mean) - mean - _log_factorial(mode))
    if uniform < centre:
        return mode
    uniform -= centre
    below, above = centre, centre
    low, high = mode, mode
    while below > 0.0 or above > 0.0:
        high += 1
        above *= mean / high
        if uniform < above:
            return high
        uniform -= above
        below *= low / mean
        low -= 1
        if low >= 0:
            if uniform < below:
                return low
            uniform -= below
        if above < 1e-18 and below < 1e-18:
            break
    return mode


#: L'Ecuyer's MRG32k3a: two recurrences of order three; products of factor and state stay below 2^53.
_MODULUS_1, _FACTOR_1, _FACTOR_2 = 4294967087, 1403580, 810728
_MODULUS_2, _FACTOR_3, _FACTOR_4 = 4294944443, 527612, 1370589


def generator_states(generators: Sequence[np.random.Generator]) -> npt.NDArray[np.int64]:
    """Return a state of `next_uniform` for each generator, drawn from it: shape (generators, 6)."""
    drawn = [one.integers(1, [_MODULUS_1] * 3 + [_MODULUS_2] * 3, dtype=np.int64) for one in generators]
    return np.array(drawn, dtype=np.int64).reshape(-1, 6)


@inner
def next_uniform(states, m):
    """Return the next number of (0, 1) of generator m, and step on: MRG32k3a of L'Ecuyer (1999), figure I."""
    first = (_FACTOR_1 * states[m, 1] - _FACTOR_2 * states[m, 0]) % _MODULUS_1
    second = (_FACTOR_3 * states[m, 5] - _FACTOR_4 * states[m, 3]) % _MODULUS_2
    states[m, 0], states[m, 1], states[m, 2] = states[m, 1], states[m, 2], first
    states[m, 3], states[m, 4], states[m, 5] = states[m, 4], states[m, 5], second
    gap = first - second
    return (gap if gap > 0 else gap + _MODULUS_1) / (_MODULUS_1 + 1.0)


def exponentials(draws: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return -ln(1 - u), at least 2^-20, for every u of `draws`: exponential variables of mean 1, that is Gamma(1, 1)."""
    drawn = np.empty(draws.shape)
    _invert_exponential(draws.ravel(), drawn.ravel())
    return drawn


@kernel
def _invert_exponential(draws, drawn):
    for j in range(draws.shape[0]):
        drawn[j] = max(-math.log(1.0 - draws[j]), WEIGHT_STEP)


def poisson_counts(mean: float, draws: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """Return `poisson(mean, u)` for every u of `draws`, as small integers, for one fixed mean of at most 30."""
    counts = np.empty(draws.shape, dtype=np.int16)
    _count_poisson(mean, draws.ravel(), _poisson_steps(mean), counts.ravel())
    return counts


@lru_cache(maxsize=16)
def _poisson_steps(mean: float) -> npt.NDArray[np.float64]:
    """Return the chances of at most 0, 1, ..., 7."""
    masses = [math.exp(-mean)]
    for k in range(1, 8):
        masses.append(masses[-1] * (mean / k))
    return np.cumsum(masses)


@kernel
def _count_poisson(mean, draws, steps, counts):
    for j in range(draws.shape[0]):
        k = 0
        for step in range(8):  # without a branch, so that it runs several numbers at a time
            k += draws[j] >= steps[step]
        counts[j] = k
    for j in range(draws.shape[0]):
        if counts[j] == 8:
            counts[j] = poisson(mean, draws[j])


@part
def _log_factorial(n):
    """Stirling's series: right to the last bit or two for n >= 30."""
    return (n + 0.5) * math.log(n) - n + 0.9189385332046727 + 1.0 / (12.0 * n) - 1.0 / (360.0 * n * n * n)
