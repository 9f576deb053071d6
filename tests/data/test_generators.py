"""Generators keep their laws, follow their published rules row by row, and change where the drift is."""

import math

import numpy as np
import pytest

from ensembles.data import catalogue, load_dataset
from ensembles.data.generators import GENERATORS
from ensembles.data.generators.random_tree import _grow
from ensembles.data.generators.stream import Stream, draw_by_rule
from ensembles.errors import InvalidParameter
from ensembles.experiments.config import DatasetRef

KEYS = [key for key, generator in GENERATORS.items() if generator.ratio]
BY_RULE = [key for key, generator in GENERATORS.items() if generator.by_rule]

#: Content of data sets that experiments stored before generators had more settings.
KNOWN = {
    "synthetic_1": "e1c4a30555cb1ff577a49c868353e0d23945bef251cc6429252d3838cdd7e70c",
    "synthetic_2": "29762d364b26f08c8f4d15b76a5c085bcb87f7a446e2c8ed82137ec7a8e36283",
    "synthetic_3": "39b95e9e331926a4e7abea0b9d30fdb81a08c612917a68234cc65edd6649959a",
    "led24": "5f917c599b08effbc9109ef975e9d863e4300ee436f73bf61813d6ea3ed6df1a",
    "waveform40": "9bfb9513e4d901812a9125467748b403a223430804c2888ad7062851e81fcb83",
}


def values_of(dataset):
    """Return all attributes as numbers, one row an example."""
    return np.column_stack([dataset.table.column(position) for position in range(len(dataset.attributes))])


def close(share, probability, n):
    """Whether a share of n draws is within five standard errors of its probability."""
    return abs(share - probability) <= 5 * math.sqrt(max(probability * (1 - probability), 1e-9) / n)


@pytest.mark.parametrize("key", KNOWN)
def test_what_was_generated_once_is_generated_again(key):
    assert load_dataset(key).sha256 == KNOWN[key]


@pytest.mark.parametrize("key", KEYS)
def test_seed_and_rows_make_the_data_set(key):
    first, again, other = (load_dataset(key, rows=500, seed=seed) for seed in (7, 7, 8))
    assert first.sha256 == again.sha256 != other.sha256
    assert len(first) == 500
    assert first.source == "generated, 500 rows, seed 7"


@pytest.mark.parametrize("key", BY_RULE)
def test_fewer_rows_are_the_first_of_more(key):
    for settings in ({}, {"class_ratio": 0.3, "noise": 0.2}):
        few, many = (load_dataset(key, rows=rows, **settings) for rows in (300, 3000))
        assert np.array_equal(values_of(few), values_of(many)[:300])
        assert np.array_equal(few.labels, many.labels[:300])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("ratio", [0.1, 1.0])
def test_classes_have_the_shares_that_are_wanted(key, ratio):
    quiet = {} if key.startswith(("led", "wave")) else {"noise": 0.0}
    dataset = load_dataset(key, rows=20_000, seed=2, class_ratio=ratio, **quiet)
    n_classes = catalogue()[key].classes
    weights = ratio ** np.arange(n_classes)
    shares = np.bincount(dataset.labels, minlength=n_classes) / len(dataset)
    assert all(close(*pair, len(dataset)) for pair in zip(shares, weights / weights.sum(), strict=True))


@pytest.mark.parametrize("key", KEYS)
def test_settings_are_told_in_the_source_and_change_the_data(key):
    plain = load_dataset(key, rows=400)
    changed = load_dataset(key, rows=400, drift="abrupt", drift_at=0.25)
    assert changed.source == "generated, 400 rows, seed 1, drift abrupt, place of the drift 0.25"
    assert np.array_equal(values_of(plain)[:100], values_of(changed)[:100])
    assert np.array_equal(plain.labels[:100], changed.labels[:100])
    assert plain.sha256 != changed.sha256


def test_settings_stand_beside_the_key_in_an_experiment():
    reference = DatasetRef.model_validate({"key": "sea", "rows": 100_000, "drift": "abrupt"})
    assert reference.settings == {"rows": 100_000, "drift": "abrupt"}
    with pytest.raises(ValueError, match="sea: drift must be one of 'none', 'abrupt', 'gradual', 'recurring', got 'x'"):
        DatasetRef.model_validate({"key": "sea", "drift": "x"})


def stream(**settings):
    default = {"rows": 1000, "seed": 1, "noise": 0.0, "class_ratio": 0.0, "drift": "none", "drift_at": 0.3}
    return Stream(**{**default, "drift_width": 0.1, "source": "", **settings})


def test_concepts_change_where_the_drift_is():
    assert not stream().concepts().any()
    assert np.array_equal(stream(drift="abrupt").concepts(), np.arange(1000) >= 300)
    assert np.array_equal(stream(drift="recurring").concepts(), np.arange(1000) // 300 % 2)
    assert np.array_equal(stream(drift="recurring", drift_at=0.25).concepts(4, 2), (2 + np.arange(1000) // 250) % 4)


@pytest.mark.parametrize("drift_at", [0.07, 0.25, 1 / 3, 0.5, 1.0])
@pytest.mark.parametrize("drift", ["none", "abrupt", "recurring"])
def test_the_places_of_changes_are_told(drift, drift_at):
    one = stream(drift=drift, drift_at=drift_at)
    assert list(one.changes) == (np.flatnonzero(np.diff(one.concepts(3))) + 1).tolist()


def test_the_place_of_a_gradual_change_is_its_middle_and_settings_left_out_have_their_defaults():
    assert GENERATORS["sea"].changes(drift="gradual") == (25_000,)
    assert GENERATORS["sea"].changes(drift="gradual", rows=500, drift_at=0.3, nominal="all") == (150,)
    assert GENERATORS["sea"].changes() == ()


def test_a_gradual_drift_is_a_sigmoid():
    many = stream(rows=400_000, drift="gradual", drift_at=0.6, drift_width=0.2).concepts()
    for row in (0, 160_000, 220_000, 240_000, 260_000, 399_000):
        expected = 1 / (1 + math.exp(-4 * (row + 500 - 240_000) / 80_000))
        assert close(many[row : row + 1000].mean(), expected, 1000)


SEA_RULES = [lambda x, bound=bound: int(x[0] + x[1] > bound) for bound in (8, 9, 7, 9.5)]
STAGGER_RULES = [
    lambda x: x[0] == "small" and x[1] == "red",
    lambda x: x[1] == "green" or x[2] == "circular",
    lambda x: x[0] in ("medium", "large"),
]


@pytest.mark.parametrize("ratio", [0.0, 0.5])
@pytest.mark.parametrize("first", [1, 2, 3, 4])
def test_sea_follows_its_four_thresholds(first, ratio):
    settings = {"concept": first, "class_ratio": ratio, "drift": "recurring", "drift_at": 0.25}
    dataset = load_dataset("sea", rows=1000, noise=0.0, **settings)
    for i, x in enumerate(dataset.table.numbers):
        assert dataset.labels[i] == SEA_RULES[(first - 1 + i // 250) % 4](x)
    assert 0 <= dataset.table.numbers.min() < 1
    assert 9 < dataset.table.numbers.max() < 10


@pytest.mark.parametrize("first", [1, 2, 3])
def test_stagger_follows_its_three_rules(first):
    dataset = load_dataset("stagger", rows=900, concept=first, drift="recurring", drift_at=1 / 3)
    for i, (x, label) in enumerate(zip(dataset.X.to_numpy(), dataset.y, strict=True)):
        assert label == str(STAGGER_RULES[(first - 1 + i // 300) % 3](x)).lower()
    assert all(set(dataset.X[name]) == set(dataset.X[name].cat.categories) for name in dataset.X)


def test_the_plane_turns_as_its_steps_say():
    """Weights row by row: moved by the step, each in its direction, which turns round now and then."""
    settings = {"rows": 400, "noise": 0.0, "attributes": 4, "turning": 2, "magnitude": 0.02, "turn_back": 0.3}
    dataset = load_dataset("hyperplane", seed=3, **settings)
    drawn = stream(rows=400, seed=3)
    weights = drawn.numbers("concept").random((2, 4))[0].tolist()
    turns = drawn.numbers("turns").random((400, 2)) < 0.3
    direction = [1.0, 1.0]
    for i, x in enumerate(dataset.table.numbers):
        score = sum(w * value for w, value in zip(weights, x, strict=True))
        assert dataset.labels[i] == (score >= sum(weights) / 2)
        for a in range(2):
            weights[a] += 0.02 * direction[a]
            direction[a] *= -1 if turns[i, a] else 1


def test_a_plane_that_does_not_turn_stays():
    still, turning = (load_dataset("hyperplane", rows=2000, noise=0.0, magnitude=step) for step in (0.0, 0.05))
    assert np.array_equal(values_of(still), values_of(turning))
    assert np.array_equal(still.labels[:1], turning.labels[:1])
    assert (still.labels != turning.labels).mean() > 0.05


def test_a_random_tree_tells_every_example():
    """Row by row, value by value, from the root to a leaf; leaves lie between the third level and the last."""
    settings = {"nominal": 2, "values": 3, "numeric": 2, "classes": 3, "depth": 5, "leaf_fraction": 0.3}
    dataset = load_dataset("random_tree", rows=1000, seed=5, **settings)
    tree, levels = _grow(stream(seed=5).numbers("concept", 0), **settings), set()
    for codes, numbers, label in zip(dataset.table.codes, dataset.table.numbers, dataset.labels, strict=True):
        node, level = 0, 0
        while (asked := tree.attribute[node]) >= 0:
            node = tree.child[node] + (codes[asked] if asked < 2 else numbers[asked - 2] >= tree.cut[node])
            level += 1
        assert label == tree.label[node]
        levels.add(level)
    assert levels == {3, 4, 5}


@pytest.mark.parametrize("classes", [2, 8])
def test_every_class_of_a_random_tree_has_a_leaf(classes):
    for seed in range(10):
        dataset = load_dataset("random_tree", rows=5000, seed=seed, classes=classes, class_ratio=1.0, depth=3)
        assert close(np.bincount(dataset.labels).min() / 5000, 1 / classes, 5000)


@pytest.mark.parametrize("key", BY_RULE)
def test_a_drift_moves_the_concept_and_nothing_else(key):
    still, moved = (load_dataset(key, rows=4000, noise=0.0, drift=drift) for drift in ("none", "abrupt"))
    assert np.array_equal(values_of(still), values_of(moved))
    differ = still.labels != moved.labels
    assert not differ[:2000].any()
    assert differ[2000:].mean() > 0.02


@pytest.mark.parametrize(("key", "swapped"), [("led24", 7), ("led24", 3), ("waveform21", 10), ("waveform40", 20)])
def test_attributes_change_places_after_the_drift(key, swapped):
    still, moved = (load_dataset(key, rows=200, drift=drift, swapped=swapped) for drift in ("none", "abrupt"))
    before, after = values_of(still), values_of(moved)
    half, places = before.shape[1] // 2, list(range(before.shape[1]))
    for a in range(swapped):
        places[a], places[half + a] = places[half + a], places[a]
    assert np.array_equal(after[:100], before[:100])
    assert np.array_equal(after[100:], before[100:][:, places])
    assert np.array_equal(still.labels, moved.labels)


@pytest.mark.parametrize("key", [key for key in KEYS if not key.startswith(("led", "wave"))])
def test_noise_gives_its_share_another_class(key):
    clean, noisy = (load_dataset(key, rows=20_000, noise=noise) for noise in (0.0, 0.2))
    assert np.array_equal(values_of(clean), values_of(noisy))
    assert close((clean.labels != noisy.labels).mean(), 0.2, 20_000)


def test_every_other_class_is_alike_to_noise():
    clean, noisy = (load_dataset("random_tree", rows=30_000, classes=4, noise=noise) for noise in (0.0, 1.0))
    step = (noisy.labels - clean.labels) % 4
    assert all(close((step == k).mean(), 1 / 3, 30_000) for k in (1, 2, 3))


def test_waveform_has_the_noise_that_is_asked_for():
    dataset = load_dataset("waveform40", rows=5000, noise=3.0)
    assert dataset.table.numbers[:, 21:].std() == pytest.approx(3.0, abs=0.05)
    assert load_dataset("waveform21", rows=200, noise=0.0).table.numbers.min() == 0.0


def test_the_best_accuracy_on_waveform_21_is_086():
    """The Bayes rule, its integral over the share of the first wave taken on a grid."""
    dataset = load_dataset("waveform21", rows=4_000, seed=6)
    waves = [[max(6 - abs(i - peak), 0) for i in range(1, 22)] for peak in (7, 15, 11)]
    share = (np.arange(40)[:, None] + 0.5) / 40
    likelihood = []
    for first, second in [(0, 1), (0, 2), (1, 2)]:
        means = share * waves[first] + (1 - share) * waves[second]
        distance = ((dataset.table.numbers[:, None] - means) ** 2).sum(axis=2)
        likelihood.append(np.exp(-distance / 2).mean(axis=1))
    assert (np.argmax(likelihood, axis=0) == dataset.labels).mean() == pytest.approx(0.86, abs=0.02)


@pytest.mark.parametrize("concept", [1, 2, 3])
def test_stagger_has_the_class_frequencies_of_its_rules(concept):
    dataset = load_dataset("stagger", rows=20_000, concept=concept)
    assert close(dataset.labels.mean(), (1 / 9, 5 / 9, 2 / 3)[concept - 1], 20_000)


def test_sea_has_the_class_frequencies_of_its_thresholds():
    """P(x1 + x2 <= t) is t^2 / 200 for t in [0, 10]."""
    for concept, bound in enumerate((8, 9, 7, 9.5), start=1):
        dataset = load_dataset("sea", rows=20_000, concept=concept, noise=0.0)
        assert close((dataset.labels == 0).mean(), bound**2 / 200, 20_000)


def test_a_class_too_rare_to_be_given_its_share_is_told():
    with pytest.raises(InvalidParameter, match=r"^lopsided: class_ratio must be 0 here, as class 1 is too rare"):
        draw_by_rule(stream(class_ratio=1.0), 1, 2, lambda _, rows: np.zeros(len(rows), dtype=int), "lopsided")
