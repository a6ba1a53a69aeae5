# Earshot. `make` lists the targets.

export CGO_ENABLED = 0

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/earshot, one static binary
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/earshot ./cmd/earshot

.PHONY: run
run: build ## build and run the demo on http://127.0.0.1:8080
	bin/earshot demo --data demo-data

.PHONY: test
test: format vet staticcheck web-check unit test-clickhouse ## run everything that CI runs

.PHONY: format
format: ## check formatting
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; }

.PHONY: vet
vet: ## run go vet
	go vet ./...

.PHONY: staticcheck
staticcheck: ## run staticcheck
	go tool staticcheck ./...

.PHONY: unit
unit: ## run all tests, those with goroutines under the race detector; installs Chromium if missing
	@scripts/tools
	scripts/unit

.PHONY: test-clickhouse
test-clickhouse: ## run the tests of the ClickHouse store on the real engine; installs it if missing (550 MB)
	@scripts/tools clickhouse
	EARSHOT_CLICKHOUSE=required go test -timeout 60m ./internal/poststore/clickhouse/...
	EARSHOT_CLICKHOUSE=required go test -timeout 60m -run 'ClickHouse|StoreMigrate|CheckStore' ./internal/app ./internal/bench ./cmd/earshot

.PHONY: browser
browser: ## run the tests of the web app in Chromium
	@scripts/tools
	EARSHOT_BROWSER=required go test ./internal/webtest/...

.PHONY: web
web: web-types ## build the web app from web/ into internal/http/ui/dist
	@scripts/tools web
	cd web && npm run --silent check && npm run --silent build

.PHONY: web-types
web-types: ## generate the web app's types of server responses from the Go types
	go test ./internal/http/manage -run '^TestWebTypes$$' -update

.PHONY: web-check
web-check: ## check the web app's types, and that internal/http/ui/dist is up to date
	scripts/web-check

.PHONY: screenshots
screenshots: ## write screenshots of the web app to docs/images
	@scripts/tools web browser fonts
	EARSHOT_BROWSER=required go test -count=1 ./internal/webtest -run '^TestScreenshots$$' -screenshots $(CURDIR)/docs/images

.PHONY: long
long: ## kill the service 500 times, damage its files 10,000 times, disturb clusters in 100 ways, and check the data; takes about seven hours
	go test -count=1 -timeout 4h -v -run '^(TestKills|TestKilledJobs|TestDamage)$$' ./internal/app -long
	go test -count=1 -timeout 12h -v -run '^(TestSkewedClock|TestRandomSchedules)$$' ./internal/app/clustertest -long

.PHONY: attacks
attacks: ## attack the service for a minute in each way, and check its memory and health
	go test -count=1 -timeout 30m -v -run '^(TestAttacks|TestIdleConnections|TestStorageErrorEndsTheProcess)$$' ./internal/app -long

.PHONY: bench
bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

FUZZTIME ?= 20s

.PHONY: fuzz
fuzz: ## run every fuzz test for FUZZTIME (default 20s)
	@for f in $$(grep -rl --include='*_test.go' 'func Fuzz' cmd internal); do \
	  for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$f); do \
	    echo "== $$(dirname $$f) $$name"; \
	    go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f) || exit 1; \
	  done; done

LICENSE ?= all
DATA ?= ../shared/data

.PHONY: models
models: ## rebuild the gazetteer and the models from labeled data in DATA; takes minutes; LICENSE=open skips data without a clear license
	go generate ./internal/geo
	go run ./cmd/earshot-train --data $(DATA) --license $(LICENSE)

.PHONY: generate
generate: ## rebuild the embedded tables from their sources
	go generate ./...
