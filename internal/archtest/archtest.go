// Package archtest keeps the packages of the program in their layers. The table
// here is the map of the program; Check compares what every package imports
// with it, and a test runs Check on the repository.
//
// Only production files count: a test may import what it likes.
package archtest

import "path"

// The layers, lowest first. A package imports only packages of lower layers.
// Packages of one layer do not import each other.
const (
	domain   = iota // the vocabulary; standard library only
	fact            // what is known of the world, compiled in
	tool            // does one thing, knows nothing of the service
	model           // tells something of a post, learnt from data that is compiled in
	engine          // built of tools
	contract        // what is asked of stores
	node            // what adapters share
	adapter         // stores, and the tests of their contracts
	service         // what the service does, without HTTP and without stores
	surface         // what is seen from outside
	assembly        // connects everything
	command         // programs
)

// A rule puts packages into a layer.
type rule struct {
	pattern string // relative to the module, as for path.Match
	layer   int
}

var rules = []rule{
	{".", domain},

	{"internal/geo", fact},
	{"internal/stopword", fact},

	{"internal/query", tool},
	{"internal/segment", tool},
	{"internal/period", tool},
	{"internal/disk", tool},
	{"internal/classify", tool},
	{"internal/rest", tool},
	{"internal/config", tool},
	{"internal/client", tool},
	{"internal/archtest", tool},
	{"internal/onnx", tool},
	{"internal/fetch", tool},
	{"internal/quantify", tool},

	{"internal/langid", model},
	{"internal/sentiment", model},
	{"internal/opinion", model},
	{"internal/people", model},
	{"internal/interest", model},
	{"internal/vision", model},

	{"internal/enrich", engine},
	{"internal/watchlist", engine},
	{"internal/reference", engine},

	{"internal/poststore", contract},
	{"internal/catalog", contract},
	{"internal/journal", contract},
	{"internal/feed", contract},
	{"internal/ledger", contract},

	{"internal/natsnode", node},
	{"internal/postfile", node},

	{"internal/natsnode/*", adapter}, // what the tests of adapters share
	{"internal/poststore/*", adapter},
	{"internal/catalog/*", adapter},
	{"internal/journal/*", adapter},
	{"internal/feed/*", adapter},
	{"internal/ledger/*", adapter},

	{"internal/account", service},
	{"internal/content", service},
	{"internal/monitor", service},
	{"internal/training", service},
	{"internal/pipeline", service},
	{"internal/insight", service},
	{"internal/stream", service},
	{"internal/analysis", service},
	{"internal/backup", service},

	{"internal/api", surface},
	{"internal/manage", surface},
	{"internal/ui", surface},
	{"internal/demo", surface},

	{"internal/app", assembly},
	{"internal/bench", assembly},       // measures the parts as they are put together
	{"internal/eval", assembly},        // measures the models
	{"internal/*/train", assembly},     // makes the models; no part of the service
	{"internal/browsertest", assembly}, // drives a browser, for tests
	{"internal/webtest", assembly},     // tests of the web app, nothing else

	{"cmd/*", command},
	{"internal/*/gen", command}, // programs that go generate runs
}

// bannedNames say nothing about what a package is for.
var bannedNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared"}

// layerOf returns the layer of a package, and false when the table lacks it.
func layerOf(pkg string) (int, bool) {
	for _, r := range rules {
		if ok, _ := path.Match(r.pattern, pkg); ok {
			return r.layer, true
		}
	}
	return 0, false
}
