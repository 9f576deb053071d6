"""How often verdicts call a learner clearly worse that is as good as the best: simulated experiments whose truth is known.

    python -m benchmarks.verdicts [--experiments 200] [--seed 1] [--only WORDS]

Learners are equal, or half of them are worse by a difference that a test could find; a wrong verdict calls one of the equal
ones worse; of two along a stream, one that is called clearly better on some stretch. On one data set learners are trained
and tested in earnest, on splits that overlap as those of an experiment do.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.signal import lfilter

from ensembles.evaluation.over_time import differences_over_time
from ensembles.evaluation.standings import Comparison
from ensembles.evaluation.verdict import on_splits, over_datasets
from ensembles.evaluation.verdict_on_examples import on_examples

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], Comparison]

_LEARNERS = ((2, 0), (5, 0), (10, 0), (10, 5))  # and how many of them are worse
_EXAMPLES, _FOLDS, _ATTRIBUTES = 200, 10, 3
_KINDS = (("errors", 0.0), ("errors", 0.9), ("errors", 0.97), ("rate", 0.98), ("spells", 40.0))  # of streams


def on_one_data_set(rng: np.random.Generator, k: int, worse: int, repeats: int, parts: int = 1) -> Comparison:
    """Train classifiers to the nearest mean, each on attributes of its own that are alike, on repeated folds.

    With `parts` they are learners of so many experiments by turns, each with folds of its own.
    """
    y = rng.permutation(np.arange(_EXAMPLES) % 2)
    apart = np.where(np.arange(k) < k - worse, 0.6, 0.2)
    X = rng.normal(size=(_EXAMPLES, k, _ATTRIBUTES)) + (y[:, np.newaxis] * apart)[:, :, np.newaxis]
    right = []
    for run in range(repeats * parts):
        fold = rng.permutation(np.arange(_EXAMPLES) % _FOLDS)
        for number in range(_FOLDS):
            train, test = fold != number, fold == number
            zero, one = (X[train & (y == label)].mean(axis=0) for label in (0, 1))
            told = ((X[test] - (zero + one) / 2.0) * (one - zero)).sum(axis=2) > 0.0
            known = np.arange(k) % parts == run % parts
            right.append(np.where(known, (told == (y[test] == 1)[:, np.newaxis]).mean(axis=0), np.nan))
    return on_splits(right, test_train_ratio=1.0 / (_FOLDS - 1))


def on_data_sets(rng: np.random.Generator, k: int, worse: int, n: int) -> Comparison:
    """Draw errors of data sets that are hard and easy, with differences of heavy tails."""
    hard = rng.uniform(0.05, 0.4, (n, 1))
    errors = hard * (1.0 + 0.1 * rng.standard_t(3, (n, k)) + np.where(np.arange(k) < k - worse, 0.0, 0.25))
    return over_datasets(errors, lower_is_better=True)


def along_stream(rng: np.random.Generator, n: int, kind: str, memory: float) -> Comparison:
    """Draw the errors of two equal learners, and call one worse if it is so on a stretch of the stream."""
    right = draw_stream(rng, 2, 0, n, kind, memory)
    found = any(stretch.clearly for stretch in differences_over_time(right[:, 0], right[:, 1]))
    return on_splits([[0.0, float(found)]] * 3, test_train_ratio=0.0)


def on_stream(rng: np.random.Generator, k: int, worse: int, n: int, kind: str, memory: float) -> Comparison:
    """Compare learners on a stream, see `draw_stream`."""
    return on_examples(draw_stream(rng, k, worse, n, kind, memory))


def draw_stream(
    rng: np.random.Generator, k: int, worse: int, n: int, kind: str, memory: float
) -> npt.NDArray[np.bool_]:
    """Draw which examples learners get right, resembling their neighbours.

    Parameters
    ----------
    kind : str
        What remembers: `errors` themselves, their `rate`, or `spells` of one rate each.
    memory : float
        Correlation with the example before, of spells their mean length.
    """
    more = np.where(np.arange(k) < k - worse, 0.0, 0.1)
    if kind == "spells":
        rate = np.column_stack([_spells(rng, n, memory) for _ in range(k)])
        return rng.random((n, k)) >= rate + more
    hidden = 0.6 * _walk(rng, n, 1, memory) + 0.8 * _walk(rng, n, k, memory)
    if kind == "rate":
        drawn: npt.NDArray[np.bool_] = rng.random((n, k)) >= 1.0 / (1.0 + np.exp(1.4 - 0.8 * hidden)) + more
        return drawn
    below: npt.NDArray[np.bool_] = hidden < stats.norm.isf(0.2 + more)
    return below


def _walk(rng: np.random.Generator, n: int, k: int, memory: float) -> Floats:
    fresh = rng.normal(size=(n, k)) * np.sqrt(1.0 - memory**2)
    fresh[0] /= np.sqrt(1.0 - memory**2)
    walked: Floats = lfilter([1.0], [1.0, -memory], fresh, axis=0)
    return walked


def _spells(rng: np.random.Generator, n: int, length: float) -> Floats:
    lengths = rng.geometric(1.0 / length, n)
    return np.repeat(rng.beta(2, 8, n), lengths)[:n]


def cases() -> Iterator[tuple[str, int, int, Draw]]:
    """Yield what is simulated, the learners, how many of them are worse, and how an experiment is drawn.

    The place of a case is part of its seed: further ones come last.
    """
    for k, worse in _LEARNERS:
        for repeats in (1, 10):
            what = f"one data set, {repeats} x {_FOLDS} folds"
            yield what, k, worse, lambda rng, k=k, w=worse, r=repeats: on_one_data_set(rng, k, w, r)
        for n in (10, 30):
            yield f"{n} data sets", k, worse, lambda rng, k=k, w=worse, n=n: on_data_sets(rng, k, w, n)
        for n in (2_000, 10_000):
            for kind, memory in _KINDS:
                what = f"stream of {n:,}, {kind} {memory:g}"
                yield what, k, worse, lambda rng, a=(k, worse, n, kind, memory): on_stream(rng, *a)
    for k, worse in _LEARNERS:
        for repeats in (1, 10):
            what = f"one data set, {repeats} x {_FOLDS} folds, two experiments"
            yield what, k, worse, lambda rng, k=k, w=worse, r=repeats: on_one_data_set(rng, k, w, r, parts=2)
    for n in (400, 2_000, 10_000):
        for kind, memory in _KINDS:
            yield (
                f"along a stream of {n:,}, {kind} {memory:g}",
                2,
                0,
                lambda rng, a=(n, kind, memory): along_stream(rng, *a),
            )


def main() -> None:
    """Print one row a case: shares of experiments with a wrong verdict, and of worse learners that are found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    asked = parser.parse_args()
    print(
        f"{asked.experiments} experiments each\n\n| simulated | learners | worse | wrong | found |\n|---|---|---|---|---|"
    )
    for number, (what, k, worse, draw) in enumerate(cases()):
        if asked.only not in what:
            continue
        rng = np.random.default_rng([asked.seed, number])
        wrong = found = 0
        for _ in range(asked.experiments):
            called = [row.learner for row in draw(rng).rows if row.standing == "worse"]
            wrong += any(learner < k - worse for learner in called)
            found += sum(learner >= k - worse for learner in called)
        power = f"{found / (asked.experiments * worse):.0%}" if worse else "-"
        print(f"| {what} | {k} | {worse} | {wrong / asked.experiments:.1%} | {power} |", flush=True)


if __name__ == "__main__":
    main()
