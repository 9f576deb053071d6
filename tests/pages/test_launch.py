"""A button that launches: what two presses at a time create."""

import threading

import pytest

from pages.parts.launch import Launched


def test_a_press_that_comes_while_the_first_still_creates_waits_and_finds_it():
    launched, begun, go_on, made = Launched(), threading.Event(), threading.Event(), []

    def create():
        begun.set()
        assert go_on.wait(30)
        made.append("one")
        return "one"

    found = []
    presses = [threading.Thread(target=lambda: found.append(launched.once("token", create))) for _ in range(2)]
    presses[0].start()
    assert begun.wait(30)
    presses[1].start()
    presses[1].join(0.2)
    assert presses[1].is_alive()
    go_on.set()
    for press in presses:
        press.join(30)
    assert (found, made) == (["one", "one"], ["one"])
    assert "token" in launched


def test_what_could_not_be_created_is_tried_again_by_the_next_press():
    launched = Launched()

    def refuse():
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        launched.once("token", refuse)
    assert "token" not in launched
    assert launched.once("token", lambda: "two") == "two"
