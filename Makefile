# Thin targets: the real entry is `python -m bot`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

# DATE: the day on which the worlds of tests begin, for example 2026-12-08.
DATE ?=

.PHONY: mutants run chat check test lint types fences docs house bench chaos soak sweep sweep-zones lock clean
.DEFAULT_GOAL := run

# What PYTHON says of itself, and nothing where there is none or one that is too old.
fits = $(shell $(PYTHON) -c "import sys; print('yes' if sys.version_info >= (3, 11) else '')" 2>/dev/null)
found = $(shell $(PYTHON) -c "import sys; print('is', sys.version.split()[0])" 2>/dev/null)

# --no-deps: everything the project needs comes from the lock, checked by hash.
define install
	$(if $(fits),,$(error Paperboy needs Python 3.11 or newer; `$(PYTHON)` $(or $(found),does not run). Try: make PYTHON=python3.11))
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@
endef

$(VENV)/.run: requirements.lock pyproject.toml
	$(call install,requirements.lock)

$(VENV)/.dev: requirements-dev.lock pyproject.toml
	$(call install,requirements-dev.lock)
	touch $(VENV)/.run

run: $(VENV)/.run
	@$(BIN)/python -m bot run

chat: $(VENV)/.run
	@$(BIN)/python -m bot chat

check: $(VENV)/.run
	@$(BIN)/python -m bot check

test: $(VENV)/.dev lint types fences
	PAPERBOY_TEST_DATE=$(DATE) $(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

fences: $(VENV)/.dev
	$(BIN)/lint-imports

docs: $(VENV)/.dev
	$(BIN)/python tools/make_docs.py

# How many files there are, how many a query and a digest go through, what stands twice. CHECK=--check fails over a limit.
house: $(VENV)/.dev
	@$(BIN)/python tools/house.py $(CHECK)

bench: $(VENV)/.dev
	$(BIN)/python bench/run.py

mutants: $(VENV)/.dev
	$(BIN)/python tools/mutants.py $(ONLY)

chaos: $(VENV)/.dev
	$(BIN)/python tools/chaos.py

soak: $(VENV)/.dev
	$(BIN)/python tools/soak.py

sweep-zones: $(VENV)/.dev
	$(BIN)/python tools/sweep_zones.py

# CORPUS: the file whose every paper is rendered for both platforms.
CORPUS ?= ../shared/data/icml2026.jsonl.gz
sweep: $(VENV)/.dev
	$(BIN)/python tools/sweep.py $(CORPUS)

# Writes both lock files anew. Needs uv; names no registry.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra all --extra build pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra dev pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) state
