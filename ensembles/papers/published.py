"""The published numbers: 1,608 cells of 29 tables, carried over from four papers."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["PublishedNumber", "published_numbers"]


@dataclass(frozen=True)
class PublishedNumber:
    """One cell of a published table.

    Attributes
    ----------
    table : str
        Paper and number of the table ("oza2001/3.4").
    dataset : str
        Key, as in the catalogue where the data set is there.
    method, base : str
        Key of the method, and of the base model as the paper used it (`network_10_updates`, ...).
    metric : {"accuracy", "error", "final_accuracy", "seconds"}
        Shares in [0, 1], or seconds of the machines of the time.
    std_error : float or None
        What the paper calls its standard error (`PublishedTable.deviation_of` says whether it is).
    decimals : int
        Digits after the point to which the table is printed.
    mark : str
        Printed beside the number: the paper's signs of significance, or "<" for a time below `value`.
    """

    table: str
    dataset: str
    method: str
    base: str
    metric: str
    value: float
    std_error: float | None
    decimals: int
    mark: str


@cache
def published_numbers() -> tuple[PublishedNumber, ...]:
    """Return every cell, in the order of the papers and their tables."""
    text = files(__package__).joinpath("published.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    decimals: dict[str, int] = {}
    for row in rows:  # last digits that are 0 are not always there
        decimals[row["table"]] = max(decimals.get(row["table"], 0), len(row["value"].partition(".")[2]))
    return tuple(
        PublishedNumber(
            table=row["table"],
            dataset=row["dataset"],
            method=row["method"],
            base=row["base"],
            metric=row["metric"],
            value=float(row["value"]),
            std_error=float(row["std_error"]) if row["std_error"] else None,
            decimals=decimals[row["table"]],
            mark=row["mark"],
        )
        for row in rows
    )
