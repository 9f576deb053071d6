"""What all tests share: nobody's real data is touched, and how a page is opened."""

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("seeded", derandomize=True)  # the same examples in every run; `make fuzz` draws new ones
settings.load_profile("seeded")
_MAIN = sys.modules["__main__"]


@pytest.fixture(scope="session", autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the database of whoever runs the tests out of reach, of subprocesses too."""
    before = {name: os.environ.pop(name, None) for name in ("DATABASE_URL", "ENSEMBLE_LAB_HOME")}
    os.environ["ENSEMBLE_LAB_HOME"] = str(tmp_path_factory.mktemp("home"))
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(autouse=True)
def _own_main_module() -> Iterator[None]:
    """Put back `__main__`, which Streamlit exchanges for the page it runs: a process spawned later would run that page."""
    sys.modules["__main__"] = _MAIN
    yield
    sys.modules["__main__"] = _MAIN
