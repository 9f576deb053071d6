"""What all protocols share."""

from __future__ import annotations

from typing import ClassVar

from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.measures import MEASURES
from ensembles.experiments.yaml_io import Document
from ensembles.parameters import Integer

__all__ = ["ORDERS", "AnyProtocol", "orders_in_words"]

ORDERS = Integer("orders", 5, "Orders", "Orders of the training examples, for learners where it matters.", 1, 1000)


class AnyProtocol(Document):
    """What protocols share.

    `own_measures` are taken, `own_curves` are kept, whether or not they are asked for. `unsaid` are settings that
    people read about only where they are not the default.
    """

    own_measures: ClassVar[tuple[str, ...]] = ("accuracy",)
    own_curves: ClassVar[tuple[str, ...]] = ()
    unsaid: ClassVar[tuple[str, ...]] = ()

    @property
    def told_apart(self) -> tuple[str, ...]:
        """What people read of settings without which errors are of another question: by these learners are ranked apart."""
        return ()

    @property
    def trainings(self) -> int:
        """How often one trial trains: its measures are means over these, its seconds their sum."""
        return 1

    @classmethod
    def offered_measures(cls) -> tuple[str, ...]:
        """Return the keys of the measures that an experiment may ask for."""
        return tuple(key for key, measure in MEASURES.items() if not measure.needs_order)

    @classmethod
    def offered_curves(cls) -> tuple[str, ...]:
        """Return the keys of the curves that an experiment may ask for."""
        return tuple(key for key in CURVES if key != "prequential_error")


def orders_in_words(orders: int) -> str:
    """Return "1 order" or "5 orders"."""
    return "1 order" if orders == 1 else f"{orders} orders"
