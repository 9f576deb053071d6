"""Every page and view opens and can be read, by eye and by a screen reader: text stands out from its ground, light and dark,
headings come in order, axe finds nothing amiss, and nothing is wider than a phone.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, TimeoutError, expect

from ensembles.reports.html_report import report_page
from storage import Storage, open_storage
from tests.browser.conftest import OpenTab, Server, settle
from tests.browser.test_journeys import PAGES, check_view
from tests.browser.test_journeys import VIEWS as SHOWN
from tests.pages.made_up_results import MEMBERS, add_experiment, make_config
from tests.reports.made_up import make_config as make_reported
from tests.reports.made_up import make_results, make_trial

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser_links")]

VIEWS = {
    "": (
        *("Summary", "Scatterplots", "Significance", "Learning curves", "Members", "Hard examples", "Running time"),
        *("Leaderboard", "Classes", "Trials"),
    ),
    "stream": ("Stream", "Scatterplots"),
    "parts": ("Bias and variance",),
    "running": ("Summary",),
    "failing": ("Summary",),
}
GROUNDS = {"light": "rgb(252, 252, 250)", "dark": "rgb(21, 25, 27)"}
PHONE = 390
WIDTHS = (1440, PHONE)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
OTHERS = (
    *("/datasets?shelf=Yours", "/datasets?shelf=Upload", "/datasets?dataset=wine&card=Associations"),
    *("/datasets?dataset=wine&card=Projection", "/papers?table=oza2001%2F3.4", "/results?experiment=nowhere"),
)

# The contrast of every text with what lies under it (WCAG 2.1, 1.4.3), colours of browsers in whatever form painted on a
# canvas to read them, transparency of colours and of elements laid over each other.
FAINT = """() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  const known = new Map();
  const rgba = colour => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return [...known.get(colour)];
  };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3]));
  const light = colour => {
    const [r, g, b] = colour.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parents = element => element ? [...parents(element.parentElement), element] : [];
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.data.trim() || element.closest("script, style, noscript, [aria-hidden=true]")) continue;
    if (element.closest(":disabled, [aria-disabled=true]")) continue;
    if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (!element.getClientRects().length) continue;
    const isDrawn = element.closest("svg") !== null, style = getComputedStyle(element);
    let ground = [255, 255, 255], opacity = 1;
    for (const one of parents(element)) {
      const own = getComputedStyle(one);
      opacity *= Number(own.opacity);
      ground = over(rgba(own.backgroundColor), ground);
    }
    const colour = rgba(isDrawn ? style.fill : style.color);
    colour[3] *= opacity * (isDrawn ? Number(style.fillOpacity) : 1);
    const [high, low] = [light(over(colour, ground)), light(ground)].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${contrast.toFixed(2)}: ${text.data.trim().slice(0, 60)}`);
  }
  return [...new Set(faint)];
}"""

# What Streamlit draws so, and no setting of it changes: rules of axe, and the elements that they may be broken in.
STREAMLITS_OWN = {
    "list": '[data-testid="stSidebarNavItems"]',  # sections of the menu stand between the items of its list,
    "listitem": '[data-testid="stSidebarNavItems"]',  # and so these items are in no list
    "presentation-role-conflict": '[data-testid="stFileUploaderDropzone"]',  # a place for files with a name and no role
}

# Everything that axe has to say but of contrast, which `FAINT` looks at in both themes, and in figures too.
AMISS = """own => axe.run(document, {resultTypes: ["violations"], rules: {"color-contrast": {enabled: false}}})
  .then(({violations}) => violations.flatMap(({id, nodes}) => nodes
    .filter(({target}) => !(id in own && document.querySelector(target[0]).closest(own[id])))
    .map(({html}) => `${id}: ${html.slice(0, 150)}`)))"""

GROUND = """() => getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor"""

FITS = "width => document.querySelector('[data-testid=stMain]').scrollWidth <= width"

IS = """scheme => getComputedStyle(document.querySelector("[data-testid=stApp]")).colorScheme === scheme"""

HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .filter(one => one.checkVisibility()).map(one => [Number(one.tagName[1]), one.textContent.trim()])"""


@pytest.fixture(scope="module")
def storage(server: Server) -> Iterator[Storage]:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(storage: Storage) -> Iterator[dict[str, str]]:
    """Return the ids of experiments of all kinds."""
    stream, parts = {"kind": "prequential", "orders": 4}, {"kind": "bias_variance", "repeats": 2}
    added = {
        "": add_experiment(storage, make_config(curves=("learning_curve", *MEMBERS))),
        "stream": add_experiment(
            storage,
            make_config(methods=("single", "online_boosting"), curves=("prequential_error",), protocol=stream),
        ),
        "parts": add_experiment(storage, make_config(curves=(), protocol=parts)),
        "running": add_experiment(storage, share=0.5, state="running"),
        "failing": add_experiment(storage, failing=(2,)),
    }
    yield added
    storage.finish(added["running"], "finished", runner="test")


@pytest.fixture(scope="module")
def addresses(ids: dict[str, str]) -> list[str]:
    """Return the addresses of all pages and views."""
    shown = [
        f"/results?{urlencode({'experiment': ids[name], 'view': view})}"
        for name, views in VIEWS.items()
        for view in views
    ]
    shown += [
        f"/results?experiments={ids['']},{ids['failing']}",
        "/leaderboard?by=By+method",
        "/leaderboard?by=Over+time",
    ]
    return [*PAGES, *OTHERS, *shown]


def visit(page: Page, server: Server, path: str) -> None:
    page.goto(f"{server.url}{path}")
    settle(page)
    page.wait_for_function(
        "[...document.querySelectorAll('.js-plotly-plot')].every(one => one.querySelector('.main-svg'))"
    )


@pytest.mark.parametrize("schemes", [1, pytest.param(2, marks=pytest.mark.rare)])
def test_each_view_shows_its_own_text_stands_out_headings_are_in_order_axe_finds_nothing_and_all_fits_a_phone(
    open_tab: OpenTab, server: Server, storage: Storage, ids: dict[str, str], addresses: list[str], schemes: int
) -> None:
    """Pages are looked at in light and dark by turns, or each in both."""
    axe = Axe().axe_script
    page, faint, wrong, wide, amiss = open_tab("/"), {}, {}, [], {}
    views = list(SHOWN)
    for n, path in enumerate(addresses):
        storage.heartbeat(ids["running"], "test", lease_seconds=3600.0)  # else a worker would take it over
        here = SCHEMES[:: (-1) ** n]  # the first is the last of the page before, if each has both
        page.emulate_media(color_scheme=here[0])
        visit(page, server, path)
        if (view := parse_qs(urlsplit(path).query).get("view", [""])[0]) in views:
            check_view(page, view)
            views.remove(view)
        for width in WIDTHS[:: (-1) ** n]:  # the first is that of the page before
            page.set_viewport_size({"width": width, "height": 1000})
            if width == PHONE:
                wide += [] if fits(page) else [path]
                continue
            for scheme in here[:schemes]:
                turn(page, scheme)
                assert page.evaluate(GROUND) == GROUNDS[scheme]
                if found := faint_texts(page):
                    faint[path, scheme] = found
            headings = page.evaluate(HEADINGS)
            if not in_order([level for level, _ in headings]):
                wrong[path] = headings
            page.evaluate(axe)
            if found := page.evaluate(AMISS, STREAMLITS_OWN):
                amiss[path] = found
    assert views == []
    assert faint == {}
    assert wrong == {}
    assert amiss == {}
    assert wide == []


def turn(page: Page, scheme: Literal["light", "dark"]) -> None:
    if not page.evaluate(IS, scheme):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(IS, arg=scheme)  # figures turn a moment later


def faint_texts(page: Page) -> list[str]:
    """Return what cannot be read, when all is drawn in the scheme of now."""
    end = time.monotonic() + 30.0
    while (found := page.evaluate(FAINT)) and time.monotonic() < end:
        page.wait_for_timeout(100)
    return list(found)


def fits(page: Page) -> bool:
    """Whether nothing is wider than a phone, when tables have taken their new width."""
    try:
        page.wait_for_function(FITS, arg=PHONE, timeout=30_000)
    except TimeoutError:
        return False
    return True


def in_order(levels: list[int]) -> bool:
    """Whether there is one title, it comes first, and no level is left out."""
    skips = [below for above, below in zip([0, *levels], levels, strict=False) if below > above + 1]
    return levels.count(1) == 1 and levels[0] == 1 and not skips


def test_a_table_too_wide_for_paper_is_printed_in_pieces_that_can_be_read(open_tab: OpenTab, tmp_path: Path) -> None:
    learners = [{"method": "bagging", "base": "naive_bayes", "n_estimators": n} for n in range(1, 61)]
    trials = [make_trial(0, learner, 0.8) for learner in range(60)]
    target = tmp_path / "report.html"
    target.write_text(report_page(make_results(trials, config=make_reported(learners, ["iris"])), ["accuracy"]))
    report = open_tab(f"file://{target}")
    pieces = report.evaluate(
        """() => {
          dispatchEvent(new Event("beforeprint"));
          return [...document.querySelectorAll(".piece")].map(one => [one.rows[0].cells.length - 1, Number(one.style.zoom)]);
        }"""
    )
    assert sum(n for n, _ in pieces) == 60
    assert min(zoom for _, zoom in pieces) > 0.45
    report.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(report.locator("table.piece")).to_have_count(0)
    assert report.evaluate("[...document.querySelectorAll('table')].every(one => !one.hidden)")


def test_a_long_name_without_blanks_leaves_room_for_the_numbers_of_a_report(open_tab: OpenTab, tmp_path: Path) -> None:
    trials = [make_trial(dataset, learner, 0.8) for dataset in range(2) for learner in range(3)]
    target = tmp_path / "report.html"
    target.write_text(report_page(make_results(trials, names=("customers_" * 20, "Wine")), ["accuracy"]))
    report = open_tab(f"file://{target}")
    expect(report.get_by_role("cell", name="customers_").first).to_be_visible()
    widths = "[...document.querySelectorAll('table:not(details *)')].map(one => one.offsetWidth)"
    assert max(report.evaluate(widths)) <= report.evaluate("document.body.clientWidth")


def test_buttons_of_a_small_figure_lie_over_no_legend(open_tab: OpenTab) -> None:
    page = open_tab("/datasets?dataset=wine")
    figure = page.locator(".js-plotly-plot")
    figure.hover()
    buttons, entry = figure.locator(".modebar").bounding_box(), figure.locator(".legend .traces").last.bounding_box()
    assert buttons is not None
    assert entry is not None
    assert entry["x"] + entry["width"] > buttons["x"]
    assert entry["y"] >= buttons["y"] + buttons["height"]
