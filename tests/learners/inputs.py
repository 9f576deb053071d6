"""One-hot, standardised inputs in the plainest Python: the oracle of the learners that take weighted sums."""

import math

__all__ = ["inputs_of", "moments_of"]


def moments_of(seen, n_attributes):
    """Return (mean, standard deviation) of each attribute over `seen`, a list of (values, weight); None if nominal."""
    moments = []
    for a in range(n_attributes):
        known = [(v[a], w) for v, w in seen if v[a] is not None and not isinstance(v[a], str)]
        total = sum(w for _, w in known)
        mean = sum(w * x for x, w in known) / total if known else 0.0
        variance = sum(w * (x - mean) ** 2 for x, w in known) / total if known else 0.0
        moments.append((mean, math.sqrt(variance)))
    return moments


def inputs_of(values, kinds, moments):
    """Return the inputs of one example as name -> number; those not named are 0."""
    inputs = {"bias": 1.0}
    for a, (value, nominal) in enumerate(zip(values, kinds, strict=True)):
        if nominal:
            inputs[a, value] = 1.0
        elif value is None:
            inputs[a, None] = 1.0
        else:
            mean, deviation = moments[a]
            inputs[a] = min(max((value - mean) / deviation, -10.0), 10.0) if deviation > 1e-12 * abs(mean) else 0.0
    return inputs
