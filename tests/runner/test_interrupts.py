"""Commands that are told to end: by a supervisor, or by the terminal that was closed."""

import signal
from collections.abc import Iterator

import pytest

from runner.commands.terminal import shutdown_on_signals


@pytest.fixture
def on_hangup() -> Iterator[None]:
    """Put back what a hangup does to this process, which whoever started it may have had ignored."""
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("on_hangup")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_and_a_worker_come_to_their_end_in_peace(number: signal.Signals) -> None:
    signal.signal(signal.SIGHUP, lambda *_: pytest.fail("nobody heard it"))
    with shutdown_on_signals() as shutdown:
        signal.raise_signal(number)
        assert shutdown.is_set()


@pytest.mark.usefixtures("on_hangup")
def test_what_was_started_by_nohup_outlives_its_terminal() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with shutdown_on_signals() as shutdown:
        signal.raise_signal(signal.SIGHUP)
        assert not shutdown.is_set()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
