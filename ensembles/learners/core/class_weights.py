"""The class weights of some examples: their sum, copies and shares."""

from ensembles.jit import inner, part

__all__ = ["copy_weights", "has_weight", "total_of", "write_shares"]


@inner
def total_of(weights):
    """Return the sum."""
    total = 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
    return total


@inner
def has_weight(weights):
    """Say whether any class has weight."""
    for c in range(weights.shape[0]):  # noqa: SIM110 - compiled loop
        if weights[c] > 0.0:
            return True
    return False


@part
def copy_weights(source, target):
    """Write the class weights of `source` into `target`."""
    for c in range(source.shape[0]):
        target[c] = source[c]


@part
def write_shares(weights, out):
    """Write into `out` the share of each class; some class has weight."""
    total = total_of(weights)
    for c in range(out.shape[0]):
        out[c] = weights[c] / total
