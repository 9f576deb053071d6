"""Things of an owner that others ask for, and what they get."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from ensembles.errors import Forbidden, NotFound
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Actor, ExperimentRecord, Storage, Visibility
from tests.storage.conftest import make_config, make_dataset

__all__ = ["ACTORS", "VISIBILITIES", "Call", "Desk", "Make", "Row", "Target"]

ACTORS = ("nobody", "link", "reader", "member", "owner", "other", "admin", "program")
VISIBILITIES: tuple[Visibility, ...] = ("private", "team", "link")


@dataclass(frozen=True)
class Row:
    """What each actor gets of something private, of the team, for all with its address; the same for all, if so."""

    private: str
    team: str = ""
    link: str = ""

    def expected(self, actor: str, visibility: Visibility) -> str:
        team = self.team or self.private
        rows = {"private": self.private, "team": team, "link": self.link or team}
        return rows[visibility][ACTORS.index(actor)]


class Target:
    """Something of the owner to ask for, made when it is asked for."""

    numbers = count(1)

    def __init__(self, people: dict[str, Storage], visibility: Visibility) -> None:
        self.people, self.owner, self.visibility = people, people["owner"], visibility
        self.experiments: list[str] = []  # what a link shows

    def numbered(self) -> ExperimentRecord:
        learner = {"method": "bagging", "base": "naive_bayes", "n_estimators": next(self.numbers) + 1}
        config = make_config(name="counted", learners=[learner], measures=["accuracy"])
        made = self.owner.create_experiment(config, tags=["counted"], visibility=self.visibility)
        self.experiments.append(made.id)
        return made

    def experiment(self) -> str:
        return self.numbered().id

    def finished(self) -> str:
        made, program = self.experiment(), self.people["program"]
        program.take_experiment(made, "me", 60.0)
        result = TrialResult("a" * 32, measures={"accuracy": 0.5}, n_train=10, n_test=10)
        program.save_trials(made, [(TrialPlan("a" * 32, 0, 0, 0, 0, 0), result)])
        program.finish(made, "finished", runner="me")
        return made

    def with_model(self) -> str:
        made, program = self.experiment(), self.people["program"]
        program.request_model(made, 0, 0)
        while (task := program.claim_model("me", 60.0)) is not None:
            program.save_model(task, "me", b"model", {})
        return made

    def single_dataset(self) -> str:
        self.made = make_dataset(n=10, seed=next(self.numbers))
        return self.owner.save_dataset(self.made, visibility=self.visibility).sha256

    def dataset(self) -> str:
        """Return a data set that another member holds too."""
        sha256 = self.single_dataset()
        self.people["other"].save_dataset(self.made, visibility="private")
        return sha256

    def binned(self) -> str:
        self.owner.delete_experiment(made := self.experiment())
        return made

    def binned_dataset(self) -> str:
        self.owner.delete_dataset(made := self.single_dataset())
        return made

    def binned_holding(self) -> str:
        """Return a data set that another member, who held it too, has deleted."""
        self.people["other"].delete_dataset(made := self.dataset())
        return made

    def comment(self) -> int:
        return self.owner.add_comment(self.experiment(), "Mine").id

    def preset(self) -> str:
        return self.owner.save_preset(f"Number {next(self.numbers)}", make_config()).name

    def link(self) -> tuple[int, str]:
        record, token = self.owner.create_link([self.experiment()], "results", "")
        return record.id, token

    def token(self) -> tuple[int, str]:
        record, token = self.owner.create_token("CI", ["read"])
        return record.id, token


Call = Callable[[Storage, Any], Any]
Make = Callable[[Target], Any]


class Desk:
    """Who asks, and what was made to be asked for: of what was refused or only read, it is asked again."""

    def __init__(self, people: dict[str, Storage], actor: str, visibility: Visibility) -> None:
        self.people, self.actor, self.visibility = people, actor, visibility
        self.made: dict[Make, tuple[Target, Any]] = {}

    def outcome(self, method: str, make: Make, call: Call) -> str:
        """Return `+`, `?` or `-`."""
        if make not in self.made:
            target = Target(self.people, self.visibility)
            self.made[make] = target, make(target)
        target, made = self.made[make]
        asking = self.people[self.actor]
        if self.actor == "link":
            asking = asking.acting_as(Actor("link", experiments=frozenset(target.experiments)))
        try:
            call(asking, made)
        except NotFound:
            return "?"
        except Forbidden:
            return "-"
        if not method.startswith(("get_", "list_", "load_", "open_")):
            del self.made[make]
        return "+"
