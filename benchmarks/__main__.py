"""Every benchmark, one after another: `make bench`."""

import subprocess
import sys

for name in (
    "online_ensembles",
    "endless",
    "endless_files",
    "sklearn_peers",
    "river_peers",
    "moa_peers",
    "one_row",
    "threads",
    "lossless_trees",
    "batch_trees",
    "neural_network",
    "runner_overhead",
    "fair_share",
    "two_workers",
    "finished_trials",
    "many_workers",
    "many_trials",
    "open_tabs",
    "many_sessions",
    "estimates",
    "read_files",
):
    print(f"\n## {name}\n", flush=True)
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
