"""What Kubernetes and Docker Compose are given, held against what they accept."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

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
