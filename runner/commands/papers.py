"""The command `papers`: list the published tables, run them again, say how far they were met."""

import json
import math
import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ensembles.errors import InvalidInput, StorageError
from ensembles.experiments.results import Results
from ensembles.papers import Cell, PublishedTable, agreement_of, compare, get_table, list_tables
from ensembles.papers.tables import Place
from ensembles.reports.reproduction import reproduction_document
from runner.commands.columns import print_columns
from runner.commands.terminal import Progress, own_cluster, shutdown_on_signals
from runner.commands.whole_files import write_whole
from runner.papers import PaperData, Planned, load_table, plan_table
from runner.run_papers import run_planned
from runner.worker import runner_name
from storage import Storage, open_storage

__all__ = ["papers"]

_REPORT = "docs/reproduction.md"


@dataclass(frozen=True)
class _Plan:
    """What is to be run for each table, which data sets are not to be had, and which of them are shown; None for all."""

    planned: Mapping[PublishedTable, Sequence[Planned]]
    missing: Mapping[PublishedTable, Mapping[str, str]]
    chosen: Sequence[str] | None

    def experiments(self) -> list[Planned]:
        """Return every experiment once at each scale, small scales first and in each the cheap ones."""
        each = {(one.scale, one.experiment.key): one for some in self.planned.values() for one in some}
        return sorted(each.values(), key=lambda one: (one.scale, one.cost))

    def load(self, storage: Storage) -> Mapping[str, Results]:
        """Return what there is of every experiment, by its key."""
        return load_table(storage, self.experiments())

    def compare(self, found: Mapping[str, Results]) -> dict[PublishedTable, tuple[Cell, ...]]:
        """Return the cells of every table as far as they have been run."""
        return {table: self._cells(found, table) for table in self.planned}

    def _cells(self, found: Mapping[str, Results], table: PublishedTable) -> tuple[Cell, ...]:
        cells = compare(table, found, self.missing[table])
        return tuple(cell for cell in cells if self.chosen is None or cell.dataset in self.chosen)


def papers(wanted: Namespace) -> int:
    """List the published tables, or run some of them again."""
    return _run(wanted) if wanted.action == "run" else _list(wanted)


def _list(wanted: Namespace) -> int:
    tables = [_describe(table) for table in list_tables()]
    if wanted.json:
        print(json.dumps(tables, indent=2, ensure_ascii=False))
    else:
        print_columns(
            ("Key", "Title", "Cells", "To be run", "Experiments"),
            [
                (one["key"], one["title"], *(str(one[n]) for n in ("cells", "runnable", "experiments")))
                for one in tables
            ],
        )
    return 0


def _describe(table: PublishedTable) -> dict[str, Any]:
    return {
        "key": table.key,
        "paper": table.paper.citation,
        "table": table.number,
        "title": table.title,
        "shows": table.shows,
        "protocol": table.paper.protocol,
        "note": table.note,
        "left_out": table.left_out,
        "cells": len(table.numbers),
        "runnable": sum(isinstance(table.place(number), Place) for number in table.numbers),
        "experiments": len(table.experiments()),
    }


def _run(wanted: Namespace) -> int:
    minutes = math.inf if wanted.minutes is None else wanted.minutes
    if not minutes >= 0.0:
        raise InvalidInput(f"papers: --minutes must be 0 or more, got {minutes:g}")
    deadline = time.monotonic() + 60.0 * minutes
    is_all = "all" in wanted.tables
    tables = list_tables() if is_all else tuple(dict.fromkeys(map(get_table, wanted.tables)))
    if wanted.data is not None and not Path(wanted.data).is_dir():
        raise InvalidInput(f"papers: --data must be a folder, there is none at {wanted.data!r}")
    with open_storage(wanted.database) as storage:
        plan = _make_plan(wanted, tables, storage)
        is_done = _run_all(wanted, plan, storage, deadline)
        found = plan.load(storage)
    compared = plan.compare(found)
    is_ours = is_all and wanted.datasets is None and Path(_REPORT).is_file()  # in a folder of somebody's own it is not
    report = wanted.report or (_REPORT if is_ours else None)
    if report is not None:
        _write(Path(report), reproduction_document(compared, _setting(wanted, found)))
    if wanted.json:
        printed = [_plain(table, max(wanted.scale), cells) for table, cells in compared.items()]
        print(json.dumps(printed if is_all or len(printed) > 1 else printed[0], ensure_ascii=False))
    else:
        for table, cells in compared.items():
            _print_table(table, cells)
    return 0 if is_done else 1


def _make_plan(wanted: Namespace, tables: Sequence[PublishedTable], storage: Storage) -> _Plan:
    data = PaperData(storage, None if wanted.data is None else Path(wanted.data))
    chosen = wanted.datasets
    anywhere = dict.fromkeys(number.dataset for table in tables for number in table.numbers)
    if len(tables) > 1 and (unknown := [key for key in chosen or () if key not in anywhere]):
        raise InvalidInput(f"papers: none of these tables has a data set {unknown[0]}; there are {', '.join(anywhere)}")
    planned: dict[PublishedTable, list[Planned]] = {}
    missing: dict[PublishedTable, Mapping[str, str]] = {}
    for table in tables:
        known = {number.dataset for number in table.numbers}
        some = chosen if len(tables) == 1 or chosen is None else [key for key in chosen if key in known]
        planned[table] = []
        for scale in wanted.scale:
            at_scale, missing[table] = plan_table(table, scale, data, some)
            planned[table] += at_scale
    return _Plan(planned, missing, chosen)


def _run_all(wanted: Namespace, plan: _Plan, storage: Storage, deadline: float) -> bool:
    """Run what is missing but what other programs are at; return whether nothing is, and no trial failed."""
    records = [(one, storage.find_experiment(one.config)) for one in plan.experiments()]
    waiting = [one for one, record in records if record is None or record.state != "finished"]
    failed = any(record.failed for _, record in records if record is not None)
    if not waiting:
        return not failed
    runner = runner_name()
    with own_cluster(wanted) as cluster, shutdown_on_signals() as shutdown:

        def shutting_down() -> bool:
            return shutdown.is_set() or time.monotonic() > deadline

        for one in waiting:
            if shutting_down():
                break
            try:
                with Progress(wanted.json, one.config.name) as progress:
                    record = run_planned(
                        storage, cluster, one, runner, shutting_down=shutting_down, on_progress=progress
                    )
            except StorageError as error:
                print(error.detail, file=sys.stderr)
                failed = True
                continue
            failed |= bool(record.failed) or record.state == "failed"
            if record.message:
                print(f"{record.name}: {record.message}", file=sys.stderr)
        return not failed and not shutting_down()


def _setting(wanted: Namespace, found: Mapping[str, Results]) -> str:
    scale = " and then ".join(f"{scale:g}" for scale in sorted(wanted.scale))
    trials = [results.finished for results in found.values()]
    hours = sum(float(some[["fit_seconds", "predict_seconds"]].sum().sum()) for some in trials) / 3600
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, scale {scale} (share of the published repeats; of each experiment the largest that "
        f"has finished): {sum(map(len, trials)):,} trials, {hours:.1f} hours of one core to train and predict."
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror})") from error
    write_whole(path, text.encode())
    print(f"written: {path.resolve()}", file=sys.stderr)


def _plain(table: PublishedTable, scale: float, cells: Sequence[Cell]) -> dict[str, Any]:
    return {
        "table": table.key,
        "scale": scale,
        "cells": [cell.describe() for cell in cells],
        "agreement": agreement_of(cells).describe(),
    }


def _print_table(table: PublishedTable, cells: Sequence[Cell]) -> None:
    print(f"\n{table.paper.name}, table {table.number}: {table.title}")
    print_columns(
        ("Data set", "Method", "Base model", "Metric", "Published", "Ours", "SD", "Trials", "Difference", "Note"),
        [
            (
                *(cell.dataset, cell.method, cell.base, cell.metric),
                *(_short(cell.published), _short(cell.ours), _short(cell.sd), str(cell.n)),
                *(_short(cell.difference, "+"), cell.note),
            )
            for cell in cells
        ],
    )
    found = agreement_of(cells)
    if found.compared:
        print(
            f"{found.compared} cells compared: {100 * found.within_001:.0f} % within 0.01, "
            f"{100 * found.within_002:.0f} % within 0.02, {100 * found.agree:.0f} % within 0.02 or two standard errors"
        )
    if found.timed:
        print(f"{found.published_seconds:,.1f} s then, {found.our_seconds:,.3f} s now, mean factor {found.factor:,.0f}")


def _short(number: float, sign: str = "") -> str:
    return f"{number:{sign}.4f}" if math.isfinite(number) else "–"
