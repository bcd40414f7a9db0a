# The only way to do each thing. A newcomer needs two: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: setup demo test lint format bench docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: setup
	$(BIN)/loglift demo --force -o build/demo

test: setup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/python benchmarks/reproduction.py
	$(BIN)/python benchmarks/merging.py
	$(BIN)/python benchmarks/exact.py
	$(BIN)/python benchmarks/randomizing.py
	$(BIN)/python benchmarks/protect.py
	$(BIN)/python benchmarks/confidence.py

docs: setup
	$(BIN)/mkdocs build --strict --quiet --site-dir build/site

clean:
	rm -rf .venv build
