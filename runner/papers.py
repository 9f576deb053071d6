"""Published tables, run again: where their data come from, how their experiments are launched and found again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ensembles.data import Dataset, Preview, catalogue, load_dataset, preview_file
from ensembles.data.inference import class_problem
from ensembles.data.readers import make_dataset
from ensembles.errors import EnsembleLabError, InvalidParameter, NotFound, StorageError
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.results import Results
from ensembles.experiments.trials import count_trials
from ensembles.papers import Experiment, PublishedTable
from ensembles.papers.datasets import PaperDataset
from ensembles.papers.preparation import prepare
from runner.take_over import take_over
from storage import DatasetRecord, ExperimentRecord, Storage, default_visibility
from storage.access import may_change

__all__ = ["PaperData", "Planned", "find_runs", "launch", "load_table", "not_here", "plan_table"]

_MOST_RUNS = 1_000
_LARGEST_SCALE = 100.0
_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".arff", ".parquet")
_DEAR = {"hoeffding_tree": 5, "decision_tree": 10, "neural_network": 20}  # an example costs so many times naive Bayes'


@dataclass(frozen=True)
class Planned:
    """An experiment of a paper at a scale, with its data at hand.

    Attributes
    ----------
    trials, cost : int
        How many trials it has, and a measure of what they cost, members and base models included, for the order of running.
    """

    experiment: Experiment
    scale: float
    config: ExperimentConfig

    @property
    def trials(self) -> int:
        """Return how many trials it has."""
        return count_trials(self.config)

    @property
    def cost(self) -> int:
        """A measure of what it costs, only good to tell cheap ones from dear ones."""
        origin = self.experiment.dataset.origin
        learners = self.config.learners
        return origin.rows * origin.attributes * self.trials * sum(map(_cost_of, learners)) // len(learners)


def _cost_of(learner: LearnerSpec) -> int:
    """Return what an example costs a learner, that of one naive Bayes being 1."""
    base = learner.base_settings
    passes: int = base.get("epochs", 1) * base.get("updates_per_example", 1) * learner.settings.get("n_estimators", 1)
    return passes * _DEAR.get(learner.base or "", 1)


class PaperData:
    """The data sets of papers as an experiment file names them; each is looked for once.

    They are looked for in a folder, among the stored data sets, and in the catalogue. What a paper changed is stored.
    """

    def __init__(self, storage: Storage, folder: Path | None = None) -> None:
        self._storage, self._folder = storage, folder
        self._found: dict[tuple[str, str], tuple[Any, str | None] | str] = {}

    def find(self, experiment: Experiment) -> tuple[Any, str | None] | str:
        """Return the data set and the hash of its given test set, if it has one; else how to get it, in words."""
        wanted, paper = experiment.dataset, experiment.paper
        place = (paper.key, wanted.name)
        if place not in self._found:
            try:
                self._found[place] = self._named(wanted, f"{wanted.name} (as in {paper.name})")
            except StorageError:
                raise
            except EnsembleLabError as error:
                self._found[place] = str(error)
        return self._found[place]

    def _named(self, wanted: PaperDataset, name: str) -> tuple[Any, str | None]:
        train, test, is_stored = self._load(wanted)
        if not is_stored and not wanted.steps and test is None:
            return wanted.key, None
        train = prepare(train, wanted.steps, name)
        reference = {"sha256": self._save(train), "name": wanted.name}
        if test is None:
            return reference, None
        return reference, self._save(prepare(test, wanted.steps, f"{name}, test"))

    def _save(self, dataset: Dataset) -> str:
        return self._storage.save_dataset(dataset, visibility=default_visibility()).sha256

    def _load(self, wanted: PaperDataset) -> tuple[Dataset, Dataset | None, bool]:
        """Return training and test examples, and whether they have to be stored for other programs to find them."""
        origin = wanted.origin
        if origin.train_file:
            train, test = self._read(wanted, (origin.train_file,)), self._read(wanted, (origin.test_file,))
            if train is not None and test is not None:
                return train, test, True
        whole = self._read(wanted, (wanted.key, *origin.files)) or self._stored(wanted)
        if whole is not None:
            return *wanted.split(whole), True
        if wanted.key not in catalogue():
            raise NotFound(_advice(wanted, "it is not in the catalogue"))
        try:
            return *wanted.split(load_dataset(wanted.key)), False
        except (EnsembleLabError, OSError) as error:
            raise NotFound(_advice(wanted, str(error))) from None

    def _read(self, wanted: PaperDataset, names: Iterable[str]) -> Dataset | None:
        if self._folder is None:
            return None
        for name in names:
            for ending in _ENDINGS:
                if (path := self._folder / f"{name}{ending}").is_file():
                    preview = preview_file(path, filename=path.name)
                    target = preview.target or _usual_class(preview)
                    return make_dataset(preview, target, nominal=wanted.origin.nominal or None, name=wanted.name)
        return None

    def _stored(self, wanted: PaperDataset) -> Dataset | None:
        record = _stored_record(wanted, [one for one in self._storage.list_datasets() if not one.in_batches])
        return None if record is None else self._storage.get_dataset(record.sha256)


def _usual_class(preview: Preview) -> str:
    """Return the last column, or the first one if only that holds classes: of a known data set it is nearly always one."""
    first, last = preview.readings[0], preview.readings[-1]
    is_first = class_problem(last) is not None and class_problem(first) is None
    return (first if is_first else last).column.name


def not_here(storage: Storage, table: PublishedTable) -> dict[str, str]:
    """Return the data sets of a table that are neither stored nor in the catalogue without a network: key and advice."""
    wanted = {experiment.dataset.key: experiment.dataset for experiment in table.experiments()}
    records = storage.list_datasets()
    entries = catalogue()
    return {
        key: _advice(dataset, "it is in OpenML" if key in entries else "it is not in the catalogue")
        for key, dataset in wanted.items()
        if not (key in entries and entries[key].here) and _stored_record(dataset, records) is None
    }


def _stored_record(wanted: PaperDataset, records: Iterable[DatasetRecord]) -> DatasetRecord | None:
    origin = wanted.origin
    names = {_bare(name) for name in (wanted.key, wanted.name, *origin.files)}
    shape = (origin.rows, origin.attributes, origin.classes)
    for record in records:
        if _bare(record.name) in names and (record.rows, record.nominal + record.numeric, record.classes) == shape:
            return record
    return None


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _advice(wanted: PaperDataset, why: str) -> str:
    origin = wanted.origin
    files = f"{origin.train_file}.csv and {origin.test_file}.csv" if origin.train_file else f"{wanted.key}.csv"
    return (
        f"{why}; put {files} into a folder and name it with --data, or upload a data set called {wanted.key} with "
        f"{origin.rows:,} examples and {origin.attributes} attributes"
    )


def plan_table(
    table: PublishedTable, scale: float, data: PaperData, datasets: Sequence[str] | None = None
) -> tuple[list[Planned], dict[str, str]]:
    """Return the experiments behind a table, cheap ones first, and why data sets are not to be had, by key.

    Parameters
    ----------
    scale : float
        Published repeats times this are run, in (0, 100].
    datasets : sequence of str, optional
        Keys of those to run; all by default.

    Raises
    ------
    InvalidParameter
        The scale is out of range, or the table has no such data set.
    """
    if not 0.0 < scale <= _LARGEST_SCALE:
        raise InvalidParameter(f"papers: scale must be above 0 and up to {_LARGEST_SCALE:g}, got {scale:g}")
    known = dict.fromkeys(number.dataset for number in table.numbers)
    if unknown := [key for key in datasets or () if key not in known]:
        raise InvalidParameter(f"papers: {table.key} has no data set {unknown[0]}; there are {', '.join(known)}")
    planned, missing = [], {}
    for experiment in table.experiments():
        key = experiment.dataset.key
        if datasets is not None and key not in datasets:
            continue
        found = data.find(experiment)
        if isinstance(found, str):
            missing[key] = found
        else:
            planned.append(Planned(experiment, scale, experiment.config(scale, *found)))
    return sorted(planned, key=lambda one: one.cost), missing


def launch(storage: Storage, planned: Planned, runner: str | None = None) -> ExperimentRecord:
    """Put an experiment in line for the next worker, or into the hands of `runner`; one that is there already goes on.

    One that ended too soon and that only others may change stays as it is: a new one takes over the trials that it has.

    Raises
    ------
    StorageError
        Another program is running it, and `runner` wants to.
    """
    record = storage.find_experiment(planned.config)
    if record is not None and (record.state == "finished" or (runner is None and not record.is_final)):
        return record
    if record is None or not may_change(storage.actor, record.user_id):
        return storage.create_experiment(
            planned.config,
            n_trials=planned.trials,
            runner=runner,
            tags=[planned.experiment.table],
            extends=None if record is None else record.id,
            visibility=default_visibility(),
        )
    return storage.reopen_experiment(record.id) if runner is None else take_over(storage, record.id, runner)


def find_runs(storage: Storage, experiments: Iterable[Experiment], scale: float) -> dict[str, ExperimentRecord]:
    """Return what was launched of experiments at a scale, the newest each, by `Experiment.key`; data are not looked at."""
    by_name = {experiment.title(scale): experiment for experiment in experiments}
    found: dict[str, ExperimentRecord] = {}
    for record in storage.list_experiments(limit=_MOST_RUNS, names=by_name):
        experiment = by_name[record.name]
        if record.readable is not None and experiment.is_run_by(record.readable, scale):
            found.setdefault(experiment.key, record)
    return found


def load_table(storage: Storage, planned: Iterable[Planned]) -> Mapping[str, Results]:
    """Return what there is of experiments, by `Experiment.key`: the largest scale that has finished, else the smallest."""
    best: dict[str, ExperimentRecord] = {}
    for one in sorted(planned, key=lambda one: one.scale):
        record = storage.find_experiment(one.config)
        if record is not None and (record.state == "finished" or one.experiment.key not in best):
            best[one.experiment.key] = record
    return {key: storage.load_results(record.id, with_curves=False) for key, record in best.items()}
