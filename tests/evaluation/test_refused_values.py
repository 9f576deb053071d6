"""What functions of evaluation are given and cannot use: a sentence each, and no number."""

import pandas as pd
import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.effects import bayesian_signed_rank, error_reduction, win_tie_loss
from ensembles.evaluation.rank_tests import compare_ranks
from ensembles.evaluation.significance import corrected_t_test, mcnemar_test, paired_t_test, wilcoxon_test
from ensembles.evaluation.verdict import on_splits, over_datasets
from ensembles.evaluation.verdict_on_examples import on_examples

PAIRED = {test.__name__: test for test in (paired_t_test, mcnemar_test, wilcoxon_test, win_tie_loss, error_reduction)}
PAIRED["bayesian_signed_rank"] = bayesian_signed_rank
PAIRED["corrected_t_test"] = lambda *pair, **named: corrected_t_test(*pair, test_train_ratio=0.25, **named)


@pytest.mark.parametrize("test", PAIRED)
@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (None, "names must be a list of texts, got None"),
        ("bagging", "names must be two, got 'bagging'"),
        ((1, 2), r"names must be a list of texts, got \(1, 2\)"),
        (("a",), r"names must be two, got \('a',\)"),
    ],
)
def test_names_of_a_pair_are_two_texts(test, names, sentence):
    with pytest.raises(InvalidInput, match=f"^{test}: {sentence}$"):
        PAIRED[test]([0.0, 1.0], [1.0, 1.0], names=names)


@pytest.mark.parametrize("names", [None, [1, 2, 3]])
def test_names_of_ranked_learners_are_texts(names):
    with pytest.raises(InvalidInput, match=r"^compare_ranks: names must be a list of texts, got "):
        compare_ranks([[0.1, 0.2, 0.3], [0.2, 0.1, 0.3]], names)
    frame = pd.DataFrame({"a": [0.1, 0.2], "b": [0.2, 0.1], "c": [0.3, 0.3]})
    assert compare_ranks(frame, frame.columns).names == ("a", "b", "c")


@pytest.mark.parametrize("test", PAIRED)
def test_series_with_the_same_labels_in_two_orders_are_no_pairs(test):
    first = pd.Series([0.0, 1.0], index=["iris", "car"])
    with pytest.raises(InvalidInput, match=f"^{test}: first and second must be in one order, got series with the same"):
        PAIRED[test](first, first[::-1])
    other = pd.Series([0.0, 1.0], index=[7, 8])
    assert PAIRED[test](first, first) == PAIRED[test](first, other)


def test_errors_below_zero_have_no_reduction():
    for pair in ([-0.1, 0.2], [0.1, 0.2]), ([0.1, 0.2], [-0.1, 0.2]):
        with pytest.raises(
            InvalidInput, match=r"^error_reduction: first and second must be errors, 0 or more, got -0\.1$"
        ):
            error_reduction(*pair)


@pytest.mark.parametrize("test", [on_examples, over_datasets, lambda values: on_splits(values, test_train_ratio=0.25)])
@pytest.mark.parametrize("values", [[["a", "b"]], [[0.0, 1.0], [1.0]]])
def test_verdicts_are_of_numbers(test, values):
    with pytest.raises(InvalidInput, match=r"^\w+: values must be numbers, got "):
        test(values)
