"""Whose turn it is, in plain Python: one worker, and a clock that goes as its chunks say."""

from collections import Counter
from collections.abc import Mapping

import pytest

from runner.dispatch.fair_share import FairShare, weight_of


def serve(share: FairShare, chunks: Mapping[str, float], seconds: float) -> Counter[str]:
    """Let one worker serve experiments whose chunks take so long; return the seconds that each had."""
    spent: Counter[str] = Counter()
    while spent.total() < seconds:
        share.note_waiting(chunks.keys())
        first = share.in_turn(chunks)[0]
        share.charge(first, chunks[first])
        spent[first] += chunks[first]  # type: ignore[assignment]
    return spent


def shared(**users: int) -> FairShare:
    """Return experiments by name, each of the user given."""
    share = FairShare()
    for key, user in users.items():
        share.join(key, user)
    return share


def test_a_turn_is_worker_time_not_a_number_of_trials() -> None:
    spent = serve(shared(long=1, short=2), {"long": 10.0, "short": 0.5}, 400.0)
    assert spent["long"] == pytest.approx(200.0, abs=10.0)


def test_users_take_turns_before_their_experiments_do() -> None:
    spent = serve(shared(a=1, b=1, c=1, d=2), dict.fromkeys("abcd", 1.0), 300.0)
    assert spent["d"] == pytest.approx(150.0, abs=1.0)
    assert [spent[key] for key in "abc"] == [pytest.approx(50.0, abs=1.0)] * 3


@pytest.mark.parametrize(("priority", "ratio"), [(2, 4.0), (1, 2.0), (0, 1.0), (-1, 0.5), (-2, 0.25)])
def test_each_step_of_priority_doubles_the_share(priority: int, ratio: float) -> None:
    for user in (None, 2):  # beside another one of the same user, and of another
        share = FairShare()
        share.join("plain", None)
        share.join("other", user, weight_of(priority))
        spent = serve(share, {"plain": 1.0, "other": 1.0}, 600.0)
        assert spent["other"] / spent["plain"] == pytest.approx(ratio, rel=0.05)


def test_a_priority_that_changes_counts_from_then_on() -> None:
    share = shared(a=1, b=2)
    chunks = {"a": 1.0, "b": 1.0}
    serve(share, chunks, 100.0)
    share.set_weight("a", weight_of(1))
    spent = serve(share, chunks, 300.0)
    assert spent["a"] == pytest.approx(200.0, abs=3.0)


def test_a_newcomer_is_first_once_and_not_favoured_for_the_past() -> None:
    share = shared(old=1)
    serve(share, {"old": 1.0}, 1000.0)
    for name, user in (("of another", 2), ("of the same", 1)):
        share.join(name, user)
        chunks = {"old": 1.0, name: 1.0}
        share.note_waiting(chunks.keys())
        assert share.in_turn(chunks)[0] == name
        spent = serve(share, chunks, 100.0)
        assert spent["old"] == pytest.approx(50.0, abs=1.0)
        share.leave(name)


def test_who_had_nothing_to_send_does_not_get_what_it_did_not_use() -> None:
    share = shared(steady=1, now_and_then=2)
    both = {"steady": 1.0, "now_and_then": 1.0}
    serve(share, both, 10.0)
    serve(share, {"steady": 1.0}, 500.0)
    assert serve(share, both, 100.0)["steady"] == pytest.approx(50.0, abs=1.0)


def test_a_user_who_launches_again_and_again_gets_no_more_than_a_turn() -> None:
    share, spent = shared(steady=1), Counter[str]()
    for number in range(200):
        share.join(name := f"one of many {number}", 2)
        served = serve(share, {"steady": 1.0, name: 1.0}, 1.0)
        while not served[name]:
            served += serve(share, {"steady": 1.0, name: 1.0}, 1.0)
        spent.update({"steady": served["steady"], "many": served[name]})
        share.leave(name)
    assert spent["steady"] >= 0.95 * spent["many"]


def test_what_was_charged_too_much_comes_back() -> None:
    share = shared(guessed=1, known=2)
    both = {"guessed", "known"}
    for _ in range(100):
        share.note_waiting(both)
        first = share.in_turn(both)[0]
        share.charge(first, 5.0)
        if first == "guessed":
            share.charge(first, -4.0)  # it took one
    spent = serve(share, {"guessed": 1.0, "known": 1.0}, 20.0)
    assert abs(spent["guessed"] - spent["known"]) <= 6.0


def test_the_time_left_tells_of_others_who_share_the_workers() -> None:
    share = shared(short=1, long=2)
    left = share.times_left({"short": 10.0, "long": 100.0}, 2)
    assert left == {"short": pytest.approx(10.0), "long": pytest.approx(55.0)}
    assert share.times_left({"short": 10.0}, 2) == {"short": pytest.approx(5.0)}
    assert share.times_left({"short": 10.0, "long": None}, 1) == {"short": pytest.approx(20.0), "long": None}


def test_the_time_left_goes_by_users_and_priorities() -> None:
    share = shared(a=1, b=1)
    share.join("c", 2, weight_of(1))
    left = share.times_left({"a": 10.0, "b": 10.0, "c": 40.0}, 1)
    assert left["c"] == pytest.approx(60.0)
    assert left["a"] == left["b"] == pytest.approx(60.0)
