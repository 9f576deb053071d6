"""Large values that sessions share, within a bound of memory."""

from threading import Thread

import pytest

from pages.parts.kept import Kept


class Made:
    """Counts how often something is made."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self) -> bytes:
        self.n += 1
        return bytes(100)


@pytest.fixture
def made() -> Made:
    return Made()


def test_a_new_state_takes_the_place_of_the_old_one(made: Made) -> None:
    kept = Kept(10_000, len)
    for state in (1, 1, 2, 2, 3):
        kept.get("a", state, made)
    assert made.n == 3
    assert kept.size == 100


def test_what_was_not_used_for_longest_makes_room(made: Made) -> None:
    kept = Kept(250, len)
    for key in "abacab":
        kept.get(key, 0, made)
    assert made.n == 4  # b went for c, and came again
    assert kept.size == 200


def test_one_that_is_too_large_is_kept_until_the_next(made: Made) -> None:
    kept = Kept(50, len)
    assert [kept.get(key, 0, made) and made.n for key in "aab"] == [1, 1, 2]
    assert kept.size == 100


def test_what_nobody_uses_goes_after_a_while(made: Made) -> None:
    now = 0.0
    kept = Kept(10_000, len, seconds=10.0, clock=lambda: now)
    kept.get("a", 0, made)
    now = 11.0
    kept.get("b", 0, made)
    assert kept.size == 100
    kept.clear()
    assert kept.size == 0


def test_those_who_come_at_once_wait_for_the_same_value(made: Made) -> None:
    kept = Kept(10_000, len)
    threads = [Thread(target=kept.get, args=("a", 0, made)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.n == 1


def test_an_error_is_not_kept(made: Made) -> None:
    kept = Kept(10_000, len)

    def fail() -> bytes:
        raise ValueError("not there")

    kept.get("a", 0, made)
    with pytest.raises(ValueError, match="not there"):
        kept.get("a", 1, fail)
    kept.get("a", 0, made)
    assert made.n == 2
