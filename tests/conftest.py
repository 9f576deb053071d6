"""What all tests share: nobody's real data is touched, and how a page is opened."""

import gc
import os
import pathlib
import sys
from collections.abc import Generator, Iterator

import numba
import pytest
from hypothesis import settings

from ensembles.libraries import lack_of
from ensembles.registry import methods

settings.register_profile("seeded", derandomize=True)  # the same examples in every run; `make fuzz` draws new ones
settings.load_profile("seeded")
_MAIN = sys.modules["__main__"]


#: Packages without kernels: they are tested once, with the compiler, and only there tell what they cover.
NO_KERNELS = {"browser", "data", "pages", "papers", "reports", "runner", "server", "storage"}


#: In which order tests begin, by their groups and then by their packages. First what waits most, browsers for pages and
#: runners for processes, while others keep the processors busy; then what needs no kernel, until all are compiled; then the
#: long groups of tests of the same kernels. The short tests of other packages fill the end.
GROUPS = ("browser_links", "engine", "browser", "processes", "runner")
PACKAGES = ("runner", "pages", "storage", "tests", "methods", "learners")

#: Files whose tests run over every learner, each with those of its base model.
OF_EVERY_LEARNER = (
    "test_laws",
    "test_refusals",
    "test_scikit_learn",
    "test_state",
    "test_cut_short",
    "test_read_only",
    "test_interface",
)


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `-n auto` stands for: two more than processors, as browsers and runners mostly wait."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests share a process, which run with the compiler only, and which tell what they cover.

    What two processes compile at the same time is compiled twice, so tests of the same kernels share one.
    """
    items.sort(key=_turn)
    for item in items:
        if item.get_closest_marker("xdist_group") is None and (group := _kernels_of(item)):
            item.add_marker(pytest.mark.xdist_group(group))
        if item.path.parent.name in NO_KERNELS:
            item.add_marker(pytest.mark.compiled)
        elif not numba.config.DISABLE_JIT:
            item.add_marker(pytest.mark.no_cover)  # no line of a compiled kernel is seen


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell after `make fuzz` how much was tried, and the most memory that it took."""
    fuzzing = sys.modules.get("tests.fuzzing")
    if fuzzing is None or not fuzzing.EXAMPLES:
        return
    terminalreporter.section("broken input")
    for kind, count in sorted(fuzzing.TRIED.items()):
        terminalreporter.write_line(f"{count:>7,} {kind}")
    terminalreporter.write_line(f"{fuzzing.TRIED.total():>7,} in all, at most {fuzzing.peak_bytes() / 2**20:,.0f} MiB")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a law where the library that its learner needs is not installed; it is named by key or given itself."""
    if pathlib.Path(item.path).stem in OF_EVERY_LEARNER and hasattr(item, "callspec"):
        for given in item.callspec.params.values():
            key = given if isinstance(given, str) else getattr(given, "key", None)
            entry = methods().get(str(key))
            if entry is not None and (lack := lack_of(entry.cls)):
                pytest.skip(lack)


def pytest_collection_finish() -> None:
    """Keep the thousands of collected tests, and all that was imported for them, out of every garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, trylast=True)  # inside of pytest-cov's own, which leaves a second measurement on
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Let tests that tell nothing of what they cover run untraced."""
    if not item.get_closest_marker("no_cover"):
        return (yield)
    traced = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(traced)


def _turn(item: pytest.Item) -> int:
    """Return when a test begins."""
    group = item.get_closest_marker("xdist_group")
    order = (*GROUPS, *PACKAGES)
    return next((order.index(name) for name in (group and group.args[0], item.path.parent.name) if name in order), 99)


def _kernels_of(item: pytest.Item) -> str | None:
    """Return the base model or method whose kernels a test compiles, None if it hardly compiles any."""
    path = pathlib.Path(item.path)
    if path.stem in OF_EVERY_LEARNER:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        estimator = given.get("estimator")
        own_kernels = getattr(estimator, "key", None) if not hasattr(estimator, "n_estimators") else None
        return str(given.get("base") or own_kernels or "naive_bayes")
    if path.parent.name in ("learners", "methods"):
        return path.stem.removeprefix("test_")
    return None


@pytest.fixture(scope="session", autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the database of whoever runs the tests out of reach, and let no worker compile ahead; of subprocesses too."""
    before = {name: os.environ.pop(name, None) for name in ("DATABASE_URL", "ENSEMBLE_LAB_HOME", "ENSEMBLE_LAB_WARM")}
    os.environ["ENSEMBLE_LAB_HOME"] = str(tmp_path_factory.mktemp("home"))
    os.environ["ENSEMBLE_LAB_WARM"] = "0"
    yield
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(autouse=True)
def _own_main_module() -> Iterator[None]:
    """Put back `__main__`, which Streamlit exchanges for the page it runs: a process spawned later would run that page."""
    sys.modules["__main__"] = _MAIN
    yield
    sys.modules["__main__"] = _MAIN
