"""Neural network: one hidden layer of sigmoid units, one output a class, trained by back-propagation.

Thesis, sections 2.1.3 and 3.5. It leaves hidden units, rate, momentum and first weights open: the defaults are ours, as are
cross entropy and sixty epochs, with decay and averages, for its squared error and ten (docs/accuracy.md). The kernels are in
`network` and `backpropagation`.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice, flag, integer, real
from ensembles.draws import BLOCK, entropy_of, stream
from ensembles.learners.core.base import BaseModel, reset_member
from ensembles.learners.core.inputs import MOMENTS, bias_input, count_inputs, input_rows, moved_inputs
from ensembles.learners.core.learner import CATEGORICAL, SEED
from ensembles.learners.core.protocol import Rows
from ensembles.learners.neural.backpropagation import clear_momentum, train_rows
from ensembles.learners.neural.network import (
    CAP,
    ENTROPY,
    HIDDEN,
    MOMENTUM,
    RATE,
    RAW,
    SCALED,
    SETTINGS,
    UPDATES,
    NetworkMembers,
    in_whole_lines,
    measure_rows,
    zeros_in_lines,
)

__all__ = ["NeuralNetworkClassifier"]

_FEWEST, _MOST = 4, 64  # hidden units when nobody says how many


class NeuralNetworkClassifier(BaseModel):
    """Neural network with one hidden layer.

    In batch it goes through the examples `epochs` times, each time in a new random order, with numbers standardised by the
    training set. Online it takes `updates_per_example` steps on each example as it comes, with numbers standardised by what
    it has seen so far. Nominal attributes are one-hot; a missing value has an input of its own, and a missing number counts
    as the mean.

    References
    ----------
    Rumelhart, Hinton & Williams (1986); Oza (2001), sections 2.1.3 and 3.5; Venables & Ripley (2002), section 8.10, for
    `decay`, a penalty that is taken after every pass here; Polyak & Juditsky (1992) for `averaged`.
    """

    key = "neural_network"
    name = "Neural network"
    position = 50
    family = "neural"
    summary = "Passes weighted inputs through one hidden layer, and corrects the weights example by example."
    source = "Oza (2001), sections 2.1.3 and 3.5"
    order_matters = True
    rows_alike = True
    pieces_equal_whole = False  # `fit` goes through the examples several times
    hidden: int = integer(
        default=32,
        former_defaults=(0,),
        label="Hidden units",
        help="How many; 0 for half of inputs and classes, 4 to 64.",
        high=10_000,
    )
    learning_rate: float = real(
        former="lr",
        default=0.15,
        former_defaults=(0.2, 0.1),
        label="Learning rate",
        help="Length of a step of back-propagation.",
        low=0.0,
        high=100.0,
        open_low=True,
    )
    momentum: float = real(
        default=0.0,
        former_defaults=(0.5,),
        label="Momentum in batch",
        help="Share of the last change of the weights that is added to the next one, in batch training.",
        low=0.0,
        high=0.999,
    )
    online_momentum: float = real(
        default=0.0, label="Momentum online", help="The same for online training.", low=0.0, high=0.999
    )
    epochs: int = integer(
        default=60,
        former_defaults=(10, 30),
        label="Epochs",
        help="Passes over the training examples, in batch training.",
        low=1,
        high=100_000,
    )
    updates_per_example: int = integer(
        default=1,
        label="Updates an example",
        help="Steps on an example that is seen once: online, or in batch with one epoch.",
        low=1,
        high=10_000,
    )
    loss: str = choice(
        default="cross_entropy",
        former_defaults=("squared",),
        label="Loss",
        help="The error of the outputs that training reduces.",
        choices=("squared", "cross_entropy"),
        labels=("squared error", "cross entropy"),
    )
    feed: str = choice(
        default="repeat",
        label="How an example's weight is used",
        help="Show an example as often as it weighs, or once with a step as much longer.",
        details=(
            "An example of weight w is shown w times, the fraction left as a shorter step; or once, with a step w"
            " times as long. Relative weights, see `fit`, are one on average first."
        ),
        choices=("repeat", "scale"),
        labels=("so many copies", "a longer step"),
    )
    weight_cap: float = real(
        default=100.0, label="Largest weight", help="No example weighs more than this.", low=1.0, high=1e6
    )
    normalise: str = choice(
        default="standard",
        label="Scaling of numbers",
        help="How numeric attributes are brought to comparable sizes, by what has been seen so far.",
        choices=("standard", "none"),
        labels=("standard deviations from the mean", "none"),
    )
    decay: float = real(
        default=0.3,
        former_defaults=(0.0, 0.0),
        label="Weight decay in batch",
        help="How strongly batch training keeps weights small, so that they follow noise less; 0 for not at all.",
        details=(
            "Half of it times the squares of all weights is added to the error of the whole training set: after each pass "
            "weights shrink by the factor exp(-rate x decay)."
        ),
        low=0.0,
        high=1_000.0,
    )
    averaged: bool = flag(
        default=True,
        former_defaults=(False, False),
        label="Averaged weights in batch",
        help="End batch training with the mean of the weights after each pass of its second half.",
    )
    categorical_features: Any = CATEGORICAL
    random_state: Any = SEED

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> NetworkMembers:
        inputs = bias_input(schema) - len(schema.nominal)  # those for missing values do not count
        width = self.hidden or min(max(_FEWEST, int((inputs + n_classes) / 2 + 0.5)), _MOST)
        members = self._room(n_members, schema, width, n_classes, batch)
        seed = members.seed[0] = entropy_of(self.random_state) % 2**63
        drawn = _inputs_drawn(schema)
        for m in range(n_members):
            rng = stream(seed, "first_weights", m)
            members.first_lower[m, drawn, :width] = _weights(rng, (inputs + 1, width), inputs + 1)
            members.first_upper[m, :, : width + 1] = _weights(rng, (n_classes, width + 1), width + 1)
        members.lower[:] = members.first_lower
        members.upper[:] = members.first_upper
        return members

    def _room(self, n_members: int, schema: Schema, width: int, n_classes: int, batch: bool) -> NetworkMembers:
        inputs, n_numeric = count_inputs(schema), len(schema.numeric)
        speeds = n_members if self.online_momentum > 0 and not batch else 1
        settings = np.empty(SETTINGS)
        settings[RATE], settings[MOMENTUM] = self.learning_rate, self.online_momentum
        settings[UPDATES], settings[HIDDEN] = self.updates_per_example, width
        settings[ENTROPY], settings[SCALED] = self.loss == "cross_entropy", self.feed == "scale"
        settings[CAP], settings[RAW] = self.weight_cap, self.normalise == "none"
        units = in_whole_lines(width + 1)
        return NetworkMembers(
            upper=zeros_in_lines(n_members, n_classes, units),
            lower=zeros_in_lines(n_members, inputs, units),
            first_upper=zeros_in_lines(n_members, n_classes, units),
            first_lower=zeros_in_lines(n_members, inputs, units),
            upper_speed=zeros_in_lines(speeds, n_classes, units),
            lower_speed=zeros_in_lines(speeds, inputs, units),
            liveliness=np.zeros((speeds, inputs)),
            totals=np.zeros((n_members, n_classes)),
            moments=np.zeros((n_members, MOMENTS, n_numeric)),
            x=np.zeros(n_numeric),
            on=np.zeros(len(schema.nominal) + 1 + n_numeric, dtype=np.int32),
            sums=zeros_in_lines(units),
            hidden=zeros_in_lines(units),
            hidden_errors=zeros_in_lines(units),
            change=zeros_in_lines(units),
            outputs=zeros_in_lines(in_whole_lines(n_classes)),
            settings=settings,
            seed=np.zeros(1, dtype=np.int64),
        )

    def extend_schema(
        self, members: NetworkMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> NetworkMembers:
        """Give new values weights of 0 and new classes first weights; hidden units stay as many as they are."""
        n_members, known = members.totals.shape
        width = int(members.settings[HIDDEN])
        grown = self._room(n_members, new, width, n_classes, batch=False)
        fresh = np.setdiff1d(np.arange(n_classes), positions)
        for m in range(n_members if len(fresh) else 0):
            rng = stream(int(members.seed[0]), "first_weights", m, known)
            grown.first_upper[m, fresh, : width + 1] = _weights(rng, (len(fresh), width + 1), width + 1)
        grown.upper[:] = grown.first_upper
        for before, after in (
            (members.first_upper, grown.first_upper),
            (members.upper, grown.upper),
            (members.upper_speed, grown.upper_speed),
            (members.totals, grown.totals),
        ):
            after[:, positions] = before
        inputs = moved_inputs(old, new)
        for before, after in (
            (members.first_lower, grown.first_lower),
            (members.lower, grown.lower),
            (members.lower_speed, grown.lower_speed),
            (members.liveliness, grown.liveliness),
        ):
            after[:, inputs] = before
        return grown._replace(moments=members.moments, seed=members.seed)

    def rows(self, members: NetworkMembers, table: Table, *, learning: bool) -> Rows:
        return input_rows(table)

    def fit_member(
        self,
        members: NetworkMembers,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> NetworkMembers:
        """Go through the examples `epochs` times; a weight is so many copies, each with its own place in the order.

        Of the second half of the passes the mean of the weights is kept, if they are averaged.
        """
        reset_member(members, m, rows)
        members.totals[m] = np.bincount(labels, weights, minlength=members.totals.shape[1])
        weights = np.minimum(weights, self.weight_cap)
        measure_rows(members, m, rows, weights)
        steps, parts = self._steps(weights)
        rng = stream(int(members.seed[0]), "training_orders", m)
        updates = self.updates_per_example if self.epochs == 1 else 1
        shrinking, averaged_from = math.exp(-self.learning_rate * self.decay), self.epochs // 2
        layers = (members.lower[m], members.upper[m])
        sums = [np.zeros_like(layer) for layer in layers]
        for epoch in range(self.epochs):
            order = rng.permutation(len(steps))
            for start in range(0, len(order), BLOCK):
                shown = order[start : start + BLOCK]
                i = steps[shown]
                train_rows(members, m, _brought(rows, i), labels[i], parts[shown], float(self.momentum), updates)
            for layer, total in zip(layers, sums, strict=True):
                layer *= shrinking
                if self.averaged and epoch >= averaged_from:
                    total += layer
        if self.averaged:
            for layer, total in zip(layers, sums, strict=True):
                layer[:] = total / (self.epochs - averaged_from)
        clear_momentum(members, m)
        return members

    def _steps(self, weights: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the examples of one pass, with their copies, and what part of a full step each of them takes."""
        if self.feed == "scale":
            shown = np.flatnonzero(weights)
            return shown, weights[shown]
        copies = np.floor(weights)
        rest = weights - copies
        repeated = np.repeat(np.arange(len(weights)), copies.astype(np.int64))
        left = np.flatnonzero(rest)
        return np.concatenate([repeated, left]), np.concatenate([np.ones(len(repeated)), rest[left]])


def _brought(rows: Rows, i: npt.NDArray[np.int64]) -> Rows:
    """Return the examples i side by side: a kernel that took them from all over the memory would wait for each."""
    return rows._replace(codes=rows.codes.take(i, axis=0), numbers=rows.numbers.take(i, axis=0))


def _inputs_drawn(schema: Schema) -> npt.NDArray[np.bool_]:
    """Return the inputs that have random first weights: all but those for missing values, whose weights are 0."""
    drawn = np.ones(count_inputs(schema), dtype=np.bool_)
    drawn[np.cumsum(schema.value_counts + 1) - 1] = False
    drawn[bias_input(schema) + 1 :] = False
    return drawn


def _weights(rng: np.random.Generator, shape: tuple[int, int], fan_in: int) -> npt.NDArray[np.float64]:
    weights: npt.NDArray[np.float64] = rng.uniform(-0.5, 0.5, shape) / np.sqrt(fan_in)
    return weights
