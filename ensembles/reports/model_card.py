"""The file by which a model is taken home: the model, a card that says what it is, and an example that runs."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ensembles.data.names import clean_text
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.model_facts import learned_up_to
from ensembles.experiments.results import Results
from ensembles.experiments.setting_words import told_value
from ensembles.parameters import Parameter
from ensembles.reports import formatting

__all__ = ["Origin", "model_card", "model_file_name", "model_package"]

_EXAMPLE = """from ensembles import load_model
model = load_model("model.skops"{packages})
print(model.predict(model.example))  # or any DataFrame with these columns, in any order
"""
_SYNTAX = re.compile(r"([\\`*_{}\[\]<>()#|!~&$@]|:(?=//)|(?<=\bwww)\.)", re.IGNORECASE)
_LINK = re.compile(r"https?://[\w.:/?=&%\[\]-]+", re.ASCII)
_MOST_SHOWN = 100  # attributes, and classes
_MOST_VALUES = 20


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Attributes
    ----------
    experiment, learner : str
        What people call them.
    protocol : str
        How its measures were taken, in words.
    seed : int
        Of the experiment.
    trained : datetime
    measures : sequence of (str, float, float, int)
        What people call it, mean, standard deviation over trials, number of trials.
    link : str or None
        Address of the experiment.
    """

    experiment: str
    learner: str
    protocol: str
    seed: int
    trained: datetime
    measures: Sequence[tuple[str, float, float, int]] = ()
    link: str | None = None

    @classmethod
    def of(
        cls, results: Results, dataset: int, learner: int, experiment: str, trained: datetime, **more: Any
    ) -> Origin:
        """Return where the model of a learner, by its position, on a data set comes from."""
        measures = []
        for measure in results.measures:
            mean, spread, n = (float(grid.iat[dataset, learner]) for grid in _grids(results, measure))
            if n > 0:
                measures.append((formatting.measure_name(measure), mean, spread, int(n)))
        config = results.config
        return cls(
            experiment, config.learners[learner].label, config.protocol.sentence, config.seed, trained, measures, **more
        )


def _grids(results: Results, measure: str) -> tuple[Any, Any, Any]:
    """Return mean, spread and number of trials, with a row for each data set and a column for each learner by position."""
    rows, columns = range(len(results.config.datasets)), range(len(results.config.learners))
    found = results.mean(measure), results.spread(measure), results.n_trials(measure)
    mean, spread, n = (grid.reindex(index=rows, columns=columns) for grid in found)
    return mean, spread, n.fillna(0)


def model_file_name(learner: str, dataset: str) -> str:
    """Return the name of the file: what any system takes of the names of learner and data set."""
    return f"{formatting.file_stem(f'{learner} on {dataset}') or 'model'}.model.zip"


def model_package(model: bytes, facts: Mapping[str, Any], origin: Origin) -> bytes:
    """Return a ZIP file of `model.skops`, `card.md`, `example.py` and the facts of the card as `model.json`.

    Parameters
    ----------
    model : bytes
        As `Model.to_bytes` gives them.
    facts : mapping
        As `train_whole` leaves them on the model.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("model.skops", model, zipfile.ZIP_STORED)  # it is packed already
        package.writestr("card.md", model_card(facts, origin))
        package.writestr("example.py", _example(facts))
        package.writestr("model.json", json.dumps(facts, ensure_ascii=False, indent=1))
    return buffer.getvalue()


def model_card(facts: Mapping[str, Any], origin: Origin) -> str:
    """Return what the model is, in Markdown; names of users stand in it letter by letter."""
    parts = [
        f"# {_plain(origin.learner)} on {_plain(facts['dataset'])}",
        _what_it_is(facts, origin),
        "```python\n" + _example(facts) + "```",
        _table("Data", ("", ""), _data(facts)),
        _table("Attributes", ("Name", "Kind", "Values"), _attributes(facts)),
        _table("Learner", ("Setting", "Value"), _settings(facts)),
        _table("Measures", ("Measure", "Mean", "Standard deviation", "Trials"), _measures(origin)),
        _table("Origin", ("", ""), _origin(facts, origin)),
    ]
    return "\n\n".join(parts) + "\n"


def _example(facts: Mapping[str, Any]) -> str:
    """Return how the model is read, with the packages that its method and base model come from besides this one."""
    spec = LearnerSpec.model_validate(facts["learner"])
    homes = {entry.cls.__module__.partition(".")[0] for entry in (spec.entry, spec.base_entry) if entry is not None}
    others = sorted(homes - {"ensembles"})
    return _EXAMPLE.format(packages=f", packages={others!r}" if others else "")


def _what_it_is(facts: Mapping[str, Any], origin: Origin) -> str:
    if (stream := facts.get("stream")) is None:
        return (
            f"Trained on {facts['examples']:,} examples, with none left for a test: how well it does on others tells the "
            f"experiment{_address(origin.link)}, whose measures are below."
        )
    so_far = "ended with" if facts["examples"] == stream["of"] else f"had come to, of {stream['of']:,} examples"
    return (
        f"What a trial of the experiment{_address(origin.link)} on a stream {so_far}: it has learned the stream up to "
        f"example {learned_up_to(facts):,}. It was asked about each example before it learned it, which the measures below, "
        "over all orders, tell of."
    )


def _address(link: str | None) -> str:
    return f" <{link}>" if link and _LINK.fullmatch(link) else ""


def _data(facts: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    yield "Name", facts["dataset"]
    yield "SHA-256 of its content", facts["sha256"]
    yield "Examples learned", f"{learned_up_to(facts):,}, their order {facts['order']}{_labels(facts)}"
    yield "Attributes", f"{facts['n_attributes']:,}"
    yield f"Classes of {facts['target']}", _some(facts["classes"], facts["n_classes"], _MOST_SHOWN)


def _labels(facts: Mapping[str, Any]) -> str:
    """Return how many of the labels have come, where not all of them have."""
    delay, share = (facts.get("stream", {}).get(name, usual) for name, usual in (("delay", 0), ("share", 1.0)))
    late = f", labels {delay:,} examples late" if delay else ""
    return late + (f", {100 * share:.4g} % of the labels" if share < 1.0 else "")


def _attributes(facts: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for one in facts["attributes"][:_MOST_SHOWN]:
        yield one["name"], one["kind"], _some(one["categories"], one["values"], _MOST_VALUES)
    if (more := facts["n_attributes"] - _MOST_SHOWN) > 0:
        yield f"and {more:,} more", "", ""


def _settings(facts: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    spec = LearnerSpec.model_validate(facts["learner"])
    yield "Method", spec.entry.name
    yield from _told(spec.entry.parameters, spec.settings)
    if spec.base_entry is not None:
        yield "Base model", spec.base_entry.name
        yield from _told(spec.base_parameters, spec.base_settings)
    if (encoder := spec.make_encoder()) is not None:
        yield from _told(encoder.parameters, spec.encode)
    yield "Seed (random_state)", str(facts["random_state"])


def _told(parameters: Sequence[Parameter], settings: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for one in parameters:
        yield f"{one.label} ({one.name})", told_value(one, settings.get(one.name, one.default))


def _measures(origin: Origin) -> Iterator[Sequence[str]]:
    for name, mean, spread, n in origin.measures:
        yield name, formatting.number(mean), formatting.number(spread), f"{n:,}"


def _origin(facts: Mapping[str, Any], origin: Origin) -> Iterator[Sequence[str]]:
    yield "Experiment", origin.experiment
    yield "Measured by", f"{origin.protocol}, seed {origin.seed}"
    yield "Trained", f"{origin.trained:%Y-%m-%d %H:%M} UTC"
    for name, version in facts["versions"].items():
        yield f"Version of {name}", version


def _some(values: Sequence[str], n: int, most: int) -> str:
    shown = ", ".join(values[:most])
    return f"{shown}, … ({n:,} in all)" if n > most else shown


def _table(title: str, head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(map(_plain, row))} |" for row in rows]
    if not lines:
        return f"## {title}\n\nNone yet."
    return "\n".join([f"## {title}\n", f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *lines])


def _plain(text: str) -> str:
    """Return text on one line that Markdown shows letter by letter."""
    return _SYNTAX.sub(r"\\\1", " ".join(clean_text(text).split()))
