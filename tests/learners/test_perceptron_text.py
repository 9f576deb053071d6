"""Perceptrons in words: who adds up the weights of an example's inputs comes to the class that the perceptron predicts."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from ensembles import PerceptronClassifier, SingleClassifier, export_graphviz, export_text
from ensembles.errors import InvalidParameter
from ensembles.registry import make_learner
from tests.examples import random_examples


def scores_by_words(text, row):
    """Return the score of each class that the words name."""
    by_length, scores, bias = text.startswith("all but the bias"), {}, {}
    on = sum(not pd.isna(value) for name, value in row.items() if name.startswith("n")) + row.isna().sum()
    length = math.sqrt(on + sum(value**2 for name, value in row.items() if name.startswith("m") and value == value))
    for line in text.splitlines():
        if named := re.fullmatch("class: (.*)", line):
            scores[label := named[1]] = 0.0
        elif line.startswith("|--- "):
            said, weight = line.removeprefix("|--- ").rsplit(": ", 1)
            if said == "bias":
                bias[label] = float(weight)
            else:
                scores[label] += float(weight) * input_by_words(said, row)
    return {label: score / (length if by_length else 1.0) + bias.get(label, 0.0) for label, score in scores.items()}


def input_by_words(said, row):
    """Return the input that the words name, of one example."""
    if said.endswith(" is missing"):
        return float(pd.isna(row[said.removesuffix(" is missing")]))
    if " = " in said:
        name, value = said.split(" = ")
        return float(row[name] == value)
    name, *size = said.split(" ", 1)
    value = row[name]
    if pd.isna(value):
        return 0.0
    if not size:
        return value
    low, between, high = re.fullmatch(r"\((.*) (\+-|to) (.*)\)", size[0]).groups()
    low, high = float(low), float(high)
    scaled = (value - low) / high if between == "+-" else (value - low) / (high - low) * 2 - 1
    return min(max(scaled, -10.0), 10.0)


@pytest.mark.parametrize("normalise", ["standard", "range", "unit", "none"])
@pytest.mark.parametrize(("n_classes", "averaged"), [(2, False), (3, True)])
def test_weights_in_words_predict_what_the_perceptron_does(normalise, n_classes, averaged):
    X, y, weights = random_examples(
        61, n=80, n_classes=n_classes, missing=0.0 if normalise in ("none", "range", "unit") else 0.2
    )
    model = PerceptronClassifier(normalise=normalise, averaged=averaged).fit(X, np.array(["u", "v", "w"])[y], weights)
    text, told = export_text(model), []
    for _, row in X.astype(object).iterrows():
        scores = scores_by_words(text, row)
        told.append(("v" if scores["v, against u"] > 0 else "u") if n_classes == 2 else max(scores, key=scores.get))
    assert (np.array(told) == model.predict(X)).mean() > 0.97  # six digits do not tell near ties apart
    assert len({*told}) == n_classes


def test_weights_are_listed_by_class_and_input():
    X = pd.DataFrame({"sky": ["sun", "rain", "rain", "sun"]})
    model = PerceptronClassifier().fit(X, ["go", "stay", "stay", "go"])
    assert export_text(model) == "class: stay, against go\n|--- sky = rain: 1\n|--- sky = sun: -1\n"
    assert export_text(SingleClassifier(model).fit(X, ["go", "stay", "stay", "go"])) == export_text(model)
    assert export_text(PerceptronClassifier().fit(X, ["go"] * 4)) == "class: go\n"
    with pytest.raises(InvalidParameter, match="export_graphviz: model must be a pruned, lossless"):
        export_graphviz(model)


@pytest.mark.parametrize("method", ["online_bagging", "random_subspaces"])
def test_members_tell_their_weights(method):
    X, y, _ = random_examples(62)
    model = make_learner(method, "perceptron", settings={"n_estimators": 3}, random_state=1).fit(X, y)
    told = [export_text(member) for member in model.estimators_]
    assert len({*told}) == 3
    if method == "random_subspaces":
        seen = [{X.columns[place] for place in places} for places in model.estimators_features_]
        for text, own in zip(told, seen, strict=True):
            assert {*re.findall(r"--- ([nm]\d)", text)} <= own
