"""Members of a pool: what they see, when they are trained, asked and taught."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_classifiers_train

from ensembles import (
    BayesianEnsembleClassifier,
    NaiveBayesClassifier,
    PerceptronClassifier,
    SagEnsembleClassifier,
    VotingClassifier,
    WeightedMajorityClassifier,
    WinnowClassifier,
)
from ensembles.data.encoding import encode_frame
from ensembles.draws import stream
from ensembles.errors import InvalidData, InvalidParameter, OneClass
from ensembles.learners.core.base import BaseModel
from ensembles.registry import base_models
from tests.examples import random_examples
from tests.methods import naive_weighting as naive


class BatchBayes(NaiveBayesClassifier):
    """Naive Bayes that can neither learn online nor take in new classes and values."""

    learns_online = False
    extend_schema = BaseModel.extend_schema


def columns_of(seed, m, n_attributes, share=0.5):
    size = int(np.ceil(share * n_attributes))
    return sorted(stream(seed, "attribute_subsets", m).permutation(n_attributes)[:size])


def pool(base, X, y, n_members, n_first, *, updated):
    """Return members trained on the first examples, and what each told of the others before and after it learned them."""
    members, told, classes = [], [], np.unique(y)
    for m in range(n_members):
        seen = encode_frame(X.iloc[:, columns_of(3, m, X.shape[1])])
        member, answers = base(), []
        if n_first:
            member.partial_fit(seen[:n_first], y[:n_first], classes=classes)
        for i in range(n_first, len(y)):
            before = answer(member, seen[[i]], classes)
            if updated:
                member.partial_fit(seen[[i]], y[i : i + 1], classes=classes)
            answers.append((before, answer(member, seen[[i]], classes)))
        members.append(member)
        told.append(answers)
    return members, [[list(side) for side in zip(*row, strict=True)] for row in zip(*told, strict=True)]


def answer(member, row, classes):
    """Return the class that a member tells, by its position, None of one that has learned nothing."""
    return int(np.searchsorted(classes, member.predict(row)[0])) if hasattr(member, "classes_") else None


@pytest.mark.parametrize("base", [NaiveBayesClassifier, PerceptronClassifier])
@pytest.mark.parametrize(
    ("updated", "timing", "fraction"),
    [(False, "before", 0.25), (True, "before", 0.25), (True, "after", 0.25), (True, "before", 0.0)],
)
def test_members_are_told_asked_and_taught_in_order(base, updated, timing, fraction):
    X, y, _ = random_examples(1, n=48, nominal=3, n_classes=3)
    model = BayesianEnsembleClassifier(
        base(),
        n_estimators=4,
        members="updated" if updated else "fixed",
        pretrain_fraction=fraction,
        loss_timing=timing,
        random_state=3,
    )
    table, first = encode_frame(X), int(48 * fraction)
    assert model.start_stream(table, y, np.arange(3)) == first
    if first == 0:  # nothing is known that could tell
        model.partial_fit(table.take(slice(0, 1)), y[:1], classes=np.arange(3))
    known = max(first, 1)
    foretold, _ = model.predict_then_learn(table.take(slice(known, 48)), y[known:])
    members, told = pool(base, X, y, 4, first, updated=updated)
    labels = np.searchsorted(np.unique(y), y).tolist()
    prior = np.bincount(labels[:first], minlength=3).tolist()
    forecasts, past, weights_at = [], [], naive.bayesian(4, 1.0, 1.0, 0.1)
    for t, (answers, later) in enumerate(told):
        forecasts.append(naive.tell("ramp", weights_at(past, [1.0] * t), answers, prior))
        past.append(naive.losses("ramp", later if timing == "after" else answers, labels[first + t]))
        prior[labels[first + t]] += 1
    weights = weights_at(past, [1.0] * len(past))
    assert model.n_pretrained_ == first
    assert foretold.tolist() == forecasts[known - first :]
    np.testing.assert_allclose(model.member_weights_, weights, rtol=1e-9)
    votes = np.zeros((48, 3))
    for member, weight in zip(members, weights, strict=True):
        m = members.index(member)
        votes[np.arange(48), member.predict(encode_frame(X.iloc[:, columns_of(3, m, X.shape[1])]))] += weight
    np.testing.assert_allclose(model.predict_proba(table), votes / votes.sum(axis=1, keepdims=True), rtol=1e-9)


def test_members_see_half_the_attributes_and_do_not_depend_on_their_number():
    X, y, _ = random_examples(2, n=40, nominal=3, numeric=4)
    few = VotingClassifier(n_estimators=3, random_state=5).fit(X, y)
    many = VotingClassifier(n_estimators=8, random_state=5).fit(X, y)
    for m in range(3):
        assert few._members[m].seen.tolist() == many._members[m].seen.tolist() == columns_of(5, m, 7)
        assert (few._members[m].members.totals == many._members[m].members.totals).all()
    assert len({tuple(part.seen) for part in many._members}) > 3
    every = VotingClassifier(n_estimators=2, max_features=1.0, pretrain_fraction=1.0).fit(X, y)
    assert (every.predict(X) == NaiveBayesClassifier().fit(X, y).predict(X)).all()


def test_what_a_member_does_not_see_changes_nothing():
    X, y, _ = random_examples(3, n=60, nominal=0, numeric=4, missing=0.0)
    model = VotingClassifier(n_estimators=1, random_state=1).fit(X, y)
    blind = [name for a, name in enumerate(X.columns) if a not in model._members[0].seen]
    other = X.assign(**dict.fromkeys(blind, np.nan))
    assert (model.predict_proba(X) == model.predict_proba(other)).all()


def test_the_share_trained_first_has_a_least_and_a_greatest_number():
    X, y, _ = random_examples(4, n=60, n_classes=3)
    assert VotingClassifier(n_estimators=2).fit(X, y).n_pretrained_ == 10
    assert VotingClassifier(n_estimators=2, pretrain_fraction=0.05, pretrain_least=2).fit(X, y).n_pretrained_ == 6
    assert VotingClassifier(n_estimators=2, pretrain_fraction=0.5).fit(X, y).n_pretrained_ == 30
    assert VotingClassifier(n_estimators=2, pretrain_fraction=0.5, pretrain_most=20).fit(X, y).n_pretrained_ == 20
    assert VotingClassifier(n_estimators=2, pretrain_fraction=0.5, pretrain_most=1).fit(X, y).n_pretrained_ == 10
    assert VotingClassifier(n_estimators=2, pretrain_fraction=0.0).fit(X, y).n_pretrained_ == 10
    updated = VotingClassifier(n_estimators=2, members="updated", pretrain_fraction=0.0).fit(X, y)
    assert updated.n_pretrained_ == 0
    for cls in (VotingClassifier, BayesianEnsembleClassifier):
        everything = cls(n_estimators=2, pretrain_fraction=1.0).fit(X, y)
        assert np.isnan(everything.member_errors_).all()
    assert np.isnan(everything.online_error_)
    assert len(everything.weight_times_) == 0


@pytest.mark.parametrize("base", [NaiveBayesClassifier, PerceptronClassifier])
def test_a_first_call_too_short_trains_members_in_the_next_ones(base):
    X, y, _ = random_examples(5, n=60)
    whole = WeightedMajorityClassifier(base(), n_estimators=3, pretrain_fraction=0.25, random_state=2).fit(X, y)
    pieces = WeightedMajorityClassifier(base(), n_estimators=3, pretrain_least=15, random_state=2)
    for rows in np.array_split(np.arange(60), [1, 9, 10, 40]):
        pieces.partial_fit(X.iloc[rows], y[rows], classes=np.unique(y))
    assert pieces.n_pretrained_ == whole.n_pretrained_ == 15
    assert (pieces.member_weights_ == whole.member_weights_).all()
    assert (pieces.predict_proba(X) == whole.predict_proba(X)).all()


def test_the_gradient_is_averaged_over_all_examples_only_where_their_number_is_known():
    X, y, _ = random_examples(6, n=50)
    known = SagEnsembleClassifier(n_estimators=2, random_state=1).fit(X, y)
    stream_ = SagEnsembleClassifier(n_estimators=2, random_state=1).partial_fit(X, y)
    assert known._weighting.settings[2] == 40
    assert stream_._weighting.settings[2] == 0
    assert (known.member_weights_ != stream_.member_weights_).any()


@pytest.mark.parametrize("members", ["fixed", "updated"])
@pytest.mark.parametrize("cls", [SagEnsembleClassifier, VotingClassifier, WeightedMajorityClassifier, WinnowClassifier])
def test_a_stream_trains_members_on_its_share_and_is_then_learned_one_by_one(cls, members):
    X, y, _ = random_examples(9, n=60)
    table, settings = encode_frame(X), {"n_estimators": 3, "members": members, "pretrain_fraction": 0.3}
    whole = cls(**settings, random_state=1).fit(table, y)
    stream_, blocks = cls(**settings, random_state=1), cls(**settings, random_state=1)
    assert stream_.start_stream(table, y, np.unique(y)) == blocks.start_stream(table, y, np.unique(y)) == 18
    predicted, shares = [], []
    for i in range(18, 60):
        row = table.take(slice(i, i + 1))
        predicted.append(stream_.predict(row)[0])
        shares.append(stream_.predict_proba(row)[0])
        stream_.learn_batch(row, y[i : i + 1])
    for start, stop in ((18, 19), (19, 40), (40, 60)):
        told, chances = blocks.predict_then_learn(table.take(slice(start, stop)), y[start:stop])
        assert told.tolist() == predicted[start - 18 : stop - 18]
        assert (chances == np.array(shares[start - 18 : stop - 18])).all()
    for model in (stream_, blocks):
        assert (model.member_weights_ == whole.member_weights_).all()
        assert (model.predict_proba(table) == whole.predict_proba(table)).all()
        if cls is not VotingClassifier:  # which asks nobody while it learns
            assert model.online_error_ == whole.online_error_
    if cls not in (VotingClassifier, WinnowClassifier):  # which predicts by other weights than it is corrected by
        assert whole.online_error_ == (np.array(predicted) != y[18:]).mean()
    untrained = cls(**settings | {"members": "updated", "pretrain_fraction": 0.0})
    assert untrained.start_stream(table, y, np.unique(y)) == 0


@pytest.mark.parametrize("base", [NaiveBayesClassifier, PerceptronClassifier])
def test_voting_asks_members_only_when_their_errors_are_wanted(base, monkeypatch):
    X, y, _ = random_examples(10, n=60)
    table, settings = encode_frame(X), {"n_estimators": 4, "members": "updated", "random_state": 1}
    asked = VotingClassifier(base(), **settings)
    first = asked.start_stream(table, y, np.unique(y))
    asked.predict_then_learn(table.take(slice(first, 60)), y[first:])
    with monkeypatch.context() as forbidden:
        forbidden.setattr(VotingClassifier, "_predicted_blocks", None)
        model = VotingClassifier(base(), **settings).fit(table, y)
    assert (model.predict_proba(table) == asked.predict_proba(table)).all()
    rest, labels = table.take(slice(first, 60)), y[first:]
    assert 0 < first == model.n_pretrained_
    assert model.member_errors_.tolist() == asked.member_errors_.tolist() == list(model.errors_on(rest, labels))
    assert model.member_errors_.tolist() == [(told != labels).mean() for told in model.member_classes(rest)]


def test_the_history_keeps_at_most_500_points_evenly():
    X, y = pd.DataFrame({"a": np.zeros(1710)}), np.arange(1710) % 2
    model = BayesianEnsembleClassifier(n_estimators=2, pretrain_fraction=0.0).fit(X, y)
    assert model.weight_times_.tolist() == list(range(4, 1701, 4))
    expected = (1 + model.weight_times_) / (1 + 0.1 * model.weight_times_ * 0.5)
    np.testing.assert_allclose(model.weight_history_[:, 0], expected, rtol=0.02)


def test_batch_base_models_can_be_fixed_members_only():
    X, y, _ = random_examples(7, n=80, n_classes=2)
    model = VotingClassifier(BatchBayes(), n_estimators=5, random_state=1).fit(X, y)
    before = model.predict_proba(X)
    model.partial_fit(X, y)
    assert (model.predict_proba(X) == before).all()
    with pytest.raises(InvalidData, match=r"naive_bayes: members that learned in batch .* 3 classes"):
        model.partial_fit(X, np.where(y == 0, 2, y))
    assert (model.predict_proba(X) == before).all()
    updated = VotingClassifier(BatchBayes(), members="updated")
    with pytest.raises(
        InvalidParameter, match=r"voting: estimator must learn online for members='updated', .*naive_bayes"
    ):
        updated.fit(X, y)


@pytest.mark.parametrize("cls", [BayesianEnsembleClassifier, WeightedMajorityClassifier])
@pytest.mark.parametrize("members", ["fixed", "updated"])
def test_pools_that_see_all_attributes_pass_the_check_of_training(cls, members):
    check_classifiers_train(cls.__name__, cls(n_estimators=5, members=members, max_features=1.0))


def test_probabilities_as_answers():
    X, y, _ = random_examples(8, n=60, n_classes=3)
    model = BayesianEnsembleClassifier(n_estimators=4, output="probability", random_state=3).fit(X, y)
    risks = np.zeros((60, 3))
    for m, weight in enumerate(model.member_weights_):
        seen = X.iloc[:, columns_of(3, m, 4)]
        shares = NaiveBayesClassifier().partial_fit(seen.iloc[:10], y[:10], classes=[0, 1, 2]).predict_proba(seen)
        for c in range(3):
            margin = shares[:, c] - np.delete(shares, c, axis=1).max(axis=1)
            risks[:, c] += weight * np.clip(1 - margin, 0, 1)
    assert (model.predict(X) == risks.argmin(axis=1)).mean() > 0.98  # ties aside
    updated = BayesianEnsembleClassifier(
        n_estimators=4, output="probability", members="updated", pretrain_fraction=0.0, random_state=3
    ).fit(X, y)
    assert updated.score(X, y) > model.score(X, y) - 0.05


@pytest.mark.parametrize("key", [key for key, base in base_models().items() if base.cls.rows_alike])
def test_rows_said_to_be_alike_do_not_depend_on_what_members_learned(key):
    X, y, _ = random_examples(5, n=40)
    read = []
    for order in (slice(None), slice(None, None, -1)):
        model = base_models()[key].cls()
        model.partial_fit(X[order], y[order], classes=np.unique(y))
        table = model._encoded(X)
        model._members = model.ensure_capacity(model._members, table)
        read.append(model.rows(model._members, table, learning=True))
    for one, other in zip(*read, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("y", [np.repeat(["no", "yes"], 30), np.repeat([0, 1], 30), np.repeat([False, True], 30)])
def test_fixed_members_that_are_trained_on_one_class_of_several_say_so(y):
    X = np.arange(60.0).reshape(-1, 1)
    pool = VotingClassifier(NaiveBayesClassifier(), n_estimators=2, max_features=1.0)
    sentence = (
        f"^voting: members are trained on the first 10 of 60 examples, all of the class {y[0].item()!r}, and predict no"
    )
    with pytest.warns(OneClass, match=sentence) as told:
        pool.fit(X, y)
    assert told[0].filename == __file__
    with pytest.warns(OneClass, match=sentence.replace("of 60", "of 20")):
        VotingClassifier(n_estimators=2).partial_fit(X[:20], y[:20], np.unique(y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pool.fit(X[::-3], np.tile(y[::30], 10))
        VotingClassifier(n_estimators=2).partial_fit(X[:20], y[:20])
        VotingClassifier(n_estimators=2, members="updated").fit(X, y)
