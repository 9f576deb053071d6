"""Members that answer from a script and write down with what weight they are shown each example."""

from typing import NamedTuple

import numpy as np

from ensembles.learners.core.protocol import Rows, finalize, learn_one, predict_one, predict_proba_one, reset

__all__ = ["ScriptedMembers", "scripted"]


class ScriptedMembers(NamedTuple):
    answers: np.ndarray  # (members, examples) class that member m gives for example i
    seen: np.ndarray  # (members, examples) weight with which it was shown


@reset.implement(ScriptedMembers)
def _begin(members, m):
    members.seen[m] = 0.0


@learn_one.implement(ScriptedMembers)
def _learn(members, m, rows, i, label, weight):  # noqa: ARG001
    members.seen[m, i] += weight


@finalize.implement(ScriptedMembers)
def _finalize(members, m):
    members.seen[m, 0] += 0.0


@predict_one.implement(ScriptedMembers)
def _predict_one(members, m, rows, i, work):  # noqa: ARG001
    return members.answers[m, i]


@predict_proba_one.implement(ScriptedMembers)
def _predict_proba_one(members, m, rows, i, work, out):  # noqa: ARG001
    for c in range(out.shape[0]):
        out[c] = 1.0 if members.answers[m, i] == c else 0.0


def scripted(answers):
    """Return members with these answers, shape (members, examples), and rows of as many examples."""
    answers = np.array(answers, dtype=np.int64)
    n = answers.shape[1]
    rows = Rows(np.zeros((n, 1), dtype=np.int32), np.zeros((n, 0)), np.zeros((0, 0), dtype=np.int32))
    return ScriptedMembers(answers, np.zeros(answers.shape)), rows
