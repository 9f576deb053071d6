"""Streams that run, as numbers and as a figure."""

from dataclasses import replace

import pytest

from ensembles.evaluation.stream_watch import StreamNews
from ensembles.reports.live_streams import LIVE_KINDS, LiveStream, live_chart, live_table, size_in_words
from ensembles.reports.style import learner_styles
from tests.runner.fakes import make_config

NEWS = (
    StreamNews(1_000, 0.5, 0.4, 0.3, 1.0, 1.0, 2**20),
    StreamNews(4_000, 0.4, 0.3, 0.2, 2.0, 1.5, 3 * 2**20, 5, 2),
)


def streams(**changes: object) -> list[LiveStream]:
    first = LiveStream(0, "Naive <b>Bayes</b>", "Stream", 0, NEWS, 3_000, 10)
    return [first, LiveStream(**{**vars(first), "learner": 1, "label": "Bagging", "snapshot_bytes": 0, **changes})]  # type: ignore[arg-type]


def test_the_table_tells_the_last_news_and_the_speed_of_late() -> None:
    first, second = live_table(streams()).to_dict("records")
    assert first == {
        "Learner": "Naive <b>Bayes</b>",
        "Examples": 4_000,
        "Error": 0.4,
        "Window": 0.3,
        "Fading": 0.2,
        "Examples/s": 2_000.0,
        "Memory, KiB": 3_072,
        "Drifts": 5,
        "Replaced": 2,
        "Snapshot at": 3_000.0,
    }
    assert second["Snapshot at"] != second["Snapshot at"], "it has none"
    assert {"Data set", "Order"} <= {*live_table(streams(dataset="Other", order=1))}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("whole", [0.5, 0.4]),
        ("window", [0.4, 0.3]),
        ("fading", [0.3, 0.2]),
        ("speed", [500.0, 2_000.0]),
        ("memory", [1_024.0, 3_072.0]),
        ("drifts", [0, 5]),
        ("replaced", [0, 2]),
    ],
)
def test_the_figure_draws_the_numbers_beside_it(kind: str, expected: list[float]) -> None:
    chart = live_chart(streams(), kind, learner_styles(make_config(learners=2).learners))
    figure = chart.draw("dark")
    assert [(list(line.x), list(line.y)) for line in figure.data] == [([1_000, 4_000], expected)] * 2
    assert chart.numbers.iloc[:2, -1].tolist() == expected
    assert figure.data[0].name == "Naive &lt;b&gt;Bayes&lt;/b&gt;"


def test_of_streams_that_rest_nothing_is_said_to_come() -> None:
    styles = learner_styles(make_config(learners=2).learners)
    assert "once a second" in live_chart(streams(), "window", styles).caption
    assert live_chart(streams(), "window", styles, paused=True).caption.endswith(", as far as the stream has come.")


def test_every_kind_is_tested() -> None:
    assert len(LIVE_KINDS) == 7


def test_sizes_have_the_unit_that_fits() -> None:
    assert [size_in_words(n) for n in (1, 2_000, 5 * 2**20, 3 * 2**30)] == ["1 byte", "2.0 KiB", "5.0 MiB", "3.0 GiB"]


def test_names_that_stand_two_a_row_in_a_window_of_1000_pixels_have_room_for_their_rows() -> None:
    """Measured in a browser: the axes have 567 of the figure's 628 pixels there, and three names of 21 letters take 590."""
    [first, *_] = streams()
    told = [replace(first, learner=n, label=f"ADWIN bagging of 10 t{n}") for n in range(9)]
    styles = learner_styles(make_config(learners=2).learners) * 5
    heights = [live_chart(told[:n], "window", styles).draw("light").layout.height for n in (2, 3, 9)]
    assert [height - heights[0] for height in heights] == [0, 26, 4 * 26]
