"""Losses that Adaboost.OLM goes down on in place of mistakes: sums over the wrong classes of a loss of the margin.

`slope_of` is the derivative of that loss by d, how far the votes for a wrong class are above those for the true one:
logistic ln(1 + e^d), exponential e^d, square hinge max(0, 1 + d)^2 / 2.

Jung, Goetz & Tewari (2017), equations 8 to 10; their appendix with the other two losses is not public text: steps and
weights for the exponential follow their program, those for the square hinge are ours.
"""

import math

from ensembles.jit import inner

__all__ = ["EXPONENTIAL", "LOGISTIC", "LOSSES", "SQUARE_HINGE", "slope_of", "step_of", "vote_slope", "weight_of"]

LOGISTIC, EXPONENTIAL, SQUARE_HINGE = range(3)
LOSSES = {"logistic": LOGISTIC, "exponential": EXPONENTIAL, "square_hinge": SQUARE_HINGE}
_FARTHEST = 500.0  # margins beyond this have the slope of this one: sums of exponentials stay finite
_HEAVIEST = 1e4
_PUBLISHED = 2.0 * math.sqrt(2.0)


@inner
def slope_of(loss, d):
    """Return the derivative of the loss of one wrong class that is d above the true one."""
    if loss == SQUARE_HINGE:
        return max(0.0, 1.0 + d)
    if loss == EXPONENTIAL:
        return math.exp(min(d, _FARTHEST))
    if d >= 0.0:
        return 1.0 / (1.0 + math.exp(-d))
    e = math.exp(d)
    return e / (1.0 + e)


@inner
def vote_slope(loss, as_program, votes, vote, label, alpha):
    """Return the derivative of an example's loss by alpha, the weight of a member that votes `vote`, added to `votes`.

    `as_program`: the logistic loss, where the vote is right, as in the authors' program, whose sign in the exponent drives
    weights of good members to their bound.
    """
    if vote != label:
        return slope_of(loss, votes[vote] + alpha - votes[label])
    total = 0.0
    for c in range(votes.shape[0]):
        if c != label:
            d = votes[c] - votes[label] - alpha
            total += slope_of(loss, -d if as_program else d)
    return -total


@inner
def step_of(loss, m, n_classes, seen, numerator):
    """Return the step of member m on the example number `seen`; a `numerator` of 0 is the paper's 2 sqrt(2) / bound."""
    if numerator > 0.0:
        return numerator / math.sqrt(seen)
    bound = float(max(n_classes - 1, 1))
    if loss == EXPONENTIAL:
        bound *= math.exp(min(float(m), _FARTHEST))
    elif loss == SQUARE_HINGE:
        bound *= 1.0 + 2.0 * (m + 1)
    return _PUBLISHED / (bound * math.sqrt(seen))


@inner
def weight_of(loss, m, stake, scale):
    """Return the weight with which member m learns; stake: -C[y, y] / (K - 1); scale: its constant, or 0 for none."""
    if loss == EXPONENTIAL:
        return min(10.0 * stake / math.exp(0.2 * math.sqrt(m)) if scale > 0.0 else stake, _HEAVIEST)
    if loss == SQUARE_HINGE:
        stake /= 2.0 * m + 1.0
    elif m == 0 and scale > 0.0:
        return 5.0
    return stake * scale if scale > 0.0 else stake
