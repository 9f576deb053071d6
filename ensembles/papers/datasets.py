"""The data sets of the papers: what they are called where they come from, and what each paper made of them."""

from __future__ import annotations

from dataclasses import dataclass

from ensembles.data import Dataset
from ensembles.errors import InvalidData
from ensembles.papers.preparation import Step

__all__ = ["ORIGINS", "Origin", "PaperDataset"]


@dataclass(frozen=True)
class Origin:
    """A data set as it is found, whoever uses it.

    Attributes
    ----------
    rows, attributes, classes : int
        By which it is told from others of the same name.
    files : tuple of str
        Names of its file without the ending, besides its key; of two for training and test, `train_file` and `test_file`.
    train_rows : int
        How many of its first examples were supplied for training; 0 where no test set is given.
    nominal : tuple of str
        Columns of its file that look like numbers and are not.
    why_not : str
        Why it is not to be had; empty otherwise.
    """

    rows: int = 0
    attributes: int = 0
    classes: int = 0
    files: tuple[str, ...] = ()
    train_file: str = ""
    test_file: str = ""
    train_rows: int = 0
    nominal: tuple[str, ...] = ()
    why_not: str = ""


_CMC = ("Wifes_education", "Husbands_education", "Husbands_occupation", "Standard-of-living_index")
_CALENDAR = Origin(why_not="one user's appointments of the Calendar Apprentice, never made public")

#: Every data set of the papers by key.
ORIGINS: dict[str, Origin] = {
    "adult": Origin(48_842, 14, 2),
    "australian": Origin(690, 14, 2),
    "balance_scale": Origin(625, 4, 3, files=("balance-scale",)),
    "breast_cancer_wisconsin": Origin(699, 9, 2, files=("breast-cancer-wisconsin",)),
    "calendar_day": _CALENDAR,
    "calendar_duration": _CALENDAR,
    "car": Origin(1_728, 6, 4),
    "census_income": Origin(
        299_285, 40, 2, train_file="census_income_train", test_file="census_income_test", train_rows=199_523
    ),
    "cod_rna": Origin(488_565, 8, 2, files=("cod-rna",)),
    "connect_4": Origin(67_557, 42, 3, files=("connect-4",)),
    "contraceptive": Origin(1_473, 9, 3, files=("cmc",), nominal=_CMC),
    "covertype": Origin(581_012, 54, 7),
    "credit_american": Origin(why_not="described in Lee (2001), not in a public repository"),
    "credit_approval": Origin(690, 15, 2, files=("crx",)),
    "dermatology": Origin(366, 34, 6),
    "german_credit": Origin(1_000, 20, 2, files=("german",)),
    "glass": Origin(214, 9, 6),
    "heart_statlog": Origin(270, 13, 2, files=("heart-statlog",)),
    "house_votes": Origin(435, 16, 2, files=("house-votes",)),
    "ionosphere": Origin(351, 34, 2),
    "iris": Origin(150, 4, 3),
    "isolet": Origin(7_797, 617, 26),
    "kr_vs_kp": Origin(3_196, 36, 2, files=("kr-vs-kp",)),
    "liver_disorders": Origin(345, 6, 2, files=("bupa",)),
    "mice_protein": Origin(1_080, 77, 8),
    "movement": Origin(165_632, 18, 5),
    "mushroom": Origin(8_124, 22, 2),
    "nursery": Origin(12_960, 8, 5),
    "pima": Origin(768, 8, 2),
    "promoters": Origin(106, 57, 2),
    "sonar": Origin(208, 60, 2),
    "spambase": Origin(4_601, 57, 2),
    "spect": Origin(267, 22, 2),
    "splice": Origin(3_190, 60, 3),
    "svmguide3": Origin(1_243, 22, 2),
    "synthetic_1": Origin(100_000, 20, 2),
    "synthetic_2": Origin(100_000, 20, 2),
    "synthetic_3": Origin(100_000, 20, 2),
    "wine": Origin(178, 13, 3),
}


@dataclass(frozen=True)
class PaperDataset:
    """A data set as one paper used it.

    Attributes
    ----------
    key : str
        Of `ORIGINS`, and of the catalogue where it is there.
    name : str
        As the paper prints it.
    steps : tuple of Step
        What the paper did to it.
    train_size : int
        Training examples of a random partition, where the paper gives them; else 0.
    note : str
        In what the data differ from those of the paper, as far as is known.
    """

    key: str
    name: str
    steps: tuple[Step, ...] = ()
    train_size: int = 0
    note: str = ""

    @property
    def origin(self) -> Origin:
        """The data set as it is found."""
        return ORIGINS[self.key]

    def split(self, dataset: Dataset) -> tuple[Dataset, Dataset | None]:
        """Return training and test examples as supplied, before any step; None for the test where none is given.

        Raises
        ------
        InvalidData
            There are no examples left for the test.
        """
        first = self.origin.train_rows
        if not first:
            return dataset, None
        if len(dataset) <= first:
            raise InvalidData(f"{self.key}: must have more than {first:,} examples, the rest being for the test")
        parts = (slice(0, first), slice(first, None))
        train, test = (
            Dataset(dataset.name, dataset.table.take(part), dataset.labels[part], dataset.classes, dataset.target)
            for part in parts
        )
        return train, test
