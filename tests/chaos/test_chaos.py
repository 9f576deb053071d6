"""The short form of `make chaos`: one blow, of a few kinds."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHORT = ("--experiments", "2", "--trials", "60", "--rows", "1500", "--pause", "1", "--blows", "1")


@pytest.mark.rare
@pytest.mark.compiled
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("backend", "kinds"), [("sqlite", "disk,runner"), ("postgresql", "database,worker")])
def test_blows_lose_nothing_and_change_nothing(backend: str, kinds: str) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--backend", backend, "--kinds", kinds, *SHORT]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.endswith("120 trials of 2 experiments, each once, with the numbers of a quiet run\n")
