"""A stream from a file: the share of the time in kernels, examples a second, and memory along the way.

    python -m benchmarks.endless_files [--rows 1000000] [--folder DIR] [--formats parquet csv csv.gz]
                                       [--only "online_bagging hoeffding_tree" ...]

The stream of `benchmarks.endless`, 20 attributes and the class, is written into a file, described, and run by the
prequential protocol, each run in a process of its own, after a short one that compiles. Seconds are those of the processor
in the thread that learns, in all and in kernels; `reading` are those of the thread that reads ahead. Memory is resident
memory, looked at about once a second, and at its peak.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from benchmarks.endless import Mixed
from ensembles.data.files import FileSource, describe_file
from ensembles.data.source import Batch
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
from ensembles.jit import Kernel

FORMATS = ("parquet", "csv", "csv.gz")
LEARNERS = {
    "online_bagging hoeffding_tree": 10,
    "online_bagging naive_bayes": 25,
    "single naive_bayes": 1,
}


def main() -> None:
    """Write, describe and run; print one line for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--only", nargs="+", choices=LEARNERS, default=[*LEARNERS])
    given = parser.parse_args()
    print("| file | learner | seconds | in kernels | reading | rows a second | MiB after 1/4, 1/2, 3/4, all | peak |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        for kind in given.formats:
            path = Path(given.folder or temporary, f"mixed_{given.rows}.{kind}")
            if not path.exists():
                in_a_process(write, path, given.rows)
            source, *told = in_a_process(describe, path)
            print(line(path.name, "described", given.rows, *told), flush=True)
            for name in given.only:
                print(line(path.name, name, given.rows, *in_a_process(run, source, name)), flush=True)


def in_a_process(function: Any, *arguments: Any) -> Any:
    """Return what a function returns in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def line(file: str, what: str, rows: int, seconds: float, kernels: float, reading: float, memory: list[float]) -> str:
    """Return what was measured as a line of a table."""
    *along, peak = (f"{bytes_ / 2**20:.0f}" for bytes_ in memory)
    shares = f"{100 * kernels / seconds:.0f} % | {reading:.1f}" if kernels else " | "
    return f"| {file} | {what} | {seconds:.1f} | {shares} | {rows / seconds:,.0f} | {', '.join(along)} | {peak} |"


def write(path: Path, rows: int) -> None:
    """Write the stream into a file."""
    tables = map(arrow_table, Mixed(rows).batches())
    first = next(tables)
    if path.suffix == ".parquet":
        writer: Any = partial(pa.parquet.ParquetWriter, path)
    else:  # compressed by its name
        writer = partial(pa.csv.CSVWriter, pa.output_stream(str(path)))
    with writer(first.schema) as file:
        for table in gathered(first, tables):
            file.write_table(table)


def arrow_table(batch: Batch) -> pa.Table:
    """Return examples with the texts of their values and classes."""
    table, labels = batch
    columns: dict[str, Any] = {}
    for position, attribute in enumerate(table.schema.attributes):
        column: Any = table.column(position)
        columns[attribute.name] = np.array(attribute.categories)[column] if attribute.categories else column
    return pa.table({**columns, Mixed.target: np.array(Mixed.classes)[labels]})


def gathered(first: pa.Table, others: Iterator[pa.Table], n: int = 16) -> Iterator[pa.Table]:
    """Yield tables of so many each, which are groups of rows of a Parquet file."""
    some = [first]
    for table in others:
        some.append(table)
        if len(some) == n:
            yield pa.concat_tables(some)
            some = []
    if some:
        yield pa.concat_tables(some)


def describe(path: Path) -> tuple[FileSource, float, float, float, list[float]]:
    """Describe a file, with the class where it was written."""
    start = time.process_time()
    source = describe_file(str(path), Mixed.target).source
    return source, time.process_time() - start, 0.0, 0.0, [peak_memory()]


def run(source: FileSource, name: str) -> tuple[float, float, float, list[float]]:
    """Run a learner along a file; return seconds, those in kernels and those of reading, and bytes of memory."""
    kernels = time_kernels()
    for some in (20_000, None):  # compiles first
        config = config_of(source, name, some)
        watch, kernels[0], start, of_all = Watch(), 0.0, time.thread_time(), time.process_time()
        result = run_trial(plan_trials(config, [source])[0], source, config, watch=watch)
        seconds, of_all = time.thread_time() - start, time.process_time() - of_all
        if result.error:
            raise SystemExit(result.error)
    return seconds, kernels[0], of_all - seconds, [*watch.memory, peak_memory()]


def config_of(source: FileSource, name: str, examples: int | None) -> ExperimentConfig:
    """Return an experiment of one stream."""
    method, base = name.split()
    members = {} if method == "single" else {"n_estimators": LEARNERS[name]}
    protocol = {"kind": "prequential", "shuffle": False}
    return ExperimentConfig.from_dict(
        {
            "name": name,
            "datasets": [{"sha256": source.sha256, "name": source.name}],
            "learners": [{"method": method, "base": base, **members}],
            "protocol": protocol if examples is None else {**protocol, "examples": examples},
            "measures": ["accuracy"],
            "curves": ["prequential_error"],
        }
    )


def time_kernels() -> list[float]:
    """Add up the seconds in kernels from now on, in what is returned."""
    seconds, call = [0.0], Kernel.__call__

    def timed(kernel: Kernel, *arguments: Any) -> Any:
        start = time.thread_time()
        try:
            return call(kernel, *arguments)
        finally:
            seconds[0] += time.thread_time() - start

    Kernel.__call__ = timed  # type: ignore[method-assign]
    return seconds


class Watch:
    """Looks at the memory of this process at four places of a stream."""

    def __init__(self) -> None:
        self._marks, self.memory = [0.25, 0.5, 0.75, 1.0], list[float]()

    def begin(self) -> None:
        """Begin at the beginning."""

    def tell(self, _: StreamNews, share: float) -> None:
        """Look at the memory at each mark."""
        while self._marks and share >= self._marks[0]:
            self._marks.pop(0)
            self.memory.append(psutil.Process().memory_info().rss)

    def wants_snapshot(self) -> bool:
        """Never."""
        return False

    def most_model_bytes(self) -> float:
        """Keep none."""
        return 0.0

    def keep(self, snapshot: bytes) -> None:
        """Keep none."""


def peak_memory() -> float:
    """Return the most bytes that this process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


if __name__ == "__main__":
    main()
