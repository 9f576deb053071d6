"""What Kubernetes and Docker Compose are given, held against what they accept."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from storage import open_storage
from tests.storage.postgresql import make_database, postgresql_server

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = [
    pytest.param(manifest, id=f"{manifest['kind']} {manifest['metadata']['name']}")
    for path in sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_kubernetes_knows_each_field_of_a_manifest(manifest: dict[str, Any]) -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="needs requirements-dev.txt")
    validator.validate(manifest, "1.35", strict=True)


@pytest.mark.parametrize("name", ["compose.yaml", "compose.single.yaml"])
def test_compose_files_follow_the_compose_specification(name: str) -> None:
    specification = pytest.importorskip("compose_spec", reason="needs requirements-dev.txt")
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", (ROOT / name).read_text())  # as nobody has set anything
    merged = yaml.safe_dump(yaml.safe_load(text))  # with what "<<" brings in
    specification.PyCompose.from_yaml(merged).validate()


def test_kubernetes_starts_nothing_again_as_the_database_is_away_or_a_runner_is_silent() -> None:
    [pod] = [one.values[0]["spec"]["template"]["spec"] for one in MANIFESTS if one.id == "Deployment web"]
    probes = {name: probe["httpGet"]["path"] for name, probe in pod["containers"][0].items() if name.endswith("Probe")}
    assert probes == {"startupProbe": "/_stcore/health", "livenessProbe": "/_stcore/health", "readinessProbe": "/ready"}
    assert runner_alive("postgresql+psycopg://lab:secret@127.0.0.1:1/lab") == 0, "the runner keeps what it has"


def test_a_runner_that_a_database_has_not_heard_of_is_not_alive() -> None:
    with postgresql_server() as server:
        url = make_database(server, "heard")
        open_storage(url).close()
        assert runner_alive(url) == 1


def runner_alive(url: str) -> int:
    program = [sys.executable, ROOT / "deploy" / "runner_alive.py"]
    return subprocess.run(program, env={"DATABASE_URL": url}, capture_output=True, check=False).returncode
