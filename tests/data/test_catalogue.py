"""The catalogue keeps what it says, and what is generated has the distribution it should have."""

import itertools

import numpy as np
import pytest

from ensembles.data import catalogue, load_dataset
from ensembles.data.catalogue import PAPERS
from ensembles.errors import InvalidParameter, NotFound

GENERATED = ["synthetic_1", "synthetic_2", "synthetic_3", "led24", "waveform40"]


@pytest.mark.parametrize("key", [key for key, entry in catalogue().items() if entry.offline])
def test_an_entry_says_what_the_data_set_is(key):
    entry, dataset = catalogue()[key], load_dataset(key)
    assert (entry.key, entry.name, entry.rows) == (key, dataset.name, len(dataset))
    assert entry.attributes == len(dataset.attributes) == entry.describe()["attributes"]
    assert entry.nominal_positions == dataset.table.schema.nominal
    assert entry.numeric == len(dataset.table.schema.numeric)
    assert entry.classes == len(dataset.classes) == len(np.unique(dataset.labels))
    if entry.origin != "generated":
        assert sorted(np.bincount(dataset.labels), reverse=True) == list(entry.class_sizes)
    if entry.origin in ("bundled", "computed", "scikit-learn"):
        assert entry.sha256 == dataset.sha256
    assert load_dataset(key).sha256 == dataset.sha256


@pytest.mark.parametrize("entry", catalogue().values(), ids=lambda entry: entry.key)
def test_an_entry_says_where_it_comes_from_and_who_used_it(entry):
    assert entry.citation
    assert entry.licence
    assert set(entry.papers) <= set(PAPERS)
    assert sum(entry.class_sizes) in (0, entry.rows)
    assert len(entry.class_sizes) in (0, entry.classes)
    for paper, tables in entry.papers.items():
        assert PAPERS[paper] in entry.used_in
        assert tables in entry.used_in


@pytest.mark.parametrize("key", GENERATED)
def test_the_same_seed_gives_the_same_data_set(key):
    first, again, other = (load_dataset(key, rows=500, seed=seed) for seed in (7, 7, 8))
    assert first.sha256 == again.sha256 != other.sha256
    assert len(first) == 500
    assert "500 rows, seed 7" in first.source


def test_an_unknown_key_is_answered_with_the_keys_there_are():
    with pytest.raises(NotFound, match=r"^no data set is called 'iriss'; there are iris, wine, .*, car, nursery, "):
        load_dataset("iriss")


def test_unknown_settings_and_values_out_of_range_are_refused():
    with pytest.raises(InvalidParameter, match=r"^iris: unknown setting 'rows'; there are none$"):
        load_dataset("iris", rows=10)
    with pytest.raises(
        InvalidParameter, match=r"^led24: unknown setting 'size'; there are rows, seed, noise, swapped, .*$"
    ):
        load_dataset("led24", size=10)
    with pytest.raises(InvalidParameter, match=r"^led24: rows must be an integer in \[100, 1000000000000\], got 0$"):
        load_dataset("led24", rows=0)
    with pytest.raises(InvalidParameter, match=r"^led24: noise must be a number in \[0, 1\], got 2$"):
        load_dataset("led24", noise=2)


def test_iris_is_fishers():
    dataset = load_dataset("iris")
    assert dataset.classes == ("setosa", "versicolor", "virginica")
    assert dataset.table.numbers[0].tolist() == [5.1, 3.5, 1.4, 0.2]


def test_balance_scale_is_the_full_factorial_in_the_order_of_the_file():
    dataset = load_dataset("balance_scale")
    rows = list(itertools.product(range(1, 6), repeat=4))
    assert dataset.table.numbers.tolist() == [list(row) for row in rows]
    sides = ["B" if lw * ld == rw * rd else "L" if lw * ld > rw * rd else "R" for lw, ld, rw, rd in rows]
    assert dataset.y.tolist() == sides
    assert [sides.count(side) for side in "BLR"] == [49, 288, 288]


@pytest.mark.parametrize(("key", "accuracy"), [("synthetic_1", 0.505), ("synthetic_2", 0.85), ("synthetic_3", 0.9825)])
def test_a_stump_on_the_last_attribute_has_its_closed_form_accuracy(key, accuracy):
    """0.5 P(A_20 = 1 | C = 0) + 0.5 P(A_20 = 0 | C = 1), within four standard errors."""
    dataset = load_dataset(key, rows=200_000, seed=3)
    right = (dataset.table.codes[:, 19] != dataset.labels).mean()
    assert right == pytest.approx(accuracy, abs=4 * np.sqrt(accuracy * (1 - accuracy) / 200_000))


@pytest.mark.parametrize("key", ["synthetic_1", "synthetic_2", "synthetic_3"])
def test_every_link_of_the_chain_has_its_probability(key):
    dataset = load_dataset(key, rows=200_000, seed=4)
    codes, labels = dataset.table.codes, dataset.labels
    for position, (label, above, probability) in itertools.product(
        range(19), [(0, 0, 0.8), (0, 1, 0.2), (1, 0, 0.9), (1, 1, 0.1)]
    ):
        rows = (labels == label) & (codes[:, position + 1] == above)
        share = (codes[rows, position] == 0).mean()
        assert share == pytest.approx(probability, abs=5 * np.sqrt(probability * (1 - probability) / rows.sum()))


def test_classes_are_drawn_evenly():
    for key in GENERATED:
        counts = np.bincount(load_dataset(key, rows=100_000).labels)
        expected = 100_000 / len(counts)
        assert counts == pytest.approx(expected, abs=5 * np.sqrt(expected))


DIGITS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]


def test_led_without_noise_shows_the_digits():
    dataset = load_dataset("led24", noise=0)
    shown = ["".join(map(str, row)) for row in dataset.table.codes[:, :7]]
    assert shown == [DIGITS[label] for label in dataset.labels]


def test_led_noise_inverts_a_tenth_and_the_best_accuracy_is_three_quarters():
    dataset = load_dataset("led24", rows=100_000, seed=5)
    clean = np.array([list(map(int, digit)) for digit in DIGITS])
    segments = dataset.table.codes[:, :7]
    assert (segments != clean[dataset.labels]).mean(axis=0) == pytest.approx(0.1, abs=0.005)
    nearest = (segments[:, None, :] != clean).sum(axis=2).argmin(axis=1)
    assert (nearest == dataset.labels).mean() == pytest.approx(0.74, abs=0.01)
    assert dataset.table.codes[:, 7:].mean(axis=0) == pytest.approx(0.5, abs=0.01)


def test_the_best_accuracy_on_waveform_is_086():
    """The Bayes rule, its integral over the share of the first wave taken on a grid."""
    dataset = load_dataset("waveform40", rows=4_000, seed=6)
    points = np.arange(1, 22)
    waves = [np.maximum(6 - np.abs(points - peak), 0) for peak in (7, 15, 11)]
    share = (np.arange(40)[:, None] + 0.5) / 40
    likelihood = []
    for first, second in [(0, 1), (0, 2), (1, 2)]:
        means = share * waves[first] + (1 - share) * waves[second]
        distance = ((dataset.table.numbers[:, None, :21] - means) ** 2).sum(axis=2)
        likelihood.append(np.exp(-distance / 2).mean(axis=1))
    best = np.argmax(likelihood, axis=0)
    assert (best == dataset.labels).mean() == pytest.approx(0.86, abs=0.02)
    noise = dataset.table.numbers[:, 21:]
    assert noise.mean() == pytest.approx(0, abs=0.02)
    assert noise.std() == pytest.approx(1, abs=0.02)
