# Every target does its own set-up and is quick when there is nothing to do. Downloads and compiled tools are cached in
# ${XDG_CACHE_HOME:-~/.cache}/etcd-operator, so that every clone shares them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := node_modules/.bin
INSTALLED := node_modules/.installed
# The Node.js that npm ci brings runs everything, and what is started by the name "node" as well. Only npm itself runs
# on the one of the machine: it could not replace the folder that it runs from.
NODE := $(BIN)/node
MACHINE_PATH := $(subst $(CURDIR)/$(BIN):,,$(PATH))
export PATH := $(CURDIR)/$(BIN):$(MACHINE_PATH)
PORT ?= 6443
STATE ?= .local
SEED ?= 1
STEPS ?= 1000000
SUITE ?=
ONLY ?=
LIMIT ?= 60
OPERATOR ?= true
NODES ?= 1
BASE ?= origin/main
# Ends with make, also when that is killed; make run itself says so if setpriv is missing.
TIED := $(shell command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)
SOURCES := $(shell find packages -path '*/node_modules' -prune -o -path '*/src/*' -type f -not -name '*.test.ts' 2>/dev/null)

.PHONY: help run prepare test test-kube test-node scenarios properties faults bench lint types format generate check-commits build clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' Makefile

run: dist/.built ## Bring up a Kubernetes on this machine, with the operator, until Ctrl-C (PORT=6443, STATE=.local, OPERATOR=true|false|none, NODES=1)
	@exec $(TIED) $(NODE) dist/local/local.mjs up --state "$(STATE)" --port $(PORT) --operator $(OPERATOR) --nodes $(NODES)

prepare: $(INSTALLED) ## Download and build what the tests run, into the shared cache (KUBE=1: kube-apiserver, too; REAL_NODE=1: a node)
	$(NODE) scripts/prepare.ts $(if $(KUBE),kube) $(if $(REAL_NODE),node)

test: lint prepare dist/.built ## Lint, types, unit tests and the core scenarios with real etcd (totals on the last line)
	$(BIN)/vitest run --project unit --project scenarios

test-kube: KUBE = 1
test-kube: prepare dist/.built ## The suites that need a real kube-apiserver (KUBEBUILDER_ASSETS, or built with Go)
	$(BIN)/vitest run --project kube

test-node: REAL_NODE = 1
test-node: KUBE = 1
test-node: $(if $(KUBECONFIG_NODE),$(INSTALLED),prepare) ## The operator on real nodes: of this machine (root, Go, Debian), or of the cluster KUBECONFIG_NODE names
	$(BIN)/vitest run --project node

scenarios: prepare dist/.built ## Every scenario with real etcd
	$(BIN)/vitest run --project scenarios --project long

properties: $(INSTALLED) ## A million random steps of the planner against a model of etcd (SEED=1 STEPS=1000000)
	$(NODE) test/model/main.ts --seed $(SEED) --steps $(STEPS)

faults: prepare dist/.built ## Crashes, errors and wrong views at every step, clusters under load (SEED=1, SUITE= some, ONLY= one plan, LIMIT=60 minutes)
	@exec $(TIED) $(NODE) test/faults/main.ts --seed "$(SEED)" --suite "$(SUITE)" --only "$(ONLY)" --limit "$(LIMIT)"

bench: $(INSTALLED) dist/.built ## Benchmarks: a table, and JSON under bench/results/
	$(NODE) bench/main.ts

lint: $(INSTALLED) ## Format, lint, types, unused code, stale generated files, plain words
	$(BIN)/biome check --error-on-warnings .
	$(BIN)/tsc
	$(BIN)/knip --treat-config-hints-as-errors
	$(NODE) scripts/generate.ts --check
	$(NODE) scripts/charts.ts --check
	$(NODE) scripts/plain-words.ts

format: $(INSTALLED) ## Rewrite the sources in the project's format
	$(BIN)/biome check --write .

generate: $(INSTALLED) ## Write deploy/crd and docs/reference from packages/operator/src/api, tables and charts from bench/published
	$(NODE) scripts/generate.ts
	$(NODE) scripts/charts.ts

check-commits: $(INSTALLED) ## Judge the messages of the commits after BASE (BASE=origin/main)
	$(NODE) scripts/check-commits.ts "$(BASE)"

build: dist/.built ## Bundle the programs into dist/, which bin/ starts

clean: ## Remove what the targets made in this clone; the shared cache stays
	rm -rf dist node_modules .local .local-* coverage bench/results test/faults/results

dist/.built: $(INSTALLED) $(SOURCES) scripts/build.ts package.json
	$(NODE) scripts/build.ts
	@touch $@

$(INSTALLED): package.json package-lock.json
	@PATH="$(MACHINE_PATH)" scripts/require-node
	PATH="$(MACHINE_PATH)" npm ci --prefer-offline --no-audit --no-fund
	@scripts/require-node --installed
	@touch $@
