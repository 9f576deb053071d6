"""The house stands as designed: who imports whom, what is exported, what is registered."""

import ast
import importlib
import pathlib
import re

import pytest

from ensembles.registry import methods

ROOT = pathlib.Path(__file__).parent.parent
ROOMS = ("ensembles", "storage", "runner", "pages", "app", "tests")
LIBRARIES = {
    "numpy", "pandas", "numba", "sklearn", "scipy", "plotly", "pyarrow", "pydantic", "yaml", "charset_normalizer",
    "openpyxl", "sqlalchemy", "alembic", "psycopg", "dask", "distributed", "streamlit", "starlette", "uvicorn",
}  # fmt: skip
CORE = {"numpy", "pandas", "numba", "sklearn", "scipy", "pyarrow", "openpyxl", "pydantic", "yaml", "charset_normalizer"}
ALLOWED = {
    "ensembles": {"ensembles", *CORE},
    "storage": {"storage", "ensembles", "sqlalchemy", "alembic", "psycopg", "numpy", "pandas", "pyarrow"},
    "runner": {"runner", "storage", "ensembles", "dask", "distributed", "numpy", "pandas", "yaml"},
    "pages": {"pages", "runner", "storage", "ensembles", "streamlit", "numpy", "pandas", "plotly"},
    "app.py": {"app", "pages", "runner", "storage", "ensembles", "streamlit", "starlette", "uvicorn"},
}
FILES = [path for room in ALLOWED for path in ([ROOT / room] if room.endswith(".py") else (ROOT / room).rglob("*.py"))]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_downwards(path):
    room = path.relative_to(ROOT).parts[0]
    allowed = set(ALLOWED[room])
    if path.is_relative_to(ROOT / "ensembles" / "reports"):
        allowed.add("plotly")
    found = {name.split(".")[0] for name in imported(path)}
    assert not (found & (LIBRARIES | set(ROOMS))) - allowed


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_kernels_files_know_numba(path):
    if path.name not in ("addresses.py", "jit.py", "numba_compiler.py"):
        assert "numba" not in {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.is_relative_to(ROOT / "ensembles")], ids=lambda p: p.stem
)
def test_all_names_what_the_module_holds(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    for exported in getattr(module, "__all__", ()):
        assert hasattr(module, exported), f"{name} exports {exported}, which it does not have"


FLOORS = {
    "ensembles/data": ("learners", "methods", "evaluation", "experiments", "papers", "reports"),
    "ensembles/learners": ("methods", "evaluation", "experiments", "papers", "reports"),
    "ensembles/methods": ("evaluation", "experiments", "papers", "reports"),
    "ensembles/evaluation": ("experiments", "papers", "reports"),
    "ensembles/experiments": ("papers", "reports"),
    "ensembles/papers": ("reports",),
    "storage": ("papers", "reports"),
}


@pytest.mark.parametrize("floor", FLOORS)
def test_floors_know_nothing_of_those_above(floor):
    above = tuple(f"ensembles.{room}" for room in FLOORS[floor])
    found = {(path.name, name) for path in (ROOT / floor).rglob("*.py") for name in imported(path)}
    assert not {(file, name) for file, name in found if name.startswith(above)}


FAMILIES = [path for path in FILES if path.parts[-3] in ("learners", "methods")]


@pytest.mark.parametrize("path", FAMILIES, ids=lambda path: str(path.relative_to(ROOT / "ensembles")))
def test_families_know_the_core_of_their_room_and_no_other_family(path):
    family, room = path.parts[-2], path.parts[-3]
    met = {name.split(".")[2] for name in imported(path) if name.startswith(f"ensembles.{room}.")}
    assert met <= {family, "core"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 480, "is there a second subject in it?"


def test_tests_of_one_group_run_in_one_process(request):
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only where tests are spread over processes")
    grouped = [item for item in request.session.items if item.get_closest_marker("xdist_group")]
    assert all("@" in item.nodeid for item in grouped), "pytest-xdist did not see the groups"


@pytest.mark.parametrize("path", sorted((ROOT / "ensembles" / "methods").rglob("*.py")), ids=lambda path: path.stem)
def test_methods_ask_for_parameters_as_they_were_given(path):
    """`self.n_estimators` may have changed since members were laid out, and kernels check no bounds."""
    declared = {parameter.name for entry in methods().values() for parameter in entry.parameters} | {"estimator"}
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef) and function.name not in ("__init__", "_new_base_model"):
            read = {
                node.attr
                for node in ast.walk(function)
                if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
            }
            assert not read & declared, f"{function.name} reads parameters of now, not of `self._given`"


def test_kernels_stand_where_the_name_of_their_cache_folder_looks() -> None:
    makers = re.compile(r"from ensembles\.jit import [^\n]*\b(callee|inner|kernel|operation|part)\b")
    found = [path.relative_to(ROOT / "ensembles") for path in (ROOT / "ensembles").rglob("*.py")]
    found = [path for path in found if makers.search((ROOT / "ensembles" / path).read_text())]
    assert len(found) > 50
    assert {path.parts[0] for path in found if len(path.parts) > 1} == {"learners", "methods"}
