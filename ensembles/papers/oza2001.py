"""Oza's thesis (2001), tables 3.3 to 3.12 and 4.1 to 4.13: bagging and boosting, batch and online."""

from __future__ import annotations

from typing import Any

from ensembles.papers.datasets import PaperDataset
from ensembles.papers.preparation import all_nominal
from ensembles.papers.tables import Column, Group, LearnerDocument, Paper, PublishedTable

__all__ = ["TABLES"]

_MEMBERS = 100

# What the thesis leaves open; only so do the numbers of table 4.2 come out (docs/accuracy.md). Zeros of naive Bayes are
# taken literally (figure 2.3), AdaBoost draws samples for it (the footnote of section 4.2) and gives trees the weights, and
# the weights of online boosting are those of Oza & Russell (2001); those of networks, as figure 4.3 prints them, agree
# better with tables 4.5 and 4.6.
_TREE = "decision_tree"
_BAYES = {"key": "naive_bayes", "smoothing": "literal"}
_STUMP = "decision_stump"
# Size, rate and momentum of the networks are open too, and it names no momentum. Of 10, 15 and 20 units and rates of 0.3 to
# 0.5, these come nearest to its 24 accuracies of single networks on the eight smallest data sets.
_NETWORK = {"key": "neural_network", "hidden": 10, "learning_rate": 0.35, "momentum": 0.0}
_OWN_SETTINGS: dict[str, dict[str, Any]] = {
    # Its time of a step of bagging by ten epochs (table 3.11), by inputs and outputs, is 0.9 to 2 microseconds but on these:
    # 3.4 on Nursery, 5 to 7 on the synthetic ones, 23 on Promoters and Connect4, too large for a processor's first cache.
    "nursery": {"hidden": 30},
    **{f"synthetic_{number}": {"hidden": 45} for number in (1, 2, 3)},
    "promoters": {"hidden": 75},
    "connect_4": {"hidden": 75},
    # Its numbers, from 1 to 10, seem to have been taken as they are: only so do ten updates an example do worse than one.
    "breast_cancer_wisconsin": {"normalise": "none"},
}
_NETWORKS: dict[str, tuple[int, dict[str, Any]]] = {
    "network_1_update": (1, {**_NETWORK, "updates_per_example": 1}),
    "network_10_updates": (10, {**_NETWORK, "updates_per_example": 10}),
}
_BATCH_NETWORK = {**_NETWORK, "epochs": 10}
_SAMPLES = {"adaboost": {"weighting": "resample"}}
_BALANCE = {method: {"norm": "examples"} for method in ("online_boosting", "primed_online_boosting")}
_SETTINGS: dict[str, dict[str, dict[str, str]]] = {
    "decision_tree": _BALANCE,
    "naive_bayes": {**_SAMPLES, **_BALANCE},
    "decision_stump": {**_SAMPLES, **_BALANCE},
    "neural_network": _SAMPLES,
}

_TEN_TIMES_FIVE = {"kind": "cross_validation", "repeats": 10, "folds": 5, "orders": 5, "stratified": False}
_ONE_ORDER = {**_TEN_TIMES_FIVE, "orders": 1}


def _learner(method: str, base: Any) -> LearnerDocument:
    members = {} if method == "single" else {"n_estimators": _MEMBERS}
    settings = _SETTINGS[base["key"] if isinstance(base, dict) else base].get(method, {})
    return {"method": method, "base": base, **members, **settings}


def _learners(name: str, base: Any, *methods: str) -> dict[Column, list[LearnerDocument]]:
    return {(method, name): [_learner(method, base)] for method in methods}


def _one_pass_boosting(updates: int) -> LearnerDocument:
    """Batch boosting of networks that see the training set once (section 4.6.1)."""
    network = {**_NETWORK, "epochs": 1, "updates_per_example": updates}
    return _learner("adaboost", network)


def _network_groups(bagging: str, boosting: str, name: str) -> tuple[Group, Group]:
    updates, network = _NETWORKS[name]
    # Fixed-fraction bagging that shows its one member every example is the single model, trained online.
    alone = {"method": "fixed_fraction_bagging", "base": network, "n_estimators": 1, "p": 1.0}
    return (
        Group(
            bagging,
            {("single", name): [alone], **_learners(name, network, "online_bagging")},
            _TEN_TIMES_FIVE,
            own=_OWN_SETTINGS,
        ),
        Group(
            boosting,
            {
                **_learners(name, network, "online_boosting", "primed_online_boosting"),
                ("adaboost", name): [_one_pass_boosting(updates)],
            },
            _TEN_TIMES_FIVE,
            own=_OWN_SETTINGS,
        ),
    )


def _groups() -> tuple[Group, ...]:
    lossless = [
        Group(table, _learners(name, base, *methods), _TEN_TIMES_FIVE)
        for name, base, bagging, boosting in (
            ("decision_tree", _TREE, "3.3", "4.1"),
            ("naive_bayes", _BAYES, "3.4", "4.2"),
            ("decision_stump", _STUMP, "3.5", "4.3"),
        )
        for table, methods in (
            (bagging, ("single", "bagging", "online_bagging")),
            (boosting, ("adaboost", "online_boosting", "primed_online_boosting")),
        )
    ]
    name = "network_10_epochs"
    batch = Group("3.6", _learners(name, _BATCH_NETWORK, "single", "bagging"), _ONE_ORDER, "ten epochs", _OWN_SETTINGS)
    boosted = Group("4.4", _learners(name, _BATCH_NETWORK, "adaboost"), _ONE_ORDER, own=_OWN_SETTINGS)
    online = [
        *_network_groups("3.6", "4.5", "network_1_update"),
        *_network_groups("3.7", "4.6", "network_10_updates"),
    ]
    return (*lossless, batch, boosted, *online)


_AS_NOMINAL = "numbers taken as values: only so does it agree"

_DATASETS = (
    PaperDataset("promoters", "Promoters"),
    PaperDataset("balance_scale", "Balance", (all_nominal,), note=_AS_NOMINAL),
    PaperDataset("breast_cancer_wisconsin", "Breast Cancer"),
    PaperDataset("german_credit", "German Credit"),
    PaperDataset("car", "Car Evaluation"),
    PaperDataset("kr_vs_kp", "Chess"),
    PaperDataset("mushroom", "Mushroom"),
    PaperDataset("nursery", "Nursery"),
    PaperDataset("connect_4", "Connect4"),
    PaperDataset("synthetic_1", "Synthetic-1", note="generated by the thesis' rule; its own sample is lost"),
    PaperDataset("synthetic_2", "Synthetic-2", note="generated by the thesis' rule; its own sample is lost"),
    PaperDataset("synthetic_3", "Synthetic-3", note="generated by the thesis' rule; its own sample is lost"),
    PaperDataset(
        "census_income", "Census Income", (all_nominal,), note=f"{_AS_NOMINAL}; 40 attributes, the thesis counts 39"
    ),
    PaperDataset("covertype", "Forest Covertype"),
    PaperDataset("calendar_day", "Calendar Apprentice (day)"),
    PaperDataset("calendar_duration", "Calendar Apprentice (duration)"),
)

_PAPER = Paper(
    key="oza2001",
    name="Oza 2001",
    citation="N. C. Oza (2001), Online Ensemble Learning, PhD thesis, University of California, Berkeley",
    protocol=(
        "Ten times five-fold cross-validation, folds drawn at random and not stratified; online learners in five orders of "
        "each training set. Census Income: the test set supplied. 100 members."
    ),
    datasets={dataset.key: dataset for dataset in _DATASETS},
    groups=_groups(),
)

_STUMPS = (
    "no stump that chooses its attribute by looking gives these numbers: 0.5617 on Mushroom, where the best attribute alone "
    "gives 0.985 and the first one 0.564; 0.4184 on Nursery (0.71 and 0.419)"
)
_REBUILT = "The text at hand has the cells in disorder; they are put in order by table 4.1."


def _table(number: str, title: str, shows: str, note: str = "", left_out: str = "") -> PublishedTable:
    return PublishedTable(_PAPER, number, title, shows, note, left_out)


_TIMES = "Seconds of training on a Pentium III at 600 MHz, beside ours of the same trials."

#: The tables, in the order of the thesis.
TABLES = (
    _table(
        "3.3",
        "Bagging decision trees",
        "Online bagging is as accurate as bagging, and both beat one tree on every data set but Mushroom.",
        _REBUILT,
    ),
    _table("3.4", "Bagging naive Bayes", "Naive Bayes is stable: bagging, batch or online, changes next to nothing."),
    _table(
        "3.5",
        "Bagging decision stumps",
        "Stumps are stable too, so bagging leaves them as they are, but for Promoters and Balance, which it helps.",
        "",
        _STUMPS,
    ),
    _table(
        "3.6",
        "Bagging neural networks, one update",
        "One pass with one update an example costs online networks, and their ensembles, much accuracy on small data sets.",
    ),
    _table(
        "3.7",
        "Bagging neural networks, ten updates",
        "Ten updates an example win back much of what one pass loses on small data sets, and lose some on large ones.",
    ),
    _table("3.8", "Times of bagging decision trees", _TIMES),
    _table("3.9", "Times of bagging naive Bayes", _TIMES),
    _table("3.10", "Times of bagging decision stumps", _TIMES),
    _table("3.11", "Times of bagging neural networks", _TIMES),
    _table(
        "3.12",
        "Online bagging on the Calendar Apprentice",
        "On a stream, predicting each appointment before learning it, online bagging of trees is best.",
    ),
    _table(
        "4.1",
        "Boosting decision trees",
        "Online boosting comes close to boosting, but for Promoters, German Credit and Chess.",
    ),
    _table(
        "4.2",
        "Boosting naive Bayes",
        "Where boosting helps naive Bayes, online boosting does too; it falls behind on the small data sets.",
    ),
    _table(
        "4.3",
        "Boosting decision stumps",
        "Boosting helps stumps less than naive Bayes, and on the larger data sets not at all.",
        "",
        _STUMPS,
    ),
    _table(
        "4.4", "Boosting neural networks, ten epochs", "Batch boosting of networks, the mark for tables 4.5 and 4.6."
    ),
    _table(
        "4.5",
        "Boosting neural networks, one update",
        "Online boosting of one-pass networks falls far behind batch boosting; priming wins much of it back.",
    ),
    _table(
        "4.6",
        "Boosting neural networks, ten updates",
        "Ten updates an example help online boosting a little; priming helps it more.",
    ),
    _table("4.7", "Times of boosting decision trees", _TIMES),
    _table("4.8", "Times of boosting naive Bayes", _TIMES),
    _table("4.9", "Times of boosting decision stumps", _TIMES),
    _table("4.10", "Times of batch boosting of neural networks", _TIMES),
    _table("4.11", "Times of online boosting of neural networks, one update", _TIMES),
    _table("4.12", "Times of online boosting of neural networks, ten updates", _TIMES),
    _table(
        "4.13",
        "Online boosting on the Calendar Apprentice",
        "On a stream, primed online boosting is best for both targets: of naive Bayes for the day, of trees for the "
        "duration.",
    ),
)
