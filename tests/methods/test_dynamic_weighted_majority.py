"""Dynamic weighted majority against plain Python."""

import numpy as np
import pytest

from ensembles import DynamicWeightedMajorityClassifier, NaiveBayesClassifier
from tests.methods.test_adwin import changing_stream, changing_table


class Expert:
    """A member, what it weighs and how often it was right."""

    def __init__(self):
        self.model, self.weight, self.wrong, self.tested = NaiveBayesClassifier(), 1.0, 0, 0

    def said(self, row):
        return int(self.model.predict(row)[0]) if hasattr(self.model, "classes_") else None


def majority(experts, said):
    return [sum(e.weight for e, c in zip(experts, said, strict=True) if c == k) for k in (0, 1)]


def dynamic_majority(X, y, period, beta, theta, cap):
    """Return the members at the end, how many there were, and the votes for each example before it was learned."""
    experts, made, told = [Expert()], 1, []
    for i, label in enumerate(y):
        row = X[[i]]
        said = [expert.said(row) for expert in experts]
        told.append(majority(experts, said))
        for expert, c in zip(experts, said, strict=True):
            expert.tested += c is not None
            expert.wrong += c not in (None, label)
        if (i + 1) % period == 0:
            for expert, c in zip(experts, said, strict=True):
                expert.weight *= beta if c not in (None, label) else 1.0
            votes, most = majority(experts, said), max(expert.weight for expert in experts)
            for expert in experts:
                expert.weight = expert.weight / most if most else 1.0
            experts = [expert for expert in experts if expert.weight >= theta]
            if int(votes[1] > votes[0]) != label:
                if len(experts) == cap:
                    experts.remove(min(experts, key=lambda expert: expert.weight))
                experts.append(Expert())
                made += 1
        for expert in experts:
            expert.model.partial_fit(row, [label], classes=[0, 1])
    return experts, made, np.array(told)


@pytest.mark.parametrize(
    ("cap", "period", "beta", "theta"), [(20, 5, 0.5, 0.2), (3, 3, 0.8, 0.01), (2, 1, 0.0, 0.01), (1, 10, 0.5, 0.5)]
)
def test_it_does_what_plain_python_does(cap, period, beta, theta):
    X, y = changing_table(2, 90, noise=0.3)
    experts, made, votes = dynamic_majority(X, y, period, beta, theta, cap)
    settings = {"n_estimators": cap, "period": period, "beta": beta, "theta": theta}
    model = DynamicWeightedMajorityClassifier(NaiveBayesClassifier(), **settings)
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    _, told = model.predict_then_learn(model._encoded(X[1:]), y[1:])
    assert told.tolist() == [[v / sum(vote) for v in vote] for vote in votes[1:].tolist()]
    assert model.n_members_ == len(experts)
    assert model.n_replaced_ == made - len(experts) > 0
    assert model.member_weights_.tolist() == [expert.weight for expert in experts]
    assert [expert.wrong / expert.tested for expert in experts if expert.tested] == [
        error for error in model.member_errors_.tolist() if error == error
    ]
    assert model.member_classes(X).tolist() == [expert.model.predict(X).tolist() for expert in experts]
    assert [one.predict(X).tolist() for one in model.estimators_] == model.member_classes(X).tolist()
    votes = majority(experts, model.member_classes(X[:9]).T[4])
    assert model.predict_proba(X[:9])[4].tolist() == pytest.approx([vote / sum(votes) for vote in votes])


def test_it_recovers_from_a_change_with_few_members():
    X, y = changing_stream(5, 2000)
    model = DynamicWeightedMajorityClassifier(NaiveBayesClassifier()).fit(X[:1500], y[:1500])
    assert model.score(X[1500:], y[1500:]) > 0.9
    assert model.n_members_ < 20
    assert model.member_sizes_ == [None] * model.n_members_
