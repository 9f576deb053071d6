"""What people see of a learner besides what it does: the names that `dir` lists, and the page that tells of it."""

import os
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote_plus

from ensembles.parameters import Parameter

__all__ = ["Shown"]

#: What those read who write learners: `dir` of a learner leaves it out, so that it shows what its users ask for.
_FOR_AUTHORS = frozenset([
    "backfit_member", "binary", "binary_only", "classes_of", "ensure_capacity", "extend_schema", "fit_member", "fixed",
    "grid", "has_importances", "in_threads", "init_members", "intervals", "keeps_members", "kind", "learn_batch",
    "learns_online", "least_weight", "library", "long_blocks", "loss", "loss_timing", "lossless", "measures_errors",
    "most_values", "needs_classes", "needs_online_base", "one_hot", "only_bases", "order_matters", "output",
    "pieces_equal_whole", "position", "predict_late_then_learn", "predict_then_learn", "predicts_late",
    "predicts_while_learning", "prefix_decides", "probabilities_of", "purpose", "rows", "rows_alike", "rows_of", "settle",
    "size_of", "soft_votes", "start_stream", "stops_early", "stores_examples", "takes_base", "template", "usual_base",
    "votes_of", "warns_if_stopped", "weighted", "weights_count", "wraps",
])  # fmt: skip


class Shown:
    """What every learner shows of itself."""

    name: ClassVar[str]
    _declared: ClassVar[Mapping[str, Parameter]]

    #: Boxes of scikit-learn in notebooks link to what its guide for developers names these.
    _doc_link_module = "ensembles"

    @property
    def _doc_link_template(self) -> str:
        """Address of the learner's page in the application that `ENSEMBLE_LAB_URL` names; nothing where none is named."""
        address = os.environ.get("ENSEMBLE_LAB_URL", "").rstrip("/")
        return f"{address}/learners?learner={quote_plus(self.name)}" if address else ""

    def __dir__(self) -> list[str]:
        """Name what users of a learner ask for, without what only those need who write one."""
        return [name for name in super().__dir__() if name not in _FOR_AUTHORS or name in type(self)._declared]
