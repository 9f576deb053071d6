"""Compile every kernel once and leave it on the disk: `python -m ensembles.warm`, run while an image is built."""

import numpy as np

from ensembles.data.table import Attribute, Schema, Table
from ensembles.registry import base_models, make_learner, methods

__all__ = ["warm_up"]


def warm_up() -> int:
    """Train and ask every method with every base model on a few rows; return how many pairs that were."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    attributes = (Attribute("colour", "nominal", ("red", "blue")), Attribute("size", "numeric"))
    table = Table(Schema(attributes), rng.integers(-1, 2, (24, 1)).astype(np.int32), rng.normal(size=(24, 1)))
    pairs = [(method, base) for method, entry in methods().items() for base in entry.bases]
    for method, base in pairs:
        settings = {"n_estimators": 3} if method != "single" else {}
        model = make_learner(method, base, settings=settings, random_state=0).fit(table, y)
        model.predict(table)
        model.predict_proba(table)
    soft = make_learner("bagging", "naive_bayes", settings={"n_estimators": 3, "vote": "soft"}, random_state=0)
    soft.fit(table, y).predict(table)
    return len(pairs)


if __name__ == "__main__":
    print(f"compiled the kernels of {warm_up()} learners with {len(base_models())} base models")
