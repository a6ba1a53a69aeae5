// Package bench measures Earshot: how fast it ingests, matches and counts posts, and how much space
// they take. It generates its own posts, so the binary can be measured where it will run, without
// installing anything else.
//
// A [Generator] makes any number of distinct posts from a small sample. A [Bench] is one
// measurement. It returns results that are ready to print as JSON. The module in the bench
// directory measures other engines with the same posts and queries.
//
// Measurements for people who change the code are not part of the program. Those that need the
// posts or the server of this package are its long tests (TestMeasure); the accuracy of models and
// signals is measured beside their code.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"earshot/internal/poststore/clickhouse"
)

// A Bench is a measurement.
type Bench struct {
	Name  string
	Short string // one line of help
	Count int    // default number of posts
	CPUs  int    // default number of cores; 0 means all

	Database bool // whether posts can be in [Options.Database]

	run func(ctx context.Context, s *session) (any, error)
}

// List returns all measurements.
func List() []Bench {
	return []Bench{
		{Name: "ingest", Short: "the ingest rate and the bytes per post", Count: 1_000_000, Database: true, run: measureIngest},
		{Name: "match", Short: "how fast posts are matched against 1,000 to 100,000 monitors", Count: 50_000, CPUs: 1, run: measureMatch},
		{Name: "analysis", Short: "queries over one day of posts, counted by all dimensions, and the same analyses over HTTP", Count: 5_000_000, CPUs: 1, Database: true, run: measureAnalysis},
		{Name: "metrics", Short: "a year of one monitor: all metrics, the newest posts and deletion, then metrics over HTTP and memory use", Count: usualYear, Database: true, run: measureMetrics},
		{Name: "overview", Short: "the pages of a monitor with a year of posts over HTTP, as the web app requests them, cold and warm", Count: usualYear, run: measureOverview},
		{Name: "streams", Short: "100 realtime streams with 20,000 uploaded posts per second: read, unread, and next to 1,000 more streams. Clients and server share the cores", Count: 1_200_000, run: measureStreams},
	}
}

const (
	usualYear    = 3_000_000 // default number of posts in a year
	usualStreams = 1000      // default number of streams that receive no posts
)

// Options configure a measurement. A zero value selects the default.
type Options struct {
	Count    int    // number of posts
	CPUs     int    // number of cores to use
	Seed     uint64 // a different seed generates different posts
	Sample   string // file of JSON lines to generate posts from; "" means the posts of the demo
	Dir      string // where stores are created and left; "" means a temporary directory
	Progress io.Writer

	// Database is where posts are stored, in databases whose names have _bench_ and more at their end.
	// If nil, they are in Dir.
	Database *clickhouse.Database

	// Serve opens a [Server]. If nil, HTTP is not measured.
	Serve func(ctx context.Context, dir string) (*Server, error)

	// For tests. A zero value selects the default here, too.
	open     opener
	sample   *Sample
	monitors []int
	many     int
	runs     int
}

// A Report is the outcome of a measurement.
type Report struct {
	Bench   string  `json:"bench"`
	Posts   int     `json:"posts"`
	Sample  string  `json:"sample"`
	CPUs    int     `json:"cpus"`
	Machine string  `json:"machine"`
	Seconds float64 `json:"seconds"` // total, including preparation
	Result  any     `json:"figures"`
}

// Run runs the measurement. It removes temporary directories that it created.
func (b Bench) Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	s, err := b.prepare(o)
	if err != nil {
		return nil, err
	}
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "earshot-bench-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(s.dir)
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	result, err := b.run(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", b.Name, err)
	}
	return &Report{
		Bench:   b.Name,
		Posts:   s.count,
		Sample:  s.sample.Name,
		CPUs:    s.cpus,
		Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
		Seconds: time.Since(start).Seconds(),
		Result:  result,
	}, nil
}

// prepare reads the sample and applies the defaults of options.
func (b Bench) prepare(o Options) (*session, error) {
	s := &session{
		sample:   o.sample,
		count:    cmp.Or(o.Count, b.Count),
		cpus:     cmp.Or(o.CPUs, b.CPUs, runtime.NumCPU()),
		seed:     o.Seed,
		dir:      o.Dir,
		progress: cmp.Or(o.Progress, io.Discard),
		open:     o.open,
		serve:    o.Serve,
		monitors: o.monitors,
		many:     cmp.Or(o.many, usualStreams),
		runs:     cmp.Or(o.runs, MaxRuns),
	}
	if o.Database != nil {
		s.open = (&clickHouseOpener{db: o.Database, copies: map[string]string{}}).open
	}
	if s.open == nil {
		s.open = openLocal
	}
	if s.monitors == nil {
		s.monitors = monitorCounts
	}
	if s.sample != nil {
		return s, nil
	}
	var err error
	s.sample, err = NewSample(o.Sample)
	return s, err
}

// A session is one run of a [Bench].
type session struct {
	sample      *Sample
	count, cpus int
	seed        uint64
	dir         string
	progress    io.Writer
	open        opener
	serve       func(ctx context.Context, dir string) (*Server, error)
	monitors    []int // numbers of monitors that posts are matched against, in turn
	many        int   // number of streams that receive no posts
	runs        int   // maximum number of runs per query
}

// freeSample frees the memory of the sample, so that [Resident] reports what is needed to respond
// to requests.
func (s *session) freeSample() {
	s.sample = &Sample{Name: s.sample.Name}
	runtime.GC()
	debug.FreeOSMemory()
}

// logf reports progress, because a measurement takes a long time.
func (s *session) logf(format string, args ...any) {
	fmt.Fprintf(s.progress, format+"\n", args...)
}

// firstDay is the time at which the posts of a session start. It is constant so that a measurement
// can be repeated exactly.
var firstDay = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// day and year return generators of the posts of a session.
func (s *session) day() *Generator  { return s.generator(24 * time.Hour) }
func (s *session) year() *Generator { return s.generator(365 * 24 * time.Hour) }

func (s *session) generator(span time.Duration) *Generator {
	return &Generator{Sample: s.sample, Seed: s.seed, Count: s.count, From: firstDay, Span: span}
}
