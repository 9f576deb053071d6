"""Members bound by address: one kernel for all base models, the same numbers, kept on disk, nothing lost without one."""

import os
import subprocess
import sys

import numba
import pytest

from ensembles import DecisionTreeClassifier, NaiveBayesClassifier, NeuralNetworkClassifier, OnlineBoostingClassifier
from ensembles.learners.core import bound
from ensembles.methods.boosting import online_boosting
from tests.examples import random_examples

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(
        bool(numba.config.BOUNDSCHECK), reason="where kernels check bounds, nothing is bound by address"
    ),
]
BASES = [
    NaiveBayesClassifier(),
    DecisionTreeClassifier(),
    NeuralNetworkClassifier(random_state=0),
]


def boosted(base):
    X, y, weights = random_examples(3, n=60)
    model = OnlineBoostingClassifier(base, n_estimators=5, random_state=1).fit(X, y, weights)
    return model.predict_proba(X)


@pytest.mark.rare  # test_jit has all: without the compiler nothing is bound
@pytest.mark.parametrize("base", [BASES[0], NaiveBayesClassifier(numeric="grid")], ids=repr)
def test_operations_give_the_same_bits_by_address_and_inlined(base, monkeypatch):
    by_address = boosted(base)
    monkeypatch.setattr(online_boosting, "bind", lambda members, *_, **__: members)
    assert (boosted(base) == by_address).all()


def test_a_method_is_compiled_once_for_all_base_models_that_are_bound():
    script = (
        "from tests.learners.test_bound import BASES, boosted\nfor base in BASES[1:]: boosted(base)\n"
        "from ensembles.methods.boosting.online_boosting import boost_rows\nprint(len(boost_rows.compiled.signatures))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


@pytest.mark.rare
def test_a_disk_that_is_full_costs_no_operation(tmp_path):
    script = """
import errno
from numba.core.caching import IndexDataCacheFile
from tests.learners.test_bound import BASES, boosted
def refuse(*_):
    raise OSError(errno.ENOSPC, "No space left on device")
IndexDataCacheFile.save = refuse
print(boosted(BASES[0]).tobytes().hex())
"""
    environment = {**os.environ, "ENSEMBLE_LAB_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == boosted(BASES[0]).tobytes().hex()
    assert not [*tmp_path.rglob("*.nbc")]


def test_what_is_bound_is_read_where_it_lies():
    X, y, _ = random_examples(3, n=60)
    model = NaiveBayesClassifier().fit(X, y)
    rows = model.base_model().rows(model._members, model._encoded(X), learning=False)
    members = bound.bind(model._members, rows)
    words = members.kept.tolist()
    assert {array.ctypes.data for array in (*model._members, *rows) if array.size} <= set(words)
