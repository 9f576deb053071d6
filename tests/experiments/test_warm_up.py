"""What is compiled ahead is not compiled again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ensembles.experiments import warm_up
from ensembles.jit import kernels_folder
from ensembles.registry import methods
from tests.pairs import bases_of, wrapped

WARM = """
from ensembles import registry
from ensembles.experiments import warm_up
entry = registry.methods()["online_boosting"]
object.__setattr__(entry, "bases", ("naive_bayes",))
warm_up.methods = lambda: {"online_boosting": entry}
print(warm_up.warm_all())
"""
USE = """
import numpy as np
from ensembles.data import load_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
for dataset in ("iris", {"key": "synthetic_1", "rows": 200}):
    for protocol in ({"kind": "holdout", "repeats": 1}, {"kind": "prequential", "orders": 1}):
        learners = [{"method": "online_boosting", "base": "naive_bayes", "n_estimators": 2}]
        config = ExperimentConfig.from_dict(
            {"name": "x", "datasets": [dataset], "learners": learners, "protocol": protocol, "measures": ["accuracy", "mse"]}
        )
        data = load_dataset(config.datasets[0].key, **config.datasets[0].settings)
        for plan in plan_trials(config, [data]):
            assert run_trial(plan, data, config).error is None
"""


@pytest.mark.compiled
def test_after_warming_nothing_is_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "ENSEMBLE_LAB_CACHE": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}

    def run(script: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        ).stdout

    for kept in kernels_folder().rglob("*.nb?"):  # what is missing is compiled here
        borrowed = tmp_path / "kernels" / kept.relative_to(kernels_folder().parent)
        borrowed.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(kept, borrowed)
    assert run(WARM).strip() == "1"
    code = sorted(path.name for path in tmp_path.rglob("*.nbc"))
    assert len(code) > 5
    run(USE)
    assert sorted(path.name for path in tmp_path.rglob("*.nbc")) == code


def test_the_commonest_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[tuple[str, str]] = []
    monkeypatch.setattr(warm_up, "warm_up", lambda spec, *_, **__: compiled.append((spec.method, spec.base)))
    pairs = list(dict.fromkeys(compiled)) if warm_up.warm_all() else []
    assert pairs[:3] == [
        ("single", "naive_bayes"),
        ("online_bagging", "naive_bayes"),
        ("online_boosting", "naive_bayes"),
    ]
    assert pairs.index(("adaboost", "decision_stump")) < pairs.index(("bole", "naive_bayes"))
    assert set(pairs) == {(key, base) for key in methods() for base in bases_of(key) if not wrapped(base)}
