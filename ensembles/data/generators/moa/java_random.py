"""The random numbers of Java, from which MOA draws its streams: `java.util.Random`, number for number.

That is the linear congruential generator of 48 bits which its documentation describes (Knuth, The Art of Computer
Programming 2, section 3.2.1). Its state is an array of one number; a spare normal number is an array of two: whether there
is one, and it.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.jit import kernel, part

__all__ = ["draw_doubles", "new_random", "next_double", "next_gaussian", "next_int", "strict_log"]

_MULTIPLIER = 0x5DEECE66D
_MASK = (1 << 48) - 1

# Of fdlibm's logarithm (e_log.c): log 2 in two parts, the coefficients, and the bounds of its cases.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_L1, _L2, _L3, _L4 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
)
_L5, _L6, _L7 = 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01
_HALVED, _MIDDLE, _MIDDLE_END, _NEAR_TWO = 0x6A09C, 0x6147A, 0x6B851, 0xFFFFE


def new_random(seed: int) -> npt.NDArray[np.int64]:
    """Return the state of `new Random(seed)`."""
    return np.array([(int(seed) ^ _MULTIPLIER) & _MASK], dtype=np.int64)


@part
def next_bits(state, bits):
    """Draw a number below 2 to the power of `bits`, which are at most 31."""
    drawn = (int(state[0]) * _MULTIPLIER + 0xB) & _MASK
    state[0] = drawn
    return drawn >> (48 - bits)


@part
def next_int(state, bound):
    """Draw a whole number below `bound`."""
    drawn = next_bits(state, 31)
    if bound & (bound - 1) == 0:
        return (bound * drawn) >> 31
    while drawn - drawn % bound + bound > 1 << 31:  # the last, shorter stretch would favour its numbers
        drawn = next_bits(state, 31)
    return drawn % bound


@part
def next_double(state):
    """Draw a number of [0, 1)."""
    high = next_bits(state, 26)
    return float((high << 27) + next_bits(state, 27)) * 2.0**-53


@part
def next_gaussian(state, spare):
    """Draw a normal number by the polar method, which gives two at a time."""
    if spare[0] > 0.0:
        spare[0] = 0.0
        return spare[1]
    first, second, size = 0.0, 0.0, 0.0
    while size >= 1.0 or size == 0.0:
        first = 2.0 * next_double(state) - 1.0
        second = 2.0 * next_double(state) - 1.0
        size = first * first + second * second
    factor = math.sqrt(-2.0 * strict_log(size) / size)
    spare[0] = 1.0
    spare[1] = second * factor
    return first * factor


@part
def strict_log(x):
    """Return the logarithm of a normal number as Java's `StrictMath`: the last bit is fdlibm's."""
    half, exponent = math.frexp(x)
    bits = int((2.0 * half - 1.0) * 1048576.0)  # the first twenty of the fraction
    f = (half if bits >= _HALVED else 2.0 * half) - 1.0
    k = float(exponent if bits >= _HALVED else exponent - 1)
    if bits == 0 or bits >= _NEAR_TWO:
        rest = f * f * (0.5 - 0.33333333333333333 * f)
        return k * _LN2_HIGH - ((rest - k * _LN2_LOW) - f)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    rest = z * (_L1 + w * (_L3 + w * (_L5 + w * _L7))) + w * (_L2 + w * (_L4 + w * _L6))
    if _MIDDLE <= bits <= _MIDDLE_END:
        square = 0.5 * f * f
        return k * _LN2_HIGH - ((square - (s * (square + rest) + k * _LN2_LOW)) - f)
    return k * _LN2_HIGH - ((s * (f - rest) - k * _LN2_LOW) - f)


@kernel
def draw_doubles(state, drawn):
    """Fill `drawn` with numbers of [0, 1)."""
    for i in range(len(drawn)):
        drawn[i] = next_double(state)
