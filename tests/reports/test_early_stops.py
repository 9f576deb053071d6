"""What is said of learners that stopped before all their members were trained."""

from ensembles.methods.boosting.rounds import STOP_AT_CHANCE, STOP_AT_HALF, STOP_AT_ZERO
from ensembles.reports.early_stops import early_stops
from ensembles.reports.html_report import report_page
from tests.reports.made_up import make_results, make_trial


def test_it_is_said_after_how_many_members_how_often_and_why() -> None:
    half = [STOP_AT_HALF.format(m=m + 1, error=0.5) for m in (3, 20)]
    trials = [
        make_trial(0, 0, 0.9),
        make_trial(0, 1, 0.9, members_used=3, stopped=half[0]),
        make_trial(0, 1, 0.9, members_used=20, stopped=half[1], fold=1),
        make_trial(1, 1, 0.9, members_used=1, stopped=STOP_AT_ZERO.format(m=1)),
        make_trial(1, 1, 0.9, members_used=100, fold=1),
        make_trial(0, 2, 0.9, members_used=7, stopped="the <b>data</b> ended"),
        make_trial(1, 2, None, stopped="it failed as well"),
    ]
    results = make_results(trials)
    first, second = early_stops(results)
    assert first == (
        "AdaBoost stopped after 1 to 20 of 100 members (median 3), in 3 of 4 trials: the next member was no better than "
        "chance."
    )
    assert second == "Online boosting stopped after 7 of 100 members, in every trial: the <b>data</b> ended."
    assert "<p>Online boosting stopped after 7 of 100 members, in every trial: the &lt;b&gt;" in report_page(
        results, []
    )


def test_of_many_classes_it_is_said_what_members_did_not_beat() -> None:
    reason = STOP_AT_CHANCE.format(m=4, error=0.7, chance=2 / 3)
    [said] = early_stops(make_results([make_trial(0, 1, 0.9, members_used=3, stopped=reason)]))
    assert said.endswith("in every trial: the next member was no better than guessing among all classes.")


def test_nothing_is_said_where_all_members_were_trained() -> None:
    assert early_stops(make_results([make_trial(0, 0, 0.9)])) == []
    assert early_stops(make_results([])) == []
