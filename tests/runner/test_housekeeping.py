"""The bin is emptied beside the work of a runner, and a database that is away is asked again."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from ensembles.errors import StorageError
from runner import housekeeping
from tests.runner.conftest import wait_until


class Lab:
    """A storage whose bin is emptied as `answer` says."""

    def __init__(self, answer: Callable[[int], tuple[int, int]]) -> None:
        self.asked, self._answer = 0, answer

    def drop_old_models(self) -> int:
        return 3

    def empty_bin(self) -> tuple[int, int]:
        self.asked += 1
        return self._answer(self.asked)


def test_the_bin_is_emptied_at_once_and_then_once_a_day(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    lab = Lab(lambda _: (2, 1))
    with housekeeping.housekeeping(lab):  # type: ignore[arg-type]
        wait_until(lambda: "for a week, deleted: 3" in caplog.text, "models are dropped")
    assert "experiments 2, data sets 1" in caplog.text
    assert lab.asked == 1


def test_a_database_that_is_away_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answered = Event()

    def answer(number: int) -> Any:
        if number == 1:
            raise StorageError("gone", detail="gone from host")
        answered.set()
        return 0, 0

    monkeypatch.setattr(housekeeping, "_SOON", 0.0)
    with housekeeping.housekeeping(Lab(answer)):  # type: ignore[arg-type]
        assert answered.wait(10)
    assert "the bin could not be emptied: gone from host" in caplog.text
