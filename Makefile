# Earshot. `make` lists the targets.

export CGO_ENABLED = 0

# Without paths of this machine in them, compiled packages and test results are shared between checkouts.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/earshot, one static binary
	go build -ldflags '$(LDFLAGS)' -o bin/earshot ./cmd/earshot

.PHONY: run
run: build ## build and run the demo on http://127.0.0.1:8080
	bin/earshot demo --data demo-data

.PHONY: test
test: format ## run everything that CI runs
	@scripts/tools web browser shell clickhouse compiler
	@$(MAKE) --no-print-directory -j2 static tests

# Many tests wait, so the static checks run beside them.
.PHONY: static
static: # one after the other
	@$(MAKE) --no-print-directory vet
	@$(MAKE) --no-print-directory staticcheck
	@$(MAKE) --no-print-directory web-check

.PHONY: tests
tests: # one after the other
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory race
	@$(MAKE) --no-print-directory tests-ran

.PHONY: format
format: ## check formatting
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; }

.PHONY: vet
vet: ## run go vet
	go vet ./...

.PHONY: staticcheck
staticcheck: ## run staticcheck
	go tool staticcheck ./...

TESTRUN   = go run ./internal/test/testenv/testrun
TESTFLAGS = -vet=off -ldflags='-s -w' -timeout 40m -p 3 # more packages than cores, because many tests wait
export EARSHOT_TEST_SEED := $(shell git rev-parse --short=8 HEAD 2>/dev/null)

# Only these targets have built the program. In others, a test builds it if it needs it.
unit long-kills attacks: export EARSHOT_TEST_PROGRAM := $(CURDIR)/.test/earshot

# Packages that take long start first, so that the others run beside them.
SLOW = ./internal/test/webtest ./internal/app/clustertest ./internal/app/... ./internal/poststore/...

# Packages whose goroutines share state. Their tests run again under the race detector, in fewer
# rounds. So does the whole service: six scenarios, and one test in which everything happens at once.
RACE = ./internal/app/scenariotest \
	./internal/ingest/pipeline ./internal/ingest/rematch ./internal/stream ./internal/notify/delivery ./internal/source \
	./internal/insight ./internal/picture ./internal/cluster ./internal/limit ./internal/http/rest \
	./internal/poststore/local ./internal/poststore/singlewriter ./internal/poststore/clickhouse/chhttp \
	./internal/state/catalog ./internal/state/lease ./internal/state/natsnode \
	./internal/state/feed/jetstream ./internal/state/journal/jetstream ./internal/query/watchlist

.PHONY: unit
unit: test-program ## run every test once; installs Chromium and the ClickHouse engine (550 MB) if they are missing
	@scripts/tools web browser shell clickhouse
	EARSHOT_BROWSER=required EARSHOT_CLICKHOUSE=required $(TESTRUN) run $(CPU) plain $(TESTFLAGS) $(SLOW) ./...

.PHONY: race
race: ## run the packages whose goroutines share state under the race detector; needs a C compiler
	@scripts/tools compiler
	CGO_ENABLED=1 $(TESTRUN) run $(CPU) race -race $(TESTFLAGS) $(RACE)

.PHONY: tests-ran
tests-ran: ## check that every test ran in unit or race
	$(TESTRUN) check

.PHONY: test-times
test-times: ## run unit and race without Go's test cache, and print how long packages and tests took
	$(MAKE) unit race CPU=-cpu
	$(TESTRUN) times

.PHONY: test-program
test-program: # the program that tests kill and attack
	@mkdir -p .test
	go build -ldflags='-s -w -X main.version=test' -o .test/earshot ./cmd/earshot

.PHONY: browser
browser: ## run the tests of the web app in Chromium
	@scripts/tools
	EARSHOT_BROWSER=required go test ./internal/test/webtest/...

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
	EARSHOT_BROWSER=required go test -count=1 ./internal/test/webtest -run '^TestScreenshots$$' -screenshots $(CURDIR)/docs/images

# The campaigns of make long, in parts that can be run one by one.
LONG = go test -count=1 -timeout 60m -v
PARTS = 1 2 3 4 5 6 7 8 9 10

.PHONY: long
long: long-kills long-jobs $(PARTS:%=long-damage-%) long-stores attacks long-skew $(PARTS:%=long-cluster-%) ## run all long campaigns, which takes hours

.PHONY: long-kills
long-kills: test-program ## kill the service 500 times under load, and while it sends signals, reads a source and looks at pictures
	$(LONG) -run '^TestKills' ./internal/app/crashtest -long

.PHONY: long-jobs
long-jobs: ## kill training, rematching, backups, restores and repairs 50 times each
	$(LONG) -run '^TestKilledJobs$$' ./internal/app -long

.PHONY: $(PARTS:%=long-damage-%)
$(PARTS:%=long-damage-%): long-damage-%: # damage 1,000 copies of a data directory
	$(LONG) -run '^TestDamage$$' ./internal/app -long -first $$(( ($* - 1) * 1000 + 1 )) -faults 1000

.PHONY: long-stores
long-stores: ## compare ClickHouse with the reference in more rounds, run all scenarios with it, and classify all test pictures
	@scripts/tools clickhouse
	EARSHOT_CLICKHOUSE=required $(LONG) -skip '^TestMeasure$$' ./internal/poststore/clickhouse ./internal/model/vision/net -long
	EARSHOT_CLICKHOUSE=required $(LONG) -run '^TestScenariosInClickHouse$$' ./internal/app/scenariotest -long

.PHONY: long-skew
long-skew: ## check that the clock of a node can be wrong in tests
	$(LONG) -run '^TestSkewedClock$$' ./internal/app/clustertest -long

.PHONY: $(PARTS:%=long-cluster-%)
$(PARTS:%=long-cluster-%): long-cluster-%: # disturb clusters in ten random ways
	$(LONG) -run '^TestRandomSchedules$$' ./internal/app/clustertest -long -first $$(( ($* - 1) * 10 + 1 ))

.PHONY: attacks
attacks: test-program ## attack the service for a minute in each way, and check its memory and health
	$(LONG) -run '^(TestAttacks|TestIdleConnections|TestStorageErrorEndsTheProcess)$$' ./internal/app/crashtest -long

.PHONY: measure
measure: ## measure how accurate models, signals and explanations are, and what they cost; takes hours
	go test -count=1 -p 1 -timeout 5h -v -run '^TestMeasure$$' ./internal/insight/detect ./internal/model/quantify \
	  ./internal/model/prevalence ./internal/model/sentiment ./internal/model/vision/net ./internal/bench -long

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
