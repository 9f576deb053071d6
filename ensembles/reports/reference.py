"""What there is to know of a learner, from what its class declares and says: a page of Markdown each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import cleandoc, getdoc, isfunction, signature
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin

from ensembles.experiments.learner_choice import NOTES
from ensembles.parameters import Parameter
from ensembles.registry import Entry, base_models, find_learner

__all__ = ["examples_of", "overview_of", "reference_of", "setting_line"]

_SECTION = re.compile(r"^(\w+)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
_SHOWN = ("Attributes", "Notes", "References")
_ENTRY = re.compile(r"^(\w+) : (.*)\n((?:    .*\n?|\n)+)", re.MULTILINE)


def overview_of(title: str, rows: Mapping[str, Sequence[str]]) -> str:
    """Return what each learner is in a sentence; rows: keys by the heading of the row they stand in in the form."""
    lines = [f"## {title}", ""]
    for heading, keys in rows.items():
        entries = [find_learner(key) for key in keys]
        told = [f"* **{entry.name}** (`{entry.key}`): {entry.summary} {entry.source}." for entry in entries]
        lines += [f"### {heading}", "", *([NOTES[heading], ""] if heading in NOTES else []), *told, ""]
    return "\n".join(lines)


def reference_of(entry: Entry) -> str:
    """Return the page of a learner: what it is, how to call it, its settings, what it keeps, what it can be asked."""
    text, sections = _docstring(entry.cls)
    parts = [
        f"## {entry.name}",
        f"`{entry.key}` · {_family(entry)} · {_ways(entry)} · {entry.source}",
        text,
        *examples_of(entry),
        _settings(entry.parameters),
        *(_section(name, sections[name]) for name in _SHOWN if name in sections),
        _calls(entry.cls),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def examples_of(entry: Entry) -> tuple[str, str]:
    """Return the learner in Python and in an experiment file, each as a block of code."""
    name, base = entry.cls.__name__, next(iter(entry.bases), None)
    within = ""
    names = [name]
    if base is not None:
        within = f"{base_models()[base].cls.__name__}()"
        names.append(within.removesuffix("()"))
    python = (
        f"from {_module(entry.cls)} import {', '.join(sorted(names))}\n\n{name}({within}).fit(X, y).predict_proba(X)"
    )
    if entry.kind == "base":
        file = f"{{method: single, base: {entry.key}}}"
    else:
        file = f"{{method: {entry.key}{f', base: {base}' if base else ''}}}"
    return f"```python\n{python}\n```", f"```yaml\n{file}\n```"


def _module(cls: type) -> str:
    return "ensembles" if cls.__module__.startswith("ensembles.") else cls.__module__


def _family(entry: Entry) -> str:
    return f"{entry.family.replace('_', ' ')}, {'method' if entry.kind == 'method' else 'base model'}"


def _ways(entry: Entry) -> str:
    """Return in words how it learns, and what of."""
    learns = "online" if entry.online else "in batch"
    if entry.kind == "base":
        return f"learns {learns}"
    if not entry.bases:
        return f"learns {learns}, has no base model"
    if entry.chooses_base:
        return f"learns {learns}, of {' or '.join(f'`{key}`' for key in entry.bases)}"
    online = " that learns online" if getattr(entry.cls, "needs_online_base", False) else ""
    return f"learns {learns}, of any base model{online}"


def _docstring(cls: type) -> tuple[str, dict[str, str]]:
    """Return the sentences of a docstring, and its sections by name."""
    text = cleandoc(cls.__doc__ or "")
    sections = {name: body.strip() for name, body in _SECTION.findall(text)}
    first = _SECTION.search(text)
    return (text[: first.start()] if first else text).strip(), sections


def _section(name: str, body: str) -> str:
    if entries := _ENTRY.findall(f"{body}\n"):
        body = "\n".join(f"* `{one}` ({kind}): {' '.join(said.split())}" for one, kind, said in entries)
    return f"### {name}\n\n{body}"


def _settings(parameters: tuple[Parameter, ...]) -> str:
    return "\n".join(["### Settings", "", *map(setting_line, parameters)]) if parameters else ""


def setting_line(parameter: Parameter) -> str:
    """Return a setting as an entry of a list: its name, what it may be, its default, what it does."""
    line = f"* `{parameter.name}` ({parameter.kind()}, default {parameter.default!r}): {parameter.said()}"
    return line.replace('"', "`")


def _calls(cls: type) -> str:
    """Return what can be called, with the first sentence of each; what all estimators of scikit-learn have is left out."""
    common = {*dir(BaseEstimator), *dir(ClassifierMixin)}
    lines = []
    for name in dir(cls()):
        member = getattr(cls, name, None)
        function = getattr(member, "fn", member)  # of what is there for some settings only
        internal = name.startswith("_") or name.endswith("_request") or name in common
        if isfunction(function) and not internal and (said := getdoc(function)):
            first = " ".join(said.split("\n\n", 1)[0].split())
            lines.append(f"* `{name}{_arguments(function)}`: {first}")
    return "\n".join(["### Calls", "", *lines]) if lines else ""


def _arguments(function: Any) -> str:
    names = [name for name in signature(function).parameters if name != "self"]
    return f"({', '.join(names)})"
