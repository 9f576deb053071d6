"""What a number that a trial leaves behind says, and those that protocols take by themselves."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["PROTOCOL_MEASURES", "Group", "Meaning"]

Group = Literal[
    "Predicted classes", "Class probabilities", "Streams", "Model", "Diversity of the members", "Bias and variance"
]


_BY_THEMSELVES = ("share", "score", "nats")


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a number says.

    Attributes
    ----------
    name : str
        What people read.
    group : str
        The heading under which people find it.
    unit : str
        `share` (of the test examples), `score` (no unit), `nats`, `nodes`, `questions`, `bytes`, `examples` or `GB hours`.
    better : {"higher", "lower"}
        Of two models the smaller one, of two sets of members the more diverse one counts as better.
    low, high : float
        Bounds of the values.
    summary : str
        One sentence that says what the number means.
    """

    key: str
    name: str
    group: Group
    unit: str = "score"
    better: Literal["higher", "lower"]
    low: float = 0.0
    high: float = 1.0
    summary: str

    @property
    def is_amount(self) -> bool:
        """Whether it is so much of something, as bytes are, of which a hundredth of the amount is little, not 0.01."""
        return self.unit not in _BY_THEMSELVES


#: Measures that a protocol takes by itself, beside those asked for.
PROTOCOL_MEASURES: dict[str, Meaning] = {
    meaning.key: meaning
    for meaning in (
        Meaning(
            key="final_accuracy",
            name="Final accuracy",
            group="Streams",
            unit="share",
            better="higher",
            summary="Share of the last examples of the stream whose class is predicted right, learning going on.",
        ),
        Meaning(
            key="bias",
            name="Bias",
            group="Bias and variance",
            unit="share",
            better="lower",
            summary="Part of the error that models trained on different examples have in common (noise included).",
        ),
        Meaning(
            key="variance",
            name="Variance",
            group="Bias and variance",
            unit="share",
            better="lower",
            high=0.5,
            summary="Part of the error that comes from models trained on different examples predicting differently.",
        ),
        Meaning(
            key="main_bias",
            name="Bias of the main prediction",
            group="Bias and variance",
            unit="share",
            better="lower",
            summary="Share of test examples whose class most models get wrong (Domingos' bias).",
        ),
        Meaning(
            key="unbiased_variance",
            name="Variance that harms",
            group="Bias and variance",
            unit="share",
            better="lower",
            summary="Errors of models that differ from the main prediction where that is right (Domingos).",
        ),
        Meaning(
            key="biased_variance",
            name="Variance that helps",
            group="Bias and variance",
            unit="share",
            better="higher",
            summary="Right predictions of models that differ from the main prediction where that is wrong (Domingos).",
        ),
    )
}
