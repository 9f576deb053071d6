"""A learner as an experiment file names it: a method, its base model, and their settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import Field, SerializationInfo, ValidationInfo, model_serializer, model_validator

from ensembles.errors import InvalidInput
from ensembles.experiments.yaml_io import Document, problem, shown
from ensembles.learners.core.attribute_encoder import AttributeEncoder
from ensembles.parameters import Parameter, Real, check_settings, with_defaults_of, with_names_of_today
from ensembles.registry import Entry, base_models, make_learner, methods, within_sentence

__all__ = ["FORMAT", "LearnerSpec"]

FORMAT = (
    3  #: of documents: there settings that are not mentioned have their defaults of today, before those of its time
)


class LearnerSpec(Document):
    """A learner of an experiment.

    In a file the settings stand beside the key they belong to:
    `{method: online_bagging, base: naive_bayes, n_estimators: 100}`,
    `{method: single, base: {key: naive_bayes, smoothing: 0.5}}`,
    `{method: bagging, base: naive_bayes, encode: {numeric: entropy}}`, and `{method: random_forest}` where the method has no
    base model.

    Attributes
    ----------
    method, base : str
        Keys of the registry; the base model of a method that can use a few only is the first of these unless given, and
        None if it can use none.
    base_settings, settings : dict of str to value
        Settings of the base model and of the method; what is not given keeps its default. Read from a document of an
        earlier format (`context={"format": 1}`), settings that have another default since then are given.
    encode : dict of str to value
        Settings of the `AttributeEncoder` that is fitted to the training examples; none: the learner sees the attributes
        as they are.
    """

    method: str
    base: str | None = None
    base_settings: dict[str, Any] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)
    encode: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _from_flat_form(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, dict):
            return value
        fields = {name: value[name] for name in ("method", "base") if name in value}
        for group in ("base_settings", "settings", "encode"):
            fields[group] = value.get(group, {})
            if not isinstance(fields[group], dict):
                raise problem(f"{group} must be fields with values, got {shown(fields[group])}")
        fields["settings"] = {**fields["settings"], **{k: v for k, v in value.items() if k not in cls.model_fields}}
        if isinstance(base := fields.get("base"), dict):
            if "key" not in base:
                raise problem(f"base must have a key, one of {', '.join(base_models())}, got {shown(base)}")
            fields["base"] = base["key"]
            fields["base_settings"] = {**fields["base_settings"], **{k: v for k, v in base.items() if k != "key"}}
        if fields.get("base") is None:
            fields["base"] = _usual_base(fields.get("method"))
        for group, known, key in (("settings", methods(), "method"), ("base_settings", base_models(), "base")):
            fields[group] = _as_of_today(
                known, fields.get(key), fields[group], (info.context or {}).get("format", FORMAT)
            )
        return fields

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.make(None)
            check_settings(AttributeEncoder.key, AttributeEncoder.parameters, self.encode)
        except InvalidInput as error:
            raise problem(str(error)) from None
        return self

    @model_serializer
    def _to_flat_form(self, info: SerializationInfo) -> dict[str, Any]:
        settings, base_settings = self.settings, self.base_settings
        wanted = info.context or {}
        form, former = wanted.get("format", FORMAT), bool(wanted.get("former_names"))
        if form < FORMAT:
            settings = _as_then(form, self.entry.parameters, settings, former_names=former)
            base_settings = _as_then(form, self.base_parameters, base_settings, former_names=former)
        base = {"key": self.base, **base_settings} if base_settings else self.base
        encode = {"encode": self.encode} if self.encode else {}
        return {"method": self.method, **({"base": base} if base else {}), **settings, **encode}

    def make(self, random_state: int | None) -> Any:
        """Return the learner, untrained."""
        return make_learner(
            self.method,
            self.base,
            base_settings=self.base_settings,
            settings=self.settings,
            random_state=random_state,
        )

    def make_encoder(self) -> AttributeEncoder | None:
        """Return the encoder, which has seen nothing; None if the learner sees the attributes as they are."""
        return AttributeEncoder(**self.encode) if self.encode else None

    @property
    def entry(self) -> Entry:
        """The method in the registry."""
        return methods()[self.method]

    @property
    def base_entry(self) -> Entry | None:
        """The base model in the registry; None where the method has none."""
        return None if self.base is None else base_models()[self.base]

    @property
    def base_parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the base model."""
        return self.base_entry.parameters if self.base_entry else ()

    @property
    def order_matters(self) -> bool:
        """Whether the order of the training examples changes the model: then a protocol runs it in several orders."""
        by_base = self.base_entry is not None and self.base_entry.order_matters
        return self.entry.order_matters or (self.entry.online and by_base)

    @property
    def online(self) -> bool:
        """Whether it learns example by example, so both its method and its base model do."""
        return hasattr(self.make(None), "partial_fit")

    @property
    def n_members(self) -> int:
        """Members it is allowed to build; 1 for a single model."""
        if (members := _declared(self.entry).get("n_estimators")) is None:
            return 1
        return int(self.settings.get("n_estimators", members.default))

    def with_members(self, n_members: int) -> LearnerSpec:
        """Return the same learner with another number of members; itself if it is a single model."""
        if "n_estimators" not in _declared(self.entry):
            return self
        return LearnerSpec(
            method=self.method,
            base=self.base,
            base_settings=self.base_settings,
            settings={**self.settings, "n_estimators": n_members},
            encode=self.encode,
        )

    @cached_property
    def canonical(self) -> str:
        """The learner as JSON, the same for every way to write it: a setting that has its default does not count.

        Seeds and keys of trials are made of it, so parameters keep the names and the defaults in it that they had when it
        was first made. `from_canonical` reads it.
        """
        plain: dict[str, Any] = {"method": self.method, "settings": _telling(self.entry.parameters, self.settings)}
        if self.base is not None:
            plain |= {"base": self.base, "base_settings": _telling(self.base_parameters, self.base_settings)}
        if encode := _telling(AttributeEncoder.parameters, self.encode):
            plain["encode"] = encode
        return json.dumps(plain, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_canonical(cls, text: str) -> Self:
        """Return the learner of which `canonical` tells.

        Raises
        ------
        ValueError
            It is none, or one that is not installed here.
        """
        return cls.model_validate(json.loads(text), context={"format": 1})

    @property
    def label(self) -> str:
        """What people read: "Online bagging of 100 naive Bayes"."""
        base = within_sentence(self.base_entry.name) if self.base_entry else ""
        if "n_estimators" in _declared(self.entry):
            several = self.n_members > 1 and not base.endswith("s")
            return f"{self.entry.name} of {self.n_members:,} {base or 'member'}{'s' if several else ''}"
        return f"{self.entry.name}: {base}" if base else self.entry.name


def _usual_base(method: Any) -> str | None:
    """Return the base model that goes without saying, for a method that can use a few only."""
    entry = methods().get(method) if isinstance(method, str) else None
    return entry.bases[0] if entry and entry.chooses_base and entry.bases else None


def _declared(entry: Entry) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in entry.parameters}


def _as_of_today(known: Mapping[str, Entry], key: Any, settings: Mapping[str, Any], form: int) -> Mapping[str, Any]:
    """Return settings of a document of format `form` by the names, and beside the defaults, that parameters have now."""
    if not isinstance(key, str) or key not in known:
        return settings  # another check says so
    parameters = known[key].parameters
    try:
        named = with_names_of_today(key, parameters, settings)
    except InvalidInput as error:
        raise problem(str(error)) from None
    return with_defaults_of(form, parameters, named)


def _as_then(
    form: int, parameters: Iterable[Parameter], settings: Mapping[str, Any], *, former_names: bool
) -> dict[str, Any]:
    """Return settings as a document of format `form` has them: what had another default then is said if it differs."""
    declared = {parameter.name: parameter for parameter in parameters}
    changed = {one.name: one.default for one in declared.values() if one.default_in(form) != one.default}
    told = dict(settings) | {name: value for name, value in changed.items() if name not in settings}
    return {
        (declared[name].former or name) if former_names else name: value
        for name, value in told.items()
        if name not in changed or value != declared[name].default_in(form)
    }


def _telling(parameters: Iterable[Parameter], settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        one.former or one.name: float(value) if isinstance(one, Real) else value
        for one in parameters
        if (value := settings.get(one.name, one.default)) != one.unwritten
    }
