"""Settings that cannot be meant are told when the server starts."""

from pathlib import Path

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
        ("ENSEMBLE_LAB_ADDRESSES", "10.0.0.0/33"),
        ("ENSEMBLE_LAB_ADDRESSES", "https://example.org"),
        ("DATABASE_URL", "lab.sqlite"),
        ("ENSEMBLE_LAB_WORKER", "elsewhere"),
        ("ENSEMBLE_LAB_WARM", "2"),
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


def test_a_database_that_is_away_does_not_keep_the_server_from_starting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for address in ("postgresql://lab:secret@192.0.2.1/lab", f"sqlite:///{tmp_path / 'not_yet' / 'lab.sqlite'}"):
        monkeypatch.setenv("DATABASE_URL", address)
        check_settings()
    assert not [*tmp_path.iterdir()]
    monkeypatch.setenv("DATABASE_URL", f"@{tmp_path / 'gone'}")
    with pytest.raises(InvalidInput, match=r"^DATABASE_URL: .*gone with the address cannot be read"):
        check_settings()
    monkeypatch.setenv("DATABASE_URL", "oracle://lab:secret@host/lab")
    with pytest.raises(InvalidInput, match=r"^DATABASE_URL: ") as caught:
        check_settings()
    assert "secret" not in str(caught.value)
