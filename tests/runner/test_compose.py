"""What `compose.yaml` starts: hardened, pinned, and its commands run here as processes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from storage import open_storage
from tests.ports import free_port
from tests.runner.conftest import children_of, is_running, wait_until
from tests.runner.fakes import make_config
from tests.storage.postgresql import make_database, postgresql_server

ROOT = Path(__file__).resolve().parents[2]
TEAM = yaml.safe_load((ROOT / "compose.yaml").read_text())
SINGLE = yaml.safe_load((ROOT / "compose.single.yaml").read_text())
SERVICES = {**TEAM["services"], "single": SINGLE["services"]["lab"]}


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_has_no_more_rights_and_memory_than_it_needs(name: str) -> None:
    service = SERVICES[name]
    assert service["init"]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "mem_limit" in service
    assert not {"privileged", "cap_add", "pid", "ipc"} & service.keys()
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    if name not in {"certificates", "single"}:  # the image's own check; it runs once
        assert service["healthcheck"]["test"][0] == "CMD"
        assert "stop_grace_period" in service


def test_what_people_make_outlives_containers_and_the_web_server_of_a_team_keeps_nothing() -> None:
    [volume] = [volume.partition(":")[0] for volume in SERVICES["single"]["volumes"] if volume.endswith(":/data")]
    assert volume in SINGLE["volumes"]
    assert not [mount for mount in SERVICES["single"]["tmpfs"] if mount.startswith("/data")]
    assert set(TEAM["volumes"]) == {"database", "tls"}
    assert "volumes" not in SERVICES["web"]
    assert [mount for mount in SERVICES["web"]["tmpfs"] if mount.startswith("/data")], "what it keeps there may be lost"
    manifests = [*yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "web.yaml").read_text())]
    assert "PersistentVolumeClaim" not in {manifest["kind"] for manifest in manifests}
    [pod] = [manifest["spec"]["template"]["spec"] for manifest in manifests if manifest["kind"] == "Deployment"]
    [mount] = [mount for mount in pod["containers"][0]["volumeMounts"] if mount["mountPath"] == "/data"]
    [volume] = [volume for volume in pod["volumes"] if volume["name"] == mount["name"]]
    assert "emptyDir" in volume


LIMITS = ["TRIAL_SECONDS", "TRIAL_MEMORY", "SNAPSHOT_MEMORY", "MODEL_MEMORY"]
SIGN_IN = {f"ENSEMBLE_LAB_{name}" for name in ("ADMINS", "ROLE", "LIMITS", "VISIBILITY", "USER_HEADER", "PROXIES")} | {
    "FORWARDED_ALLOW_IPS"
}


@pytest.mark.parametrize("name", ["web", "single"])
def test_the_web_server_is_given_what_a_sign_in_takes(name: str) -> None:
    environment = SERVICES[name]["environment"]
    assert {one: environment.get(one, "") for one in SIGN_IN} == dict.fromkeys(SIGN_IN), (
        "as they are where compose runs"
    )
    assert "STREAMLIT_SECRETS_FILES" in environment
    assert environment.get("ENSEMBLE_LAB_METRICS_TOKEN", "") is None, (
        "else nobody outside of the container reads /metrics"
    )


@pytest.mark.parametrize(("names", "limits"), [(["runner", "single"], LIMITS), (["worker", "single"], ["KEPT_DATA"])])
def test_limits_of_which_people_are_told_reach_whoever_goes_by_them(names: list[str], limits: list[str]) -> None:
    for name in names:
        for limit in (f"ENSEMBLE_LAB_{limit}" for limit in limits):
            assert SERVICES[name]["environment"].get(limit, "") in {None, f"${{{limit}:-}}"}


def test_the_provider_of_the_sign_in_is_a_secret_of_the_web_server_alone(tmp_path: Path) -> None:
    given = {name: service.get("secrets", []) for name, service in TEAM["services"].items()}
    assert [name for name, secrets in given.items() if "sign_in.toml" in secrets] == ["web"]
    assert SERVICES["web"]["environment"]["STREAMLIT_SECRETS_FILES"] == "/run/secrets/sign_in.toml"
    script = shutil.copy(ROOT / "deploy" / "secrets.sh", tmp_path)
    file = tmp_path / TEAM["secrets"]["sign_in.toml"]["file"].removeprefix("./deploy/")
    subprocess.run(["sh", script], check=True)
    assert tomllib.loads(file.read_text()) == {}
    file.write_text('[auth]\nclient_id = "lab"\n')
    before = (tmp_path / "secrets" / "database_url").read_bytes()
    subprocess.run(["sh", script], check=True)
    assert "lab" in file.read_text()
    assert (tmp_path / "secrets" / "database_url").read_bytes() == before


def test_no_secret_stands_in_the_environment_and_images_are_pinned() -> None:
    for service in SERVICES.values():
        environment = service.get("environment", {})
        assert environment.get("DATABASE_URL", "@/run/secrets/").startswith("@/run/secrets/")
        assert not [name for name in environment if name.endswith("PASSWORD")]
    [base] = re.findall(r"^ARG BASE=(.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    for image in (base, SERVICES["database"]["image"].partition(":-")[2].rstrip("}")):
        assert re.search(r":\d+\.\d+(\.\d+)?-", image), image


def test_the_locked_packages_satisfy_the_requirements_and_have_hashes() -> None:
    entries = (ROOT / "requirements.lock").read_text().replace("\\\n", " ").splitlines()
    locked: dict[str, list[str]] = {}
    for entry in entries:
        if entry and not entry.startswith("#"):
            found = Requirement(entry.partition(" --hash")[0])
            assert "--hash=sha256:" in entry, found.name
            [pinned] = found.specifier
            assert pinned.operator == "=="
            locked.setdefault(canonicalize_name(found.name), []).append(pinned.version)
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if text := line.partition("#")[0].strip():
            wanted = Requirement(text)
            assert all(wanted.specifier.contains(version) for version in locked[canonicalize_name(wanted.name)]), (
                f"{wanted}: make lock"
            )


class Compose:
    """The services as processes of this machine, each in a place of its own."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.ports = {name: free_port() for name in ("scheduler", "web")}
        (folder / "url").write_text(database_url)
        self._folder = folder
        self._places = {
            "/run/secrets/database_url": str(folder / "url"),
            "/run/secrets/sign_in.toml": str(folder / "sign_in.toml"),
            "/tls": str(folder / "tls"),
            "scheduler:8786": f"127.0.0.1:{self.ports['scheduler']}",
        }

    def start(self, name: str) -> subprocess.Popen[bytes]:
        service = SERVICES[name]
        program, *arguments = map(self._here, service["command"])
        known = {"ensemble-lab": ["-m", "runner"], "dask": ["-m", "dask"]}
        if name == "scheduler":
            arguments[arguments.index("8786")] = str(self.ports["scheduler"])
            arguments += ["--host", "127.0.0.1"]
        command = (
            [sys.executable, *known[program], *arguments] if program in known else ["sh", "deploy/certificates.sh"]
        )
        data = self._folder / f"data {len(self.processes)}"
        given = {
            key: self._here(value)
            for key, value in (service.get("environment") or {}).items()
            if value is not None and "$" not in value
        }
        own = {
            "PYTHONPATH": str(ROOT),
            "ENSEMBLE_LAB_HOME": str(data),
            "STREAMLIT_SERVER_PORT": str(self.ports["web"]),
            "OMP_NUM_THREADS": "1",
        }
        with (self._folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                command if program in known else [*command, *arguments],
                cwd=ROOT,
                env={**os.environ, **given, **own, "HOME": str(self._folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def end(self) -> None:
        family = {pid for process in self.processes for pid in {process.pid, *children_of(process.pid)}}
        for process in reversed(self.processes):  # as compose does: who depends on others first
            process.terminate()
            process.wait(30)
        wait_until(lambda: not any(map(is_running, family)), "no process is left")

    def _here(self, text: str) -> str:
        text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:0", text)
        for there, here in self._places.items():
            text = text.replace(there, here)
        return text


@contextmanager
def composed(folder: Path, database_url: str) -> Iterator[Compose]:
    services = Compose(folder, database_url)
    try:
        yield services
    finally:
        services.end()


@pytest.mark.rare
@pytest.mark.compiled
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, which makes the certificates")
def test_its_commands_run_an_experiment_on_postgresql_through_tls(tmp_path: Path) -> None:
    with postgresql_server() as server, composed(tmp_path, make_database(server, "composed")) as services:
        assert services.start("certificates").wait(60) == 0
        for name in ("web", "scheduler", "worker", "worker", "worker", "runner"):
            services.start(name)
        url = (tmp_path / "url").read_text()
        with open_storage(url) as storage:
            record = storage.create_experiment(make_config(learners=2))
            wait_until(lambda: storage.get_experiment(record.id).state == "finished", "the experiment ends")
            ended = storage.get_experiment(record.id)
            assert (ended.done, ended.failed) == (18, 0)
        wait_until(lambda: health(services)["status"] == "ok", "the web server is well")


def health(services: Compose) -> dict[str, Any]:
    try:
        with urlopen(f"http://127.0.0.1:{services.ports['web']}/health", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except OSError:
        return {"status": "away"}
