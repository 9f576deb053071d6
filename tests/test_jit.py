"""Kernels give the same numbers compiled and not, and a new process finds them on the disk."""

import errno
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import compile_extra

from ensembles import parts
from ensembles.draws import poisson, poisson_by_means, poisson_counts, poisson_means
from ensembles.jit import inner, kernel, part
from ensembles.registry import make_learner
from tests import naive
from tests.examples import random_table
from tests.pairs import INSTALLED, small
from tests.test_laws import MATRIX, PAIRS

ROOT = pathlib.Path(__file__).parent.parent
SCRIPT = "import json; from tests.test_jit import bits; print(json.dumps(bits()))"


def bits():
    """Return what learners predict, all of it in one number each; those of the whole matrix if the environment says so."""
    found = {}
    for method, base in MATRIX if os.environ.get("MATRIX") == "whole" else PAIRS:
        if method in INSTALLED:
            X, y, weights = random_table(5, n=50)
            members = 2 if base == "neural_network" else 7  # interpreted, one takes a second
            model = make_learner(method, base, settings=small(method, members), random_state=3).fit(X, y, weights)
            found[f"{method} {base}"] = hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest()
    return found


def start(script, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    )


def run(script, **environment):
    with start(script, **environment) as process:
        printed, _ = process.communicate()
    assert process.returncode == 0
    return printed


@pytest.mark.compiled
def test_compiled_and_interpreted_kernels_give_the_same_bits():
    with start(SCRIPT, NUMBA_DISABLE_JIT="1") as beside:
        compiled = bits()
        interpreted, _ = beside.communicate()
    assert compiled == json.loads(interpreted)


KEPT = """
from typing import NamedTuple
import numpy as np
from ensembles.jit import kernel, part
class Members(NamedTuple):
    totals: np.ndarray
    size: int
@part
def total(members):
    return members.totals.sum() + members.size
@kernel
def twice(members):
    return 2.0 * total(members)
def counted():
    assert twice(Members(np.arange(4.0), 3)) == 18.0
    return sum(twice.compiled.stats.cache_hits.values()), sum(twice.compiled.stats.cache_misses.values())
"""


@pytest.mark.compiled  # tests/experiments/test_warm_up.py asks the same of the kernels of learners
def test_a_new_process_takes_kernels_from_the_disk(tmp_path):
    (tmp_path / "kept.py").write_text(KEPT)
    folders = {"ENSEMBLE_LAB_CACHE": str(tmp_path), "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    script = "import logging, sys; logging.basicConfig(stream=sys.stdout); import kept; print(*kept.counted())"
    told, counted = run(script, **folders).splitlines()
    assert "compiling learners that are new here" in told  # or it would seem to hang
    assert str(tmp_path) in told
    assert counted.split() == ["0", "1"]
    assert run(script, **folders).split() == ["1", "0"]


@pytest.mark.compiled
def test_a_part_is_written_down_once_for_all_kernels_constants_and_widths(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSEMBLE_LAB_CACHE", str(tmp_path))  # from the disk it would not be compiled at all
    written = []

    def noting(typing, target, function, *rest):
        written.append(function.__name__)
        return compile_extra(typing, target, function, *rest)

    monkeypatch.setattr(parts, "compile_extra", noting)

    @part
    def double(values, i):
        return 2.0 * values[i]

    @kernel
    def total(values, rows):
        return double(values, 0) + double(values, 1) + double(values, rows[0])

    @kernel
    def last(values, rows):
        return total(values, rows) - double(values, 1)

    values, rows = np.arange(3.0), np.array([2], dtype=np.int32)
    assert last(values, rows) == 4.0
    assert total(values, rows) == 6.0
    assert written == ["total", "double"]  # as parts: of `last` the one, of both kernels the other
    assert double(values, 2) == 4.0


@pytest.mark.compiled
def test_a_part_is_there_for_a_caller_that_calls_although_another_hardly_does(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSEMBLE_LAB_CACHE", str(tmp_path))

    @part
    def count(numbers, k):
        for j in range(numbers.shape[0]):  # long enough to be called
            numbers[j] += math.log(numbers[j] + k) / math.sqrt(numbers[j] + j)

    @inner
    def never(_):
        return False

    @part
    def hardly(numbers, k):
        if never(numbers):
            count(numbers, k)

    @inner
    def twice(numbers, k):
        count(numbers, k)
        count(numbers, k + 1)

    @part
    def surely(numbers, k):
        twice(numbers, k)

    @kernel
    def all_of_them(numbers, k):
        surely(numbers, k)
        hardly(numbers, k)

    numbers = np.ones(3)
    all_of_them(numbers, 1)
    assert (numbers > 1.5).all()


def test_no_body_of_a_loop_is_repeated_in_parts_and_in_kernels(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSEMBLE_LAB_CACHE", str(tmp_path))

    @part
    def total_of(values, row):
        total = 0.0
        for c in range(values.shape[1]):
            total += values[row, c]
        return total

    @kernel
    def product(values):
        found = 1.0
        for row in range(values.shape[0]):
            found *= total_of(values, row)
        return found

    assert product(np.arange(6.0).reshape(2, 3)) == 36.0
    [written] = product.compiled.inspect_llvm().values()
    body = written.split("define i32 @_ZN7cpython")[0]
    assert body.count("fadd double") == 1  # 27 if LLVM does as it likes


OUT_OF_BOUNDS = """
import numpy as np
from ensembles.jit import inner, kernel, part
@part
def read(values, i):
    return values[i]
@kernel
def write(values, i):
    values[i] = 1.0
@kernel
def within_a_part(values, rows):
    return read(values, rows[0])
@kernel
def within_a_kernel(values, rows):
    write(values, rows[0])
for call in (within_a_part, within_a_kernel):
    call(np.zeros(3), np.array([2]))
    try:
        call(np.zeros(3), np.array([7]))
    except IndexError as error:
        print(error)
"""


@pytest.mark.compiled
def test_make_boundscheck_sees_an_access_out_of_bounds_in_every_kind_of_kernel(tmp_path):
    (tmp_path / "out_of_bounds.py").write_text(OUT_OF_BOUNDS)
    folders = {"ENSEMBLE_LAB_CACHE": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    assert (
        run("import out_of_bounds", **folders, NUMBA_DISABLE_JIT="0", NUMBA_BOUNDSCHECK="1").splitlines()
        == ["index is out of bounds"] * 2
    )


@pytest.mark.compiled
def test_a_disk_that_is_full_costs_no_result(monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    @kernel
    def first(values):
        return values[0]

    monkeypatch.setattr(IndexDataCacheFile, "save", refuse)
    assert first(np.array([3.0])) == 3.0


@pytest.mark.parametrize("mean", [0.01, 0.5, 1.0, 3.7, 12.0, 29.9])
def test_poisson_numbers_are_the_inverse_of_the_distribution(mean):
    draws = np.random.default_rng(0).random(2000)
    expected = [naive.poisson(mean, u) for u in draws]
    assert [poisson(mean, u) for u in draws] == expected
    assert poisson_counts(mean, draws[:, None])[:, 0].tolist() == expected


@pytest.mark.parametrize("mean", [30.5, 200.0, 5e4, 1e6])
def test_large_poisson_means_have_the_right_moments(mean):
    draws = np.random.default_rng(1).random(20_000 if mean < 1e4 else 1500)
    numbers = np.array([poisson(mean, u) for u in draws])
    error = np.sqrt(mean / len(draws))
    assert abs(numbers.mean() - mean) < 5 * error
    assert 0.85 < numbers.var() / mean < 1.15


@pytest.mark.parametrize("mean", [1e-300, 1e-12, 0.003, 0.4, 1.0, 2.5, 7.0, 15.0, 29.0, 31.0, 1e6])
def test_poisson_numbers_by_means_are_the_same(mean):
    means = poisson_means()
    draws = np.concatenate([np.random.default_rng(0).random(300), [0.0, 1 - 2**-53], np.arange(256) / 256])
    boundaries = np.cumsum([math.exp(-mean) * mean**k / math.factorial(k) for k in range(8)])
    draws = np.concatenate(
        [draws, *([boundaries * (1 + error)] for error in (0.0, 1e-15, -1e-15, 1e-12, -1e-12))], axis=None
    )
    draws = draws[draws < 1.0]
    assert [poisson_by_means(mean, u, means) for u in draws] == [poisson(mean, u) for u in draws]


def test_poisson_numbers_by_means_are_the_same_where_rounding_decides():
    means = poisson_means()
    for cell in range(1, 256, 5):
        for mean in means[cell]:
            assert poisson_by_means(mean, cell / 256, means) == poisson(mean, cell / 256)


def test_poisson_at_the_ends_of_the_unit_interval():
    assert poisson(1.0, 0.0) == 0
    assert poisson(1.0, 1 - 2**-53) >= 17
    assert poisson(100.0, 1 - 2**-53) >= 0
