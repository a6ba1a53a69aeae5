// Package archtest enforces the layers of the program, and restricts each third-party module to the
// few packages that need it. The tables here are the map of the program. Check compares the imports
// of every package with them, and a test runs Check on the repository.
//
// Only production files count: a test may import anything.
package archtest

import (
	"path"
	"slices"
	"strings"
)

// The layers, lowest first. A package may import only packages of lower layers. Packages of the
// same layer do not import each other, except for the services in uses.
const (
	domain    = iota // the vocabulary; standard library only
	fact             // embedded facts about the world
	budget           // what clients may use of the process's resources
	tool             // does one thing, independent of the service
	model            // infers attributes of posts; trained on embedded data
	engine           // built from tools
	contract         // interfaces of stores, and their encodings
	kit              // shared by engines of a contract
	node             // shared by adapters
	adapter          // stores, and the tests of their contracts
	language         // shared by services
	service          // the functions of the service, without HTTP and without stores
	surface          // HTTP APIs, web app, demo
	operation        // works on a data directory without the service
	assembly         // connects everything
	command          // programs
)

// A rule assigns packages to a layer.
type rule struct {
	pattern string // relative to the module, as for path.Match
	layer   int
}

var rules = []rule{
	{".", domain},

	{"internal/geo", fact},
	{"internal/model/stopword", fact},
	{"internal/operate/disk", fact},  // the machine's disks
	{"internal/test/testenv", fact},  // the machine that tests run on
	{"internal/jsonvalue", fact},     // how values look in JSON
	{"internal/report/format", fact}, // how numbers and dates look
	{"internal/sleep", fact},         // waits for a time

	{"internal/limit", budget},

	{"internal/query", tool},
	{"internal/ingest/item", tool},
	{"internal/parallel", tool},
	{"internal/period", tool},
	{"internal/operate/integrity", tool},
	{"internal/operate/startup", tool},
	{"internal/secret/password", tool},
	{"internal/secret/linktoken", tool},
	{"internal/patch", tool},
	{"internal/fetch", tool},
	{"internal/secret/vault", tool},
	{"internal/connector/htmltext", tool},
	{"internal/config", tool},
	{"internal/report", tool},
	{"internal/report/pdftext", tool}, // reads PDF files, for tests
	{"internal/test/archtest", tool},
	{"internal/app/processtest", tool}, // runs the program, for tests
	{"internal/http/rest", tool},
	{"internal/http/client", tool},
	{"internal/model/calibrate", tool},
	{"internal/model/dataset", tool},
	{"internal/model/classify", tool},
	{"internal/model/quantify", tool},
	{"internal/model/onnx", tool},
	{"internal/model/vision/synth", tool},
	{"internal/insight/detect", tool},
	{"internal/poststore/local/colfile", tool},
	{"internal/poststore/local/pebblefile", tool},
	{"internal/poststore/clickhouse/chtest", tool},            // runs the ClickHouse engine, for tests
	{"internal/poststore/clickhouse/chtest/chdbserver", tool}, // serves it
	{"internal/state/kv", tool},
	{"internal/state/compress", tool},
	{"internal/state/acklog", tool},
	{"internal/connector/bluesky/zdict", tool},

	{"internal/model/langid", model},
	{"internal/model/sentiment", model},
	{"internal/model/opinion", model},
	{"internal/model/people", model},
	{"internal/model/interest", model},
	{"internal/model/vision", model},

	{"internal/model/enrich", engine},
	{"internal/model/vision/net", engine},
	{"internal/model/secondlook", engine},
	{"internal/model/prevalence", engine},
	{"internal/query/watchlist", engine},
	{"internal/ingest/item/record", engine},
	{"internal/http/reference", engine},
	{"internal/http/document", engine},
	{"internal/state/natsfile", engine},
	{"internal/state/lease", engine},
	{"internal/state/position", engine},

	{"internal/poststore", contract},
	{"internal/state/catalog", contract},
	{"internal/state/journal", contract},
	{"internal/state/feed", contract},
	{"internal/state/ledger", contract},

	{"internal/connector", contract},
	{"internal/notify/channel", contract},

	{"internal/poststore/enginekit", kit},
	{"internal/poststore/storecopy", kit},
	{"internal/connector/inbox", kit},

	{"internal/state/natsnode", node},
	{"internal/poststore/local/segment", node},
	{"internal/poststore/clickhouse/chhttp", node},

	{"internal/poststore/*", adapter},
	{"internal/state/*/*", adapter},
	{"internal/notify/channel/*", adapter},
	{"internal/connector/*", adapter},
	{"internal/connector/*/*", adapter}, // fakes of networks

	{"internal/query/filter", language},

	{"internal/account", service},
	{"internal/cluster", service},
	{"internal/content", service},
	{"internal/workspace/correction", service},
	{"internal/monitor", service},
	{"internal/model/training", service},
	{"internal/picture", service},
	{"internal/ingest/pipeline", service},
	{"internal/ingest/rematch", service},
	{"internal/ingest/secondlook", service},
	{"internal/insight", service},
	{"internal/stream", service},
	{"internal/analysis", service},
	{"internal/operate/backup", service},
	{"internal/source", service},
	{"internal/operate/erasure", service},
	{"internal/workspace/label", service},
	{"internal/workspace/mark", service},
	{"internal/workspace/dashboard", service},
	{"internal/workspace/export", service},
	{"internal/workspace/share", service},
	{"internal/notify/digest", service},
	{"internal/notify/delivery", service},
	{"internal/notify/signal", service},
	{"internal/workspace/postview", service},
	{"internal/workspace/card", service},
	{"internal/workspace/incident", service},

	{"internal/http/api", surface},
	{"internal/http/manage", surface},
	{"internal/http/ui", surface},
	{"internal/demo", surface},

	{"internal/operate", operation},

	{"internal/app", assembly},
	{"internal/bench", assembly},                    // measures the assembled parts
	{"internal/model/eval", assembly},               // measures the models
	{"internal/model/*/train", assembly},            // fits the models; not part of the service
	{"internal/test/webtest", assembly},             // tests of the web app
	{"internal/test/webtest/browsertest", assembly}, // drives a browser, for tests

	{"cmd/*", command},
	{"internal/test/testenv/testrun", command},
	{"internal/*/gen", command}, // programs run by go generate
	{"internal/model/*/gen", command},
}

// uses lists the services that a service is built on, and may therefore import.
var uses = map[string][]string{
	"internal/notify/digest":      {"internal/workspace/card", "internal/workspace/incident", "internal/insight", "internal/workspace/postview"},
	"internal/notify/signal":      {"internal/insight", "internal/workspace/postview"},
	"internal/workspace/postview": {"internal/insight", "internal/stream"},
	"internal/workspace/card":     {"internal/insight", "internal/workspace/incident", "internal/workspace/postview", "internal/source"},
	"internal/workspace/incident": {"internal/insight"},
	"internal/workspace/export":   {"internal/insight", "internal/workspace/postview"},
}

// modules lists the packages that may import each third-party module, so replacing a dependency
// affects only one or two packages. A path includes the packages below it. Modules of golang.org/x
// may be imported anywhere above the domain.
var modules = map[string][]string{
	"github.com/cockroachdb/pebble":    {"internal/poststore/local"},
	"github.com/edsrzf/mmap-go":        {"internal/poststore/local/colfile"},
	"github.com/ClickHouse/ch-go":      {"internal/poststore/clickhouse"},
	"github.com/RoaringBitmap/roaring": {"internal/poststore/local", "internal/query"},
	"github.com/nats-io/nats.go":       {"internal/state/natsnode", "internal/state/journal/jetstream", "internal/state/feed/jetstream"},
	"github.com/nats-io/nats-server":   {"internal/state/natsnode"},
	"github.com/nats-io/nkeys":         {"internal/state/natsnode"},
	"github.com/minio/highwayhash":     {"internal/state/natsfile"},
	"github.com/klauspost/compress":    {"internal/state/compress", "internal/poststore/local/colfile", "internal/model/training", "internal/model", "internal/connector/bluesky", "internal/report", "internal/http/rest"},
	"github.com/clipperhouse/uax29":    {"internal/query"},
	"github.com/coder/websocket":       {"internal/connector/bluesky"},
	"github.com/mmcdole/gofeed":        {"internal/connector/feed"},
	"github.com/wneessen/go-mail":      {"internal/notify/channel/email"},
	"codeberg.org/readeck":             {"internal/connector/feed"},
	"github.com/VictoriaMetrics":       {"internal/app"},
	"github.com/go-text/typesetting":   {"internal/report"},
	"github.com/chromedp":              {"internal/test/webtest/browsertest"},
	"github.com/spf13/cobra":           {"cmd"},
	"github.com/spf13/pflag":           {"cmd", "internal/config"},
	"go.yaml.in/yaml":                  {"internal/config"},
}

// private packages may be imported only by their parent and by packages below it.
var private = []string{"internal/poststore/local/colfile", "internal/poststore/local/pebblefile", "internal/poststore/local/segment", "internal/poststore/clickhouse/chhttp"}

// bannedNames do not describe what a package is for.
var bannedNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared"}

// layerOf returns the layer of a package, or false if no rule matches.
func layerOf(pkg string) (int, bool) {
	for _, r := range rules {
		if ok, _ := path.Match(r.pattern, pkg); ok {
			return r.layer, true
		}
	}
	return 0, false
}

// within reports whether a package is dir or below it.
func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// mayImport reports whether a package may import a package of a third-party module, and whether the
// module is in the table.
func mayImport(pkg, imported string) (allowed, known bool) {
	for module, users := range modules {
		if within(imported, module) {
			return slices.ContainsFunc(users, func(dir string) bool { return within(pkg, dir) }), true
		}
	}
	return false, false
}
