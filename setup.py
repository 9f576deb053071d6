"""What `pyproject.toml` cannot say: which requirements are the library's, and where the web application goes.

`app.py`, `pages` and `server` are installed inside a package `ensemble_lab`, which nothing imports: by themselves, these
names would be everybody's. `ensemble-lab serve` finds them there.
"""

from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup

library, _, application = Path("requirements.txt").read_text(encoding="utf-8").partition("# The application:")
boosting = Path("requirements-boosting.txt").read_text(encoding="utf-8")
inside = find_namespace_packages(include=["pages*", "server*"])
setup(
    script_name="setup.py",  # else it would count as a module of the folder that it stands in
    packages=[
        *find_packages(include=["ensembles*", "storage*", "runner*"]),
        "ensemble_lab",
        *(f"ensemble_lab.{name}" for name in inside),
    ],
    package_dir={"ensemble_lab": "."},
    install_requires=library,
    extras_require={"app": application.partition("\n")[2], "gradient-boosting": boosting, "s3": ["s3fs"]},
)
