package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"

	"earshot/internal/bench"
)

// A comparison contains the results of all engines, in the order of the engines.
type comparison struct {
	Posts   int            `json:"posts"`
	Sample  string         `json:"sample"`
	CPUs    int            `json:"cpus"` // cores for queries
	Machine string         `json:"machine"`
	Engines []engineResult `json:"engines"`
	Queries []queryResult  `json:"questions"`

	first map[string]reference // by query
}

// A reference is the result that other results are compared with.
type reference struct {
	counts
	p50 float64
}

// An engineResult is the cost of storing the posts in an engine.
type engineResult struct {
	Engine           string  `json:"engine"`
	IndexedPerSecond int     `json:"indexedPerSecond"` // until posts can be queried
	SettleSeconds    float64 `json:"settleSeconds"`    // until the engine is fully optimized
	BytesPerPost     float64 `json:"bytesPerPost"`
}

// A queryResult is the outcome of a query on an engine with a strategy.
type queryResult struct {
	Question string  `json:"question"`
	Query    string  `json:"query"`
	Engine   string  `json:"engine"`
	Way      string  `json:"way"`
	Rows     int64   `json:"rows"`
	P50      float64 `json:"p50Ms"`
	P95      float64 `json:"p95Ms"`
	Ratio    float64 `json:"ratio"`             // relative to the first result's p50
	Differs  string  `json:"differs,omitempty"` // how the result differs from the first one
}

func newComparison(g *bench.Generator, cpus int) *comparison {
	return &comparison{
		Posts:   g.Count,
		Sample:  g.Sample.Name,
		CPUs:    cpus,
		first:   map[string]reference{},
		Machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
}

// measure fills an engine, runs all queries on it and closes it.
func (c *comparison) measure(ctx context.Context, e engine, dir string, g *bench.Generator, queries []bench.Query) error {
	result, err := c.fill(ctx, e, g)
	if err == nil {
		err = c.runQueries(ctx, e, queries)
	}
	if err := errors.Join(err, e.close()); err != nil {
		return err
	}
	bytes, err := size(dir)
	result.BytesPerPost = float64(bytes) / float64(g.Count)
	c.Engines = append(c.Engines, result)
	return err
}

func (c *comparison) fill(ctx context.Context, e engine, g *bench.Generator) (engineResult, error) {
	start := time.Now()
	if err := e.index(ctx, g.Batches(1000)); err != nil {
		return engineResult{}, err
	}
	indexed := time.Since(start)
	start = time.Now()
	err := e.settle(ctx)
	return engineResult{
		Engine:           e.name(),
		IndexedPerSecond: int(float64(g.Count) / indexed.Seconds()),
		SettleSeconds:    time.Since(start).Seconds(),
	}, err
}

func (c *comparison) runQueries(ctx context.Context, e engine, queries []bench.Query) error {
	before := runtime.GOMAXPROCS(c.CPUs)
	defer runtime.GOMAXPROCS(before)
	for _, q := range queries {
		for _, w := range e.strategies() {
			f, err := c.query(ctx, w, q)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", q.Name, w.name, err)
			}
			f.Engine = e.name()
			c.Queries = append(c.Queries, f)
		}
	}
	return nil
}

func (c *comparison) query(ctx context.Context, w strategy, q bench.Query) (queryResult, error) {
	var r rawResult
	times, err := bench.Repeat(bench.MaxRuns, func() (err error) {
		r, err = w.run(ctx, q)
		return err
	})
	if err != nil {
		return queryResult{}, err
	}
	got, p50 := r.counts(), bench.Milliseconds(times.Quantile(0.5))
	if _, known := c.first[q.Name]; !known {
		c.first[q.Name] = reference{got, p50}
	}
	return queryResult{
		Question: q.Name,
		Query:    q.Keywords(),
		Way:      w.name,
		Rows:     got.posts,
		P50:      p50,
		P95:      bench.Milliseconds(times.Quantile(0.95)),
		Ratio:    p50 / c.first[q.Name].p50,
		Differs:  difference(c.first[q.Name].counts, got),
	}, nil
}

// difference describes how got differs from want. It returns "" if they are equal.
func difference(want, got counts) string {
	if got.posts != want.posts {
		return fmt.Sprintf("%+d rows (%+.2f%%)", got.posts-want.posts, 100*float64(got.posts-want.posts)/float64(want.posts))
	}
	for i, d := range dims {
		if !maps.Equal(want.by[i], got.by[i]) {
			return "counts by " + d.name
		}
	}
	if got.impressions != unknown && got.impressions != want.impressions {
		return "impressions"
	}
	return ""
}

// print writes tables for people, with the results of each query together.
func (c *comparison) print(to io.Writer) error {
	fmt.Fprintf(to, "%d posts generated from %s, %s, %d cores for queries\n\n", c.Posts, c.Sample, c.Machine, c.CPUs)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ENGINE\tINDEXED/S\tSETTLED AFTER\tBYTES/POST")
	for _, e := range c.Engines {
		fmt.Fprintf(w, "%s\t%d\t%.1f s\t%.0f\n", e.Engine, e.IndexedPerSecond, e.SettleSeconds, e.BytesPerPost)
	}
	fmt.Fprintln(w, "\nQUERY\tENGINE\tSTRATEGY\tROWS\tP50 MS\tP95 MS\tRATIO\tDIFFERS")
	printed := map[string]bool{}
	for _, first := range c.Queries {
		if printed[first.Question] {
			continue
		}
		printed[first.Question] = true
		for _, f := range c.Queries {
			if f.Question == first.Question {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.2f\t%.2f\t%.1f\t%s\n", f.Question, f.Engine, f.Way, f.Rows, f.P50, f.P95, f.Ratio, f.Differs)
			}
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// size returns the total size of the files in dir.
func size(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // files may be removed concurrently
			return nil
		}
		if err != nil {
			return err
		}
		bytes += info.Size()
		return nil
	})
	return bytes, err
}
