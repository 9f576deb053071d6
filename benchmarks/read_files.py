"""How long large tables take from file to data set, how much memory, and the memory of an experiment over the largest.

    python -m benchmarks.read_files [--table covertype|mixed|numbers|nominal] [--format csv|arff|parquet|xlsx]

Without options: every format in the shape of covertype (581,012 rows of 54 attributes; a sheet holds 20,000 of them), a
million mixed rows as CSV, and 100 members of online bagging that go once over the shape of covertype. The goals of the
product: 2 s from Parquet to a data set with its hash, 20 s and 3 GiB from a CSV of a million rows, 2 GiB for the
experiment, the command and its worker counted together.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ensembles.data import build_dataset, preview_file

_ROWS = {"covertype": 581_012, "mixed": 1_000_000, "numbers": 1_000_000, "nominal": 1_000_000}
_SHEET_ROWS = 20_000
_ATTRIBUTES = 20
_COLOURS = np.array(["red", "green", "blue", "dark violet", "light blue"])
_QUANTITIES = (1978, 361, 67, 551, 700, 5785, 207, 185, 255, 5827)  # different values of covertype's numbers
_EXPERIMENT = """
name: One pass
datasets: [{file: FILE}]
learners: [{method: online_bagging, base: naive_bayes, n_estimators: 100}]
protocol: {kind: prequential, orders: 1}
measures: [accuracy]
curves: []
"""


def make_table(kind: str, rows: int) -> pd.DataFrame:
    """Return a random table of `rows` examples; `kind` says what its attributes are."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any]
    if kind == "covertype":
        columns = {f"quantity {i}": rng.integers(0, n, rows, dtype=np.int16) for i, n in enumerate(_QUANTITIES)}
        for name, n in (("area", 4), ("soil", 40)):
            chosen = rng.integers(0, n, rows)
            columns |= {f"{name} {i}": (chosen == i).astype(np.int8) for i in range(n)}
        columns["class"] = rng.integers(1, 8, rows)
    else:
        nominal = {"mixed": _ATTRIBUTES // 2, "numbers": 0, "nominal": _ATTRIBUTES}[kind]
        columns = {f"colour {i}": rng.choice(_COLOURS, rows) for i in range(nominal)}
        columns |= {f"x{i}": rng.standard_normal(rows) for i in range(_ATTRIBUTES - nominal)}
        columns["class"] = rng.choice(np.array(["yes", "no"]), rows)
    return pd.DataFrame(columns)


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write `table` in the format that the ending of `path` names."""
    if path.suffix == ".parquet":
        table.to_parquet(path, index=False)
    elif path.suffix == ".xlsx":
        table.to_excel(path, index=False)
    elif path.suffix == ".arff":
        with path.open("w") as file:
            file.write("@relation table\n" + "".join(f"@attribute '{name}' {_type(table[name])}\n" for name in table))
            file.write("@data\n")
            table.to_csv(file, index=False, header=False, quotechar="'")
    else:
        table.to_csv(path, index=False)


def _type(column: Any) -> str:
    if column.name != "class" and pd.api.types.is_numeric_dtype(column):
        return "numeric"
    return "{" + ",".join(f"'{value}'" for value in sorted(map(str, column.unique()))) + "}"


def measure(path: Path) -> None:
    """Read, build and hash the table at `path`; print seconds, and the peak of memory after each step.

    Where the machine is shared, the seconds of processors say more than those of the clock.
    """
    started, worked = time.perf_counter(), time.process_time()
    preview = _timed("preview", lambda: preview_file(path, filename=path.name))
    dataset = _timed(
        "build", lambda: build_dataset(preview, name="table", target=preview.target or preview.columns[-1].name)
    )
    _timed("hash", lambda: dataset.sha256)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    print(f"{'in all':>9} {seconds:7.2f} s   {processor:.2f} s of processors", flush=True)


def _timed(step: str, work: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    outcome = work()
    seconds = time.perf_counter() - started
    print(f"{step:>9} {seconds:7.2f} s   peak {_memory(os.getpid(), 'VmHWM'):5.2f} GiB", flush=True)
    return outcome


def run_experiment(path: Path) -> None:
    """Run one pass over `path` in processes of its own; print seconds and the peak of their memory, summed."""
    file = path.with_name("experiment.yaml")
    file.write_text(_EXPERIMENT.replace("FILE", path.name))
    command = [sys.executable, "-m", "runner", "run", str(file), "--workers", "1", "--database"]
    started, peak = time.perf_counter(), 0.0
    with subprocess.Popen([*command, f"sqlite:///{path.with_name('results.sqlite')}"]) as run:
        while run.poll() is None:
            peak = max(peak, sum(_memory(process, "Pss") for process in _family(run.pid)))
            time.sleep(0.25)
    print(
        f"{'experiment':>10} {time.perf_counter() - started:6.1f} s   peak {peak:5.2f} GiB, all processes", flush=True
    )


def _memory(process: int, what: str) -> float:
    """Return what Linux says of a process's memory in GiB; pages shared by n processes count 1/n in each (Pss)."""
    try:
        text = Path(f"/proc/{process}/{'smaps_rollup' if what == 'Pss' else 'status'}").read_text()
    except OSError:
        return 0.0  # it has just ended
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{what}:")) / 2**20


def _family(process: int) -> list[int]:
    """Return a process and all that it started."""
    try:  # each thread has children of its own
        files = Path(f"/proc/{process}/task").glob("*/children")
        children = [int(child) for file in files for child in file.read_text().split()]
    except OSError:
        return []
    return [process, *(one for child in children for one in _family(child))]


def measure_format(kind: str, form: str, with_experiment: bool = False) -> None:
    """Write a table in this process, and measure in fresh ones, so that writing does not count into the peak."""
    rows = _SHEET_ROWS if form == "xlsx" else _ROWS[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{form}"
        write_table(make_table(kind, rows), path)
        print(f"{kind} as {form}: {rows:,} rows, {path.stat().st_size / 2**20:,.0f} MB", flush=True)
        subprocess.run([sys.executable, "-m", "benchmarks.read_files", "--file", str(path)], check=True)
        if with_experiment:
            run_experiment(path)


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=_ROWS)
    parser.add_argument("--format", choices=("csv", "arff", "parquet", "xlsx"), default="parquet")
    parser.add_argument("--file", type=Path, help="measure this file instead of a random one")
    options = parser.parse_args()
    if options.file:
        measure(options.file)
    elif options.table:
        measure_format(options.table, options.format)
    else:
        measure_format("covertype", "parquet", with_experiment=True)
        for form in ("csv", "arff", "xlsx"):
            measure_format("covertype", form)
        measure_format("mixed", "csv")


if __name__ == "__main__":
    main()
