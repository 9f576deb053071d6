"""The short form of `make chaos`: each of a few kinds of blows strikes once."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHORT = ("--experiments", "3", "--trials", "60", "--pause", "1")


@pytest.mark.rare
@pytest.mark.compiled
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("backend", "kinds"), [("sqlite", "clock,disk,runner"), ("postgresql", "database,disk,worker")]
)
def test_blows_lose_nothing_and_change_nothing(backend: str, kinds: str) -> None:
    struck = ("--blows", "2", "--kinds", kinds)  # where a small disk may not be mounted there is a kind less
    command = [sys.executable, "-m", "tests.chaos", "--backend", backend, *SHORT, *struck]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.endswith("180 trials of 3 experiments, each once, with the numbers of a quiet run\n")
