"""By which words an experiment is found, and how well its learners did: what the table of experiments searches and shows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ensembles.data.names import clean_text
from ensembles.errors import InvalidInput
from ensembles.experiments.config import DatasetRef, ExperimentConfig, GivenSplit, Prequential
from storage.columns import to_null

__all__ = ["bare_tag", "best_of", "checked_notes", "checked_tags", "scores_of", "words_of"]

_LONGEST_TAG, _MOST_TAGS, _LONGEST_NOTES = 30, 10, 20_000
_AS_MUCH = 1 - 1e-9  # of means of the same ratio over other numbers of trials
_TAG = re.compile(r"[\w.+/-]+")


def words_of(config: ExperimentConfig, names: Mapping[str, str] | None = None) -> list[dict[str, str]]:
    """Return `kind`, `word` and `label` of everything an experiment is found by but its tags, which come later.

    Parameters
    ----------
    names : mapping, optional
        What stored data sets are called, by content hash: for a test set that the experiment gives no name.
    """
    found = {("dataset", reference.key or reference.content): reference.label for reference in config.datasets}
    for learner in config.learners:
        found["method", learner.method] = learner.entry.name
        if learner.base is not None and learner.base_entry is not None:
            found["base", learner.base] = learner.base_entry.name
    kind, name, others = config.protocol.kind, config.protocol.name, config.protocol.told_apart
    told = ", ".join([name, *others])
    if isinstance(config.protocol, GivenSplit) and (test := config.protocol.test_sha256) is not None:
        reference = DatasetRef(sha256=test, name=config.protocol.test_name or (names or {}).get(test))
        found["dataset", reference.content] = reference.label
        told = f"{name}, {reference.label} ({', '.join(others)})"
    found["protocol", kind] = name
    found["task", ", ".join([kind, *others])] = told
    return [{"kind": kind, "word": word, "label": label} for (kind, word), label in found.items()]


def scores_of(config: ExperimentConfig, trials: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the error of each learner on each data set: its mean and spread over splits.

    Parameters
    ----------
    trials : DataFrame
        Those that did not fail, as `read_trials` returns them.
    """
    frame = trials[["dataset", "learner", "repeat", "fold"]].assign(
        error=1.0 - trials.get("accuracy", np.nan),
        ratio=trials["n_test"] / trials["n_train"].clip(lower=1),
        seconds=trials["fit_cpu_seconds"] + trials["predict_cpu_seconds"].fillna(0.0),
    )
    frame = frame[frame["error"].notna()]
    by_split = frame.groupby(["dataset", "learner", "repeat", "fold"])["error"].mean()
    splits = by_split.groupby(level=[0, 1]).agg(["mean", "std", "count"])
    others = frame.groupby(["dataset", "learner"]).agg({"ratio": "mean", "seconds": "median"})
    return [
        {
            "dataset": one["dataset"],
            "learner": one["learner"],
            "data": config.datasets[one["dataset"]].content,
            "settings": config.learners[one["learner"]].canonical,
            "error": one["mean"],
            "spread": to_null(one["std"]),
            "splits": one["count"],
            "ratio": one["ratio"],
            "cpu_seconds": to_null(one["seconds"]),
        }
        for one in splits.join(others).reset_index().to_dict(orient="records")
    ]


def best_of(config: ExperimentConfig, scores: Sequence[Mapping[str, Any]]) -> tuple[int | None, float | None]:
    """Return the learner with the lowest mean error over data sets, of those with scores on the most of them, and it.

    Errors on a stream count of those that were asked about the most of it: those of learners that learn its head first are
    of other examples.
    """
    asked: dict[int, float] = defaultdict(float)
    for one in scores if isinstance(config.protocol, Prequential) else ():
        asked[one["dataset"]] = max(asked[one["dataset"]], one["ratio"])
    errors: dict[int, list[float]] = defaultdict(list)
    for one in scores:
        if one["ratio"] >= _AS_MUCH * asked[one["dataset"]]:
            errors[one["learner"]].append(one["error"])
    complete = max(map(len, errors.values()), default=0)
    means = [(sum(own) / complete, learner) for learner, own in errors.items() if len(own) == complete]
    if not means:
        return None, None
    error, learner = min(means)
    return learner, error


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags in lower case, sorted, each once.

    Raises
    ------
    InvalidInput
        More than 10, one that is longer than 30 characters, or one with other signs than letters, digits and `. + / - _`.
    """
    found = sorted(set(map(bare_tag, tags)) - {""})
    if len(found) > _MOST_TAGS:
        raise InvalidInput(f"tags: there may be at most {_MOST_TAGS}, got {len(found)}")
    for tag in found:
        if len(tag) > _LONGEST_TAG:
            raise InvalidInput(
                f"tags: each must have at most {_LONGEST_TAG} characters, got {len(tag)} in {tag[:40]!r}"
            )
        if not _TAG.fullmatch(tag):
            raise InvalidInput(f"tags: each must be a word of letters, digits and . + / - _, got {tag!r}")
    return tuple(found)


def bare_tag(tag: str) -> str:
    """Return a tag as it is stored and looked for, however it was typed."""
    return clean_text(tag).strip().lower()


def checked_notes(notes: str) -> str:
    """Return notes with what a database cannot keep taken out; raise `InvalidInput` above 20,000 characters."""
    cleaned = "\n".join(clean_text(line) for line in notes.splitlines()).strip()
    if len(cleaned) > _LONGEST_NOTES:
        raise InvalidInput(f"notes: must have at most {_LONGEST_NOTES:,} characters, got {len(cleaned):,}")
    return cleaned
