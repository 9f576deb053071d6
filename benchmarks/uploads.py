"""How long a visitor waits for a large table: to what was recognised of its file, to its card, and for the card anew.

    python -m benchmarks.uploads [--rows 1000000] [--rounds 3] [--app FOLDER] [--beside]

A real browser chooses a CSV file of 20 numbers with 17 digits and a class, saves it, and opens its card in a server that
was started some seconds ago: by its address, until it says what the data set holds, and until its figure stands; and by a
press on the list in another tab, until its figure stands, the first of that tab. A visitor's browser draws on a machine
of its own; here it shares one, so its processes that draw get the lowest priority, unless `--beside` is given. `--app`
names another checkout, to compare with. The promise: 5 s to what was recognised, 2 s for the card.
"""

import argparse
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.open_tabs import OURS, served
from benchmarks.read_files import make_table, write_table
from tests.browser.conftest import chromium

_LIMIT_MB = 4_000
_LOWEST = 19
_SECONDS = 120
_LOOK_EACH_MS = 20
_WARM_MS = 4_000  # in which a server imports what it can do without at first


def draw_last(browser: psutil.Process) -> None:
    """Give a browser's processes that draw the lowest priority; the ones that read files and send them keep theirs."""
    for process in browser.children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            if {"--type=renderer", "--type=gpu-process"} & set(process.cmdline()):
                process.nice(_LOWEST)


def since(started: float) -> float:
    return time.perf_counter() - started


def wait_for(page: Page, text: str) -> None:
    """Return as soon as a page shows a text; an expectation looks but once a second in the end, and says it too late."""
    page.wait_for_function("text => document.body.innerText.includes(text)", arg=text, polling=_LOOK_EACH_MS)


def wait_for_figure(page: Page) -> None:
    """Return as soon as the first figure of a page is drawn."""
    drawn = "() => document.querySelector('.js-plotly-plot .main-svg')?.getBoundingClientRect().height > 0"
    page.wait_for_function(drawn, polling=_LOOK_EACH_MS)


def upload(browser: Browser, port: int, file: Path, rows: int, *, beside: bool) -> tuple[float, float, str]:
    """Return the seconds to what was recognised and from there to the card, and the address of the card."""
    page = open_page(browser, f"http://127.0.0.1:{port}/datasets?shelf=Upload", beside=beside)
    chooser = page.locator('input[type="file"]')
    expect(chooser).to_have_count(1)
    page.wait_for_timeout(2_000)  # while somebody chooses, the process that reads gets ready
    started = time.perf_counter()
    chooser.set_input_files(file)
    wait_for(page, f"Recognised: {rows:,} rows")
    recognised = since(started)
    started = time.perf_counter()
    page.get_by_role("button", name="Save").click()
    wait_for(page, f"{rows:,} examples · 20 attributes")
    saved, address = since(started), page.url
    wait_for_figure(page)
    page.close()
    return recognised, saved, address.partition(str(port))[2]


def open_page(browser: Browser, address: str, *, beside: bool) -> Page:
    """Open an address in a new tab."""
    page = browser.new_page()
    page.set_default_timeout(1_000 * _SECONDS)
    page.goto(address)
    if not beside:
        draw_last(psutil.Process())
    return page


def open_card(browser: Browser, port: int, address: str, rows: int, *, beside: bool) -> tuple[float, float]:
    """Return the seconds to the card of a data set, from the list of data sets on, and to its first figure."""
    page = open_page(browser, f"http://127.0.0.1:{port}/datasets", beside=beside)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_timeout(_WARM_MS)
    started = time.perf_counter()
    page.goto(f"http://127.0.0.1:{port}{address}")
    wait_for(page, f"{rows:,} examples · 20 attributes")
    card = since(started)
    wait_for_figure(page)
    return card, since(started)


def open_from_list(browser: Browser, port: int, *, beside: bool) -> float:
    """Return the seconds from a press on the only data set of a list to the figure on its card."""
    page = open_page(browser, f"http://127.0.0.1:{port}/datasets?shelf=Yours", beside=beside)
    table = page.get_by_test_id("stDataFrame")
    expect(table).to_have_count(1)
    page.wait_for_timeout(_WARM_MS)  # while somebody reads the list
    box = table.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 15, box["y"] + 55)
    page.mouse.down()
    page.wait_for_timeout(100)
    started = time.perf_counter()
    page.mouse.up()
    wait_for_figure(page)
    return since(started)


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--app", type=Path, default=OURS)
    parser.add_argument("--beside", action="store_true", help="the browser draws with the priority that the server has")
    asked = parser.parse_args()
    os.environ["STREAMLIT_SERVER_MAX_UPLOAD_SIZE"] = str(_LIMIT_MB)
    expect.set_options(timeout=1_000 * _SECONDS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder, "numbers.csv")
        write_table(make_table("numbers", asked.rows), file)
        print(f"{file.stat().st_size / 1e6:,.0f} MB")
        print("| recognised s | saved s | card anew s | its figure s | from the list s |\n|---|---|---|---|---|")
        flags = ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"]
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
        for _ in range(asked.rounds):
            with tempfile.TemporaryDirectory() as home:
                with served(asked.app, home) as (port, _web):
                    recognised, saved, address = upload(browser, port, file, asked.rows, beside=asked.beside)
                with served(asked.app, home) as (port, _web):
                    card, figure = open_card(browser, port, address, asked.rows, beside=asked.beside)
                with served(asked.app, home) as (port, _web):
                    listed = open_from_list(browser, port, beside=asked.beside)
            print(f"| {recognised:.1f} | {saved:.1f} | {card:.1f} | {figure:.1f} | {listed:.1f} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
