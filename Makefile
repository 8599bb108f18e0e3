# flexmbs: every target creates what it needs. PYTHON=... chooses the interpreter of .venv (3.11 or later).

SHELL := /bin/bash
BIN := .venv/bin
READY := .venv/.ready
DOCS_READY := .venv/.ready-docs
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/pytest -n 2 --dist worksteal -rs --pyargs --doctest-modules flexmbs tests

.DEFAULT_GOAL := help
.PHONY: help setup verify verify-all test test-slow bench lint docs wheel clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | while IFS='|' read -r name text; do \
	  printf '  make %-10s %s\n' "$$name" "$$text"; done

setup: $(READY)  ## the virtual environment .venv with flexmbs and the tools of development in it
	@echo "flexmbs is installed in .venv; to use it: source .venv/bin/activate"

verify: $(READY)  ## run verification cases of every formulation; the report goes to build/verification
	$(BIN)/flexmbs verify --report build/verification

verify-all: $(READY)  ## run all verification cases but the slow ones
	$(BIN)/flexmbs verify --all --report build/verification

test: $(READY)  ## tests and doctests, without the slow ones; those left out are listed with their reasons
	$(PYTEST)

test-slow: $(READY)  ## only the slow tests
	$(PYTEST) -m slow

bench: $(READY)  ## speed and memory
	@set -e; for file in benchmarks/bench_*.py; do echo "== $$file"; $(ONE_THREAD) $(BIN)/python "$$file"; done

lint: $(READY)  ## style, types and layering
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p flexmbs
	$(BIN)/lint-imports

docs: $(DOCS_READY)  ## the documentation, in build/docs; its tutorials are run, its warnings are errors
	$(ONE_THREAD) $(BIN)/sphinx-build -W --keep-going -b html docs build/docs

wheel: $(READY)  ## wheels in dist: one for any processor, one for x86-64 Linux with compiled kernels
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python tools/build_wheel.py --out dist

clean:  ## remove what was built and cached, but .venv
	rm -rf build dist .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info
	find . -path ./.venv -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf

$(READY): pyproject.toml tools/setup.sh
	@PYTHON="$(PYTHON)" tools/setup.sh dev,cholmod
	@touch $@

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@
