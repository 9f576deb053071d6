"""Streams in blocks beside the same stream example by example."""


def assert_blocks_as_one_by_one(blocks, plain, X, y, sizes):
    """Let `blocks` predict and learn the examples from 20 on in blocks, and `plain`, as far as it, one at a time."""
    table, at = blocks._encoded(X), 20
    for size in sizes:
        part = slice(at, at + size)
        told, shares = blocks.predict_then_learn(table.take(part), y[part])
        for i in range(at, at + size):
            assert plain.predict(X[[i]]) == told[i - at]
            assert (plain.predict_proba(X[[i]]) == shares[i - at]).all()
            plain.partial_fit(X[[i]], y[[i]])
        at += size
    assert at == len(X)
    assert (blocks.predict_proba(X) == plain.predict_proba(X)).all()
