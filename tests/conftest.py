"""What all tests share: nobody's real data is touched, and how a page is opened."""

import functools
import gc
import os
import pathlib
import sys
from collections.abc import Generator, Iterator

import numba
import psutil
import pytest
from hypothesis import settings

from ensembles.jit import kernels_folder
from ensembles.libraries import lack_of
from ensembles.registry import methods

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

# The same examples in every run, however busy the machine is; `make fuzz` draws new ones.
settings.register_profile("seeded", derandomize=True, deadline=None)
settings.load_profile("seeded")
_MAIN = sys.modules["__main__"]


#: What one process of tests may take.
MOST_BYTES = 3 * 2**29

#: Packages without kernels: they are tested once, with the compiler, and only there tell what they cover.
NO_KERNELS = {"browser", "data", "pages", "papers", "reports", "runner", "server", "storage"}


#: What trains learners all the same: groups of tests and files of these packages.
TRAINING = {
    *("browser", "browser_links", "cluster", "other_cluster", "processes"),
    *("test_own_method", "test_take_home", "test_models_to_take_home", "test_generated_sources"),
    *("test_model_card", "test_predictions", "test_tree_figure"),
}

#: In which order tests begin, by their groups and packages. While `make warm` compiles, what needs no kernel. Then what
#: waits most, browsers for pages and runners for processes: each group waits for kernels in a process of its own, and
#: begins as soon as they are there, while others keep the processors busy, first with what needs no kernel either, then
#: with the long groups of tests of the same kernels. The short tests of other packages fill the end.
FIRST = (
    "engine",
    "pages",
    "processes",
    "browser",
    "browser_links",
    "cluster",
    "other_cluster",
    "storage",
    "runner",
    "server",
    "tests",
    "methods",
    "learners",
)

#: Files whose tests run over every learner, each with those of its base model.
OF_EVERY_LEARNER = (
    "test_laws",
    "test_refusals",
    "test_scikit_learn",
    "test_state",
    "test_cut_short",
    "test_read_only",
    "test_unseen",
    "test_interface",
)


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `-n auto` stands for: as browsers and runners mostly wait, four more than processors, if
    there is memory for them."""
    processors = os.cpu_count() or 1
    return min(processors + 4, max(processors, psutil.virtual_memory().total // MOST_BYTES))


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
    """Keep the thousands of collected tests, and all that was imported for them, out of every garbage collection.

    One over all that is imported later takes a sixth of a second, and came often enough to take a tenth of tests of pages.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # outside of pytest-timeout
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Wait for `make warm` before the first test that trains: what two processes compile at a time is compiled twice."""
    if _trains(item):
        _wait_until_warm()
    return (yield)


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
    names = [*_group_of(item), item.path.parent.name if item.path.stem not in TRAINING else ""]
    return next((FIRST.index(name) for name in names if name in FIRST), len(FIRST))


def _group_of(item: pytest.Item) -> tuple[str, ...]:
    group = item.get_closest_marker("xdist_group")
    return group.args if group else ()


def _trains(item: pytest.Item) -> bool:
    """Whether a test runs kernels, here or in a process of its own."""
    return item.path.parent.name not in NO_KERNELS or not TRAINING.isdisjoint((*_group_of(item), item.path.stem))


@functools.cache
def _wait_until_warm() -> None:
    lock = kernels_folder() / "warming.lock"
    if fcntl is not None and lock.exists() and not numba.config.DISABLE_JIT:
        with lock.open() as held:
            fcntl.flock(held, fcntl.LOCK_SH)


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
