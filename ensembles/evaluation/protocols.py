"""How examples are split into training and test, and in which order a learner meets them.

Everything here depends on (seed of the experiment, content of the data set, repeat, fold, order) and on nothing else:
all learners see the same splits and orders, on any machine and any number of workers.
"""

import re
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ensembles.errors import InvalidParameter
from ensembles.evaluation.checks import HIGHEST_SEED, check_whole

__all__ = ["Purpose", "assign_folds", "choose_training", "random_stream", "shuffle"]

Rows = npt.NDArray[np.int64]


class Purpose(IntEnum):
    """What a random stream is for; streams of different purposes are independent."""

    SPLIT = 1
    ORDER = 2
    LABELS = 3


def random_stream(purpose: Purpose, seed: int, sha256: str, *indices: int) -> np.random.Generator:
    """Return the random generator of one purpose.

    Parameters
    ----------
    seed : int
        Seed of the experiment, in [0, 2**32 - 1].
    sha256 : str
        Content hash of the data set, 64 hexadecimal digits.
    *indices : int
        Repeat, fold, order: whatever the purpose depends on, each in [0, 2**32 - 1].
    """
    if purpose not in tuple(Purpose):
        known = ", ".join(f"Purpose.{each.name}" for each in Purpose)
        raise InvalidParameter(f"random_stream: purpose must be one of {known}, got {purpose!r}")
    if not (isinstance(sha256, str) and re.fullmatch("[0-9a-fA-F]{64}", sha256)):
        raise InvalidParameter(f"random_stream: sha256 must be 64 hexadecimal digits, got {sha256!r}")
    for name, number in (("seed", seed), *(("an index", index) for index in indices)):
        check_whole("random_stream", name, number, 0, HIGHEST_SEED)
    # Words of fixed width: two different lists can never run together into the same entropy.
    content = np.frombuffer(bytes.fromhex(sha256), dtype=">u4")
    words = [int(purpose), seed, *(int(word) for word in content), *indices]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def assign_folds(labels: Rows, folds: int, rng: np.random.Generator, *, stratified: bool) -> Rows:
    """Assign every example to a fold.

    Parameters
    ----------
    labels : ndarray of int, shape (n_examples,)
        Class of each example.
    folds : int
        In [2, n_examples].
    stratified : bool
        Deal out class by class: the examples of a class spread over the folds with sizes that differ by at most one,
        so a class with fewer examples than folds is in as many folds as it has examples.

    Returns
    -------
    ndarray of int, shape (n_examples,)
        Fold of each example, in [0, folds); the sizes of the folds differ by at most one, stratified or not.
    """
    check_whole("assign_folds", "folds", folds, 2, len(labels))
    rows = _shuffled(labels, rng, stratified)
    # Dealing goes on from class to class without a fresh start; that is what keeps the folds equal as a whole.
    turn = rng.permutation(folds)
    assigned = np.empty(len(labels), dtype=np.int64)
    assigned[rows] = turn[np.arange(len(labels)) % folds]
    return assigned


def choose_training(labels: Rows, n_train: int, rng: np.random.Generator, *, stratified: bool) -> npt.NDArray[np.bool_]:
    """Choose `n_train` examples at random for training.

    Parameters
    ----------
    labels : ndarray of int, shape (n_examples,)
        Class of each example.
    n_train : int
        In [1, n_examples - 1].
    stratified : bool
        Every class gives its share, to within one example.

    Returns
    -------
    ndarray of bool, shape (n_examples,)
        True for training, False for test.
    """
    check_whole("choose_training", "n_train", n_train, 1, len(labels) - 1)
    rows = _shuffled(labels, rng, stratified)
    # Systematic sampling in whole numbers: evenly spaced picks with a random start are exactly n_train of n.
    marks = np.arange(len(labels) + 1, dtype=np.int64) * n_train + rng.integers(len(labels))
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[rows] = np.diff(marks // len(labels)) == 1
    return chosen


def shuffle(rows: Rows, rng: np.random.Generator) -> Rows:
    """Return the examples at positions `rows` in random order."""
    return rng.permutation(rows)


def _shuffled(labels: Rows, rng: np.random.Generator, stratified: bool) -> Rows:
    """Return all positions at random; one class after the other when stratified."""
    rows = rng.permutation(len(labels))
    return rows[np.argsort(labels[rows], kind="stable")] if stratified else rows
