"""The commands that need the library alone: what there is to compare, and compiling it ahead."""

import json
import sys
import time
from argparse import Namespace

from ensembles.data import catalogue
from ensembles.libraries import REMEDY, lack_of
from ensembles.registry import Entry, base_models, methods
from runner.commands.columns import print_columns
from runner.worker_process.warming import warm_beside, warm_in_turn

__all__ = ["datasets", "learners", "warm"]


def learners(wanted: Namespace) -> int:
    """List methods and base models."""
    entries = [*methods().values(), *base_models().values()]
    if wanted.json:
        print(json.dumps([entry.describe() for entry in entries], indent=2, ensure_ascii=False))
    else:
        print_columns(
            ("Key", "Kind", "Name", "Learns"),
            [
                (entry.key, "method" if entry.kind == "method" else "base model", entry.name, _learns(entry))
                for entry in entries
            ],
        )
        if any(lack_of(entry.cls) for entry in entries):
            print(f"{REMEDY}.", file=sys.stderr)
    return 0


def datasets(wanted: Namespace) -> int:
    """List the catalogue."""
    entries = list(catalogue().values())
    if wanted.json:
        print(json.dumps([entry.describe() for entry in entries], indent=2, ensure_ascii=False))
    else:
        print_columns(
            ("Key", "Name", "Examples", "Attributes", "Classes", "Origin"),
            [
                (entry.key, entry.name, f"{entry.rows:,}", str(entry.attributes), str(entry.classes), entry.origin)
                for entry in entries
            ],
        )
    return 0


def warm(wanted: Namespace) -> int:
    """Compile every method with every base model and leave the code on the disk."""
    if wanted.beside:
        warm_beside()
        return 0
    begun = time.process_time()
    pairs = warm_in_turn()
    print(f"compiled {pairs} pairs of a method and a base model, {time.process_time() - begun:.0f} s of the processor")
    return 0


def _learns(entry: Entry) -> str:
    return ("online" if entry.online else "in batches") + (", not installed" if lack_of(entry.cls) else "")
