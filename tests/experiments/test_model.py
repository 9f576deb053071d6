"""Models taken home: every learner comes back as it was, from files that run nothing, and takes raw tables."""

import numpy as np
import pytest

from ensembles import load_model
from ensembles.data import Dataset
from ensembles.data.dataset import frame_of
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.evaluation.object_file import write_objects
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.model import model_from_bytes
from ensembles.experiments.whole import learning_order, train_whole, whole_plan
from ensembles.libraries import lack_of
from ensembles.registry import make_learner, methods
from tests.examples import random_examples
from tests.pairs import first_base, learns_online, small
from tests.test_laws import PAIRS

FRAME, Y, _ = random_examples(4, n=60, n_classes=2)
DATA = Dataset("Drawn", encode_frame(FRAME), Y, ("no", "yes"), target="buys")
EVERY = [(m, b) for m, b in PAIRS if (m == "single" or b == first_base(m)) and lack_of(methods()[m].cls) is None]


def config_of(method="single", base="naive_bayes", protocol=None, **more):
    spec = LearnerSpec(method=method, base=base, settings=small(method, 3), **more)
    return ExperimentConfig(
        name="Home", seed=7, datasets=["car"], learners=[spec], protocol=protocol or {"kind": "cross_validation"}
    )


def trained(*args, dataset=DATA, **more):
    return train_whole(config_of(*args, **more), whole_plan(0, 0), dataset)


@pytest.mark.parametrize(("method", "base"), EVERY)
def test_a_model_is_that_of_fit_comes_back_the_same_and_goes_on_alike(method, base):
    config = config_of(method, base)
    model = train_whole(config, whole_plan(0, 0), DATA)
    by_hand = make_learner(method, base, settings=small(method, 3), random_state=model.facts["random_state"])
    by_hand.warns_if_stopped = False
    rows = learning_order(config, DATA, config.learners[0])
    by_hand.fit(DATA.X.iloc[rows], DATA.y[rows])
    assert (model.predict(FRAME) == by_hand.predict(FRAME)).all()
    assert (model.predict_proba(FRAME) == by_hand.predict_proba(FRAME)).all()
    again = model_from_bytes(model.to_bytes())
    assert (again.predict_proba(FRAME) == model.predict_proba(FRAME)).all()
    assert again.predict(FRAME).tolist() == model.predict(FRAME).tolist()
    if learns_online(method, base):
        for one in (model, again):
            one.partial_fit(FRAME[:20], DATA.y[:20])
        assert (again.predict_proba(FRAME) == model.predict_proba(FRAME)).all()
    else:
        with pytest.raises(InvalidParameter, match="it does not learn example by example, so train it anew"):
            again.partial_fit(FRAME, DATA.y)


@pytest.mark.parametrize("cell", [["a"], {"x": 1}, {1}, np.arange(2)], ids=["list", "dict", "set", "array"])
@pytest.mark.parametrize("name", ["n0", "m0"])
def test_a_cell_that_holds_several_values_is_refused_in_a_sentence(name, cell):
    rows = FRAME[:3].astype({name: object})
    rows.at[1, name] = cell
    with pytest.raises(InvalidData, match=f"attribute '{name}' must have one value in a cell, got .* in row 1"):
        trained().predict(rows)
    with pytest.raises(InvalidData, match=r"y must have one value in a cell, got .* in row 1"):
        trained("online_bagging").partial_fit(FRAME[:2], np.array(["no", cell], dtype=object))


def test_an_example_without_a_class_is_refused_and_nothing_is_learned():
    model = trained("online_bagging")
    before = model.predict_proba(FRAME)
    with pytest.raises(InvalidData, match="y must have a class for each example, got none in row 1"):
        model.partial_fit(FRAME[:2], ["no", None])
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.predict_proba(FRAME) == before).all()


def test_the_order_of_examples_is_drawn_where_it_matters():
    batch, online = config_of("bagging"), config_of("online_boosting")
    assert learning_order(batch, DATA, batch.learners[0]).tolist() == [*range(60)]
    drawn = learning_order(online, DATA, online.learners[0])
    assert drawn.tolist() != [*range(60)]
    assert sorted(drawn) == [*range(60)]
    as_it_is = {"kind": "prequential", "shuffle": False, "examples": 50}
    stream = config_of("online_boosting", protocol=as_it_is)
    assert learning_order(stream, DATA, stream.learners[0]).tolist() == [*range(50)]


def test_an_encoder_comes_along():
    model = trained(encode={"numeric": "entropy"})
    again = model_from_bytes(model.to_bytes())
    assert (again.predict_proba(FRAME) == model.predict_proba(FRAME)).all()
    encoder = config_of(encode={"numeric": "entropy"}).learners[0].make_encoder().fit(DATA.table, DATA.labels)
    by_hand = make_learner("single", "naive_bayes").fit(encoder.transform(DATA.table), DATA.y)
    assert (model.predict_proba(FRAME) == by_hand.predict_proba(encoder.transform(DATA.table))).all()


def test_values_that_an_encoder_does_not_know_are_learned_as_missing():
    new, gap = (FRAME.astype({"n0": object}).assign(n0=[value] * 30 + ["a"] * 30) for value in ("NEW", None))
    one, other = (trained(base="hoeffding_tree", encode={"numeric": "scale"}) for _ in range(2))
    assert (
        one.partial_fit(new, DATA.y).predict_proba(FRAME) == other.partial_fit(gap, DATA.y).predict_proba(FRAME)
    ).all()


class Streamed:
    """The examples of a data set, some at a time."""

    name, schema, classes, target, origin = "Drawn", DATA.table.schema, DATA.classes, "buys", ""
    n_examples, sha256 = 60, DATA.sha256

    def batches(self, start=0):
        for at in range(start, 60, 17):
            yield DATA.take(np.arange(at, min(at + 17, 60)))


def test_a_stream_is_passed_through_once():
    protocol = {"kind": "prequential", "shuffle": False, "examples": 50}
    whole, streamed = (trained("online_boosting", protocol=protocol, dataset=each) for each in (DATA, Streamed()))
    assert (streamed.predict_proba(FRAME) == whole.predict_proba(FRAME)).all()
    assert streamed.facts == whole.facts | {"examples": 50}
    assert trained(encode={"numeric": "scale"}, protocol=protocol, dataset=Streamed()).predict(FRAME).shape == (60,)


class Foreign:
    """Of no package that learners come from."""


def refused(path, content, match, packages=()):
    path.write_bytes(content)
    with pytest.raises(InvalidData, match=match) as told:
        load_model(path, packages)
    assert str(path) in str(told.value)


def test_files_of_others_are_refused_in_a_sentence(tmp_path):
    path, content = tmp_path / "model.skops", trained().to_bytes()
    refused(
        path,
        b"no file",
        "it must be a file that skops wrote, as `model.skops` in a downloaded ZIP file, and is none or",
    )
    refused(path, content[:-100], "it must be a file that skops wrote")
    refused(path, write_objects({"model": Foreign()}, ""), r"may hold objects of ensembles, .* got tests\.experiments")
    refused(path, write_objects({"model": Foreign()}, ""), "it must hold a model as it is exported here", ["tests"])
    refused(path, write_objects({"model": print}, ""), "got builtins.print")
    for function in (load_model, make_learner):  # what is called may do anything
        refused(path, write_objects({"model": function}, ""), "may hold objects of ensembles")
    with pytest.raises(InvalidData, match=r"absent\.skops: cannot be read \(No such file"):
        load_model(tmp_path / "absent.skops")
    with pytest.raises(InvalidParameter, match=r"^save: path must be that of a file, got None$"):
        model_from_bytes(content).save(None)
    with pytest.raises(
        InvalidParameter, match=r"^save: .*absent/model\.skops cannot be written \(No such file or directory\)$"
    ):
        model_from_bytes(content).save(tmp_path / "absent" / "model.skops")


def test_a_model_that_tells_something_else_here_is_refused(tmp_path):
    model = trained()
    model.save(tmp_path / "model.skops")
    assert (
        load_model(str(tmp_path / "model.skops")).predict(model.example).tolist()
        == model.predict(model.example).tolist()
    )
    other = write_objects({"model": trained("bagging"), "told": {"predicted": np.array(["maybe"] * 16)}}, "")
    refused(
        tmp_path / "model.skops",
        other,
        r"tells other classes here than where it was written; it was written with sources \w+, python 3",
    )
    vars(model.learner).clear()
    lost = write_objects({"model": model, "told": {"predicted": np.array(["yes"] * 16)}}, "")
    refused(tmp_path / "model.skops", lost, "its model cannot be asked here: ")


def test_what_cannot_be_kept_gets_a_sentence():
    model = trained()
    model.learner.extra_ = (number for number in range(3))
    with pytest.raises(InvalidData, match="single: its model cannot be kept in a file: "):
        model.to_bytes()


def test_examples_of_a_model_are_no_examples_of_the_data():
    model = trained()
    assert [*model.example.columns] == [*FRAME.columns]
    rows = {tuple(row) for row in frame_of(DATA.table).dropna().itertuples(index=False, name=None)}
    assert not rows & {*model.example.itertuples(index=False, name=None)}
    assert model.facts["attributes"][0] == {
        "name": "n0",
        "kind": "nominal",
        "values": 4,
        "categories": ["a", "b", "c", "d"],
    }
    assert model.classes_.tolist() == ["no", "yes"]
