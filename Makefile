# The only way to do each thing. A newcomer needs two: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

# What `make bench` runs: each is a script of benchmarks/, runnable alone.
BENCHMARKS := peers closeness practical startup reproduction merging exact randomizing protect confidence spark

.PHONY: setup demo test figures notebooks studies lint format bench bench-growth bench-check docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python tools/compile_loops.py
	touch $@

demo: setup
	$(BIN)/loglift demo --force -o build/demo

test: setup
	$(BIN)/python -m pytest -n auto --dist worksteal

figures: setup
	LOGLIFT_WRITE_FIGURES=1 $(BIN)/python -m pytest -n auto tests/docs/test_figures.py

notebooks: setup
	$(BIN)/python tools/run_notebooks.py

# The charts and points of docs/studies.md; read the page again when they change.
studies: setup
	for name in subset-size promises; do \
	  $(BIN)/loglift reproduce --study $$name --quiet --force -o build/studies/$$name >/dev/null && \
	  mkdir -p docs/studies/$$name && \
	  cp build/studies/$$name/*.svg build/studies/$$name/points.json docs/studies/$$name || exit 1; done

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	set -e; for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py; done
	$(BIN)/python benchmarks/page.py

bench-growth: setup
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/page.py

# Compares with the commit this checkout started from, or with BASE: make bench-check BASE=HEAD~3
bench-check: setup
	$(BIN)/python benchmarks/check.py $(if $(BASE),--base $(BASE))

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir build/site

clean:
	rm -rf .venv build
