"""MOA's streams come to the last bit: what MOA's generators gave is kept beside this file."""

import hashlib
import itertools
import json
import math
import pathlib

import numpy as np
import pytest

from ensembles.data import load_dataset
from ensembles.data.generators import GENERATORS
from ensembles.data.generators.moa.java_random import new_random, next_double, next_gaussian, next_int, strict_log
from ensembles.errors import InvalidData, InvalidParameter

#: Of each stream the settings, MOA's command, its first two rows, and the SHA-256 of 1,000 rows of little-endian doubles.
KEPT = json.loads(pathlib.Path(__file__).with_name("moa_streams.json").read_text(encoding="utf-8"))
KEYS = [key for key in GENERATORS if key.startswith("moa_")]


def rows_of(dataset):
    """Return attributes and classes as MOA's numbers, one row an example."""
    columns = [dataset.table.column(position) for position in range(len(dataset.attributes))]
    return np.column_stack([*columns, dataset.labels]).astype("<f8")


def numbers(draw, n):
    return [draw() for _ in range(n)]


def test_random_numbers_are_those_of_java():
    """As Java 17 printed them; the odd bound makes it draw again half of the time."""
    state, spare = new_random(42), np.zeros(2)
    odd = [117392763, 102948884, 662969970, 595021505, 196118093, 969067502]
    assert numbers(lambda: next_int(state, (1 << 30) + 1), 6) == odd
    assert numbers(lambda: next_int(state, 64), 6) == [23, 24, 17, 44, 29, 48]
    assert numbers(lambda: next_double(state), 3) == [0.7829017787900358, 0.9193277828687169, 0.43649097442328655]
    assert numbers(lambda: next_gaussian(state, spare), 5) == [
        1.4105062239438624, -0.6402327822135738, -1.2096444592532913, 0.35375769787202876, -0.4903496491990076
    ]  # fmt: skip
    assert next_int(new_random(-7), 1000) == 662


def test_logarithms_are_those_of_java():
    """As `StrictMath.log` of Java 17 printed them: every case of fdlibm's, and ours within a bit of the C library's."""
    told = {
        0.9999995: -5.000001249589083e-7,
        0.99999999999: -1.000000082745371e-11,
        0.5: -0.6931471805599453,
        0.500000001: -0.6931471785599453,
        0.7: -0.35667494393873245,
        0.71: -0.342490308946776,
        0.69: -0.37106368139083207,
        1e-9: -20.72326583694641,
        0.35: -1.0498221244986778,
    }
    assert {x: strict_log(x) for x in told} == told
    shares = np.random.default_rng(0).random(2000).tolist()
    assert max(abs(strict_log(x) - math.log(x)) / math.ulp(math.log(x)) for x in shares) <= 1


@pytest.mark.parametrize(
    "kept", KEPT, ids=lambda kept: f"{kept['key']}-{'-'.join(map(str, kept['settings'].values()))}"
)
def test_streams_are_moas(kept):
    rows = rows_of(load_dataset(kept["key"], rows=1000, **kept["settings"]))
    assert rows[:2].tolist() == kept["first"]
    assert hashlib.sha256(rows.tobytes()).hexdigest() == kept["sha256"]


@pytest.mark.parametrize("key", KEYS)
def test_seed_and_rows_make_the_stream(key):
    first, again, other, longer = (
        load_dataset(key, rows=rows, seed=seed) for rows, seed in [(300, 7), (300, 7), (300, 8), (500, 7)]
    )
    assert first.sha256 == again.sha256 != other.sha256
    assert first.source == "generated, 300 rows, seed 7"
    assert np.array_equal(rows_of(first), rows_of(longer)[:300])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("drift", ["abrupt", "gradual"])
def test_each_concept_is_a_stream_of_its_own(key, drift):
    """The examples of concept k are the first of the stream that begins with concept and seed one later each."""
    settings = {"drift": drift, "drift_at": 0.25, "drift_width": 0.1}
    whole = rows_of(load_dataset(key, rows=800, seed=3, times=3, **settings)).tolist()
    begins_with = {"concept": 1} if key in ("moa_led", "moa_sea", "moa_agrawal") else {}
    found = []
    for change in range(4):
        own = {name: value + change for name, value in begins_with.items()}
        found.append(iter(rows_of(load_dataset(key, rows=800, seed=3 + change, **own)).tolist()))
    heads, order = [next(one) for one in found], []
    for row in whole:
        order.append(heads.index(row))
        heads[order[-1]] = next(found[order[-1]])
    switches = sum(a != b for a, b in itertools.pairwise(order))
    assert set(order) == {0, 1, 2, 3}
    assert switches < 20 if drift == "abrupt" else switches > 20
    assert [order.index(change) for change in range(1, 4)] == pytest.approx([200, 400, 600], abs=120)


def test_the_places_of_changes_are_told():
    told = GENERATORS["moa_sea"].changes(rows=1000, drift="gradual", drift_at=0.25, times=3)
    assert told == (250, 500, 750)
    assert GENERATORS["moa_sea"].changes(rows=1000, drift="abrupt", drift_at=0.4, times=9) == (400, 800)
    assert GENERATORS["moa_sea"].changes(rows=1000, drift="recurring", drift_at=0.4) == (400, 800)
    assert GENERATORS["moa_sea"].changes() == ()


def test_what_cannot_be_is_told():
    with pytest.raises(InvalidParameter, match=r"^moa_sea: concept must be an integer in \[1, 4\], got 5$"):
        load_dataset("moa_sea", concept=5)
    with pytest.raises(InvalidParameter, match="unknown setting 'class_ratio'"):
        load_dataset("moa_sea", class_ratio=1.0)
    with pytest.raises(InvalidData, match="needs at least two different classes"):
        load_dataset("moa_agrawal", rows=100, concept=10)


def test_settings_beyond_what_there_is_are_cut():
    """More attributes that turn than there are, more centres that move, trees of nominal attributes only."""
    all_turn = load_dataset("moa_hyperplane", rows=200, attributes=3, turning=3)
    assert load_dataset("moa_hyperplane", rows=200, attributes=3, turning=9).sha256 == all_turn.sha256
    all_move = load_dataset("moa_random_rbf", rows=200, centres=20, moving=20, speed=0.1)
    assert load_dataset("moa_random_rbf", rows=200, centres=20, moving=99, speed=0.1).sha256 == all_move.sha256
    assert len(load_dataset("moa_random_tree", rows=200, nominal=0, depth=7, leaf_fraction=1.0)) == 200
