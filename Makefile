# Everything a fresh machine needs is installed into .venv by the two targets below.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
BIN := .venv/bin

.PHONY: demo test lint types architecture unit fuzz clean

demo: .venv/demo.stamp
	@$(BIN)/kerneldiff demo

test: .venv/test.stamp lint types architecture unit

lint: .venv/test.stamp
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples

types: .venv/test.stamp
	$(BIN)/mypy

architecture: .venv/test.stamp
	$(BIN)/lint-imports

unit: .venv/test.stamp .venv/browser.stamp
	$(BIN)/pytest --numprocesses 2 --dist loadfile

# The reader against hostile and damaged files, twenty times longer than in the tests.
fuzz: .venv/test.stamp
	KERNELDIFF_FUZZ=20 $(BIN)/pytest tests/unit/traces/test_traces_fuzz.py

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "kerneldiff needs Python 3.11 or newer; none was found" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "kerneldiff needs Python 3.11 or newer; $(PYTHON) is older (set PYTHON=...)" >&2; exit 2; }
	@$(PYTHON) -m venv .venv

.venv/demo.stamp: .venv/bin/python pyproject.toml
	@echo "setting up .venv ..." >&2
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/test.stamp: .venv/bin/python pyproject.toml requirements-test.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements-test.txt --editable .
	@touch $@ .venv/demo.stamp

# The page is tested in Debian's Chromium, installed where that is possible; elsewhere those tests skip, and say so.
.venv/browser.stamp: .venv/test.stamp
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 || \
	{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null 2>&1 && apt-get update -qq \
	&& apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	echo "no Chromium could be installed: the browser tests will skip" >&2
	@touch $@

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
