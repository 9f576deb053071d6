"""The protocol of streams: test, then train."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from ensembles.evaluation.measures import MEASURES
from ensembles.experiments.protocol_base import ORDERS, AnyProtocol, orders_in_words
from ensembles.experiments.yaml_io import checked
from ensembles.parameters import Flag, Integer, Parameter, Real

__all__ = ["Prequential"]

_STREAM_CURVES = ("prequential_error", "member_errors", "predictions")
_STREAM_ORDERS = Integer("orders", 5, ORDERS.label, "Orders in which the stream is run.", ORDERS.low, ORDERS.high)
_SHUFFLE = Flag(
    "shuffle", True, "Shuffled", "Each order is a random one; otherwise the only order is that of the data."
)
_FINAL = Real(
    "final_fraction", 0.2, "Final part", "Share of the stream over which final accuracy is taken.", 0.0, 1.0, True
)
_EXAMPLES = Integer(
    "examples", 0, "Examples", "How many examples of the stream are used at most; 0: all there are.", 0, 10**12
)
_DELAY = Integer(
    "label_delay",
    0,
    "Label delay",
    "How many more examples are predicted before the label of an example comes and is learned.",
    0,
    1_000_000,
)
_LABELS = Real(
    "label_share",
    1.0,
    "Share of labels",
    "Share of the examples whose label ever comes, drawn by the seed.",
    0.0,
    1.0,
    True,
)
#: Settings that came later than others, by default: documents and keys of trials do not say the default.
_LATER: dict[str, Any] = {parameter.name: parameter.default for parameter in (_EXAMPLES, _DELAY, _LABELS)}


class Prequential(AnyProtocol):
    """Each example of a stream is predicted, then learned (thesis, figure 3.11; Jung et al. look at its last fifth).

    Labels may come late or not at all: verification latency (Žliobaitė, Bifet, Read, Pfahringer & Holmes 2015; Grzenda,
    Gomes & Bifet 2020). Settings that leave things as they were are no part of a document.
    """

    name: ClassVar[str] = "Prequential"
    parameters: ClassVar[tuple[Parameter, ...]] = (_STREAM_ORDERS, _FINAL, _SHUFFLE, _EXAMPLES, _DELAY, _LABELS)
    own_measures: ClassVar[tuple[str, ...]] = ("accuracy", "final_accuracy")
    unsaid: ClassVar[tuple[str, ...]] = tuple(_LATER)
    own_curves: ClassVar[tuple[str, ...]] = ("predictions",)  # whether each was right: `right_or_wrong.py`

    kind: Literal["prequential"] = "prequential"
    orders: Annotated[int, checked(_STREAM_ORDERS)] = _STREAM_ORDERS.default
    shuffle: Annotated[bool, checked(_SHUFFLE)] = _SHUFFLE.default
    final_fraction: Annotated[float, checked(_FINAL)] = _FINAL.default
    examples: Annotated[int, checked(_EXAMPLES)] = _EXAMPLES.default
    label_delay: Annotated[int, checked(_DELAY)] = _DELAY.default
    label_share: Annotated[float, checked(_LABELS)] = _LABELS.default

    @model_serializer(mode="wrap")
    def _without_defaults(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if name not in _LATER or value != _LATER[name]}

    def n_used(self, n_examples: int | None) -> int:
        """Return how many examples of a stream of so many are used; None: of one without end."""
        return min(n for n in (self.examples or None, n_examples) if n is not None)

    @property
    def sentence(self) -> str:
        """What people read: "prequential, 5 orders"."""
        orders = [orders_in_words(self.orders)] if self.shuffle else []
        return ", ".join(["prequential", *orders, *self.told_apart])

    @property
    def told_apart(self) -> tuple[str, ...]:
        """See `AnyProtocol`."""
        said = {
            "in the order of the data": not self.shuffle,
            f"at most {self.examples:,} examples": self.examples > 0,
            f"labels {self.label_delay:,} examples late": self.label_delay > 0,
            f"{100 * self.label_share:.4g} % of the labels": self.label_share < 1.0,
        }
        return tuple(words for words, is_so in said.items() if is_so)

    @property
    def splits(self) -> tuple[int, int]:
        """Repeats, and folds in each."""
        return 1, 1

    def split_settings(self) -> dict[str, Any]:
        """Return what defines one run of the stream, whatever the number of orders."""
        later = {name: getattr(self, name) for name, default in _LATER.items() if getattr(self, name) != default}
        return {"kind": self.kind, "shuffle": self.shuffle, "final_fraction": self.final_fraction, **later}

    @classmethod
    def offered_measures(cls) -> tuple[str, ...]:
        """Return the keys of the measures that an experiment may ask for: there is no test set to compare members on."""
        return tuple(key for key, measure in MEASURES.items() if measure.group != "Diversity of the members")

    @classmethod
    def offered_curves(cls) -> tuple[str, ...]:
        """Return the keys of the curves that an experiment may ask for."""
        return _STREAM_CURVES
