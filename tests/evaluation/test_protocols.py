"""Splits and orders: every example is tested once, sizes are equal, and nothing but the seed decides."""

import numpy as np
import pytest

from ensembles.evaluation.protocols import Purpose, assign_folds, choose_training, random_stream, shuffle

SHA = "ab" * 32

GOLDEN_FOLDS = [0, 2, 1, 2, 1, 0, 2, 1, 1, 0]
GOLDEN_ORDER = [1, 7, 0, 2, 5, 4, 6, 3]


def stream(*indices: int, seed: int = 1, sha256: str = SHA, purpose: Purpose = Purpose.SPLIT) -> np.random.Generator:
    return random_stream(purpose, seed, sha256, *indices)


def some_labels(n: int, n_classes: int = 3) -> np.ndarray:
    weights = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    return np.random.default_rng(n).choice(n_classes, size=n, p=weights)


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize(("n", "folds"), [(10, 2), (11, 5), (103, 5), (7, 7), (1000, 10)])
def test_folds_partition_the_examples_and_differ_by_at_most_one(n: int, folds: int, stratified: bool) -> None:
    assigned = assign_folds(some_labels(n), folds, stream(0), stratified=stratified)
    sizes = np.bincount(assigned, minlength=folds)
    assert len(assigned) == n
    assert len(sizes) == folds
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("seed", range(5))
def test_stratified_folds_share_every_class_equally(seed: int) -> None:
    labels = some_labels(97, n_classes=4)
    assigned = assign_folds(labels, 5, stream(0, seed=seed), stratified=True)
    for label in range(4):
        sizes = np.bincount(assigned[labels == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_a_class_with_fewer_examples_than_folds_is_in_as_many_folds_as_it_has_examples() -> None:
    labels = np.array([0] * 20 + [1] * 3 + [2])
    assigned = assign_folds(labels, 5, stream(0), stratified=True)
    assert len(set(assigned[labels == 1])) == 3


def test_unstratified_folds_are_not_balanced_by_class() -> None:
    labels = np.repeat([0, 1], 50)
    counts = [
        np.bincount(assign_folds(labels, 5, stream(repeat), stratified=False)[labels == 0], minlength=5)
        for repeat in range(5)
    ]
    assert any(sizes.max() - sizes.min() > 1 for sizes in counts)


def test_as_many_folds_as_examples_leave_one_out() -> None:
    assigned = assign_folds(some_labels(12), 12, stream(0), stratified=True)
    assert sorted(assigned) == list(range(12))


def test_every_fold_is_as_likely_to_hold_an_example() -> None:
    labels = np.repeat([0, 1], 5)
    first = [assign_folds(labels, 5, stream(repeat), stratified=True)[0] for repeat in range(1000)]
    assert np.bincount(first, minlength=5).min() > 150


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize(("n", "n_train"), [(2, 1), (150, 100), (101, 100), (101, 1), (57, 29)])
def test_holdout_takes_exactly_the_number_asked_for(n: int, n_train: int, stratified: bool) -> None:
    chosen = choose_training(some_labels(n), n_train, stream(0), stratified=stratified)
    assert chosen.dtype == bool
    assert chosen.sum() == n_train


@pytest.mark.parametrize("seed", range(5))
def test_stratified_holdout_takes_from_every_class_its_share(seed: int) -> None:
    labels = some_labels(200, n_classes=4)
    chosen = choose_training(labels, 70, stream(0, seed=seed), stratified=True)
    for label in range(4):
        assert abs(chosen[labels == label].sum() - 70 / 200 * (labels == label).sum()) < 1


def test_every_example_is_as_likely_to_be_chosen() -> None:
    labels = np.repeat([0, 1], [3, 7])
    chosen = sum(choose_training(labels, 5, stream(repeat), stratified=True).astype(int) for repeat in range(2000))
    assert np.all(np.abs(chosen / 2000 - 0.5) < 0.06)


def test_the_same_seed_content_and_place_give_the_same_stream() -> None:
    assert stream(3, 1, 4).random() == stream(3, 1, 4).random()


def test_seed_content_purpose_and_place_each_give_another_stream() -> None:
    streams = [
        stream(0, 0),
        stream(0, 1),
        stream(1, 0),
        stream(0, 0, seed=2),
        stream(0, 0, sha256="ac" * 32),
        stream(0, 0, purpose=Purpose.ORDER),
    ]
    assert len({rng.random() for rng in streams}) == len(streams)


def test_splits_stay_what_they_were_in_earlier_versions() -> None:
    labels = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    assert assign_folds(labels, 3, stream(0), stratified=True).tolist() == GOLDEN_FOLDS
    assert shuffle(np.arange(8), stream(0, 0, 0, purpose=Purpose.ORDER)).tolist() == GOLDEN_ORDER


def test_shuffling_keeps_every_example() -> None:
    rows = np.array([5, 9, 2, 7])
    assert sorted(shuffle(rows, stream(0))) == sorted(rows)
    assert rows.tolist() == [5, 9, 2, 7]
