"""Streams that end in the middle: of a file that is not any more what was registered, or is not there."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from ensembles.data.files import describe_file
from ensembles.experiments.config import ExperimentConfig
from storage import open_storage
from tests.browser.conftest import OpenTab, Server, settle

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ROWS = 60_000


def break_row(file: Path, number: int) -> None:
    """Write text in the place of a number, so that nothing but reading all of the file would find it."""
    then = file.stat()
    lines = file.read_bytes().split(b"\n")
    lines[number] = b"x" + lines[number][1:]
    file.write_bytes(b"\n".join(lines))
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))


@pytest.mark.parametrize("is_there", [True, False])
def test_a_stream_that_cannot_be_read_to_its_end_says_where_and_why(
    open_tab: OpenTab, server: Server, tmp_path: Path, is_there: bool
) -> None:
    file = tmp_path / "flows.csv"
    file.write_text("\n".join(["x,class", *(f"{i % 97},{'yes' if i % 3 else 'no'}" for i in range(ROWS))]) + "\n")
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        known = storage.register_file(describe_file(str(file)))
        break_row(file, 50_000)
        if not is_there:
            file.unlink()
        document = {
            "name": "A stream that breaks",
            "datasets": [{"sha256": known.sha256, "name": "Flows"}],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "prequential", "shuffle": False},
        }
        experiment = storage.create_experiment(ExperimentConfig.from_dict(document))
    page = open_tab(f"/results?experiment={experiment.id}")
    expect(page.get_by_text("1 of 1 trial failed")).to_be_visible(timeout=120_000)
    settle(page)
    expect(page.get_by_text("All failed")).to_be_visible()
    said = "column 'x' must hold numbers, found 'x4' in line 50,001" if is_there else "flows.csv: there is no such file"
    expect(page.get_by_text(said).first).to_be_visible()
    expect(page.get_by_text("Take a model home")).to_have_count(0)
