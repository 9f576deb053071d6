"""What people read for the settings of learners: plain words where those of the paper that is followed are none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ensembles.parameters import Choice, Parameter, Real, SeveralOf
from ensembles.registry import Entry, within_sentence

__all__ = ["WORDS", "plain_parameters", "told_setting", "told_value"]

#: Labels by the name of the parameter, or by the key of the learner and that name, which goes before. What is not among them
#: is called by its declared label.
WORDS = {
    "C": "Weight of training errors",
    "averaged": "Predict by averaged weights",
    "balanced": "Two weights for each input",
    "block_size": "Examples for each member",
    "combination": "How votes are combined",
    "cost_rows": "Costs of mistakes",
    "criterion": "Questions chosen by",
    "epochs": "Passes over the training examples",
    "eta": "Length of a step",
    "feature_share": "Share of attributes that a leaf counts",
    "flat_numbers": "Numbers that hardly vary",
    "freeze_after": "Examples before cuts are fixed",
    "gamma": "How much better than guessing",
    "grace_period": "Weight between tries to split",
    "init": "Weights in the beginning",
    "loss_timing": "When losses are taken",
    "max_depth": "Greatest depth",
    "max_features": "Share of attributes a member sees",
    "max_iter": "Passes over the training examples",
    "max_resets": "Fresh starts at most",
    "max_samples": "Examples a member draws",
    "max_values": "Distinct numbers kept",
    "members": "Members of the pool",
    "min_branch_fraction": "Least share of a branch",
    "min_weight": "Least weight of an example",
    "n_weak": "Members for each selector",
    "nominal_split": "Questions on nominal attributes",
    "p": "Share of examples a member learns",
    "prior": "Classes beforehand",
    "prune_slack": "Errors that pruning may add",
    "randomise": "Settings drawn for each member",
    "rate": "How often a member sees an example",
    "reevaluation_period": "Weight between two looks at a test",
    "rescale": "Keep the sum of weights",
    "scale": "Weights drawn from",
    "sigma": "Noise on weights",
    "split_on_zero": "Ask where no question tells by itself",
    "tau": "Bound for a tie of tests",
    "updates_per_example": "Steps on each example",
    "var_smoothing": "Share of variance that is added",
    "weight_cap": "Largest weight of an example",
    "z": "Pessimism of pruning",
    "adaptive_random_forest.max_features": "Attributes that a leaf counts",
    "adaboost_olm.loss": "Loss that votes reduce",
    "extra_trees.max_features": "Inputs for each question",
    "extremely_fast_tree.bins": "Cuts tried for a number",
    "extremely_fast_tree.criterion": "Tests chosen by",
    "extremely_fast_tree.delta": "Accepted chance of a wrong split",
    "extremely_fast_tree.max_features": "Attributes that a leaf counts",
    "hoeffding_tree.bins": "Cuts tried for a number",
    "hoeffding_tree.criterion": "Tests chosen by",
    "hoeffding_tree.delta": "Accepted chance of a wrong split",
    "hoeffding_tree.max_features": "Attributes that a leaf counts",
    "mondrian_tree.step": "How fast weights fall with losses",
    "neural_network.loss": "Error that training reduces",
    "ogboost.loss": "Loss of the margin",
    "one_rule.criterion": "Attribute chosen by",
    "random_forest.max_features": "Inputs for each question",
    "random_subspaces.max_samples": "Share of examples a member draws",
    "sag_ensemble.step": "Length of a step",
    "sgd_average_ensemble.step": "Length of the first step",
    "sgd_ensemble.step": "Length of the first step",
    "weighted_majority.beta": "Factor of a weight after a mistake",
    "winnow.alpha": "Factor of weights that go up",
    "winnow.beta": "Factor of weights that go down",
}


def plain_parameters(entry: Entry) -> tuple[Parameter, ...]:
    """Return the parameters of a learner as people read them; what files call each of them stands at the end of its help."""
    return _plain(entry.cls)


@cache
def _plain(cls: Any) -> tuple[Parameter, ...]:
    return tuple(
        replace(
            one,
            label=WORDS.get(f"{cls.key}.{one.name}") or WORDS.get(one.name) or one.label,
            help=f"{one.help} In files: `{one.name}`.".lstrip(),
        )
        for one in getattr(cls, "parameters", ())
    )


def told_setting(parameter: Parameter, value: Any) -> str:
    """Return a setting and its value as they stand within a sentence: "greatest depth 3"."""
    return f"{within_sentence(parameter.label)} {told_value(parameter, value)}"


def told_value(parameter: Parameter, value: Any) -> str:
    """Return what people read for a value of a parameter."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(parameter, Choice) and parameter.labels:
        return dict(zip(parameter.choices, parameter.labels, strict=True))[value]
    if isinstance(parameter, SeveralOf):
        known = parameter.known()
        return ", ".join(within_sentence(known[word]) for word in parameter.words(value))
    if isinstance(parameter, Real):
        return repr(float(value)).removesuffix(".0")
    return f"{value:,}" if isinstance(value, int) else str(value)
