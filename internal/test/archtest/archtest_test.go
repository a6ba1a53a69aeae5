package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRepository(t *testing.T) {
	breaches, err := Check(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches {
		t.Error(b)
	}
}

func TestCheck(t *testing.T) {
	const (
		lower     = "a package imports only packages of lower layers"
		misplaced = "the table of modules in internal/test/archtest/archtest.go does not allow it here"
		private   = "only internal/poststore/local and the packages below it import it"
	)
	tests := []struct {
		name  string
		files map[string]string // imports by file
		want  []string
	}{
		{
			name: "a correct program has no violations",
			files: map[string]string{
				"earshot.go":                            "fmt",
				"internal/geo/geo.go":                   "earshot golang.org/x/text/cases",
				"internal/query/query.go":               "earshot earshot/internal/geo golang.org/x/text/cases",
				"internal/query/watchlist/watchlist.go": "earshot earshot/internal/query",
				"internal/poststore/poststore.go":       "earshot earshot/internal/query/watchlist",
				"internal/state/natsnode/node.go":       "github.com/nats-io/nats.go",
				"internal/state/journal/jetstream/a.go": "earshot/internal/state/journal earshot/internal/state/natsnode",
				"internal/account/account.go":           "earshot earshot/internal/state/catalog",
				"internal/query/filter/filter.go":       "earshot/internal/query earshot/internal/poststore/enginekit",
				"internal/notify/signal/signal.go":      "earshot/internal/query/filter earshot/internal/insight",
				"internal/http/api/api.go":              "net/http earshot/internal/account earshot/internal/http/rest",
				"internal/app/app.go":                   "earshot/internal/http/api earshot/internal/state/natsnode earshot/internal/state/journal/jetstream",
				"cmd/earshot/main.go":                   "earshot/internal/app earshot/internal/http/client",
				"internal/geo/gen/main.go":              "earshot/internal/geo",
			},
		},
		{
			name:  "the domain imports another package of ours",
			files: map[string]string{"earshot.go": "earshot/internal/query"},
			want:  []string{". imports earshot/internal/query: the domain imports only the standard library"},
		},
		{
			name:  "the domain imports a dependency",
			files: map[string]string{"earshot.go": "golang.org/x/text/cases"},
			want:  []string{". imports golang.org/x/text/cases: the domain imports only the standard library"},
		},
		{
			name:  "a package imports a higher layer",
			files: map[string]string{"internal/query/query.go": "earshot/internal/query/watchlist"},
			want:  []string{"internal/query imports earshot/internal/query/watchlist: " + lower},
		},
		{
			name:  "a package imports another of its layer",
			files: map[string]string{"internal/http/manage/manage.go": "earshot/internal/http/api"},
			want:  []string{"internal/http/manage imports earshot/internal/http/api: " + lower},
		},
		{
			name:  "an adapter imports another",
			files: map[string]string{"internal/poststore/local/local.go": "earshot/internal/poststore/memory"},
			want:  []string{"internal/poststore/local imports earshot/internal/poststore/memory: " + lower},
		},
		{
			name: "a service has forbidden imports",
			files: map[string]string{
				"internal/insight/insight.go": "net/http net/http/httputil earshot/internal/http/rest earshot/internal/monitor earshot/internal/poststore/local",
			},
			want: []string{
				"internal/insight imports earshot/internal/http/rest: services do not depend on HTTP",
				"internal/insight imports earshot/internal/monitor: services do not import each other; declare an interface, which app connects",
				"internal/insight imports earshot/internal/poststore/local: only app and operate import adapters",
				"internal/insight imports net/http/httputil: services do not depend on HTTP",
				"internal/insight imports net/http: services do not depend on HTTP",
			},
		},
		{
			name: "packages other than app import adapters",
			files: map[string]string{
				"internal/http/api/api.go": "earshot/internal/poststore/memory",
				"cmd/earshot/main.go":      "earshot/internal/state/natsnode",
			},
			want: []string{
				"cmd/earshot imports earshot/internal/state/natsnode: only app and operate import adapters",
				"internal/http/api imports earshot/internal/poststore/memory: only app and operate import adapters",
			},
		},
		{
			name: "a third-party module in a package that may not import it",
			files: map[string]string{
				"internal/poststore/local/local.go":         "github.com/cockroachdb/pebble/v2 github.com/RoaringBitmap/roaring/v2",
				"internal/poststore/local/colfile/file.go":  "github.com/edsrzf/mmap-go",
				"internal/state/natsnode/natstest/nats.go":  "github.com/nats-io/nats-server/v2/server",
				"internal/poststore/memory/memory.go":       "github.com/cockroachdb/pebble/v2",
				"internal/poststore/local/segment/write.go": "github.com/edsrzf/mmap-go",
				"internal/app/app.go":                       "github.com/nats-io/nats.go github.com/spf13/cobra",
				"internal/insight/insight.go":               "github.com/acme/novelty golang.org/x/text/cases",
			},
			want: []string{
				"internal/app imports github.com/nats-io/nats.go: " + misplaced,
				"internal/app imports github.com/spf13/cobra: " + misplaced,
				"internal/insight imports github.com/acme/novelty: add its module to the table of modules in internal/test/archtest/archtest.go",
				"internal/poststore/local/segment imports github.com/edsrzf/mmap-go: " + misplaced,
				"internal/poststore/memory imports github.com/cockroachdb/pebble/v2: " + misplaced,
			},
		},
		{
			name: "packages of the local store are private",
			files: map[string]string{
				"internal/poststore/local/local.go":         "earshot/internal/poststore/local/segment earshot/internal/poststore/local/colfile",
				"internal/poststore/local/segment/write.go": "earshot/internal/poststore/local/colfile",
				"internal/app/app.go":                       "earshot/internal/poststore/local/segment",
				"internal/operate/backup/backup.go":         "earshot/internal/poststore/local/colfile",
			},
			want: []string{
				"internal/app imports earshot/internal/poststore/local/segment: " + private,
				"internal/operate/backup imports earshot/internal/poststore/local/colfile: " + private,
			},
		},
		{
			name:  "a package that is not in the table",
			files: map[string]string{"internal/novelty/novelty.go": "fmt", "internal/query/deep/deep.go": "fmt"},
			want: []string{
				"internal/novelty: add it to the table in internal/test/archtest/archtest.go",
				"internal/query/deep: add it to the table in internal/test/archtest/archtest.go",
			},
		},
		{
			name:  "a package with a meaningless name",
			files: map[string]string{"internal/poststore/util/util.go": ""},
			want:  []string{`internal/poststore/util: "util" is not descriptive; name the package after its purpose`},
		},
		{
			name: "tests and ignored directories may import anything",
			files: map[string]string{
				"internal/query/query_test.go":       "earshot/internal/app",
				"internal/query/testdata/example.go": "earshot/internal/app",
				".cache/x.go":                        "earshot/internal/app",
				"web/node_modules/x/x.go":            "earshot/internal/app",
				"other/go.mod":                       "",
				"other/deep/x.go":                    "earshot/internal/poststore/memory",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Check(program(tt.files))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestServicesAreComplete(t *testing.T) {
	const declarations = `package app

import (
	mail "earshot/internal/notify/delivery"
	"earshot/internal/poststore"
	"earshot/internal/notify/signal"
)

type App struct {
	Deliveries *mail.Service
	signals    *signal.Service
	posts      *poststore.Stats
}
`
	f := func(statement string, want ...string) {
		t.Helper()
		for i := range want {
			want[i] = "internal/app sets " + want[i] + ": pass it when the service is built"
		}
		got, err := Check(fstest.MapFS{
			"internal/app/app.go":       {Data: []byte(declarations)},
			"internal/app/wire.go":      {Data: []byte("package app\nfunc (a *App) build() {\n" + statement + "\n}\n")},
			"internal/app/wire_test.go": {Data: []byte("package app\nfunc (a *App) test() { a.Deliveries.Render = nil }\n")},
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", statement, got, err, want)
		}
	}
	f(`a.Deliveries = &mail.Service{Render: render}`)
	f(`a.Deliveries.Render = render`, "a.Deliveries.Render")
	f(`x, a.signals.Data = 1, data`, "a.signals.Data")
	f(`a.app.signals.Options.Data = data`, "a.app.signals.Options.Data")
	f(`if ok { go func() { a.signals.Data = nil }() }`, "a.signals.Data")
	f(`a.posts.Count = 1; a.signals = nil; signals.Data = nil`)
}

func TestCheckReportsParseErrors(t *testing.T) {
	_, err := Check(fstest.MapFS{"broken.go": {Data: []byte("no package")}})
	if err == nil {
		t.Error("got no error for a file that is not Go")
	}
}

// program returns Go files with the given imports, which are separated by spaces.
func program(imports map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for file, list := range imports {
		var b strings.Builder
		b.WriteString("package x\n")
		for _, imported := range strings.Fields(list) {
			b.WriteString("import _ \"" + imported + "\"\n")
		}
		fsys[file] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return fsys
}
