// Command bench runs the same queries on the same posts with Earshot's post store, SQLite FTS5 and
// Bleve, one after another in one process, and prints how long they take. With the name of a task
// and a file, it compares models that detect languages or sentiment instead. It is a separate
// module, so that Earshot does not depend on the engines and models it is compared with.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"earshot/internal/bench"
)

// settings are the command-line flags.
type settings struct {
	count   int
	cpus    int
	seed    uint64
	posts   string
	dir     string
	engines string
}

// tasks lists the comparisons of models by name. Each reads a file of labeled texts.
var tasks = map[string]func(w io.Writer, file string) error{
	"language":  compareLanguage,
	"sentiment": compareSentiment,
}

func main() {
	if len(os.Args) == 3 && tasks[os.Args[1]] != nil {
		exit(tasks[os.Args[1]](os.Stdout, os.Args[2]))
	}
	var s settings
	flag.IntVar(&s.count, "count", 1_000_000, "number of posts to generate")
	flag.IntVar(&s.cpus, "cpus", 1, "number of cores for queries; ingestion uses all")
	flag.Uint64Var(&s.seed, "seed", 1, "a different `number` generates different posts")
	flag.StringVar(&s.posts, "posts", "", "`file` of JSON lines, optionally gzip, to generate posts from (default: generated texts)")
	flag.StringVar(&s.dir, "dir", "", "empty `directory` to work in, which is not removed (default: a temporary one, which is removed)")
	flag.StringVar(&s.engines, "engines", "earshot,sqlite,bleve", "engines to compare, `separated by commas`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := s.run(ctx)
	stop()
	exit(err)
}

// exit ends the program, with a message if there is an error.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (s *settings) run(ctx context.Context) error {
	if s.count < 1 || s.cpus < 1 || flag.NArg() > 0 {
		return errors.New("--count and --cpus must be at least 1, and no arguments are accepted")
	}
	sample, err := bench.NewSample(s.posts)
	if err != nil {
		return err
	}
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "earshot-peers-"); err != nil {
			return err
		}
		defer os.RemoveAll(s.dir)
	}
	g := &bench.Generator{
		Sample: sample, Seed: s.seed, Count: s.count,
		From: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Span: 24 * time.Hour,
	}
	c, err := s.compare(ctx, g)
	if err != nil {
		return err
	}
	if err := c.print(os.Stdout); err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(c)
}

// A candidate is an engine that can be compared.
type candidate struct {
	name  string // name on the command line
	open  func(ctx context.Context, dir string, g *bench.Generator) (engine, error)
	check func(ctx context.Context) error // whether it can be opened; may be nil
}

var engines = []candidate{
	{name: "earshot", open: openEarshot},
	{name: "sqlite", open: openSQLite, check: checkFTS5},
	{name: "bleve", open: openBleve},
}

// compare measures the selected engines.
func (s *settings) compare(ctx context.Context, g *bench.Generator) (*comparison, error) {
	queries, err := g.Words().Queries()
	if err != nil {
		return nil, err
	}
	chosen, err := s.chosen(ctx)
	if err != nil {
		return nil, err
	}
	c := newComparison(g, s.cpus)
	for _, e := range chosen {
		fmt.Fprintln(os.Stderr, e.name)
		dir := filepath.Join(s.dir, e.name)
		if err := os.MkdirAll(extraDir(dir), 0o700); err != nil {
			return nil, err
		}
		opened, err := e.open(ctx, dir, g)
		if err == nil {
			err = c.measure(ctx, opened, dir, g, queries)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return c, nil
}

// chosen returns the selected engines. It checks all of them first, so that a missing requirement
// is reported before anything is measured.
func (s *settings) chosen(ctx context.Context) ([]candidate, error) {
	var list []candidate
	for _, name := range strings.Split(s.engines, ",") {
		i := slices.IndexFunc(engines, func(e candidate) bool { return e.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown engine %q", name)
		}
		if engines[i].check != nil {
			if err := engines[i].check(ctx); err != nil {
				return nil, err
			}
		}
		list = append(list, engines[i])
	}
	return list, nil
}

// extraDir is the directory for an engine's files that do not count toward its size.
func extraDir(dir string) string { return dir + ".extra" }
