"""Numba code of others is compiled beside this package as it is without it."""

import json
import os
import subprocess
import sys

import pytest

FOREIGN = """
import json, os, pathlib, tempfile
import numba, numpy as np
from numba import njit
from numba.extending import overload
before = dict(vars(numba.config))
IMPORT
def divide(a, b):
    return a / b
@overload(divide)
def _divide(a, b):
    return lambda a, b: a / b
@njit(error_model="numpy")
def quietly(a, b):
    return divide(a, b)
@njit
def strictly(a, b):
    return divide(a, b)
@njit(_nrt=False)
def reshaped(a):
    return a.reshape(2, 3)[1, 2]
told = {"quietly": str(quietly(1.0, 0.0))}
try:
    told["strictly"] = str(strictly(1.0, 0.0))
except ZeroDivisionError as error:
    told["strictly"] = str(error)
told["reshaped"] = float(reshaped(np.arange(6.0)))
import foreign
foreign.twice(2)
told["kept"] = sorted(path.name.split("-")[0] for path in pathlib.Path(foreign.__file__).parent.rglob("*.nbi"))
told["changed"] = [name for name, value in vars(numba.config).items() if before.get(name) is not value]
print(json.dumps(told))
"""
USE = """
from ensembles import BaggingClassifier, OnlineBoostingClassifier
OnlineBoostingClassifier(n_estimators=2).fit(np.eye(6), [0, 1, 0, 1, 0, 1]).predict(np.eye(6))
"""


@pytest.mark.compiled
def test_code_of_others_is_compiled_and_kept_as_without_this_package(tmp_path):
    told = []
    for name, imported in (("alone", ""), ("beside", USE)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "foreign.py").write_text(
            "from numba import njit\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n"
        )
        environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.getcwd()}", "NUMBA_DISABLE_JIT": "0"}
        script = FOREIGN.replace("IMPORT", imported)
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        told.append(json.loads(done.stdout))
    alone, beside = told
    assert beside == alone
    assert alone["strictly"] == "division by zero"
    assert alone["kept"] == ["foreign.twice"]
