"""What `pip install` puts on a machine, and what runs there without the application's requirements."""

import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from ensembles.libraries import REMEDY
from runner.command_line import main
from runner.commands import serve

ROOT = Path(__file__).parent.parent
PACKAGES = ("ensembles", "storage", "runner", "server", "pages")
LIBRARY_ONLY = """
import sys

APPLICATION = {"alembic", "cryptography", "dask", "distributed", "plotly", "psycopg", "sqlalchemy", "streamlit", "uvicorn"}

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in APPLICATION:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
sys.modules.update(dict.fromkeys(["xgboost", "lightgbm", "catboost"]))  # nor those that some learners need
sys.argv = ["/usr/bin/ensemble-lab"]
from runner.command_line import main
for arguments in (["learners"], ["datasets", "--json"]):
    assert main(arguments) == 0
for arguments in (["run", "x.yaml"], ["worker"], ["papers"], ["export", "x", "--format", "csv"], ["serve"]):
    assert main(arguments) == 2
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The package as it is installed, built of a copy, as building leaves files beside the sources."""
    folder = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns(".venv", ".git", "tests", "docs", "benchmarks", "__pycache__", "build", ".*_cache")
    shutil.copytree(ROOT, folder / "sources", ignore=ignored)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(folder / "sources")], check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_every_file_is_in_the_package(wheel: zipfile.ZipFile) -> None:
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT).as_posix() for path in sources if "__pycache__" not in path.parts}
    wanted = {f"ensemble_lab/{name}" if name.startswith(("pages/", "server/")) else name for name in wanted}
    wanted |= {"ensemble_lab/app.py", "ensemble_lab/.streamlit/config.toml"}
    assert {Path(name).suffix for name in wanted} == {".py", ".toml", ".csv", ".parquet", ".mako", ".svg"}
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == wanted


def test_names_that_are_everybodys_stay_free(wheel: zipfile.ZipFile) -> None:
    names = {name.partition("/")[0] for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == {"ensemble_lab", "ensembles", "runner", "storage"}


def test_the_library_needs_less_than_the_application(wheel: zipfile.ZipFile) -> None:
    metadata = _metadata(wheel)
    listed = [line.partition("#")[0].strip() for line in (ROOT / "requirements.txt").read_text().splitlines()]
    needed = [str(one) for one in metadata.get_all("Requires-Dist") or ()]
    library = {_name(one) for one in needed if "extra ==" not in one}
    application = {_name(one) for one in needed if 'extra == "app"' in one}
    boosting = {_name(one) for one in needed if 'extra == "gradient-boosting"' in one}
    assert metadata.get_all("Provides-Extra") == ["app", "gradient-boosting", "s3"]
    assert boosting == {"xgboost-cpu", "lightgbm", "catboost"}
    assert library | application == {_name(line) for line in listed if line}
    assert {"numpy", "numba", "scikit-learn", "pandas"} <= library
    assert {"streamlit", "plotly", "sqlalchemy", "distributed", "psycopg"} <= application


def test_the_command_is_installed(wheel: zipfile.ZipFile) -> None:
    entry = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert wheel.read(entry).decode().split() == ["[console_scripts]", "ensemble-lab", "=", "runner.command_line:main"]


def test_without_the_application_commands_that_need_it_say_so() -> None:
    done = subprocess.run([sys.executable, "-c", LIBRARY_ONLY], capture_output=True, text=True, cwd=ROOT, check=True)
    advice = 'is not installed; pip install "ensemble-lab[app]" adds all that the application needs'
    remedy, *said = done.stderr.splitlines()
    assert remedy == f"{REMEDY}."
    assert [line.split()[1] for line in said] == ["run:", "worker:", "papers:", "export:", "serve:"]
    assert all(line.startswith("ensemble-lab ") and line.endswith(advice) for line in said)
    assert "online_boosting" in done.stdout


def test_serve_starts_the_application_where_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["ensemble-lab"])
    monkeypatch.setattr(serve.runpy, "run_module", lambda name, **_: begun.append([name, *sys.argv[1:]]))
    monkeypatch.setenv("DATABASE_URL", "sqlite:///before")
    monkeypatch.setenv("WEBSOCKETS_MAX_LINE_LENGTH", "9000")
    assert main(["serve", "--address", "0.0.0.0", "--port", "8600", "--database", "sqlite:///lab.db"]) == 0
    flags = ["--server.address", "0.0.0.0", "--server.port", "8600"]
    assert begun == [["streamlit", "run", str(ROOT / "app.py"), *flags]]
    assert serve.os.environ["DATABASE_URL"] == "sqlite:///lab.db"


def _metadata(wheel: zipfile.ZipFile) -> Message:
    return message_from_bytes(wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))))


def _name(requirement: str) -> str:
    return requirement.split(";")[0].split(">")[0].split("<")[0].split("[")[0].split("=")[0].strip()
