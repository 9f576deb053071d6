"""Models and snapshots of other versions: members with other arrays are refused in a sentence before they are read."""

import json
import zipfile
from io import BytesIO

import pytest

from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData
from ensembles.evaluation.object_file import read_objects, write_objects
from ensembles.evaluation.snapshot import read_snapshot, write_snapshot
from ensembles.registry import make_learner
from tests.examples import random_examples

FRAME, Y, _ = random_examples(4, n=40, n_classes=2)
LEARNERS = [
    ("online_boosting", "naive_bayes", "NaiveBayesMembers"),
    ("online_bagging", "decision_tree", "LosslessMembers"),
]


def altered(content, alter):
    """Return a file of skops once `alter` has changed what its parts in JSON hold, by their names."""
    with zipfile.ZipFile(BytesIO(content)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    read = {name: json.loads(part) for name, part in parts.items() if name.endswith(".json")}
    alter(read)
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, part in (parts | {name: json.dumps(part).encode() for name, part in read.items()}).items():
            if name in read or not name.endswith(".json"):
                package.writestr(name, part)
    return file.getvalue()


def members_of(node, name):
    """Return the node of a named tuple below a node of skops."""
    if isinstance(node, dict) and node.get("__class__") == name:
        return node
    for below in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        if found := members_of(below, name):
            return found
    return None


def other_name(parts, members):
    """Give a field another name, and the version that wrote it."""
    layouts = parts["layouts.json"]["layouts"]
    fields = next(fields for name, fields in layouts.items() if name.endswith(members))
    fields[2] = "formerly"
    parts["layouts.json"]["versions"] = {"ensemble-lab": "0.7", "sources": "abc"}


def one_less(parts, members):
    """Take a field away, and what a file of today says of its fields."""
    del parts["layouts.json"]
    members_of(parts["schema.json"], members)["content"].pop()


@pytest.mark.parametrize(("method", "base", "members"), LEARNERS)
def test_other_fields_get_a_sentence(method, base, members):
    learner = make_learner(method, base, settings={"n_estimators": 2}, random_state=1).fit(encode_frame(FRAME), Y)
    model, snapshot = write_objects({"model": learner}, ""), write_snapshot({"learner": learner})
    read_objects(model), read_snapshot(snapshot)
    for alter, version in ((other_name, r"ensemble-lab 0\.7, sources abc"), (one_less, "an earlier one")):
        told = f"{method}: another version .* \\({version}\\), whose {members} hold other arrays than here"
        with pytest.raises(InvalidData, match=f"^{told}; train it again$"):
            read_objects(altered(model, lambda parts, alter=alter: alter(parts, members)))
        with pytest.raises(InvalidData, match=f"^it cannot go on from its snapshot: {told}; start it anew$"):
            read_snapshot(altered(snapshot, lambda parts, alter=alter: alter(parts, members)))


def test_a_file_without_names_of_fields_is_read_where_their_number_is_the_same():
    learner = make_learner("single", "naive_bayes").fit(encode_frame(FRAME), Y)
    earlier = altered(write_objects({"model": learner}, ""), lambda parts: parts.pop("layouts.json"))
    read = read_objects(earlier)["model"]
    assert (read.predict_proba(encode_frame(FRAME)) == learner.predict_proba(encode_frame(FRAME))).all()


def test_fields_that_cannot_be_read_are_damage():
    content = write_objects({"model": make_learner("single", "naive_bayes").fit(encode_frame(FRAME), Y)}, "")
    with pytest.raises(InvalidData, match=r"it must be a file that skops wrote, .* is none or damaged"):
        read_objects(altered(content, lambda parts: parts.update({"layouts.json": []})))
