"""Where kernels are kept: in a folder that can be written to, whatever the one that was named lets."""

import os

import pytest

from tests.test_jit import KEPT, run


@pytest.mark.compiled
def test_kernels_of_a_folder_that_is_only_read_are_taken_and_new_ones_kept_elsewhere(tmp_path):
    """As in a container, whose image has them: Numba takes nothing from where it cannot write."""
    (tmp_path / "kept.py").write_text(KEPT)
    image, home = tmp_path / "image", tmp_path / "home"
    home.mkdir()
    folders = {
        "ENSEMBLE_LAB_CACHE": str(image),
        "PYTHONPATH": str(tmp_path),
        "NUMBA_DISABLE_JIT": "0",
        "HOME": str(home),
    }
    assert run("import kept; print(*kept.counted())", **folders).split() == ["0", "1"]
    (kernels,) = (image / "kernels").iterdir()
    (kernels / "warm-here").touch()
    (kernels / "warming.lock").touch()
    before = sorted(image.rglob("*"))
    may = f"lambda at, how, may=os.access: not str(at).startswith({str(image)!r}) and may(at, how)"
    only_read = f"import os; os.access = {may}"
    use = "import kept; from ensembles.jit import kernels_folder; print(*kept.counted(), kernels_folder())"
    taken = home / ".cache" / "ensemble-lab" / "kernels" / kernels.name
    assert run(f"{only_read}; {use}", **folders).split() == ["1", "0", str(taken)]
    assert (taken / "warm-here").exists()  # so that nobody warms again
    assert not (taken / "warming.lock").exists()  # it is opened to be written
    (tmp_path / "kept.py").write_text(KEPT.replace("2.0 *", "6.0 / 3.0 *"))
    assert run(f"{only_read}; {use}", **folders).split()[:2] == ["0", "1"]
    assert run(f"{only_read}; {use}", **folders).split()[:2] == ["1", "0"]
    assert sorted(image.rglob("*")) == before


@pytest.mark.skipif(os.name != "posix", reason="rights of files are others elsewhere")
def test_a_folder_that_may_not_even_be_looked_at_is_left(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    as_nobody = "os.getuid() or os.setuid(65534)"  # who may do everything is one who may not
    script = f"import os; from ensembles import jit; jit._kernel_digest(); {as_nobody}; print(jit.kernels_folder())"
    for folders in ({"HOME": str(closed), "ENSEMBLE_LAB_CACHE": ""}, {"ENSEMBLE_LAB_CACHE": str(closed / "cache")}):
        assert not run(script, **folders).startswith(str(closed))
