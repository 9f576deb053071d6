"""Our learners as they come, beside scikit-learn's counterparts as they come: paired cross-validation on twelve data sets.

    python -m benchmarks.against_sklearn [--repeats 2] [--rows 1000] [--members 50] [--datasets glass,wine] [--tuned]

Two times five stratified folds, the same for both, of at most 1,000 examples; accuracies, and whether they differ by the
corrected resampled t-test at 0.05 (two-sided). Defaults were chosen on the first six data sets and others; the last six were
kept aside to judge them. For scikit-learn missing values are filled in, nominal attributes are one-hot, and for networks
numbers are standardised; ours take the attributes as they are. `--tuned`: instead, on the last six, ready ensembles with
`tune: grid` beside the same as they come.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn import ensemble, tree
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionStumpClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    NeuralNetworkClassifier,
    PrunedTreeClassifier,
    RandomForestClassifier,
)
from ensembles.data import load_dataset
from ensembles.evaluation.significance import t_tests, verdicts
from ensembles.learners.core.learner import Learner

CHOSEN_ON = ("balance_scale", "car", "contraceptive", "glass", "pima", "satimage")
KEPT_ASIDE = ("german_credit", "ionosphere", "libras", "segment", "splice", "wine")
_FOLDS = 5


class Pair(NamedTuple):
    """Ours and scikit-learn's, from a seed to an untrained learner; and what the two are called."""

    name: str
    ours: Callable[[int], Any]
    peer: Callable[[int], Any]
    scaled: bool = False


def tuned_pairs(members: int) -> tuple[Pair, ...]:
    """Return ready ensembles of so many members that try a grid, each beside the same as it comes."""

    def made(kind: type, tune: str) -> Callable[[int], Any]:
        return lambda seed: kind(n_estimators=members, tune=tune, random_state=seed)

    kinds = (RandomForestClassifier, ExtraTreesClassifier, HistGradientBoostingClassifier)
    return tuple(Pair(f"{kind.name}, tuned / {kind.name}", made(kind, "grid"), made(kind, "none")) for kind in kinds)


def pairs(members: int) -> tuple[Pair, ...]:
    """Return what is compared, ensembles of so many members."""
    forest = ensemble.RandomForestClassifier
    many = {"n_estimators": members}
    return (
        Pair(
            "AdaBoost of stumps / AdaBoostClassifier (SAMME)",
            lambda seed: AdaBoostClassifier(DecisionStumpClassifier(), **many, random_state=seed),
            lambda seed: ensemble.AdaBoostClassifier(**many, random_state=seed),
        ),
        Pair(
            "Neural network / MLPClassifier",
            lambda seed: NeuralNetworkClassifier(random_state=seed),
            lambda seed: MLPClassifier(random_state=seed),
            scaled=True,
        ),
        Pair(
            "Decision tree (lossless) / DecisionTreeClassifier (CART)",
            lambda _: DecisionTreeClassifier(),
            lambda seed: tree.DecisionTreeClassifier(random_state=seed),
        ),
        Pair(
            "Pruned decision tree / DecisionTreeClassifier (CART)",
            lambda _: PrunedTreeClassifier(),
            lambda seed: tree.DecisionTreeClassifier(random_state=seed),
        ),
        Pair(
            "Bagging of decision trees (lossless) / BaggingClassifier",
            lambda seed: BaggingClassifier(DecisionTreeClassifier(), **many, random_state=seed),
            lambda seed: ensemble.BaggingClassifier(**many, random_state=seed),
        ),
        Pair(
            "Bagging of pruned decision trees / BaggingClassifier",
            lambda seed: BaggingClassifier(PrunedTreeClassifier(), **many, random_state=seed),
            lambda seed: ensemble.BaggingClassifier(**many, random_state=seed),
        ),
        Pair(
            "Random forest / RandomForestClassifier",
            lambda seed: RandomForestClassifier(**many, random_state=seed),
            lambda seed: forest(**many, random_state=seed),
        ),
        Pair(
            "Bagging of decision trees (lossless) / RandomForestClassifier",
            lambda seed: BaggingClassifier(DecisionTreeClassifier(), **many, random_state=seed),
            lambda seed: forest(**many, random_state=seed),
        ),
    )


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--members", type=int, default=50)
    parser.add_argument("--datasets", default="")
    parser.add_argument("--tuned", action="store_true")
    wanted = parser.parse_args()
    usual = KEPT_ASIDE if wanted.tuned else (*CHOSEN_ON, *KEPT_ASIDE)
    datasets = wanted.datasets.split(",") if wanted.datasets else usual
    warnings.simplefilter("ignore")  # stopped early, not converged: both sides as they come
    print(f"| ours / scikit-learn's | {' | '.join(datasets)} | worse, better | seconds |")
    print(f"|---|{'---|' * len(datasets)}---|---|")
    known: dict[tuple[str, str], tuple[npt.NDArray[np.float64], float]] = {}
    with threadpool_limits(1):  # seconds are those of one core
        for pair in (tuned_pairs if wanted.tuned else pairs)(wanted.members):
            report(pair, datasets, wanted.rows, wanted.repeats, known)


def report(
    pair: Pair,
    datasets: Sequence[str],
    rows: int,
    repeats: int,
    known: dict[tuple[str, str], tuple[npt.NDArray[np.float64], float]],
) -> None:
    """Print one line; `known`: accuracies and seconds of what was measured before, by name and data set."""
    cells, found, seconds = [], [], np.zeros(2)
    for dataset in datasets:
        X, y = examples(dataset, rows)
        sides = zip(
            pair.name.split(" / "), (pair.ours, lambda seed: prepared(pair.peer(seed), pair.scaled)), strict=True
        )
        for side, make in sides:
            if (side, dataset) not in known:
                known[side, dataset] = measured(make, X, y, repeats)
        (ours, own), (peers, their) = (known[side, dataset] for side in pair.name.split(" / "))
        seconds += own, their
        test = t_tests(ours - peers, test_train_ratio=1 / (_FOLDS - 1))
        found.append(str(verdicts(test)))
        mark = {"worse": " **worse**", "better": " better"}.get(found[-1], "")
        cells.append(f"{ours.mean():.3f} / {peers.mean():.3f}{mark}")
    told = f"{found.count('worse')}, {found.count('better')}"
    print(f"| {pair.name} | {' | '.join(cells)} | {told} | {seconds[0]:.0f} / {seconds[1]:.0f} |", flush=True)


def examples(dataset: str, rows: int) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return attributes and classes of at most so many examples, drawn by a seed; of classes with fewer than five, none."""
    loaded = load_dataset(dataset)
    drawn = np.sort(np.random.default_rng(0).permutation(len(loaded))[:rows])
    y = loaded.labels[drawn]
    kept = drawn[np.bincount(y)[y] >= _FOLDS]
    return loaded.X.iloc[kept].reset_index(drop=True), loaded.labels[kept]


def measured(
    make: Callable[[int], Any], X: Any, y: npt.NDArray[np.int64], repeats: int
) -> tuple[npt.NDArray[np.float64], float]:
    """Return the accuracy of each split, and the seconds of processor time of all."""
    splits = RepeatedStratifiedKFold(n_splits=_FOLDS, n_repeats=repeats, random_state=1).split(X, y)
    accuracies, start = [], time.process_time()
    for seed, (train, test) in enumerate(splits):
        learner = make(seed).fit(X.iloc[train], y[train])
        accuracies.append(float((learner.predict(X.iloc[test]) == y[test]).mean()))
    return np.array(accuracies), time.process_time() - start


def prepared(learner: Any, scaled: bool) -> Any:
    """Return a classifier of scikit-learn behind what it needs to take any attributes, one of ours as it is."""
    if isinstance(learner, Learner):
        return learner
    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scaled else SimpleImputer()
    values = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")), (values, make_column_selector(dtype_exclude="number"))
    )
    return make_pipeline(columns, learner)


if __name__ == "__main__":
    main()
