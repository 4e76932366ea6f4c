# Everything happens in .venv here; the system's Python is left alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
POSITION := --score 2000 --opponents 3500 --turn 300 --roll 11532

.DEFAULT_GOAL := help
.PHONY: help advise test test-slow test-patient fuzz laws test-models check wasm page proof docs links tables certificates benchmarks instructions package release clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

advise: $(VENV)/engine  ## set up everything and answer a real position of 5000
	$(BIN)/keepwise advise 5000 $(POSITION)

test: $(VENV)/dev  ## set up everything and run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-slow: $(VENV)/dev  ## run the slow tests, except those of test-models
	$(BIN)/python -m pytest -n auto --dist worksteal -m "slow and not patient" --ignore tests/output/test_models.py

test-patient: $(VENV)/dev  ## run the slowest tests, and more cases of the slow ones: two hours
	$(BIN)/python -m pytest -n auto --dist worksteal -m patient

fuzz: export PATIENCE ?= 20
fuzz: $(VENV)/dev  ## change 20,000 rule files, game files, tables and command lines and 10,000 certificates at random; none may cause a crash (PATIENCE=N: N thousand)
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow -k "mutated or bent or thousands"

laws: export PATIENCE ?= 25
laws: $(VENV)/dev  ## check the laws on larger games too (PATIENCE=25 times as large)
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow tests/laws

# What keepwise[storm] adds, without a new install of the package itself.
STORM = "$$($(BIN)/python -c 'from importlib.metadata import requires; print(*(one.partition(";")[0] for one in requires("keepwise") if "storm" in one.partition(";")[2]))')"
test-models: $(VENV)/dev  ## solve exported model files with Storm and compare (installs stormpy)
	$(BIN)/python -m pip install -q --disable-pip-version-check $(STORM)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "slow and not patient" tests/output/test_models.py

check: $(VENV)/dev  ## lint, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p keepwise
	$(BIN)/lint-imports

# The kernels of the page: with vector instructions, and plain for browsers without. Those of single turns, which are
# quick, and the plain one of races are built small. Where the compiler cannot be had, CHECK=1 says so and is content.
WASM := -target wasm32-wasi -mexec-model=reactor -std=c11 -ffp-contract=off -Wl,--no-entry -Wl,--strip-all
wasm: $(VENV)/dev  ## build the kernels for the page again (CHECK=1: compare them with those committed)
	@$(BIN)/python -m pip install -q --disable-pip-version-check ziglang==0.17.1 || \
	  { echo "ziglang is not available here: the kernels of the page are not compared"; exit $(if $(CHECK),0,1); }; \
	for built in push-simd push-plain race-simd race-plain touch-simd touch-plain keep-simd keep-plain; do kernel=$${built%-*}; \
	  case $$built in push-*|race-plain) size=-Os;; *) size=-O3;; esac; \
	  case $$built in *-simd) size="$$size -msimd128";; esac; \
	  echo $$built; $(BIN)/python -m ziglang cc $(WASM) $$size -o page/built/$$built.wasm page/wasm/$$kernel.c && \
	  chmod 644 page/built/$$built.wasm || exit 1; \
	done $(if $(CHECK),&& git diff --stat --exit-code -- page/built)

page:  ## check and build the program of the page (needs npm; CHECK=1: compare it with the committed one)
	@cd page && npm ci --silent || \
	  { echo "npm or its packages are not available here: the program of the page is not compared"; exit $(if $(CHECK),0,1); }; \
	npm run --silent check && npm run --silent build $(if $(CHECK),&& git diff --stat --exit-code -- built)

docs: $(VENV)/docs  ## build the site into build/site; broken links and spelling mistakes are errors
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs solver cli csrc keepwise_check.py Makefile
	rm -rf build/site
	$(BIN)/python docs/generate.py
	$(BIN)/sphinx-build -n -W --keep-going -q -b html build/docs build/site
	@echo "the site is at build/site/index.html"

links: docs  ## check links to other sites (needs the network; not part of the checks of a change)
	$(BIN)/sphinx-build -q -b linkcheck build/docs build/links

proof:  ## check the proof of docs/exactness.md with Rocq (the Debian package coq)
	@command -v coqc >/dev/null || { echo "make proof needs Rocq, coqc from 8.16 on: apt-get install coq" >&2; exit 1; }
	mkdir -p build/proof
	cd build/proof && coqc -q -noglob -o Certificates.vo ../../docs/proofs/Certificates.v

instructions: $(VENV)/dev  ## count the instructions of the kernels with valgrind; a busy machine does not change them
	$(BIN)/python benchmarks/instructions.py

package: $(VENV)/packaging  ## build the committed version twice into dist/, compare the bytes, and try it with every installed Python
	$(BIN)/python .ci/release.py dist

release: $(VENV)/packaging  ## the same, then date and tag it: make release VERSION=0.1.0
	@test -n "$(VERSION)" || { echo "say which: make release VERSION=0.1.0"; exit 2; }
	$(BIN)/python .ci/release.py dist $(VERSION)

tables: $(VENV)/dev  ## rebuild the shipped tables and compare them bit for bit, in two minutes (ALL=1: those that take long; UPDATE=1: write)
	$(BIN)/python -m keepwise.tables.rebuild $(if $(ALL),--all) $(if $(UPDATE),--update)

certificates: $(VENV)/dev  ## certify shipped tables again, compare digests, check a sample: a few minutes (ALL=1: those that take long; UPDATE=1: write)
	$(BIN)/python -m keepwise.tables.certificates $(if $(ALL),--all) $(if $(UPDATE),--update)

benchmarks: $(VENV)/dev  ## measure the speed, as ratios against plain references in the same run, and write docs/results/speed.md
	$(BIN)/python benchmarks/table.py

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist *.egg-info csrc/*.so

# The package is linked, not copied: edits count at once; sources that are added or compiled ask for a new install. What
# `make page` and `make wasm` write into page/built counts at once, too; a file that is new there needs a new install.
SOURCES := pyproject.toml setup.py $(shell find csrc solver cli tables page/__init__.py -type f ! -name '*.so' ! -path '*/__pycache__/*')

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Python files are compiled when they are first imported, not all before the first answer.
$(VENV)/engine: export PIP_COMPILE = 0
$(VENV)/engine: $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check -e . --config-settings editable_mode=strict
	touch $@

$(VENV)/dev: $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check 'pip>=25.1'  # the first that knows groups
	$(BIN)/python -m pip install -qq -e '.[all]' --group dev --config-settings editable_mode=strict
	touch $@ $(VENV)/engine

$(VENV)/docs: pyproject.toml | $(VENV)/dev
	$(BIN)/python -m pip install -q --disable-pip-version-check --group docs
	touch $@

$(VENV)/packaging: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install -q --group release
	touch $@
