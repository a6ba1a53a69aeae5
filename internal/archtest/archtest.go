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
	view            // what surfaces share
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
	{"internal/model/stopword", fact},

	{"internal/query", tool},
	{"internal/parallel", tool},
	{"internal/period", tool},
	{"internal/disk", tool},
	{"internal/fetch", tool},
	{"internal/config", tool},
	{"internal/archtest", tool},
	{"internal/http/rest", tool},
	{"internal/http/client", tool},
	{"internal/model/classify", tool},
	{"internal/model/quantify", tool},
	{"internal/model/onnx", tool},
	{"internal/poststore/local/colfile", tool},
	{"internal/state/kv", tool},
	{"internal/state/compress", tool},

	{"internal/model/langid", model},
	{"internal/model/sentiment", model},
	{"internal/model/opinion", model},
	{"internal/model/people", model},
	{"internal/model/interest", model},
	{"internal/model/vision", model},

	{"internal/model/enrich", engine},
	{"internal/query/watchlist", engine},
	{"internal/http/reference", engine},

	{"internal/poststore", contract},
	{"internal/state/catalog", contract},
	{"internal/state/journal", contract},
	{"internal/state/feed", contract},
	{"internal/state/ledger", contract},

	{"internal/state/natsnode", node},
	{"internal/poststore/local/segment", node},

	{"internal/poststore/*", adapter},
	{"internal/state/*/*", adapter},

	{"internal/account", service},
	{"internal/content", service},
	{"internal/monitor", service},
	{"internal/training", service},
	{"internal/pipeline", service},
	{"internal/rematch", service},
	{"internal/insight", service},
	{"internal/stream", service},
	{"internal/analysis", service},
	{"internal/backup", service},

	{"internal/http/postview", view},

	{"internal/http/api", surface},
	{"internal/http/manage", surface},
	{"internal/http/ui", surface},
	{"internal/demo", surface},

	{"internal/app", assembly},
	{"internal/bench", assembly},               // measures the parts as they are put together
	{"internal/model/eval", assembly},          // measures the models
	{"internal/model/*/train", assembly},       // fits the models; not part of the service
	{"internal/webtest", assembly},             // tests of the web app
	{"internal/webtest/browsertest", assembly}, // drives a browser, for tests

	{"cmd/*", command},
	{"internal/*/gen", command}, // programs that go generate runs
	{"internal/model/*/gen", command},
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
