"""Made-up experiments whose results pages show, and what a page shows."""

import json
from dataclasses import replace
from itertools import product

from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import CURVES
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.trials import plan_trials

METHODS = ("single", "adaboost", "online_boosting")

DATASETS = ("iris", "wine")

HOSTILE = "My <b>cars</b> *and* :red[stars] $x$ [a](https://example.org)"

SPLITS = {"kind": "cross_validation", "repeats": 2, "folds": 2, "orders": 1, "stratified": True}


def make_config(
    name="Made up",
    methods=METHODS,
    curves=("learning_curve", "member_errors"),
    measures=("accuracy",),
    protocol=SPLITS,
):
    return ExperimentConfig.from_dict(
        {
            "name": name,
            "seed": 7,
            "datasets": list(DATASETS),
            "learners": [{"method": method, "base": "naive_bayes"} for method in methods],
            "protocol": protocol,
            "measures": list(measures),
            "curves": list(curves),
        }
    )


def make_result(key, plan, config):
    """Return a trial whose accuracy is 0.5 + learner / 10 + dataset / 100."""
    accuracy = 0.5 + plan.learner / 10 + plan.dataset / 100
    curves = {
        "learning_curve": Curve((10.0, 20.0), (0.4, accuracy)),
        "member_errors": Curve((1.0, 2.0), (0.1, 0.2)),
        "trial_graph_train": Curve((1.0, 2.0), (0.2, 0.1)),
        "trial_graph_test": Curve((1.0, 2.0), (0.3, accuracy)),
        "margins_train": Curve((-1.0, 0.5, 1.0), (0.0, 0.1, 1.0)),
        "margins_test": Curve((-1.0, 0.5, 1.0), (0.1, 0.3, 1.0)),
        "diversity": Curve((0.1, 0.4), (0.2, 0.3)),
        "hard_examples": Curve((3.0, 17.0), (2.5, 4.0)),
        "predictions": Curve((3.0, 17.0), (0.0, float(plan.learner == 2))),
        "predictions_true": Curve((3.0, 17.0), (0.0, 1.0)),
        "prequential_error": Curve((1.0, 2.0), (1.0, 0.5)),
        "prequential_error_window": Curve((1.0, 2.0), (1.0, 0.25)),
        "prequential_error_fading": Curve((1.0, 2.0), (1.0, 0.75)),
        "members_replaced": Curve((2.0,), (1.0,)),
        "model_size": Curve((1.0, 2.0), (1000.0, 1200.0)),
    }
    return TrialResult(
        key,
        measures=dict.fromkeys((*config.measures, *config.protocol.own_measures), accuracy),
        fit_seconds=0.5 * (plan.learner + 1),
        fit_cpu_seconds=(0.25 if plan.fold or not plan.learner else 90.0) * (plan.learner + 1),
        predict_seconds=0.1,
        predict_cpu_seconds=0.08,
        members_used=10,
        n_train=100 * (plan.dataset + 1),
        n_test=50,
        curves={name: curves[name] for kind in config.curves for name in CURVES[kind].series},
    )


def add_experiment(storage, config=None, *, share=1.0, state="finished", failing=(), message=None, splits=2, **fields):
    """Store an experiment whose first trials have ended, on `splits` repeats of as many folds; those in `failing` failed.

    `fields` are of the results of all trials.
    """
    config = config or make_config()
    cells = list(product(range(2), range(len(config.learners)), range(splits), range(splits)))
    record = storage.create_experiment(config, n_trials=len(cells), runner="test", lease_seconds=3600)
    trials = []
    for number, (dataset, learner, repeat, fold) in enumerate(cells[: int(share * len(cells))]):
        plan = TrialPlan(f"{number:032x}", dataset, learner, repeat, fold, 0)
        result = replace(make_result(plan.key, plan, config), **fields)
        if learner in failing:
            result = TrialResult(plan.key, error="Online boosting on <b>Iris</b>: no member is better than guessing")
        trials.append((plan, result))
    storage.save_trials(record.id, trials)
    if state != "running":
        storage.finish(record.id, state, message, runner="test")
    return record.id


def texts(page):
    """Return everything the page says in words."""
    shown = (page.title, page.header, page.markdown, page.caption, page.info, page.error, page.warning)
    return "\n".join(str(element.value) for kind in shown for element in kind)


def figures(page):
    """Return the figures as plain JSON."""
    return [json.loads(element.proto.spec) for element in page.get("plotly_chart")]


MEMBERS = ("member_errors", "trial_graph", "margins", "diversity", "hard_examples")


def end_made_up(storage, record, load):
    """Let an experiment that is the test's end with made-up results, as a runner would with real ones.

    `load` finds a data set by its reference.
    """
    plans = plan_trials(record.config, [load(reference) for reference in record.config.datasets])
    storage.save_trials(record.id, [(plan, make_result(plan.key, plan, record.config)) for plan in plans])
    storage.heartbeat(record.id, "test", total=len(plans))
    storage.finish(record.id, "finished", runner="test")
