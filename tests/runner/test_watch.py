"""Time as a process has lived it."""

from runner.watch import AwakeClock, Silence


def test_no_more_than_a_step_passes_between_two_looks() -> None:
    moments = iter([100.0, 101.0, 103.0, 9000.0, 9001.0])
    clock = AwakeClock(lambda: next(moments))
    assert [clock.look() for _ in range(4)] == [1.0, 3.0, 8.0, 9.0]


def test_who_gives_no_sign_for_too_long_is_told() -> None:
    silence = Silence(10.0)
    assert silence.note({"a": 5.0, "b": 5.0}, 0.0) == set()
    assert silence.note({"a": 7.0, "b": 5.0}, 9.0) == set()
    assert silence.note({"a": 7.0, "b": 5.0}, 11.0) == {"b"}
    assert silence.note({"a": 7.0, "b": 6.0}, 18.0) == set(), "one that is heard again is forgiven"
    assert silence.note({"a": 4.0}, 20.0) == set(), "any other sign counts: clocks of others may be set back"


def test_who_has_gone_is_forgotten() -> None:
    silence = Silence(10.0)
    silence.note({"a": 5.0}, 0.0)
    silence.note({}, 1.0)
    assert silence.note({"a": 5.0}, 20.0) == set()
