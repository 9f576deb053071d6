"""What the documentation shows works."""

import argparse
import importlib
import pathlib
import re

import numba
import numpy as np
import pytest
import yaml

from ensembles.data import catalogue
from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.measures import KNOWN
from ensembles.experiments.config import DatasetRef, ExperimentConfig
from ensembles.libraries import lack_of
from ensembles.registry import base_models, methods
from runner.command_line import _parser
from tests.examples import nominal_toy

DOCS = pathlib.Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("entry", [*methods().values(), *base_models().values()], ids=lambda entry: entry.key)
def test_every_learner_has_a_heading_an_example_and_its_settings(entry):
    text = (DOCS / "learners.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(entry.name)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"docs/learners.md has no heading {entry.name!r}"
    assert f"`{entry.key}`" in section[1]
    assert f"{entry.cls.__name__}(" in section[1]
    assert "*Expect*" in section[1]
    listed = re.findall(r"^\* `(\w+)` \(", section[1], re.MULTILINE)
    assert listed == [parameter.name for parameter in entry.parameters]


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="each method would compile kernels of its own")
@pytest.mark.parametrize(
    "entry", [entry for entry in methods().values() if entry.key != "single"], ids=lambda entry: entry.key
)
def test_who_tells_weights_and_errors_of_members_is_said_as_it_is(entry):
    """`docs/learners.md`: all with a base model; `docs/python.md` names those of them that have no `errors_on`."""
    if lack := lack_of(entry.cls):
        pytest.skip(lack)
    X, y = nominal_toy(40)
    ensemble = entry.cls().fit(X, np.array(["no", "yes"])[y])
    said = re.search(r"^\| `errors_on` \|(.*)\|$", (DOCS / "python.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    names = [word.replace(".", "").casefold() for word in re.findall(r"[\w.]+", said)]
    excepted = entry.cls.__name__.removesuffix("Classifier").casefold() in names
    assert hasattr(ensemble, "member_weights_") == hasattr(ensemble, "member_errors_") == entry.cls.takes_base
    assert hasattr(ensemble, "errors_on") == (entry.cls.takes_base and not excepted)


def test_the_readme_names_every_learner():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8").casefold()
    ours = [entry for entry in base_models().values() if not entry.key.startswith("sklearn:")]
    assert [entry.name for entry in [*methods().values(), *ours] if entry.name.casefold() not in text] == []


def test_settings_are_listed_as_declared(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    with_settings = importlib.import_module("settings").with_settings
    page = (DOCS / "learners.md").read_text(encoding="utf-8")
    assert with_settings(page) == page, "make docs"


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="each example would compile kernels of its own")
@pytest.mark.parametrize(
    "code",
    [
        code
        for page in ("learners.md", "python.md")
        for code in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    ],
)
def test_the_example_of_a_learner_runs_as_it_stands(code):
    X, y = nominal_toy(40)
    exec(code, {"X": X.assign(m0=np.arange(40) % 7), "y": np.array(["no", "yes"])[y]})


@pytest.mark.parametrize("entry", catalogue().values(), ids=lambda entry: entry.key)
def test_every_data_set_of_the_catalogue_is_in_the_list(entry):
    row = f"| {entry.name} | `{entry.key}` | {entry.rows:,} | "
    assert row in (DOCS / "datasets.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", [*KNOWN.values(), *CURVES.values()], ids=lambda entry: entry.key)
def test_every_measure_and_curve_has_a_heading(entry):
    text = (DOCS / "measures.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(entry.name)}\n`{entry.key}` · (.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"docs/measures.md has no heading {entry.name!r} with `{entry.key}` below it"


@pytest.mark.parametrize("name", ["tutorial.md", "coming-from.md"])
def test_what_a_guide_shows_runs_from_top_to_bottom(name):
    text, shown = (DOCS / name).read_text(encoding="utf-8"), {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, name, "exec"), shown)
    for document in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        ExperimentConfig.from_yaml(document)


def test_the_example_of_an_experiment_is_one():
    text = (DOCS / "experiments.md").read_text(encoding="utf-8")
    config = ExperimentConfig.from_yaml(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    assert [learner.method for learner in config.learners] == ["single", "online_bagging", "primed_online_boosting"]


def test_the_example_of_a_test_says_what_stands_behind_it(capsys):
    text = (DOCS / "statistics.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    exec(compile(code, "statistics.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] == re.search(r"# (equal .*)", code)[1]


def test_every_other_experiment_shown_is_one_too():
    text = (DOCS / "experiments.md").read_text(encoding="utf-8")
    _, *others = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    sweep, stream = map(ExperimentConfig.from_yaml, others)
    assert stream.protocol.kind == "prequential"
    assert len(sweep.learners) == 6 + 6 + 2  # as the comments beside them say


def test_the_five_edges_of_boost_by_majority_are_an_experiment():
    text = (DOCS / "learners.md").read_text(encoding="utf-8")
    config = ExperimentConfig.from_yaml(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    assert [learner.settings["gamma"] for learner in config.learners] == [0.3, 0.1, 0.05, 0.01, 0.001]
    assert config.protocol.final_fraction == 0.2


@pytest.mark.parametrize("page", [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", ["api.md", "datasets.md", "experiments.md", "operation.md", "papers.md"])
def test_flags_that_the_text_names_are_of_our_commands(name):
    parsers, known = [_parser()], {"-h"}
    while parsers:
        for action in parsers.pop()._actions:
            known |= {*action.option_strings}
            parsers += dict(action.choices).values() if isinstance(action, argparse._SubParsersAction) else []
    named = re.findall(r"`(--[\w.-]+)", (DOCS / name).read_text(encoding="utf-8"))
    assert [flag for flag in named if flag not in known] == []


def test_help_says_what_the_documentation_says(capsys):
    for command, told in {
        "export": "html: the report, with verdict and figures",
        "token": "the JSON interface",
    }.items():
        with pytest.raises(SystemExit):
            _parser().parse_args([command, "--help"])
        shown = " ".join(capsys.readouterr().out.split())
        assert told in shown
        assert "json interface" not in shown


def test_no_change_is_told_twice():
    told = re.findall(r"^\* (.{60})", (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(told) == sorted({*told})


def test_references_to_files_in_the_text_are_such():
    shown = [
        reference
        for page in ("datasets.md", "experiments.md")
        for reference in re.findall(r"`(\{file:[^`]*\})`", (DOCS / page).read_text(encoding="utf-8"))
    ]
    assert len(shown) >= 2
    for reference in shown:
        assert DatasetRef.model_validate(yaml.safe_load(reference)).file


def test_reading_a_file_in_python_works_as_shown(tmp_path, monkeypatch):
    text = (DOCS / "datasets.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 4},{i * 1.5}\n" for i in range(60))
    (tmp_path / "cars.csv").write_text(f"doors,price\n{rows}-9,7\n")
    shown = {}
    exec(
        compile(
            re.search(r"```python\n(from ensembles.data import read_dataset.*?)```", text, re.DOTALL)[1],
            "datasets.md",
            "exec",
        ),
        shown,
    )
    assert len(shown["dataset"].classes) == 3
    assert shown["dataset"].table.missing_cells == 1
