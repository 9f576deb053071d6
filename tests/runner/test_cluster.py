"""Which clusters are accepted, and what is said of others."""

import errno
import gc
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from distributed import Security

from ensembles.errors import InvalidInput
from runner.cluster import cluster as clusters
from runner.cluster import processes
from runner.cluster.cluster import Cluster, ClusterLost
from runner.cluster.connection import TLSFiles, connect
from runner.cluster.limits import check_limits
from runner.worker_process import versions as versioning
from runner.worker_process.versions import VERSION, VERSIONS
from tests.runner.conftest import children_of, is_running, wait_until

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster for all of them

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer than usual until a scheduler has imported the package, beside all other tests."""
    monkeypatch.setattr(clusters, "_CHECK_SECONDS", 200.0)


def test_processes_that_cannot_start_are_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "runner.cluster.cluster.LocalProcesses", Mock(side_effect=OSError(errno.ENOSPC, "No space left"))
    )
    with pytest.raises(ClusterLost, match=r"^the worker processes of this machine could not start: .*No space left"):
        Cluster(n_workers=1)


def test_a_cluster_needs_a_worker() -> None:
    with pytest.raises(InvalidInput, match="workers must be at least 1, got 0"):
        Cluster(n_workers=0)


def test_a_cluster_starts_no_more_processes_than_a_machine_has() -> None:
    with pytest.raises(InvalidInput, match="workers must be at most 1,000 on one machine, got 10,000,000,000"):
        check_limits(10**10, None, None)


def test_processes_that_do_not_start_in_time_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def be_slow(_: int) -> None:
        raise TimeoutError

    monkeypatch.setattr(clusters, "LocalProcesses", be_slow)
    with pytest.raises(ClusterLost, match="the worker processes of this machine did not start in time"):
        Cluster(n_workers=1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of what Dask still waited for
def test_processes_that_did_not_start_in_time_do_not_stay(
    cluster: Cluster,  # noqa: ARG001, so that there is one to fork from
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(processes, "_TASKS", str(tmp_path / "slow.py"))
    monkeypatch.setattr(processes, "_START_SECONDS", 5.0)
    before = children_of(os.getpid())
    with pytest.raises(ClusterLost, match="the worker processes of this machine did not start in time"):
        Cluster(n_workers=1)
    left = children_of(os.getpid()) - before
    wait_until(lambda: not any(map(is_running, left)), "who was too slow ends", 30.0)
    gc.collect()


def test_processes_that_cannot_be_reached_are_ended_and_tried_again_later(
    cluster: Cluster,  # noqa: ARG001, so that there is one to fork from
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clusters, "Client", Mock(side_effect=TimeoutError("Timed out trying to connect")))
    before = children_of(os.getpid())
    with pytest.raises(ClusterLost, match=r"^the worker processes of this machine cannot be reached: Timed out"):
        Cluster(n_workers=1)
    left = children_of(os.getpid()) - before
    wait_until(lambda: not any(map(is_running, left)), "they end", 30.0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each process imports for itself")
def test_a_process_that_dies_before_others_are_forked_from_it_is_tried_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = Mock()
    context.Process.return_value.start.side_effect = EOFError("unexpected EOF")
    monkeypatch.setattr(processes.multiprocessing, "get_context", lambda _: context)
    wanted = "could not start: the process from which they are forked has died"
    with pytest.raises(ClusterLost, match=wanted):
        Cluster(n_workers=1)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each process imports for itself")
def test_processes_are_forked_from_one_and_have_the_environment_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell() -> tuple[int, str | None, str | None]:
        return os.getppid(), os.environ.get("ENSEMBLE_LAB_TOLD"), os.environ.get("OPENBLAS_NUM_THREADS")

    seen = []
    for told in ("first", "second"):
        monkeypatch.setenv("ENSEMBLE_LAB_TOLD", told)
        own = Cluster(n_workers=2)
        try:
            seen += own.answers(own.ask(tell, addresses=own.threads()), 30.0).values()
        finally:
            own.close()
    [parent] = {parent for parent, *_ in seen}
    assert parent != os.getpid()
    assert sorted(seen) == [(parent, told, "1") for told in ("first", "first", "second", "second")]


def test_a_process_that_leaves_many_questions_without_an_answer_is_ended() -> None:
    own = Cluster(n_workers=1)
    try:
        [address] = own.threads()
        [pid] = own.answers(own.ask(os.getpid, addresses=[address]), 30.0).values()
        asked = [own.ask(time.sleep, 600.0, addresses=[address]) for _ in range(8)]  # at a time, no more
        own.restart([address])
        wait_until(lambda: not is_running(pid), "it ends", 30.0)
        wait_until(lambda: all(one.done() for one in asked), "nobody waits for its answers any more", 60.0)
    finally:
        own.close()


def test_a_connection_that_ends_in_the_middle_is_a_cluster_lost() -> None:
    own = Cluster(n_workers=1)
    own._client.close(timeout=2)
    assert own.tell(print, addresses=["tls://127.0.0.1:1"], seconds=5.0) == {}.keys()
    for use in (own.threads, lambda: own.submit("tls://127.0.0.1:1", print)):
        with pytest.raises(ClusterLost, match="the connection to the Dask scheduler was lost"):
            use()
    own.close()


@pytest.mark.parametrize("limit", ["soon", "0", "-1", "nan"])
def test_a_limit_of_time_is_a_number_of_seconds(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_TRIAL_SECONDS", limit)
    wanted = f"ENSEMBLE_LAB_TRIAL_SECONDS must be a number of seconds above 0, got '{limit}'"
    with pytest.raises(InvalidInput, match=wanted):
        Cluster(n_workers=1)


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "tls://127.0.0.1"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    wanted = f"scheduler must be the address of a running Dask scheduler, tls://host:port, got '{address}'"
    with pytest.raises(InvalidInput, match=wanted):
        connect(address)


@pytest.mark.parametrize(
    "address", ["tcp://192.0.2.1:8786", "192.0.2.1:8786", "tcp://lab.example:8786", "ws://[2001:db8::1]:1"]
)
def test_a_scheduler_elsewhere_must_be_asked_by_tls(address: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"must be tls://host:port on another machine, got .*; --insecure accepts that"
    ):
        connect(address)


def test_tls_needs_certificates() -> None:
    with pytest.raises(InvalidInput, match=r"tls://192.0.2.1:8786 needs --tls-ca and --tls-cert"):
        connect("tls://192.0.2.1:8786")
    with pytest.raises(InvalidInput, match=r"--tls-ca must be a file that can be read, got '/nowhere/ca.pem'"):
        connect("tls://192.0.2.1:8786", TLSFiles(ca="/nowhere/ca.pem"))


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], TLSFiles]:
    """Return a function that makes a certificate which is its own authority, in files."""

    def make() -> TLSFiles:
        folder, made = tmp_path_factory.mktemp("tls"), Security.temporary()
        (folder / "cert.pem").write_text(made.tls_client_cert)
        (folder / "key.pem").write_text(made.tls_client_key)
        return TLSFiles(str(folder / "cert.pem"), str(folder / "cert.pem"), str(folder / "key.pem"))

    return make


PORT = "Scheduler at:"


@pytest.fixture(scope="module")
def outside(pem: Callable[[], TLSFiles]) -> Iterator[tuple[str, TLSFiles]]:
    """Start a scheduler and a worker as an operator would, with TLS; return address and files."""
    files = pem()
    tls = ["--tls-ca-file", str(files.ca), "--tls-cert", str(files.cert), "--tls-key", str(files.key)]
    here = {"cwd": ROOT, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "stderr": subprocess.PIPE, "text": True}
    dask = [sys.executable, "-m", "distributed.cli."]
    scheduler = subprocess.Popen(
        [*dask[:2], "distributed.cli.dask_scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", "0",
         "--dashboard-address", "127.0.0.1:0", *tls], **here,
    )  # fmt: skip
    assert scheduler.stderr is not None
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    worker = subprocess.Popen(
        [*dask[:2], "distributed.cli.dask_worker", address, "--protocol", "tls", "--nthreads", "1",
         "--dashboard-address", "127.0.0.1:0", *tls], **here,
    )  # fmt: skip
    assert worker.stderr is not None
    next(line for line in worker.stderr if "Registered to" in line)
    yield address, files
    family = {worker.pid, scheduler.pid} | children_of(worker.pid)
    for process in (worker, scheduler):
        process.kill()
        process.stderr.close()
        process.wait()
    wait_until(lambda: not any(map(is_running, family)), "the processes end")


@pytest.mark.compiled
def test_a_cluster_with_tls_takes_who_has_a_certificate_and_nobody_else(
    outside: tuple[str, TLSFiles], pem: Callable[[], TLSFiles], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, files = outside
    inside = Cluster(scheduler=address, tls=files)
    assert list(inside.threads().values()) == [1]
    inside.close()
    monkeypatch.setattr("runner.cluster.connection._CONNECT_SECONDS", 2)
    for stranger, where in ((pem(), address), (TLSFiles(), address.replace("tls", "tcp"))):
        with pytest.raises(InvalidInput, match=r"scheduler must be the address of a running Dask scheduler"):
            Cluster(scheduler=where, tls=stranger)


OTHER = {**VERSIONS, "Ensemble Lab": "9.9.9 (sources feedbeef)", "Python": "3.99"}
WANTED = (
    r"Ensemble Lab 9\.9\.9 \(sources feedbeef\), Python 3\.99, as this program has, got Ensemble Lab \S+ \(sources "
)


@pytest.mark.compiled
def test_a_cluster_with_another_version_is_refused_at_once(
    outside: tuple[str, TLSFiles], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versioning, "VERSIONS", OTHER)
    wanted = rf"the Dask scheduler at tls://.* must have {WANTED}{VERSION}\), Python {VERSIONS['Python']}$"
    with pytest.raises(InvalidInput, match=wanted):
        Cluster(scheduler=outside[0], tls=outside[1])


def no_package() -> str:
    raise ModuleNotFoundError("No module named 'runner'")


@pytest.mark.compiled
def test_a_scheduler_without_the_package_is_refused_at_once(
    outside: tuple[str, TLSFiles], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "versions", no_package)
    wanted = r"scheduler at tls://.* must be able to import Ensemble Lab .*, got: No module named 'runner'"
    with pytest.raises(InvalidInput, match=wanted):
        Cluster(scheduler=outside[0], tls=outside[1])


def test_a_worker_with_another_version_that_comes_later_gets_no_work(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_until(lambda: len(cluster.threads()) == 2, "both workers are there")
    [late, other] = cluster.threads()
    monkeypatch.setattr(versioning, "VERSIONS", OTHER)
    cluster._fit.remove(late)
    wait_until(lambda: list(cluster.threads()) == [other] and late in cluster._unfit, "its version is asked for")
    assert re.search(f"worker at {late} must have {WANTED}", cluster._unfit[late])
    cluster._fit.clear()

    def ask_for_ever() -> None:
        wait_until(lambda: cluster.threads() is None, "nothing")

    with pytest.raises(ClusterLost, match=f"must have {WANTED}"):
        ask_for_ever()
    monkeypatch.undo()
    cluster._unfit.clear()
    wait_until(lambda: len(cluster.threads()) == 2, "all are as good as before")
