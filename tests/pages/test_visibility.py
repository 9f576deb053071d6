"""Who sees what is new, where nobody is asked."""

import pytest

from pages.parts import visibility
from storage import Storage, default_visibility


def test_where_nobody_signs_in_nobody_is_asked_and_what_was_said_stays(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visibility, "store", lambda: storage)
    monkeypatch.setenv("ENSEMBLE_LAB_VISIBILITY", "private")
    assert visibility.choose_visibility("Who sees it", default_visibility(), key="new") == "private"
