"""What libraries keep out of NumPy arrays is counted as they write it down."""

import numpy as np
import pytest

from ensembles.data.encoding import encode_frame
from ensembles.evaluation.predictions import Predictions
from ensembles.evaluation.scores import model_bytes
from ensembles.evaluation.trained_model import TrainedModel
from tests.examples import random_examples
from tests.methods.test_ready import made


@pytest.mark.parametrize("key", ["xgboost", "lightgbm", "catboost"])
def test_bytes_of_a_library_are_those_of_its_model(key, tmp_path):
    X, y, _ = random_examples(11, n=200)
    model = made(key).fit(X, y)
    larger = made(key).set_params(n_estimators=10).fit(X, y)
    assert 1000 < model.model_bytes_outside_ < larger.model_bytes_outside_ < 3 * model.model_bytes_outside_
    if key != "catboost":  # written to a file, it is the same, with an end of line at most
        path = tmp_path / "model.ubj"
        (model.estimator_.booster_ if key == "lightgbm" else model.estimator_.get_booster()).save_model(str(path))
        assert abs(path.stat().st_size - model.model_bytes_outside_) <= 1
    trained = TrainedModel(model, encode_frame(X), y, encode_frame(X), y, np.arange(200))
    predictions = Predictions(y, y, 3, trained=trained)
    assert model.model_bytes_outside_ < model_bytes(predictions) < model.model_bytes_outside_ + 3000
    assert made(key).fit(X, ["a"] * 200).model_bytes_outside_ == 0
