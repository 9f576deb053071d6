"""From a published table to the experiments that re-run it, and to the learner behind each of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ensembles.experiments.config import ExperimentConfig, GivenSplit
from ensembles.experiments.trials import count_trials
from ensembles.papers.datasets import PaperDataset
from ensembles.papers.published import PublishedNumber, published_numbers

__all__ = ["Experiment", "Group", "Paper", "Place", "PublishedTable", "scaled"]

LearnerDocument = Mapping[str, Any]
Column = tuple[str, str]  # method and base model of a published number

_ANY = "0" * 64  # a content hash that is no data set's


@dataclass(frozen=True, eq=False)
class Group:
    """Learners that run together on each data set, for one table or several.

    Attributes
    ----------
    table : str
        Number of the table it is named after.
    learners : mapping from (method, base) to learner documents
        The learners of an experiment file behind a published number: one, or all those of which the paper shows the best.
    protocol : mapping
        As in an experiment file, as published; data sets with a given test set or a size of the training set override it.
    part : str
        Tells groups of the same table apart.
    own : mapping from keys of data sets to mappings
        Settings of the base models that differ on a data set.
    """

    table: str
    learners: Mapping[Column, Sequence[LearnerDocument]]
    protocol: Mapping[str, Any]
    part: str = ""
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def documents(self, dataset: str) -> list[LearnerDocument]:
        """Return the learners for the data set of that key, in their order."""
        documents = [document for documents in self.learners.values() for document in documents]
        own = self.own.get(dataset)
        return [{**one, "base": {**one["base"], **own}} for one in documents] if own else documents

    def positions(self, column: Column) -> tuple[int, ...]:
        """Return where the learners of a published number stand in the experiment."""
        first = 0
        for each, documents in self.learners.items():
            if each == column:
                return tuple(range(first, first + len(documents)))
            first += len(documents)
        raise KeyError(column)


@dataclass(frozen=True, eq=False)
class Paper:
    """Data sets and learners of one paper.

    Attributes
    ----------
    name, citation : str
        "Oza 2001", and in full.
    protocol : str
        How the paper measures, in a sentence or two.
    seconds : tuple of str
        What its running times are compared with: columns of the results, summed.
    """

    key: str
    name: str
    citation: str
    protocol: str
    datasets: Mapping[str, PaperDataset]
    groups: tuple[Group, ...]
    seconds: tuple[str, ...] = ("fit_seconds",)

    def group_of(self, number: str, column: Column) -> Group:
        """Return the group behind a column of table `number`: one named after it, else after an earlier table."""
        found = [group for group in self.groups if column in group.learners]
        return next((group for group in found if group.table == number), found[0])


@dataclass(frozen=True)
class Experiment:
    """The learners of a group on one data set: what is launched, and what several tables share."""

    paper: Paper
    group: Group
    dataset: PaperDataset

    @property
    def key(self) -> str:
        """Tells it apart ("oza2001/3.4/promoters")."""
        return "/".join(filter(None, (self.paper.key, self.group.table, self.group.part, self.dataset.key)))

    @property
    def table(self) -> str:
        """The table that it was first published in ("oza2001/3.4")."""
        return f"{self.paper.key}/{self.group.table}"

    @property
    def name(self) -> str:
        """What people read ("Oza 2001, table 3.4: Promoters")."""
        part = f", {self.group.part}" if self.group.part else ""
        return f"{self.paper.name}, table {self.group.table}{part}: {self.dataset.name}"

    @property
    def protocol(self) -> dict[str, Any]:
        """The protocol as published, without the test set."""
        if self.dataset.origin.train_rows:
            return {"kind": "given_split", "orders": self.group.protocol["orders"]}
        size = {"train_size": self.dataset.train_size} if self.dataset.train_size else {}
        return {**self.group.protocol, **size}

    def title(self, scale: float) -> str:
        """The name of the experiment at a scale."""
        return self.name if scale == 1.0 else f"{self.name} (scale {scale:g})"

    def count_trials(self, scale: float) -> int:
        """Return how many trials it has, whichever its data set is."""
        return count_trials(self.config(scale, {"sha256": _ANY}, _ANY if self.dataset.origin.train_rows else None))

    def is_run_by(self, config: ExperimentConfig, scale: float) -> bool:
        """Return whether `config` is this experiment at that scale, on whichever data set."""
        test = config.protocol.test_sha256 if isinstance(config.protocol, GivenSplit) else None
        return config == self.config(scale, config.datasets[0], test)

    def config(self, scale: float, dataset: Any, test_sha256: str | None = None) -> ExperimentConfig:
        """Return the experiment as users launch it.

        Parameters
        ----------
        scale : float
            As for `scaled`.
        dataset : str or mapping
            The data set as an experiment file names it: a key of the catalogue or `{"sha256": ..., "name": ...}`.
        test_sha256 : str, optional
            Of the given test set, where the protocol has one.
        """
        protocol = scaled(self.protocol, scale)
        if test_sha256 is not None:
            protocol["test_sha256"] = test_sha256
        return ExperimentConfig.from_dict(
            {
                "name": self.title(scale),
                "datasets": [dataset],
                "learners": self.group.documents(self.dataset.key),
                "protocol": protocol,
            }
        )


def scaled(protocol: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """Return a protocol with a share of its repeats, at least one; what cannot be saved there is saved in orders.

    Folds and examples stay as they are: ten repeats of five folds in five orders become one repeat in five orders at 0.1
    and one in two orders at 0.05; a given test set in five orders becomes one order at 0.1.
    """
    wanted = dict(protocol)
    for count in ("repeats", "orders"):
        if count in wanted:
            part = wanted[count] * scale
            wanted[count] = max(1, round(part))
            scale = min(1.0, part)  # what is left to be saved once there is one
    return wanted


@dataclass(frozen=True)
class Place:
    """Where the number that stands beside a published one comes from: the best of some learners of an experiment."""

    experiment: Experiment
    learners: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """One table of a paper.

    Attributes
    ----------
    number : str
        As the paper counts ("3.4").
    title, shows : str
        What the paper calls it, in short; what can be read from it.
    note : str
        On the numbers themselves, if need be.
    left_out : str
        Why its numbers do not count into shares of agreement; empty where they do.
    deviation_of : int
        Trials of which the paper prints the standard deviation and calls it the standard error of their mean; 1 where it
        prints that error.
    """

    paper: Paper
    number: str
    title: str
    shows: str
    note: str = ""
    left_out: str = ""
    deviation_of: int = 1

    @property
    def key(self) -> str:
        """Paper and number ("oza2001/3.4")."""
        return f"{self.paper.key}/{self.number}"

    @cached_property
    def numbers(self) -> tuple[PublishedNumber, ...]:
        """The cells, in the order of the table."""
        return tuple(number for number in published_numbers() if number.table == self.key)

    def place(self, number: PublishedNumber) -> Place | str:
        """Return where our number for a cell comes from, or the reason why there is none."""
        dataset = self.paper.datasets[number.dataset]
        if dataset.origin.why_not:
            return dataset.origin.why_not
        group = self.paper.group_of(self.number, (number.method, number.base))
        return Place(Experiment(self.paper, group, dataset), group.positions((number.method, number.base)))

    def experiments(self) -> tuple[Experiment, ...]:
        """Return the experiments behind the cells, each once, those of small data sets first."""
        places = [self.place(number) for number in self.numbers]
        found = {place.experiment.key: place.experiment for place in places if isinstance(place, Place)}
        return tuple(sorted(found.values(), key=lambda experiment: experiment.dataset.origin.rows))
