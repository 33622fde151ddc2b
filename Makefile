# Every target sets up what it needs. `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup data train finetune translate evaluate serve benchmark accelerator-check peers experiments notebooks docs test torture lint release
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
ACCELERATOR ?= cpu
PRESET ?= small
ARGS ?=
TIMES ?= 60
SEED := $(or $(SEED),$(shell date +%s))

# LANG is also the shell's locale: it counts only on make's own command line, and no program may
# inherit "en-ja" as its locale. MAKEOVERRIDES would hand it on to every child.
MAKEOVERRIDES :=
ifeq ($(origin LANG),command line)
LANGUAGES := $(LANG)
endif
override LANG := C.UTF-8
export LANG
export LC_ALL := C.UTF-8

RUN ?= runs/$(LANGUAGES)-$(PRESET)
FA_JAX := .venv/bin/python -m fa_jax
INSTALL := .venv/bin/python -m pip install -q --disable-pip-version-check
CORPUS_OPTION = $(if $(CORPUS),--corpus "$(CORPUS)")
THRESHOLD_OPTION = $(if $(THRESHOLD),--threshold $(THRESHOLD))

help: ## list the targets
	@echo "make TARGET LANG=en-ja [PRESET=small|small-words|small-chars|paper|char] [RUN=folder] [ARGS=\"more options\"]"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 20

setup: .venv/installed ## install into .venv (ACCELERATOR=cpu, cuda12, cuda13 or tpu)
	@test $(ACCELERATOR) = cpu || $(INSTALL) -e .[$(ACCELERATOR)] >&2

data: languages .venv/installed ## prepare a corpus (CORPUS=name or folder)
	@$(FA_JAX) data $(LANGUAGES) --preset $(PRESET) $(CORPUS_OPTION) $(ARGS)

train: languages .venv/installed ## train, keep the best checkpoint, score the test set
	@$(FA_JAX) train $(LANGUAGES) --preset $(PRESET) --run "$(RUN)" $(CORPUS_OPTION) $(ARGS)

finetune: of-run .venv/installed ## train on and narrow the windows, in a run beside it (CORPUS=other text, ARGS="--window 0.3")
	@$(FA_JAX) finetune "$(RUN)" $(CORPUS_OPTION) $(ARGS)

translate: of-run .venv/installed ## translate lines from stdin to stdout (THRESHOLD=1.2)
	@$(FA_JAX) translate "$(RUN)" $(THRESHOLD_OPTION) $(ARGS)

evaluate: of-run .venv/installed ## score the test set (THRESHOLD=1.2)
	@$(FA_JAX) evaluate "$(RUN)" $(THRESHOLD_OPTION) $(ARGS)

serve: of-run .venv/installed-serve ## a page to try a run on, and LibreTranslate's protocol (ARGS="another/run --port 5000")
	@$(FA_JAX) serve "$(RUN)" $(ARGS)

benchmark: .venv/installed ## measure speed on this machine (NAME=one benchmark)
	@.venv/bin/python -m experiments.benchmarks $(if $(filter command line,$(origin NAME)),$(NAME)) --output experiments/results/benchmarks $(ARGS)

accelerator-check: .venv/installed-test ## what fa_jax does on this GPU or TPU, in ten minutes and on one page
	@.venv/bin/python -m experiments.accelerator_check $(ARGS)

experiments: .venv/installed ## write experiments/results/study/REPORT.md; trains what was not measured
	@.venv/bin/python -m experiments.report

notebooks: .venv/installed ## run the notebooks and store their outputs
	@$(INSTALL) -e .[notebooks] >&2
	@rm -rf notebooks/runs
	@.venv/bin/python -m nbconvert --to notebook --execute --inplace \
	  --ExecutePreprocessor.record_timing=False notebooks/*.ipynb

docs: .venv/installed-docs ## build the site into build/site; open build/site/index.html
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict --site-dir build/site

test: .venv/installed-test ## run the tests
	@.venv/bin/python -m pytest -q -n 2 --dist worksteal $(ARGS)

torture: .venv/installed-test ## any text, array, damage or kill, TIMES as often as in the tests (SEED=1 to repeat)
	@echo "make torture TIMES=$(TIMES) SEED=$(SEED) tries the same again" >&2
	@FA_JAX_TORTURE=$(TIMES) .venv/bin/python -m pytest -q -n 2 --dist worksteal \
	  --hypothesis-seed=$(SEED) --hypothesis-show-statistics $(if $(ARGS),$(ARGS),tests/torture)

lint: .venv/installed-test ## check style, and the types of the public API
	@.venv/bin/ruff check . && .venv/bin/ruff format --check .
	@.venv/bin/basedpyright --pythonpath .venv/bin/python

release: .venv/installed ## build sdist and wheel, check them, tag the version
	@$(INSTALL) -e .[release] >&2
	@.venv/bin/python -m release

peers: .venv/installed .venv-peers/installed ## measure speed beside JoeyNMT, Marian and CTranslate2
	@.venv/bin/python -m experiments.peers
	@.venv/bin/python -m experiments.marian

.PHONY: languages of-run
languages:
	@test -n "$(LANGUAGES)" || { \
	  echo "Which languages? For example: make $(MAKECMDGOALS) LANG=en-ja   (or LANG=de-en)" >&2; exit 2; }

# A RUN that somebody named has its own languages: LANG may be left out, but not be another.
of-run:
	@test -n "$(LANGUAGES)$(filter-out file,$(origin RUN))" || { \
	  echo "Which run? For example: make $(MAKECMDGOALS) RUN=en-ja   (or LANG=en-ja, for runs/en-ja-$(PRESET))" >&2; exit 2; }
	@config="$(RUN)/config.json"; test -f "$$config" || config="fa_jax/pretrained/$$config"; \
	test -z "$(LANGUAGES)" || ! test -f "$$config" || grep -q '"languages": "$(LANGUAGES)"' "$$config" || { \
	  echo "$(RUN) does not translate $(LANGUAGES): leave LANG out, or name another RUN" >&2; exit 2; }

# The stamps are written last: an interrupted installation is taken up again.
.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "fa_jax needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Set PYTHON=..." >&2; exit 2; }
	@echo "installing into .venv; this takes a few minutes, once ..." >&2
	@$(PYTHON) -m venv .venv
	@$(INSTALL) -e . >&2
	@touch $@

.venv/installed-test: .venv/installed
	@$(INSTALL) -e .[test,lint] >&2
	@touch $@

.venv/installed-serve: .venv/installed
	@$(INSTALL) -e .[serve] >&2
	@touch $@

.venv/installed-docs: .venv/installed
	@$(INSTALL) -e .[docs] >&2
	@touch $@

.venv-peers/installed: requirements-peers.txt
	@echo "installing JoeyNMT, Marian and CTranslate2 into .venv-peers ..." >&2
	@$(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python -m pip install -q --disable-pip-version-check -r requirements-peers.txt >&2
	@.venv-peers/bin/python -m pip install -q --disable-pip-version-check --no-deps 'joeynmt~=2.3' >&2
	@touch $@
