# `make` without a target lists all targets. A recipe of more than five lines is a script in tools/.
SHELL := /bin/sh
TOOL  := go tool -modfile=tools/tools.mod
# The version comes from git, unless git refuses to read this folder.
VCS   := $(shell git status --porcelain >/dev/null 2>&1 && echo auto || echo false)
FLAGS := -trimpath -buildvcs=$(VCS) -ldflags "-s -w"
.DEFAULT_GOAL := help
.PHONY: help run test dev build generate fmt lint e2e bench screenshots cover schema check prove release hooks \
	need-postgres need-cc need-chromium need-curl need-node need-npm need-versitygw need-nginx need-lighthouse

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | awk -F '\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

run: need-postgres build ## Install what is missing, and start Belfry at http://localhost:8080
	@exec bin/belfry serve

test: need-postgres need-cc need-chromium need-curl need-node need-npm need-versitygw ## Run every test
	tools/test

dev: need-postgres ## Start Belfry and restart it whenever a template or a Go file changes
	$(TOOL) templ generate --watch --proxy=http://localhost:8080 --cmd="go run ./cmd/belfry serve"

build: ## Build bin/belfry
	go build $(FLAGS) -o bin/belfry ./cmd/belfry

generate: ## Generate code and documents from other files
	tools/generate

fmt: ## Format Go files and templates
	$(TOOL) golangci-lint fmt
	$(TOOL) templ fmt .

lint: ## Run the linters
	$(TOOL) golangci-lint run

e2e: need-postgres need-chromium need-curl need-npm build ## Run the tests that drive the built program
	go test -count=1 -timeout 20m ./e2e/...

bench: need-postgres need-nginx need-chromium need-lighthouse build ## Measure requests, publishing, uploads and pages
	@go run ./e2e/bench -binary bin/belfry

screenshots: need-postgres need-chromium build ## Write pictures of every page and state to bin/screenshots
	E2E_BINARY=$(CURDIR)/bin/belfry go test -count=1 -timeout 20m -tags screenshots -run TestScreenshots ./e2e/
	go test -count=1 -tags screenshots -run TestScreenshotsOfStates ./views/layout/

cover: need-postgres ## Show how much of the code the tests cover
	go run ./tools/testpg go test -coverpkg=./... -coverprofile=bin/cover.out ./...
	go tool cover -func=bin/cover.out | tail -n 1

schema: need-postgres ## Write docs/schema.sql from a fresh database
	go run ./tools/schema docs/schema.sql

check: test lint generate schema ## Run the same checks as CI, in the same order
	git diff --exit-code

prove: need-postgres need-cc need-chromium need-node need-npm need-versitygw need-nginx need-lighthouse ## Run the long proofs, which take hours, and write docs/proof.md
	tools/prove

release: check ## Build for Linux and macOS, on amd64 and arm64, into bin/
	tools/release

hooks: ## Install the checks that run before each commit
	ln -sf ../../tools/pre-commit .git/hooks/pre-commit

need-postgres need-cc need-chromium need-curl need-node need-npm need-versitygw need-nginx need-lighthouse:
	@tools/$@
