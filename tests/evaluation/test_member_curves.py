"""Trial graphs, margins, diversity and hard examples against the plainest Python, for real ensembles and made-up ones."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    SingleClassifier,
)
from ensembles.evaluation.curves import curves_after
from ensembles.evaluation.measures import evaluate
from ensembles.evaluation.member_curves import graph_sizes
from ensembles.evaluation.predictions import Predictions
from ensembles.evaluation.trained_model import TrainedModel
from ensembles.learners.core.tree_size import TreeSize
from ensembles.registry import make_learner
from tests.examples import random_examples
from tests.experiments.conftest import make_dataset

M = 7
ENSEMBLES = {
    "hard votes": BaggingClassifier(NaiveBayesClassifier(), n_estimators=M, random_state=1),
    "soft votes": BaggingClassifier(NaiveBayesClassifier(), n_estimators=M, vote="soft", random_state=1),
    "weighted votes": AdaBoostClassifier(NaiveBayesClassifier(), n_estimators=M),
    "online": OnlineBoostingClassifier(NaiveBayesClassifier(), n_estimators=M, random_state=2),
}


def trained_on(learner, n: int = 90, **others) -> TrainedModel:  # type: ignore[no-untyped-def]
    dataset = make_dataset(n, seed=4)
    rows = np.random.default_rng(0).permutation(n)
    (X_train, y_train), (X_test, y_test) = dataset.take(rows[: n // 2]), dataset.take(rows[n // 2 :])
    if hasattr(learner, "fit"):
        learner.fit(X_train, y_train)
    return TrainedModel(learner, X_train, y_train, X_test, y_test, rows[: n // 2], **others)


def made_up(**attributes) -> TrainedModel:  # type: ignore[no-untyped-def]
    return trained_on(SimpleNamespace(**attributes))


@pytest.mark.parametrize("name", ENSEMBLES)
def test_a_trial_graph_is_the_error_of_the_first_members(name: str) -> None:
    trained = trained_on(ENSEMBLES[name])
    learner, curves = trained.learner, curves_after(["trial_graph"], trained)
    votes_of_all = learner.member_weights_
    for series, X, y in (
        ("trial_graph_train", trained.X_train, trained.y_train),
        ("trial_graph_test", trained.X_test, trained.y_test),
    ):
        curve = curves[series]
        assert curve.x == tuple(range(1, M + 1))
        errors = []
        for length in range(1, len(votes_of_all) + 1):
            learner.member_weights_ = votes_of_all[:length]
            errors.append(float(np.mean(learner.predict(X) != y)))
        errors += errors[-1:] * (M - len(errors))  # an ensemble that stopped early stays what it is
        assert curve.y == tuple(errors)
        assert curve.y[-1] == np.mean(learner.predict(X) != y)


def test_the_first_member_of_adaboost_is_the_single_model() -> None:
    single = trained_on(SingleClassifier(NaiveBayesClassifier()))
    curve = curves_after(["trial_graph"], trained_on(ENSEMBLES["weighted votes"]))["trial_graph_test"]
    assert curve.y[0] == np.mean(single.learner.predict(single.X_test) != single.y_test)


def test_learners_whose_first_members_are_no_ensemble_have_no_trial_graph() -> None:
    class OwnRule(AdaBoostClassifier):
        def _votes(self, X):  # type: ignore[no-untyped-def]
            return super()._votes(X)

    for learner in (SingleClassifier(), OwnRule(n_estimators=2)):
        trained = trained_on(learner)
        assert curves_after(["trial_graph", "diversity"], trained) == {}
        assert not hasattr(learner, "member_classes")


def test_a_trial_graph_of_many_members_has_few_points_that_depend_on_their_number_only() -> None:
    assert graph_sizes(300).tolist() == list(range(1, 301))
    sizes = graph_sizes(10_000)
    assert (sizes[0], sizes[-1]) == (1, 10_000)
    assert len(sizes) <= 300
    assert (np.diff(sizes) > 0).all()


def test_a_pause_may_end_a_trial_graph() -> None:
    asked = []

    def pause() -> None:
        asked.append(1)
        if len(asked) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        curves_after(["trial_graph"], trained_on(ENSEMBLES["hard votes"], pause=pause))


def test_each_member_says_what_it_would_say_alone() -> None:
    trained = trained_on(ENSEMBLES["hard votes"])
    learner, told = trained.learner, trained.learner.member_classes(trained.X_test)
    assert told.shape == (M, len(trained.y_test))
    for m in range(M):
        learner.member_weights_ = np.eye(M)[m]
        assert np.array_equal(learner.classes_[told[m]], learner.predict(trained.X_test))


def test_members_that_have_learned_nothing_are_not_compared() -> None:
    trained = trained_on(ENSEMBLES["hard votes"])
    told = trained.learner.member_classes(trained.X_test)
    told[2] = -1
    trained = made_up(member_classes=lambda _: told, classes_=np.arange(3))
    assert trained.member_answers is not None
    assert np.array_equal(trained.member_answers, np.delete(told, 2, axis=0))


@pytest.mark.parametrize("name", ENSEMBLES)
def test_margins_are_shares_of_examples_up_to_a_margin(name: str) -> None:
    trained = trained_on(ENSEMBLES[name])
    curves = curves_after(["margins"], trained)
    for series, X, y in (
        ("margins_train", trained.X_train, trained.y_train),
        ("margins_test", trained.X_test, trained.y_test),
    ):
        found = []
        for shares, label in zip(trained.learner.predict_proba(X), y, strict=True):
            found.append(shares[label] - max(share for c, share in enumerate(shares) if c != label))
        curve = curves[series]
        assert (curve.x[0], curve.x[-1], len(curve.x)) == (-1.0, 1.0, 101)
        expected = [sum(margin <= at + 1e-9 for margin in found) / len(found) for at in curve.x]
        assert curve.y == pytest.approx(expected)
        assert curve.y[-1] == 1.0


def test_margins_of_a_class_that_was_not_seen_are_not_positive() -> None:
    trained = made_up(classes_=np.array([0]), predict_proba=lambda X: np.ones((len(X), 1)))
    curve = curves_after(["margins"], trained)["margins_test"]
    assert curve.y[0] == np.mean(trained.y_test != 0)
    assert curve.y[-2] == curve.y[0]


def test_diversity_is_a_point_for_each_pair_by_rising_kappa() -> None:
    trained = trained_on(ENSEMBLES["online"])
    curve = curves_after(["diversity"], trained)["diversity"]
    pairs = trained.member_pairs
    assert pairs is not None
    assert len(curve.x) == len(pairs.kappa)
    assert curve.x == tuple(sorted(pairs.kappa))
    assert np.mean(curve.y) == pytest.approx(pairs.error.mean())


def test_of_many_pairs_the_seed_draws_five_hundred() -> None:
    told = np.random.default_rng(0).integers(3, size=(40, 45))
    curves = [
        curves_after(
            ["diversity"], trained_on(SimpleNamespace(member_classes=lambda _: told, classes_=np.arange(3)), seed=seed)
        )
        for seed in (1, 1, 2)
    ]
    assert len(curves[0]["diversity"].x) == 500
    assert curves[0] == curves[1] != curves[2]


def test_hard_examples_are_those_of_the_highest_mean_weight_by_row() -> None:
    weights = np.random.default_rng(0).random((5, 45))
    weights[:, [3, 30]] += 10
    trained = made_up(example_weights_=weights)
    curve = curves_after(["hard_examples"], trained)["hard_examples"]
    assert not hasattr(trained.learner, "example_weights_")
    assert curve.x == tuple(sorted(trained.rows))
    heavy = {row for row, weight in zip(curve.x, curve.y, strict=True) if weight > 5}
    assert heavy == {trained.rows[3], trained.rows[30]}
    assert dict(zip(curve.x, curve.y, strict=True))[trained.rows[3]] == pytest.approx(
        weights[:, 3].mean() / weights.mean()
    )


def test_the_hard_examples_of_adaboost_are_those_it_gets_wrong() -> None:
    learner = AdaBoostClassifier(NaiveBayesClassifier(), n_estimators=M)
    learner.keep_weights = True
    trained = trained_on(learner)
    kept = learner.example_weights_.mean(axis=0)
    curve = curves_after(["hard_examples"], trained)["hard_examples"]
    assert dict(zip(curve.x, curve.y, strict=True)) == pytest.approx(dict(zip(trained.rows, kept, strict=True)))
    (first, *_) = learner.staged_predict(trained.X_train)
    weight = np.array([dict(zip(curve.x, curve.y, strict=True))[row] for row in trained.rows])
    wrong = first != trained.y_train
    assert weight[wrong].mean() > weight[~wrong].mean()
    assert kept.mean() == pytest.approx(1)


def test_of_many_examples_a_hundred_are_kept() -> None:
    weights = np.arange(1.0, 301.0)[None]
    learner = SimpleNamespace(example_weights_=weights)
    trained = trained_on(learner, n=600)
    curve = curves_after(["hard_examples"], trained)["hard_examples"]
    assert sorted(curve.y) == pytest.approx(list(np.arange(201, 301) / 150.5))  # 1 is the average
    assert list(curve.x) == sorted(trained.rows[200:])


def test_a_learner_that_keeps_no_weights_has_no_hard_examples() -> None:
    assert curves_after(["hard_examples"], made_up()) == {}


def test_member_errors_are_numbered_from_one() -> None:
    curve = curves_after(["member_errors"], made_up(member_errors_=np.array([0.1, np.nan, 0.3])))["member_errors"]
    assert curve.x == (1.0, 2.0, 3.0)
    assert curve.y[0] == 0.1
    assert math.isnan(curve.y[1])


@pytest.mark.parametrize("attributes", [{}, {"member_errors_": np.array([])}, {"member_errors_": np.array([np.nan])}])
def test_a_learner_without_member_errors_has_no_such_curve(attributes: dict[str, np.ndarray]) -> None:
    assert curves_after(["member_errors"], made_up(**attributes)) == {}


def test_bagged_members_are_asked_about_the_training_set_however_they_learned_it() -> None:
    learner = OnlineBaggingClassifier(n_estimators=4, random_state=1)
    trained = trained_on(learner)
    whole = curves_after(["member_errors"], trained)["member_errors"].y
    assert list(whole) == [(row != trained.y_train).mean() for row in learner.member_classes(trained.X_train)]
    half = len(trained.y_train) // 2
    first, second = slice(0, half), slice(half, None)
    pieces = OnlineBaggingClassifier(n_estimators=4, random_state=1)
    for part in (first, second):
        pieces.partial_fit(trained.X_train.take(part), trained.y_train[part], classes=range(3))
    assert curves_after(["member_errors"], replace(trained, learner=pieces))["member_errors"].y == whole


def measures_of(trained: TrainedModel, *keys: str) -> list[float]:
    predictions = Predictions(trained.y_test, trained.y_test, 3, trained=trained)
    return [*evaluate(keys, predictions).values()]


def test_tree_sizes_are_means_over_the_members_that_are_trees() -> None:
    trained = made_up(member_sizes_=[TreeSize(5, 3, 2), None, TreeSize(8, 5, 3)])
    assert measures_of(trained, "tree_nodes", "tree_depth") == [6.5, 2.5]


def test_members_that_are_no_trees_have_no_size() -> None:
    assert np.isnan(measures_of(trained_on(ENSEMBLES["online"]), "tree_nodes", "tree_depth")).all()


def test_memory_of_the_model_is_that_of_its_arrays() -> None:
    shared = np.zeros(1000)
    learner = SimpleNamespace(a=shared, b=[shared, {"c": np.zeros((3, 4), np.int32)}], d="text", e=1.0)
    assert measures_of(trained_on(learner), "model_bytes") == [8000 + 48]
    trained = trained_on(ENSEMBLES["online"])
    members = sum(array.nbytes for array in trained.learner._members)
    (found,) = measures_of(trained, "model_bytes")
    assert members < found < members + 1000


def test_diversity_measures_are_means_over_pairs() -> None:
    trained = trained_on(ENSEMBLES["online"])
    pairs = trained.member_pairs
    assert pairs is not None
    found = measures_of(trained, "q_statistic", "disagreement", "mean_kappa")
    assert found == pytest.approx([np.nanmean(pairs.q), pairs.one_right.mean(), np.nanmean(pairs.kappa)])


def test_a_single_model_has_no_diversity() -> None:
    assert np.isnan(measures_of(trained_on(SingleClassifier()), "q_statistic", "disagreement", "mean_kappa")).all()


@pytest.mark.parametrize(
    ("method", "settings"),
    [("online_bagging", {}), ("osboost", {"gamma": 0.9}), ("ogboost", {}), ("voting", {}), ("bayesian_ensemble", {})],
)
def test_the_first_members_are_an_ensemble_trained_with_as_many(method, settings):
    X, y, _ = random_examples(5, n=80, n_classes=3)

    def trained(length):
        wanted = {"n_estimators": length, **settings}
        return make_learner(method, "naive_bayes", settings=wanted, random_state=1).fit(X, y)

    stages = list(trained(4).staged_predict(X))
    assert all((stage == trained(length).predict(X)).all() for length, stage in enumerate(stages, start=1))
    assert (stages[0] != stages[-1]).any()
