"""Experiment files that cannot be used: refused in words that name the field."""

import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import ExperimentConfig
from tests.experiments.test_config import SHORT

LEARNER = {"method": "single", "base": "naive_bayes"}

REFUSED = {
    "unknown field": ({"sed": 1}, r"^experiment: unknown field 'sed'; there are name, seed, datasets, .*curves$"),
    "name missing": ({"name": None}, r"^name: must be text, got None$"),
    "name empty": ({"name": " "}, r"^name: must have 1 to 200 characters, got 0$"),
    "name long": ({"name": "x" * 201}, r"^name: must have 1 to 200 characters, got 201$"),
    "name of a data set long": (
        {"datasets": [{"sha256": "ab" * 32, "name": "x" * 201}]},
        r"^datasets\[0\]\.name: must have 1 to 200 characters, got 201$",
    ),
    "name of a test set empty": (
        {"protocol": {"kind": "given_split", "test_sha256": "ab" * 32, "test_name": " "}},
        r"^protocol\.test_name: must have 1 to 200 characters, got 0$",
    ),
    "seed text": ({"seed": "one"}, r"^seed: must be an integer in \[0, 4294967295\], got 'one'$"),
    "seed negative": ({"seed": -1}, r"^seed: must be an integer in \[0, 4294967295\], got -1$"),
    "seed truth": ({"seed": True}, r"^seed: .* got True$"),
    "no data sets": ({"datasets": []}, r"^datasets: must have 1 to 1,000 entries, got 0$"),
    "data sets not a list": ({"datasets": "iris"}, r"^datasets: must be a list, got 'iris'$"),
    "unknown key": (
        {"datasets": ["irs"]},
        r"^datasets\[0\]: no data set of the catalogue is called 'irs'; there are iris",
    ),
    "unknown setting": (
        {"datasets": ["iris", {"key": "led24", "size": 3}]},
        r"^datasets\[1\]: led24: unknown setting 'size'; there are rows, seed, noise, swapped, .*$",
    ),
    "setting out of range": (
        {"datasets": [{"key": "led24", "rows": 0}]},
        r"^datasets\[0\]: led24: rows must be an integer in \[100, 1000000000000\], got 0$",
    ),
    "two kinds": (
        {"datasets": [{"file": "a.csv", "sha256": "ab" * 32}]},
        r"^datasets\[0\]: give one of key, file, sha256, got file and sha256$",
    ),
    "no kind": ({"datasets": [{"target": "y"}]}, r"^datasets\[0\]: give one of key, file, sha256, got none of them$"),
    "target without file": (
        {"datasets": [{"sha256": "ab" * 32, "target": "y"}]},
        r"^datasets\[0\]: target goes with file only; it cannot go with sha256$",
    ),
    "unknown field of a data set": (
        {"datasets": [{"file": "a", "sep": ","}]},
        r"^datasets\[0\]: unknown field 'sep'; ",
    ),
    "bad hash": (
        {"datasets": [{"sha256": "xyz"}]},
        r"^datasets\[0\]\.sha256: must be 64 hexadecimal digits, got 'xyz'$",
    ),
    "nominal of the catalogue": (
        {"datasets": [{"key": "iris", "nominal": "b"}]},
        r"^datasets\[0\]: iris: nominal must be a list of columns, got 'b'$",
    ),
    "nominal": (
        {"datasets": [{"file": "a", "nominal": "b"}]},
        r"^datasets\[0\]\.nominal: must be all or a list of attri",
    ),
    "nominal by position": (
        {"datasets": [{"file": "a", "nominal": [3]}]},
        r"^datasets\[0\]\.nominal: must be all or a list of attributes by name, got \[3\]$",
    ),
    "bins as a list": (
        {"datasets": [{"file": "a", "bins": [25]}]},
        r"^datasets\[0\]\.bins: must be an integer, got \[25\]$",
    ),
    "bins": ({"datasets": [{"file": "a", "bins": 1}]}, r"^datasets\[0\]\.bins: must be at least 2, got 1$"),
    "many bins": ({"datasets": [{"file": "a", "bins": 101}]}, r"^datasets\[0\]\.bins: must be at most 100, got 101$"),
    "stream": (
        {"datasets": [{"file": "a", "stream": "b"}]},
        r"^datasets\[0\]\.stream: must be true or false, got 'b'$",
    ),
    "no file name": ({"datasets": [{"file": ""}]}, r"^datasets\[0\]\.file: must be text that is not empty, got ''$"),
    "ignore": ({"datasets": [{"file": "a", "ignore": [1]}]}, r"^datasets\[0\]\.ignore\[0\]: must be text, got 1$"),
    "same data set": ({"datasets": ["iris", "wine", "iris"]}, r"datasets\[2\] is the same as datasets\[0\]"),
    "settings as a list": (
        {"datasets": [{"key": "led24", "settings": [1]}]},
        r"^datasets\[0\]: settings must be fields with values, got \[1\]$",
    ),
    "name without hash": ({"datasets": [{"file": "a", "name": "b"}]}, r"^datasets\[0\]: name goes with sha256 only; "),
    "no learners": ({"learners": []}, r"^learners: must have 1 to 1,000 entries, got 0$"),
    "learner as text": ({"learners": ["single"]}, r"^learners\[0\]: must be fields with values, got 'single'$"),
    "no base": (
        {"learners": [LEARNER, {"method": "single"}]},
        r"^learners\[1\]: single: base must be one of .*, got none$",
    ),
    "base without key": (
        {"learners": [{**LEARNER, "base": {"a": 1}}]},
        r"^learners\[0\]: base must have a key, one of ",
    ),
    "settings of a learner as text": (
        {"learners": [{**LEARNER, "settings": "x"}]},
        r"^learners\[0\]: settings must be fields with values, got 'x'$",
    ),
    "unknown method": (
        {"learners": [LEARNER, {**LEARNER, "method": "bundling"}]},
        r"^learners\[1\]: method must be one of single, bagging, .*, got 'bundling'$",
    ),
    "unknown base": (
        {"learners": [{**LEARNER, "base": "svm"}]},
        r"^learners\[0\]: base model must be one of naive_bayes",
    ),
    "unknown setting of a method": (
        {"learners": [{**LEARNER, "members": 3}]},
        r"^learners\[0\]: single: unknown setting 'members'",
    ),
    "setting of a method out of range": (
        {"learners": [{"method": "bagging", "base": "naive_bayes", "n_estimators": 0}]},
        r"^learners\[0\]: bagging: n_estimators must be an integer in \[1, 10000\], got 0$",
    ),
    "same learner": (
        {
            "learners": [{"method": "bagging", "base": "naive_bayes", "n_estimators": n} for n in (100, 7)]
            + [{"method": "bagging", "base": "naive_bayes"}]
        },
        r"learners\[2\] is the same as learners\[0\]",
    ),
    "protocol as text": ({"protocol": "holdout"}, r"^protocol: must be fields with values, got 'holdout'$"),
    "protocol without kind": (
        {"protocol": {"folds": 5}},
        r"^protocol: kind is missing; it must be one of cross_validation, holdout, given_split, prequential, bias_variance$",
    ),
    "unknown protocol": ({"protocol": {"kind": "loo"}}, r"^protocol: kind must be one of .*, got 'loo'$"),
    "batch learner on a stream": (
        {"protocol": {"kind": "prequential"}, "learners": [{"method": "bagging", "base": "naive_bayes"}]},
        r"^experiment: protocol: prequential needs learners that learn online, example by example; "
        r"Bagging \(learners\[0\]\) sees all examples at once$",
    ),
    "batch base model on a stream": (
        {"protocol": {"kind": "prequential"}, "learners": [{"method": "single", "base": "pruned_tree"}]},
        r"Single model \(learners\[0\]\) sees all examples at once$",
    ),
    "measure of streams": (
        {"measures": ["kappa_temporal"]},
        r"measures\[0\]: kappa_temporal does not go with the protocol cross_validation; there are accuracy, error, ",
    ),
    "curve of streams": (
        {"curves": ["prequential_error"]},
        r"curves\[0\]: prequential_error does not go with the protocol cross_validation; there are learning_curve",
    ),
    "curve of a test set on a stream": (
        {"protocol": {"kind": "prequential"}, "curves": ["learning_curve"]},
        r"curves\[0\]: learning_curve does not go with the protocol prequential; there are prequential_error, member_err",
    ),
    "curve of bias and variance": (
        {"protocol": {"kind": "bias_variance"}, "curves": ["learning_curve"]},
        r"curves\[0\]: learning_curve does not go with the protocol bias_variance; there are none$",
    ),
    "one training set": (
        {"protocol": {"kind": "bias_variance", "training_sets": 1}},
        r"^protocol\.training_sets: must be an integer in \[2, 1000\], got 1$",
    ),
    "no final part": (
        {"protocol": {"kind": "prequential", "final_fraction": 0}},
        r"^protocol\.final_fraction: must be a number in \(0, 1\], got 0$",
    ),
    "unknown field of a protocol": (
        {"protocol": {"kind": "cross_validation", "fold": 5}},
        r"^protocol: unknown field 'fold'; there are kind, repeats, folds, orders, stratified$",
    ),
    "folds": (
        {"protocol": {"kind": "cross_validation", "folds": 1}},
        r"^protocol\.folds: must be an integer in \[2, 1000000\], got 1$",
    ),
    "stratified": (
        {"protocol": {"kind": "holdout", "stratified": "yes"}},
        r"^protocol\.stratified: must be true or false, got 'yes'$",
    ),
    "train size": (
        {"protocol": {"kind": "holdout", "train_size": 1.0}},
        r"^protocol\.train_size: must be a whole number of examples from 1 or a fraction above 0 and below 1, got 1\.0$",
    ),
    "train size as truth": (
        {"protocol": {"kind": "holdout", "train_size": True}},
        r"^protocol\.train_size: must be .*, got True$",
    ),
    "no test set": ({"protocol": {"kind": "given_split"}}, r"^protocol: give either test_file or test_sha256$"),
    "test set for two": (
        {"datasets": ["iris", "wine"], "protocol": {"kind": "given_split", "test_file": "a.csv"}},
        r"protocol: a given test set goes with one data set, got 2$",
    ),
    "unknown measure": (
        {"measures": ["accuracy", "f1"]},
        r"^measures\[1\]: must be one of accuracy, error, balanced_accuracy, .*, got 'f1'$",
    ),
    "measure of a stream that comes by itself": (
        {"measures": ["final_accuracy"]},
        r"^measures\[0\]: final_accuracy is taken by the protocol prequential by itself; leave it out$",
    ),
    "measure of bias and variance that comes by itself": (
        {"measures": ["accuracy", "bias"]},
        r"^measures\[1\]: bias is taken by the protocol bias_variance by itself; leave it out$",
    ),
    "measure twice": ({"measures": ["mse", "mse"]}, r"measures\[1\] is the same as measures\[0\]"),
    "unknown curve": (
        {"curves": ["roc"]},
        r"^curves\[0\]: must be one of learning_curve, member_errors, .*, got 'roc'$",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_the_name_of_the_field(case: str) -> None:
    change, sentence = REFUSED[case]
    with pytest.raises(InvalidConfig, match=sentence):
        ExperimentConfig.from_dict({**SHORT, **change})


def test_every_problem_has_its_own_line() -> None:
    document = {**SHORT, "seed": -1, "measures": ["f1"], "learners": [{"method": "bagging", "base": "x"}]}
    with pytest.raises(InvalidConfig) as caught:
        ExperimentConfig.from_dict(document)
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["seed", "learners[0]", "measures[0]"]


@pytest.mark.parametrize("document", ["just text", "", "[1, 2]", "3"])
def test_a_document_without_fields_is_refused(document: str) -> None:
    with pytest.raises(InvalidConfig, match=r"^experiment: must have the fields name, seed, datasets, .*, got "):
        ExperimentConfig.from_yaml(document)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidConfig, match=r"^datasets: is missing$"):
        ExperimentConfig.from_dict({"name": "x", "learners": [LEARNER]})


def test_a_long_value_is_cut_in_the_sentence() -> None:
    with pytest.raises(InvalidConfig) as caught:
        ExperimentConfig.from_dict({**SHORT, "seed": "9" * 5000})
    assert len(str(caught.value)) < 200
