"""The architecture is as `docs/architecture.md` says: who imports whom, what is exported, how long files are."""

import ast
import functools
import graphlib
import importlib
import pathlib
import re

import pytest

from ensembles.jit import KERNEL_FILES
from ensembles.registry import methods

pytestmark = pytest.mark.xdist_group("architecture")  # each process would parse all files anew

ROOT = pathlib.Path(__file__).parent.parent
PACKAGES = ("ensembles", "storage", "runner", "server", "pages", "app", "tests")
LIBRARIES = {
    "numpy", "pandas", "numba", "sklearn", "scipy", "plotly", "pyarrow", "pydantic", "yaml", "charset_normalizer",
    "openpyxl", "sqlalchemy", "alembic", "psycopg", "watchdog", "dask", "distributed", "streamlit", "starlette", "uvicorn",
    "prometheus_client", "fastapi", "httpx2",
}  # fmt: skip
CORE = {"numpy", "pandas", "numba", "sklearn", "scipy", "pyarrow", "openpyxl", "pydantic", "yaml", "charset_normalizer"}
ALLOWED = {
    "ensembles": {"ensembles", *CORE},
    "storage": {"storage", "ensembles", "sqlalchemy", "alembic", "psycopg", "watchdog", "numpy", "pandas", "pyarrow"},
    "runner": {"runner", "storage", "ensembles", "dask", "distributed", "numpy", "pandas", "yaml"},
    "pages": {"pages", "runner", "storage", "ensembles", "streamlit", "numpy", "pandas", "plotly"},
    "server": {
        "server",
        "runner",
        "storage",
        "ensembles",
        "streamlit",
        "starlette",
        "fastapi",
        "pydantic",
        "prometheus_client",
    },
    "app.py": {"app", "pages", "server", "runner", "storage", "ensembles", "streamlit", "starlette", "uvicorn"},
}
FILES = [
    path
    for package in ALLOWED
    for path in ([ROOT / package] if package.endswith(".py") else (ROOT / package).rglob("*.py"))
]


@functools.cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported(path):
    """Return the names of all modules that a file imports, somewhere in it."""
    return [*imports_of(tree_of(path))]


def imports_of(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def each(paths, wrong):
    """Return what is wrong with each of the files where something is."""
    return {str(path.relative_to(ROOT)): found for path in paths if (found := wrong(path))}


def test_imports_go_downwards():
    def too_high(path):
        allowed = set(ALLOWED[path.relative_to(ROOT).parts[0]])
        if path.is_relative_to(ROOT / "ensembles" / "reports"):
            allowed.add("plotly")
        if path.is_relative_to(ROOT / "ensembles" / "client"):
            allowed.add("httpx2")
        return ({name.split(".")[0] for name in imported(path)} & (LIBRARIES | set(PACKAGES))) - allowed

    assert each(FILES, too_high) == {}


def test_only_kernels_files_know_numba():
    names = ("across_lanes.py", "addresses.py", "fetching.py", "jit.py", "lanes.py", "parts.py")
    others = [path for path in FILES if path.name not in names]
    assert each(others, lambda path: "numba" in {name.split(".")[0] for name in imported(path)}) == {}


def test_all_names_what_the_module_holds():
    def missing(path):
        module = importlib.import_module(name_of(path))
        return [exported for exported in getattr(module, "__all__", ()) if not hasattr(module, exported)]

    assert each([path for path in FILES if path.is_relative_to(ROOT / "ensembles")], missing) == {}


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MAY_IMPORT = {
    "ensembles/client": ("data", "experiments"),
    "ensembles/data": (),
    "ensembles/learners": ("data",),
    "ensembles/methods": ("data", "learners"),
    "ensembles/evaluation": ("data",),
    "ensembles/experiments": ("data", "evaluation", "learners"),
    "ensembles/papers": ("data", "evaluation", "experiments", "learners"),
    "ensembles/reports": ("data", "evaluation", "experiments", "learners", "papers"),
    "storage": ("data", "evaluation", "experiments"),
}
"""By package: which packages inside `ensembles` it may import, besides itself and single modules."""
INNER = {path.name for path in (ROOT / "ensembles").iterdir() if (path / "__init__.py").exists()}


def test_every_package_has_its_layer() -> None:
    assert {path.removeprefix("ensembles/") for path in MAY_IMPORT if path != "storage"} == INNER


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_those_below(package):
    allowed = {*MAY_IMPORT[package], package.removeprefix("ensembles/")}
    found = {(path.name, name) for path in (ROOT / package).rglob("*.py") for name in imported(path)}
    inner = {(file, name) for file, name in found if name.startswith("ensembles.") and name.split(".")[1] in INNER}
    assert not {(file, name) for file, name in inner if name.split(".")[1] not in allowed}


PARTS = [path for path in FILES if path.is_relative_to(ROOT / "pages" / "parts")]


def test_parts_of_one_page_are_not_used_by_others():
    """What several pages draw with lies beside the folders of single pages."""
    folders = {folder.name for folder in (ROOT / "pages" / "parts").iterdir() if folder.is_dir()}

    def of_others(path):
        others = folders - {path.parent.name}
        return [name for name in imported(path) if name.startswith("pages.parts.") and name.split(".")[2] in others]

    assert each(PARTS, of_others) == {}


def test_no_module_imports_itself_round_about() -> None:
    modules = {name_of(path): path for path in FILES}
    graph = {name: needed_by(path, modules) - {name} for name, path in modules.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def needed_by(path, modules):
    """Return which of `modules` a file imports when it is imported itself; what functions import may come later."""
    imports = [node for node in tree_of(path).body if isinstance(node, ast.ImportFrom)]
    found = [(node.module, f"{node.module}.{alias.name}") for node in imports for alias in node.names]
    return {inner if inner in modules else module for module, inner in found} & modules.keys()


def test_pages_and_server_do_without_the_engine_of_trials() -> None:
    """It takes 0.3 s of the processor and 28 MB to import, and whoever opened results first would wait for it."""
    modules = {name_of(path): path for path in FILES}
    engines = {name for name, path in modules.items() if {"dask", "distributed"} & tops(path)}
    waiting, met = [name for name in modules if name.split(".")[0] in ("app", "pages", "server")], set[str]()
    while waiting:
        if (name := waiting.pop()) not in met:
            met.add(name)
            waiting += needed_by(modules[name], modules)
    assert len(engines) > 5
    assert not engines & met


def tops(path):
    """Return the packages that a file imports somewhere in it."""
    return {name.split(".")[0] for name in imported(path)}


FAMILIES = [path for path in FILES if path.parts[-3] in ("learners", "methods")]


def test_families_know_the_core_of_their_package_and_no_other_family():
    def others(path):
        family, package = path.parts[-2], path.parts[-3]
        met = {name.split(".")[2] for name in imported(path) if name.startswith(f"ensembles.{package}.")}
        return met - {family, "core"}

    assert each(FAMILIES, others) == {}


LONGEST_FILE, LONGEST_FUNCTION = 300, 40


def test_files_stay_short():
    tests = [path for room in ("tests", "benchmarks") for path in (ROOT / room).rglob("*.py")]
    assert each([*FILES, *tests], lambda path: len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE) == {}


def test_functions_stay_short():
    def long_ones(path):
        nodes = ast.walk(tree_of(path))
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        return [function.name for function in functions if lines_of(function) > LONGEST_FUNCTION]

    assert each(FILES, long_ones) == {}


def lines_of(function):
    """Return the number of lines without the docstring."""
    first, last = function.body[0], function.end_lineno - function.lineno + 1
    return last - (first.end_lineno - first.lineno + 1 if ast.get_docstring(function) is not None else 0)


def test_tests_of_one_group_run_in_one_process(request):
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("only where tests are spread over processes")
    grouped = [item for item in request.session.items if item.get_closest_marker("xdist_group")]
    assert all("@" in item.nodeid for item in grouped), "pytest-xdist did not see the groups"


def test_methods_ask_for_parameters_as_they_were_given():
    """Not `self.n_estimators`, but `self._given`'s: it may have changed since members were laid out, and kernels check no
    bounds."""
    declared = {parameter.name for entry in methods().values() for parameter in entry.parameters} | {"estimator"}

    def read_now(path):
        functions = [
            node
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.FunctionDef) and node.name not in ("__init__", "_new_base_model")
        ]
        read = [
            node
            for function in functions
            for node in ast.walk(function)
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
        ]
        return [f"{node.attr} in line {node.lineno}" for node in read if node.attr in declared]

    assert each((ROOT / "ensembles" / "methods").rglob("*.py"), read_now) == {}


def test_kernels_stand_where_the_name_of_their_cache_folder_looks() -> None:
    makers = re.compile(r"from ensembles\.jit import [^\n]*\b(inner|kernel|operation|part)\b")
    found = [path.relative_to(ROOT / "ensembles") for path in (ROOT / "ensembles").rglob("*.py")]
    found = [path for path in found if makers.search((ROOT / "ensembles" / path).read_text())]
    assert len(found) > 50
    assert {path.parts[0] for path in found} >= {"learners", "methods"}
    assert {path.as_posix() for path in found if path.parts[0] not in ("learners", "methods")} <= set(KERNEL_FILES)


KERNEL_DECORATORS = {"kernel", "part", "inner", "operation", "implement", "otherwise", "intrinsic"}
KERNELS_BY_A_CALL = ROOT / "ensembles" / "learners" / "core" / "operations_at.py"  # `bound` makes kernels of them
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def test_all_functions_but_kernels_are_typed() -> None:
    functions = [(path, function) for path in FILES if path != KERNELS_BY_A_CALL for function in plain_functions(path)]
    assert len(functions) > 1000
    untyped = [f"{path.relative_to(ROOT)}: {each.name}" for path, each in functions if not fully_typed(each)]
    assert not untyped, "annotate all parameters and what is returned"


def plain_functions(path):
    """Yield the functions of a file that are no kernels and in no kernel."""
    waiting = [tree_of(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, FUNCTION):
            if is_kernel(node):
                continue
            yield node
        waiting += ast.iter_child_nodes(node)


def is_kernel(function):
    """Whether a function is decorated with `@kernel`, `@learn_one.implement(...)` or the like."""
    decorators = [each.func if isinstance(each, ast.Call) else each for each in function.decorator_list]
    return any(getattr(each, "attr", getattr(each, "id", "")) in KERNEL_DECORATORS for each in decorators)


def fully_typed(function):
    """Whether the result and all parameters have annotations, but for `self` and `cls`."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    missing = [each.arg for each in parameters if each is not None and each.annotation is None]
    return function.returns is not None and not set(missing) - {"self", "cls"}
