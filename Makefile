# Two commands do everything: `make run` starts the application, `make test` passes all tests. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
SCALE ?= 0.02 1
FUZZ_EXAMPLES ?= 15000
unexport PYTHONDONTWRITEBYTECODE  # sources are compiled once, not by each of a hundred processes
# Threads of libraries would wait for each other by spinning, on processors that other tests need.
PYTEST = OMP_NUM_THREADS=1 nice $(BIN)/pytest -n auto --dist loadgroup --no-loadscope-reorder

.PHONY: setup boosting run test test-all check warm tests coverage boundscheck matrix lowest bench chaos fuzz papers docs screenshots lock audit clean

# `make boosting` adds XGBoost, LightGBM and CatBoost. Of what is installed only what is used is compiled, when it is used first: that takes a quarter of the time.
setup: .venv/installed

.venv/installed: requirements.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ensemble Lab needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile -r requirements.txt
	touch $@

.venv/installed-dev: requirements-dev.txt .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile -r requirements-dev.txt
	sh tests/browser/install.sh $(BIN)
	touch $@

.venv/installed-bench: requirements-bench.txt .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile -r requirements-bench.txt
	$(BIN)/python -m pip download --quiet --no-deps --dest .venv/capymoa capymoa
	$(BIN)/python -m zipfile -e .venv/capymoa/*.whl .venv/capymoa
	touch $@

boosting: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile -r requirements-boosting.txt

run: .venv/installed
	$(BIN)/python -m runner serve

test:
	$(MAKE) --jobs 3 check warm tests

# What takes long and rarely finds anything that `make test` did not.
test-all: check coverage matrix lowest boundscheck fuzz chaos

check: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	nice $(BIN)/mypy

# Compiles what tests of learners need, once and not in each process, while what tests alone need is installed and what needs
# no kernel is tested; the others wait for it (`tests/conftest.py`), so that it has a processor before all of them.
warm: .venv/installed
	$(BIN)/python -m runner warm

tests: .venv/installed-dev
	$(BIN)/pytest --collect-only -qq tests > /dev/null  # compiles the sources of tests once, not in each process
	$(PYTEST) -m "not rare" tests

# All tests, and those of kernels once more as plain Python, which shows every line of them.
coverage: .venv/installed-dev
	DRAWN=whole $(PYTEST) tests --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not compiled" tests --cov --cov-append

# Kernels check no bounds; here they do, and have a cache of their own. What neither runs nor shows a kernel is left out.
boundscheck: .venv/installed-dev
	CACHE=$$(mktemp -d) && trap 'rm -rf "$$CACHE"' EXIT && \
	NUMBA_BOUNDSCHECK=1 ENSEMBLE_LAB_CACHE=$$CACHE $(PYTEST) --timeout 0 -m "not browser" tests

# Every method with every base model, compiled and not: `make tests` takes one base model a method and four methods a base model.
matrix: .venv/installed-dev
	MATRIX=whole $(BIN)/pytest --timeout 0 tests/test_jit.py -k same_bits

# Tests with the oldest versions that requirements.txt allows, in an environment of their own. Newer packages that these need
# in turn announce what will go; no browser is driven, as it shows the same.
lowest .venv/installed-lowest: BIN := .venv/lowest/bin
lowest: .venv/installed-lowest
	$(PYTEST) -W ignore::DeprecationWarning -W ignore::FutureWarning -m "not rare and not browser" tests

.venv/installed-lowest: requirements.txt requirements-dev.txt
	$(PYTHON) -m venv .venv/lowest
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct -r requirements.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements-dev.txt
	touch $@

bench: .venv/installed-bench
	$(BIN)/python -m benchmarks

chaos: .venv/installed-dev
	$(BIN)/python -m tests.chaos --backend sqlite
	$(BIN)/python -m tests.chaos --backend postgresql

# Uploads, documents and addresses, of each kind so many, and half as many calls of the JSON interface; in one process, whose memory is told.
fuzz: .venv/installed-dev
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/pytest --timeout 0 tests/data/test_fuzz.py tests/data/test_fuzz_addresses.py \
	tests/experiments/test_fuzz_documents.py tests/server/test_fuzz_uploads.py tests/server/test_api_fuzz.py

papers: .venv/installed
	$(BIN)/python -m runner papers run all --scale $(SCALE) --minutes 90 $(if $(DATA),--data $(DATA))

# The settings of learners as their classes declare them; all else in the documentation is written by hand.
docs: .venv/installed
	PYTHONPATH=. $(BIN)/python docs/settings.py

screenshots: .venv/installed-dev
	$(BIN)/python -m tests.browser.screenshots docs/images

# What the image installs, with the hash of every file: after each change of requirements.txt.
lock: .venv/installed
	$(BIN)/python -m pip install --quiet uv
	echo "# What the image installs: every package with its version and the hashes of its files. Made by \`make lock\`." > requirements.lock
	$(BIN)/uv pip compile requirements.txt --universal --generate-hashes --python-version 3.11 --no-header --no-annotate --quiet >> requirements.lock

# Asks the package index for known holes in what the image installs, so it needs a network; a package that cannot be asked for fails it.
audit: .venv/installed
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --strict --progress-spinner off --disable-pip --require-hashes -r requirements.lock

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
