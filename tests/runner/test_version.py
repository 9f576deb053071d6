"""The version by which processes are compared, and the one that is stored with trials."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ensembles.data import load_dataset
from ensembles.experiments.trials import plan_trials
from ensembles.jit import source_digest
from runner.worker_process.tasks import ExperimentContext
from runner.worker_process.versions import VERSION, VERSIONS, misfit
from tests.runner.fakes import make_config

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with a copy of the runner beside the package."""
    shutil.copytree(ROOT / "runner", tmp_path / "runner", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "ensembles").symlink_to(ROOT / "ensembles")
    return tmp_path


def version_in(folder: Path) -> str:
    command = [sys.executable, "-c", "from runner.worker_process.versions import VERSION; print(VERSION)"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_other_sources_of_the_runner_are_another_version(copy: Path) -> None:
    assert version_in(copy) == VERSION, "it does not depend on the folder"
    with (copy / "runner" / "trial_times.py").open("a") as file:
        file.write("\n")
    assert version_in(copy) != VERSION


def test_trials_are_stored_with_the_version_of_the_package_alone() -> None:
    iris, config = load_dataset("iris"), make_config()
    result = ExperimentContext(config, (iris,)).run(plan_trials(config, [iris])[0], lambda: False)
    assert result.error is None
    assert result.version == source_digest()
    assert result.version != VERSION


def test_who_changed_what_runs_is_told_to_start_it_again() -> None:
    other = VERSIONS | {"Ensemble Lab": "0.0.1 (sources 0123456789abcdef)"}
    elsewhere = misfit("worker", "tcp://a:1", other)
    assert elsewhere is not None
    assert elsewhere.endswith("got Ensemble Lab 0.0.1 (sources 0123456789abcdef)")
    here = misfit("worker", "tcp://a:1", other, ours=True)
    assert here == f"{elsewhere}; it was changed while this program ran, so start this program again"
    assert misfit("worker", "tcp://a:1", dict(VERSIONS), ours=True) is None
