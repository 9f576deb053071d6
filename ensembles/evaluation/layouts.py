"""Which arrays stand where in what is written: skops keeps the fields of a tuple by their position alone.

A version of this package whose members have other arrays would take one for another. So the names of fields stand in the
file too, beside what skops writes, and are compared before anything is read.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from typing import Any

from ensembles.jit import source_digest
from ensembles.libraries import versions_of

__all__ = ["other_layout", "with_layouts"]

_ENTRY = "layouts.json"


def with_layouts(content: bytes) -> bytes:
    """Return a file of skops with the fields of its tuples, and what wrote it."""
    told = {name: _fields_of(name) for name, _, _ in _tuples(_schema_of(content))}
    versions = {**versions_of(["ensemble-lab"]), "sources": source_digest()}
    file = BytesIO(content)
    with zipfile.ZipFile(file, "a") as package:
        package.writestr(_ENTRY, json.dumps({"versions": versions, "layouts": told}))
    return file.getvalue()


def other_layout(content: bytes) -> str | None:
    """Return who in a file of skops has tuples with other fields than they have here, and which version wrote it, or None.

    Of a file that tells no fields, which is older, their number counts.
    """
    with zipfile.ZipFile(BytesIO(content)) as package:
        known = json.loads(package.read(_ENTRY)) if _ENTRY in package.namelist() else {"versions": {}, "layouts": {}}
    for name, n_fields, owner in _tuples(_schema_of(content)):
        fields = _fields_of(name)
        if n_fields != len(fields) or known["layouts"].get(name, fields) != fields:
            versions = ", ".join(f"{what} {version}" for what, version in known["versions"].items())
            return (
                f"{owner}: another version of this package wrote it ({versions or 'an earlier one'}), "
                f"whose {name.rpartition('.')[2]} hold other arrays than here"
            )
    return None


def _schema_of(content: bytes) -> Any:
    with zipfile.ZipFile(BytesIO(content)) as package:
        return json.loads(package.read("schema.json"))


def _tuples(node: Any, owner: str = "learner") -> Iterator[tuple[str, int, str]]:
    """Yield the named tuples of this package below a node: name of the type, number of fields, and whose they are."""
    if isinstance(node, dict) and str(node.get("__module__", "")).startswith("ensembles."):
        name = f"{node['__module__']}.{node['__class__']}"
        owner = str(getattr(_type_of(name), "key", owner))
        if node.get("__loader__") == "TupleNode" and _fields_of(name):
            yield name, len(node["content"]), owner
    for below in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _tuples(below, owner)


def _type_of(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(import_module(module), attribute, None)
    except ImportError:
        return None


def _fields_of(name: str) -> list[str]:
    return [*getattr(_type_of(name), "_fields", ())]
