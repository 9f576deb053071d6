"""The document on how far the published tables were met: numbers in, Markdown out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ensembles.papers.agreement import Agreement, agreement_of
from ensembles.papers.comparison import Cell
from ensembles.papers.findings import find_finding
from ensembles.papers.tables import PublishedTable
from ensembles.reports import formatting

__all__ = ["reproduction_document"]


def reproduction_document(compared: Mapping[PublishedTable, Sequence[Cell]], setting: str) -> str:
    """Return the document.

    Parameters
    ----------
    compared : mapping from PublishedTable to cells
        What `compare` returned for each table.
    setting : str
        Date, scale and machine, in a sentence.
    """
    every = [cell for cells in compared.values() for cell in cells]
    parts = [
        "# The published tables, re-run",
        f"{setting} Written by `python -m runner papers run all`; protocols and settings stand in `ensembles/papers/`.",
        "Shares are over the accuracy and error cells that have a number of ours and count, compared to the decimals that "
        "the paper prints; two standard errors are the paper's, where it gives one, and ours together. Same sign: pairs "
        "of methods whose difference in our results is more than twice its standard error, and the share of them that the "
        "paper orders alike.",
        _agreement_table(compared, every),
        "## By base model\n\n" + _by_base(every),
        "## Running times\n\n" + _times(compared),
        "## Cells off by more than 0.02\n\n" + _far_cells(every),
        "## Cells without a number of ours, or left out\n\n" + _reasons(every),
    ]
    return "\n\n".join(parts) + "\n"


def _agreement_table(compared: Mapping[PublishedTable, Sequence[Cell]], every: Sequence[Cell]) -> str:
    rows = [
        _agreement_row(f"{table.paper.name}, {table.number}", table.title, agreement_of(cells))
        for table, cells in compared.items()
        if not all(cell.is_time for cell in cells)
    ]
    rows.append(_agreement_row("**all**", "", agreement_of(every)))
    return _markdown(
        (
            *("table", "", "cells", "compared", "within 0.01", "within 0.02", "within two std. errors"),
            *("within either", "rank correlation", "same sign"),
        ),
        rows,
    )


def _agreement_row(name: str, title: str, found: Agreement) -> tuple[str, ...]:
    shares = (found.within_001, found.within_002, found.within_errors, found.agree)
    sign = f"{_share(found.same_sign)} of {found.significant}" if found.significant else "–"
    correlation = f"{found.rank_correlation:.3f}" if math.isfinite(found.rank_correlation) else "–"
    return (name, title, str(found.cells), str(found.compared), *map(_share, shares), correlation, sign)


def _by_base(every: Sequence[Cell]) -> str:
    bases = dict.fromkeys(cell.base for cell in every)
    found = {base: agreement_of([cell for cell in every if cell.base == base]) for base in bases}
    return _markdown(
        ("base model", "compared", "within 0.02 or two std. errors"),
        [(base, str(one.compared), _share(one.agree)) for base, one in found.items() if one.compared],
    )


def _times(compared: Mapping[PublishedTable, Sequence[Cell]]) -> str:
    found = {table: agreement_of(cells) for table, cells in compared.items()}
    return _markdown(
        ("table", "cells", "published seconds", "our seconds", "factor (geometric mean)"),
        [
            (
                f"{table.paper.name}, {table.number}",
                str(one.timed),
                f"{one.published_seconds:,.0f}",
                f"{one.our_seconds:,.2f}",
                f"{one.factor:,.0f}",
            )
            for table, one in found.items()
            if one.timed
        ],
    )


def _far_cells(every: Sequence[Cell]) -> str:
    return _markdown(
        ("table", "data set", "method", "base model", "published", "ours", "difference", "trials", "finding"),
        [
            (
                *(cell.table, cell.dataset, cell.method, cell.base),
                *(f"{cell.published:.4f}", f"{cell.ours:.4f}", formatting.difference(cell.difference), str(cell.n)),
                find_finding(cell) or "not found out yet",
            )
            for cell in every
            if cell.is_far
        ],
    )


def _reasons(every: Sequence[Cell]) -> str:
    found: dict[tuple[str, str], list[str]] = {}
    for cell in every:
        if not cell.is_compared:
            found.setdefault((cell.table, cell.note), []).append(cell.dataset)
    return _markdown(
        ("table", "data sets", "cells", "reason"),
        [
            (table, ", ".join(dict.fromkeys(datasets)), str(len(datasets)), why)
            for (table, why), datasets in found.items()
        ],
    )


def _share(share: float) -> str:
    return f"{100 * share:.0f} %" if math.isfinite(share) else "–"


def _markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "None."
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines)
