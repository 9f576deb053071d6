"""Differences whose spread is no guide: as many examples on each split, or two splits only."""

from dataclasses import replace

from ensembles.reports.markup import marked_text
from ensembles.reports.significance import Question, all_pairs, cell_finding, marked_means
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import how_it_was_tested, verdict_lines
from tests.reports.made_up import LEARNERS, make_config, make_results, make_trial


def test_what_is_as_many_examples_on_folds_of_other_sizes_is_no_spread():
    sizes = (34, 33, 33)
    trials = [
        make_trial(0, learner, 1 - n_wrong / size, fold=fold, n_test=size, n_train=100 - size)
        for fold, size in enumerate(sizes)
        for learner, n_wrong in enumerate((15, 10))
    ]
    found = make_results(trials, config=make_config(LEARNERS[:2], ("iris",)), names=("Iris",))
    for question in (Question("accuracy"), Question("error"), Question("error", "paired")):
        assert cell_finding(found, question, 0, 0, 1).p_value == 0.25
        assert marked_means(found, question, reference=0).marks.iloc[0, 1] == "equal"
        assert all_pairs(found, question).to_frame().iloc[1, 0] == "0 / 1 / 0"
    assert [row.standing for row in verdict_of(found).rows] == ["best", "tied"]
    assert "the p-value is that of the sign test" in how_it_was_tested(verdict_of(found))
    apart = replace(found, trials=found.trials.assign(accuracy=found.trials["accuracy"] ** (found.trials["fold"] + 1)))
    assert "sign test" not in how_it_was_tested(verdict_of(apart))


def test_kappas_that_hardly_differ_from_fold_to_fold_are_no_spread():
    kappas = ((0.940, 0.880), (0.939, 0.878), (0.939, 0.879))
    trials = [
        make_trial(0, learner, 0.9, fold=fold, n_test=33, n_train=66, kappa=kappa)
        for fold, row in enumerate(kappas)
        for learner, kappa in enumerate(row)
    ]
    found = make_results(trials, config=make_config(LEARNERS[:2], ("iris",)), names=("Iris",))
    finding = cell_finding(found, Question("kappa"), 0, 0, 1)
    assert (finding.p_value, "nearly as many examples on each" in finding.sentence) == (0.25, True)
    assert marked_means(found, Question("kappa"), reference=0).marks.iloc[0, 1] == "equal"
    assert [row.standing for row in verdict_of(found, "kappa").rows] == ["best", "tied"]


def test_two_splits_do_not_say_how_many_would_tell():
    shares = ((0.80, 0.75), (0.81, 0.77)), ((0.9, 0.6), (0.6, 0.7))
    for values in shares:
        trials = [
            make_trial(0, learner, value, fold=fold)
            for fold, row in enumerate(values)
            for learner, value in enumerate(row)
        ]
        found = verdict_of(make_results(trials, config=make_config(LEARNERS[:2], ("iris",)), names=("Iris",)))
        assert found.rows[1].to_tell is None
        assert dict(verdict_lines(found))["Too little to tell"].endswith(
            "it takes 3 or more, and 10 repeats are usual."
        )


def test_means_stand_below_each_other_in_a_terminal_where_some_data_sets_have_one_split():
    splits = [("iris", 3), ("wine", 1)]
    trials = [
        make_trial(place, learner, (8 + learner) / 10 + repeat / 100, repeat=repeat)
        for place, (_, n) in enumerate(splits)
        for learner in (0, 1)
        for repeat in range(n)
    ]
    text = marked_text(marked_means(make_results(trials), Question("accuracy"), 0))
    lines = text.to_string().splitlines()[1:]
    assert len({tuple(place for place, sign in enumerate(line) if sign == ".") for line in lines}) == 1
