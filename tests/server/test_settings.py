"""Settings that cannot be meant are told when the server starts."""

import pytest

from ensembles.errors import InvalidInput
from server.settings import check_settings


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("ENSEMBLE_LAB_LIMITS", "trials=many"),
        ("ENSEMBLE_LAB_ROLE", "boss"),
        ("ENSEMBLE_LAB_VISIBILITY", "all"),
        ("ENSEMBLE_LAB_PROXIES", "proxy.example.org"),
        ("ENSEMBLE_LAB_LOG", "xml"),
        ("ENSEMBLE_LAB_HOSTS", "https://lab.example.org"),
        ("ENSEMBLE_LAB_HOSTS", "lab.example.org:8501"),
        ("ENSEMBLE_LAB_HOSTS", "lab.example.org other.example.org"),
        ("ENSEMBLE_LAB_TRIAL_SECONDS", "long"),
        ("ENSEMBLE_LAB_KEPT_DATA", "5"),
        ("ENSEMBLE_LAB_KEPT_DATA", "30 %"),
    ],
)
def test_it_names_the_setting_and_what_it_is(monkeypatch: pytest.MonkeyPatch, setting: str, value: str) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_USER_HEADER", "X-User")
    check_settings()
    monkeypatch.setenv(setting, value)
    with pytest.raises(InvalidInput, match=f"^{setting}.*got '{value}'"):
        check_settings()
