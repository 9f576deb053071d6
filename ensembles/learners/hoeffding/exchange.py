"""Two Hoeffding trees change places: a forest puts the one that grew in the background in the place of another."""

from ensembles.jit import inner

__all__ = ["exchange"]


@inner
def exchange(members, m, other):
    """Let two members have what the other has learned; each goes on drawing by its own numbers."""
    sizes = members.sizes
    for k in range(max(sizes[m], sizes[other])):
        _exchange_rows(members.nodes, m, other, k)
        _exchange_rows(members.node_statistics, m, other, k)
        _exchange_rows(members.weights, m, other, k)
    for c in range(members.totals.shape[1]):
        members.totals[m, c], members.totals[other, c] = members.totals[other, c], members.totals[m, c]
    parameters = members.split_parameters
    for j in range(parameters.shape[1]):
        parameters[m, j], parameters[other, j] = parameters[other, j], parameters[m, j]
    sizes[m], sizes[other] = sizes[other], sizes[m]


@inner
def _exchange_rows(array, m, other, k):
    for j in range(array.shape[2]):
        array[m, k, j], array[other, k, j] = array[other, k, j], array[m, k, j]
