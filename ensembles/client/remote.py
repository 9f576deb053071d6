"""Experiments and data sets that are elsewhere."""

import io
import time
import zipfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Self

import pandas as pd

from ensembles.client.connection import Connection
from ensembles.errors import InvalidConfig, InvalidInput

if TYPE_CHECKING:
    from ensembles.experiments.model import Model

__all__ = ["RemoteDataset", "RemoteExperiment", "Visibility"]

Visibility = Literal["private", "team", "link"]

_FINAL = frozenset({"finished", "cancelled", "failed"})
_COMING = frozenset({"waiting", "running"})
_PLACE = ("dataset", "learner", "of_trial")
_FIRST_POLL, _LONGEST_POLL = 0.2, 3.0


class RemoteExperiment:
    """An experiment of an Ensemble Lab, as it stood when it was last asked.

    Attributes
    ----------
    id : str
    facts : dict
        All that is known of it, as `GET /api/v1/experiments/{id}` answers.
    """

    def __init__(self, connection: Connection, facts: dict[str, Any]) -> None:
        self._connection, self.facts = connection, facts
        self.id: str = facts["id"]

    def __repr__(self) -> str:
        return (
            f"<{self.facts['name']} ({self.id}): {self.state}, {self.facts['done']} of {self.facts['trials']} trials>"
        )

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.facts["name"])

    @property
    def state(self) -> str:
        """`waiting`, `running`, `cancelling`, `finished`, `cancelled` or `failed`."""
        return str(self.facts["state"])

    @property
    def url(self) -> str:
        """Address of its page."""
        return f"{self._connection.url}/results?experiment={self.id}"

    def refresh(self) -> Self:
        """Ask how it stands now."""
        self.facts = self._connection.read(self._path())
        return self

    def wait(
        self,
        timeout: float | None = None,
        on_progress: Callable[[int, int | None, float | None], object] | None = None,
    ) -> Self:
        """Wait until it has ended.

        Parameters
        ----------
        timeout : float, optional
            Seconds.
        on_progress : callable, optional
            Told whenever trials have ended: how many have, how many there will be, and an estimate of the seconds left;
            None for what is not known.

        Raises
        ------
        TimeoutError
            It has not ended in time; it goes on.
        InvalidConfig
            It could not be run at all; the message says why.
        """
        pauses, told = _pauses(timeout), -1
        while True:
            self.refresh()
            if on_progress is not None and self.facts["done"] != told:
                told = self.facts["done"]
                on_progress(told, self.facts["trials"], self.facts["seconds_left"])
            if self.state == "failed":
                raise InvalidConfig(f"{self.name} ({self.id}) could not be run: {self.facts['message']}")
            if self.state in _FINAL:
                return self
            if next(pauses, None) is None:
                raise TimeoutError(f"{self.name} ({self.id}) is {self.state}, not over after {timeout:g} s")

    def results(self) -> pd.DataFrame:
        """Return how well learners did: one row for each data set, learner and measure.

        Returns
        -------
        DataFrame
            Columns `dataset`, `learner` (what people read), `method`, `base`, `key`, `measure`, `mean`, `sd` (over trials)
            and `n` (trials); NaN for what is not known.
        """
        found = self.summary()["results"]
        rows = [{**cell, **cell["learner"], "learner": cell["learner"]["label"]} for cell in found]
        columns = ["dataset", "learner", "method", "base", "key", "measure", "mean", "sd", "n"]
        return pd.DataFrame(rows, columns=columns).astype({"mean": float, "sd": float})

    def summary(self) -> dict[str, Any]:
        """Return what `python -m runner run --json` prints."""
        return dict(self._connection.read(self._path("/results")))

    def trials(self) -> pd.DataFrame:
        """Return every trial that has ended as a row, as the page *Trials* shows them; to the last bit."""
        answer = self._connection.ask("GET", self._path("/export"), params={"format": "parquet"})
        return pd.read_parquet(io.BytesIO(answer.content))

    def model(
        self,
        learner: str | None = None,
        dataset: str | None = None,
        *,
        of_trial: bool = False,
        timeout: float | None = None,
    ) -> "Model":
        """Have a learner trained on all examples of a data set, wait for it, and return the model.

        Parameters
        ----------
        learner, dataset : str, optional
            As results show them, or their keys; left out where there is only one.
        of_trial : bool
            What the trial of the first order on a stream has ended with, or come to by its last snapshot, without training.
        timeout : float, optional
            Seconds.

        Raises
        ------
        NotFound
            The data set is hidden from you, or the trial has left neither model nor snapshot.
        InvalidInput
            No such learner or data set, or it could not be trained.
        TimeoutError
            It is not there in time; it comes nevertheless.
        """
        from ensembles.experiments.model import model_from_bytes  # takes longer than all that is asked for otherwise

        with zipfile.ZipFile(
            io.BytesIO(self.model_file(learner, dataset, of_trial=of_trial, timeout=timeout))
        ) as package:
            return model_from_bytes(package.read("model.skops"))

    def model_file(
        self,
        learner: str | None = None,
        dataset: str | None = None,
        *,
        of_trial: bool = False,
        timeout: float | None = None,
    ) -> bytes:
        """Return the same as a ZIP file with a card and an example; parameters and errors are those of `model`."""
        wanted = {"learner": learner, "dataset": dataset, "of_trial": of_trial}
        answer = self._connection.ask("POST", self._path("/models"), params=wanted)
        facts: dict[str, Any] = self._connection.plain(answer)
        place = [facts[name] for name in _PLACE]
        what = f"{facts['learner_label']} on {facts['dataset_label']}"
        pauses = _pauses(timeout)
        while facts["state"] in _COMING:
            if next(pauses, None) is None:
                raise TimeoutError(f"the model of {what} is {facts['state']}, not there after {timeout:g} s")
            models = self._connection.read(self._path("/models"))
            facts = next((one for one in models if [one[name] for name in _PLACE] == place), {"state": "gone"})
        if facts["state"] == "failed":
            raise InvalidInput(f"{what} could not be trained: {facts['message']}")
        return self._connection.ask("GET", self._path("/models/file"), params=wanted).content

    def cancel(self) -> Self:
        """Ask for its end; trials that have ended stay."""
        return self._act("/cancel")

    def pause(self) -> Self:
        """Let nobody run it until it is resumed."""
        return self._act("/pause")

    def resume(self) -> Self:
        """Let it go on."""
        return self._act("/resume")

    def restore(self) -> Self:
        """Take it out of the bin."""
        return self._act("/restore", again=False)

    def rename(self, name: str) -> Self:
        """Give it another name."""
        return self._act("/rename", name=name)

    def set_visibility(self, visibility: Visibility) -> Self:
        """Say who sees it, besides its owner."""
        return self._act("/visibility", visibility=visibility)

    def set_priority(self, priority: int) -> Self:
        """Let it go before others, or behind them: from -2 to 2, each step doubles its share; above 0 is for admins."""
        return self._act("/priority", priority=priority)

    def reopen(self, *, retry: bool = False, from_snapshots: bool = False) -> Self:
        """Let it go on with its missing trials when it is over; with `retry`, with those that failed too.

        Streams that failed begin anew then, or, `from_snapshots`, go on where these were taken.
        """
        return self._act("/reopen", again=False, retry=retry, from_snapshots=from_snapshots)

    def delete(self) -> None:
        """Put it into the bin."""
        self._connection.ask("DELETE", self._path(), again=False)

    def _act(self, action: str, again: bool = True, **params: Any) -> Self:
        answer = self._connection.ask("POST", self._path(action), again=again, params=params)
        self.facts |= self._connection.plain(answer)
        return self

    def _path(self, part: str = "") -> str:
        return f"/experiments/{self.id}{part}"


def _pauses(timeout: float | None) -> Iterator[float]:
    """Make pauses, longer and longer ones, until so many seconds are over; give how long each of them was."""
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = _FIRST_POLL
    while (left := pause if deadline is None else min(pause, deadline - time.monotonic())) > 0:
        time.sleep(left)
        yield left
        pause = min(pause * 1.5, _LONGEST_POLL)


class RemoteDataset:
    """A data set that is stored in an Ensemble Lab.

    Attributes
    ----------
    sha256 : str
        Hash of its content: documents name it `{sha256: ...}`.
    facts : dict
        All that is known of it, as `GET /api/v1/datasets/{sha256}` answers.
    """

    def __init__(self, connection: Connection, facts: dict[str, Any]) -> None:
        self._connection, self.facts = connection, facts
        self.sha256: str = facts["sha256"]

    def __repr__(self) -> str:
        return f"<{self.name}: {self.facts['rows']} examples, {self.facts['classes']} classes, {self.sha256[:12]}>"

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.facts["name"])

    @property
    def reference(self) -> dict[str, Any]:
        """How a document names it."""
        attributes = self.facts["nominal"] + self.facts["numeric"]
        return {"sha256": self.sha256, "name": self.name, "rows": self.facts["rows"], "attributes": attributes}

    def to_frame(self) -> pd.DataFrame:
        """Return its examples, the class last."""
        answer = self._connection.ask("GET", f"/datasets/{self.sha256}/content", params={"format": "parquet"})
        return pd.read_parquet(io.BytesIO(answer.content))

    def delete(self) -> None:
        """Put it into the bin; not while experiments use it."""
        self._connection.ask("DELETE", f"/datasets/{self.sha256}", again=False)

    def restore(self) -> Self:
        """Take it out of the bin."""
        return self._act("/restore", again=False)

    def rename(self, name: str) -> Self:
        """Give it another name; experiments keep the one that they were launched with."""
        return self._act("/rename", name=name)

    def set_visibility(self, visibility: Visibility) -> Self:
        """Say who sees it, besides its owner."""
        return self._act("/visibility", visibility=visibility)

    def _act(self, action: str, again: bool = True, **params: Any) -> Self:
        answer = self._connection.ask("POST", f"/datasets/{self.sha256}{action}", again=again, params=params)
        self.facts = self._connection.plain(answer)
        return self
