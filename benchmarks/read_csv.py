"""How long a large table takes from file to stored bytes, and how much memory.

    python -m benchmarks.read_csv [--rows 1000000] [--kind mixed|numbers|nominal]

The table has 20 attributes and a class. It is written to a temporary folder first; each step is timed on its own. The
goal of the product is 20 s and 3 GiB for a million rows, from the file to the stored form.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ensembles.data import build_dataset, dataset_to_bytes, preview_file

_ATTRIBUTES = 20
_COLOURS = np.array(["red", "green", "blue", "dark violet", "light blue"])


def write_table(path: Path, rows: int, kind: str) -> None:
    """Write a random table of `rows` examples; `kind` says what its attributes are."""
    rng = np.random.default_rng(1)
    nominal = {"mixed": _ATTRIBUTES // 2, "numbers": 0, "nominal": _ATTRIBUTES}[kind]
    columns: dict[str, Any] = {f"colour {i}": rng.choice(_COLOURS, rows) for i in range(nominal)}
    columns |= {f"x{i}": rng.standard_normal(rows) for i in range(_ATTRIBUTES - nominal)}
    columns["class"] = rng.choice(np.array(["yes", "no"]), rows)
    pd.DataFrame(columns).to_csv(path, index=False)


def measure(path: Path) -> None:
    """Read, check, build and store the table at `path`; print seconds and the peak of memory after each step."""
    preview = _timed("preview", lambda: preview_file(path, filename=path.name))
    dataset = _timed("build", lambda: build_dataset(preview, name="table", target=preview.target))
    _timed("hash", lambda: dataset.sha256)
    _timed("to bytes", lambda: dataset_to_bytes(dataset))


def _timed(step: str, work: Callable[[], Any]) -> Any:
    started = time.perf_counter()
    outcome = work()
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{step:>9} {seconds:7.2f} s   peak {peak:5.2f} GiB", flush=True)
    return outcome


def main() -> None:
    """Write the table in this process and measure in a fresh one, so that writing does not count into the peak."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=("mixed", "numbers", "nominal"), default="mixed")
    parser.add_argument("--file", type=Path, help="measure this file instead of a random one")
    options = parser.parse_args()
    if options.file:
        measure(options.file)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, options.rows, options.kind)
        print(f"{options.kind}: {options.rows:,} rows, {path.stat().st_size / 2**20:,.0f} MB", flush=True)
        subprocess.run([sys.executable, "-m", "benchmarks.read_csv", "--file", str(path)], check=True)


if __name__ == "__main__":
    main()
