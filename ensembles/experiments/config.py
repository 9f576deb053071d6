"""An experiment as a document: what a page writes, the command line reads and the results page offers for download."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ValidationError, model_validator

from ensembles.errors import InvalidConfig
from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.measures import MEASURES
from ensembles.experiments.dataset_labels import dataset_labels
from ensembles.experiments.dataset_ref import DatasetRef
from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.learner_spec import FORMAT, LearnerSpec
from ensembles.experiments.protocol_spec import (
    PROTOCOLS,
    BiasVariance,
    CrossValidation,
    GivenSplit,
    Holdout,
    Prequential,
    Protocol,
)
from ensembles.experiments.sweeps import swept
from ensembles.experiments.yaml_io import (
    Document,
    check_name,
    checked,
    plain,
    problem,
    read_yaml,
    sentences,
    shown,
    write_yaml,
)
from ensembles.parameters import Integer

__all__ = [
    "FORMAT",
    "PROTOCOLS",
    "BiasVariance",
    "CrossValidation",
    "DatasetRef",
    "ExperimentConfig",
    "GivenSplit",
    "Holdout",
    "LearnerSpec",
    "Prequential",
    "Protocol",
    "check_config",
]

_SEED = Integer("seed", 1, "Seed", "The same seed gives the same splits, orders and numbers.", 0, 2**32 - 1)
_LONGEST_LIST = 1000


def _listed(value: Any) -> Any:
    # Before the items are looked at: a list whose items are all refused is not also one that is too short.
    if not isinstance(value, list | tuple):
        raise problem(f"must be a list, got {shown(value)}")
    if not 1 <= len(value) <= _LONGEST_LIST:
        raise problem(f"must have 1 to {_LONGEST_LIST:,} entries, got {len(value):,}")
    return value


def _expanded(value: Any) -> Any:
    """Return learners, those that lists of values stand for in the place of each entry."""
    each = (one for entry in _listed(value) for one in swept(entry))
    learners = list(islice(each, _LONGEST_LIST + 1))
    if len(learners) > _LONGEST_LIST:
        raise problem(f"must be at most {_LONGEST_LIST:,}, lists of values stand for more")
    return learners


def _checked_format(value: Any) -> int:
    if isinstance(value, bool) or value not in range(1, FORMAT + 1):
        raise InvalidConfig(
            f"format: must be an integer in [1, {FORMAT}], got {shown(value)}; a newer version wrote it?"
        )
    return int(value)


_Listed = BeforeValidator(_listed)
_Expanded = BeforeValidator(_expanded)


def _one_of(known: Mapping[str, Any]) -> BeforeValidator:
    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in known:
            raise problem(f"must be one of {', '.join(known)}, got {shown(value)}")
        return value

    return BeforeValidator(check)


def _asked_for(value: Any) -> Any:
    takers = [kind for kind, protocol in PROTOCOLS.items() if isinstance(value, str) and value in protocol.own_measures]
    if takers and value not in MEASURES:
        raise problem(f"{value} is taken by the protocol {takers[0]} by itself; leave it out")
    return value


def check_config(owner: str, config: object) -> None:
    """Raise `InvalidConfig` unless `config` is an experiment."""
    if not isinstance(config, ExperimentConfig):
        raise InvalidConfig(f"{owner}: must be given an ExperimentConfig (from_dict, from_yaml), got {shown(config)}")


class ExperimentConfig(Document):
    """Data sets x learners x protocol, with one seed.

    Build it with `from_yaml` or `from_dict`: they raise `InvalidConfig` with one sentence a problem, one a line. A document
    says its `format`; one that says none is of the first. What was written in an earlier one goes on meaning the same:
    settings that it leaves open have the defaults of that time.
    """

    name: Annotated[str, BeforeValidator(check_name)]
    seed: Annotated[int, checked(_SEED)] = _SEED.default
    datasets: Annotated[tuple[DatasetRef, ...], _Listed]
    learners: Annotated[tuple[LearnerSpec, ...], _Expanded]
    protocol: Protocol = CrossValidation()
    measures: Annotated[tuple[Annotated[str, _one_of(MEASURES), BeforeValidator(_asked_for)], ...], _Listed] = (
        "accuracy",
    )
    curves: tuple[Annotated[str, _one_of(CURVES)], ...] = ()

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """Read an experiment file.

        Raises
        ------
        InvalidConfig
            One sentence a problem, each on its own line and naming its field ("learners[1]: ...").
        """
        return cls.from_dict(read_yaml(text))

    @classmethod
    def from_dict(cls, document: Any, *, stored: bool = False) -> Self:
        """Read the values of an experiment file, or what a program made of numbers of NumPy, paths and tuples.

        Parameters
        ----------
        stored : bool
            Whether an installation stored it: earlier releases took names of data sets of any length.

        Raises
        ------
        InvalidConfig
            As `from_yaml`.
        """
        if not isinstance(document, Mapping):
            known = ", ".join(cls.model_fields)
            raise InvalidConfig(f"experiment: must have the fields {known}, got {shown(document)}")
        fields = plain(document)
        context = {"format": _checked_format(fields.pop("format", 1)), "handed_in": not stored}
        try:
            return cls.model_validate(fields, context=context)
        except ValidationError as error:
            raise InvalidConfig("\n".join(sentences(error, frozenset(PROTOCOLS)))) from None

    def to_dict(self, *, format: int = FORMAT, former_names: bool = False) -> dict[str, Any]:
        """Return plain values that `from_dict` reads back to an equal experiment.

        `format`: an earlier one, of which 1 says none: as earlier releases stored it, by which what these stored is found;
        `former_names`: parameters of learners have the names of the first releases.
        """
        context = {"format": format, "former_names": former_names}
        said = {"format": format} if format > 1 else {}
        return said | self.model_dump(mode="json", exclude_none=True, context=context)

    def to_yaml(self) -> str:
        """Return the experiment file; `from_yaml` reads it back to an equal experiment."""
        return write_yaml(self.to_dict())

    def labels(self) -> tuple[str, ...]:
        """Return what people read for each learner: what differs between them is named, no two are alike."""
        return learner_names(self.learners)

    def dataset_labels(self) -> tuple[str, ...]:
        """Return what people read for each data set, no two alike. May be text of a user."""
        return dataset_labels(self.datasets)

    @model_validator(mode="after")
    def _refuse_twins(self) -> Self:
        named = {
            "datasets": [repr(dataset.model_dump()) for dataset in self.datasets],
            "learners": [learner.canonical for learner in self.learners],
            "measures": list(self.measures),
            "curves": list(self.curves),
        }
        for field, items in named.items():
            for position, item in enumerate(items):
                if (first := items.index(item)) < position:
                    raise problem(f"{field}[{position}] is the same as {field}[{first}]; each may be there once")
        return self

    @model_validator(mode="after")
    def _check_given_split(self) -> Self:
        if isinstance(self.protocol, GivenSplit) and len(self.datasets) > 1:
            raise problem(f"protocol: a given test set goes with one data set, got {len(self.datasets)}")
        return self

    @model_validator(mode="after")
    def _check_offered(self) -> Self:
        kind = self.protocol.kind
        asked = {
            "measures": (self.measures, self.protocol.offered_measures()),
            "curves": (self.curves, self.protocol.offered_curves()),
        }
        for field, (keys, offered) in asked.items():
            for position, key in enumerate(keys):
                if key not in offered:
                    known = ", ".join(offered) or "none"
                    raise problem(f"{field}[{position}]: {key} does not go with the protocol {kind}; there are {known}")
        return self

    @model_validator(mode="after")
    def _check_online(self) -> Self:
        if isinstance(self.protocol, Prequential):
            batch = [
                f"{label} (learners[{position}])"
                for position, (learner, label) in enumerate(zip(self.learners, self.labels(), strict=True))
                if not learner.online
            ]
            if batch:
                raise problem(
                    f"protocol: prequential needs learners that learn online, example by example; "
                    f"{', '.join(batch)} {'sees' if len(batch) == 1 else 'see'} all examples at once"
                )
        return self
