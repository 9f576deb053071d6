"""Settings that are on until somebody switches them off, in whatever word."""

import pytest

from ensembles.errors import InvalidInput
from runner.switches import WARM, WORKER, is_on


@pytest.mark.parametrize("name", [WORKER, WARM])
def test_what_is_switched_off_is_off(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    assert is_on(name)
    for word in ("0", "false", "No", " off "):
        monkeypatch.setenv(name, word)
        assert not is_on(name)
    for word in ("", "1", "TRUE", "yes", "on"):
        monkeypatch.setenv(name, word)
        assert is_on(name)
    monkeypatch.setenv(name, "never")
    with pytest.raises(InvalidInput, match=rf"^{name}: must be 1 \(on\) or 0 \(off\), got 'never'"):
        is_on(name)
