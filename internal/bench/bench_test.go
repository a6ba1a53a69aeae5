package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/poststore/memory"
	"earshot/internal/test/testenv"
)

// memoryStore is the memory store in place of the local one.
type memoryStore struct {
	*memory.Store
	stores *memoryStores
}

func (memoryStore) Flush(context.Context) error   { return nil }
func (memoryStore) Compact(context.Context) error { return nil }
func (memoryStore) Close() error                  { return nil }

// Checkpoint shares the posts with the copy, because no test queries them after deleting posts.
func (m memoryStore) Checkpoint(_ context.Context, dir string) error {
	m.stores.mu.Lock()
	defer m.stores.mu.Unlock()
	m.stores.byDir[dir] = m.Store
	return nil
}

// memoryStores maps directories to the stores that would be in them.
type memoryStores struct {
	mu    sync.Mutex
	byDir map[string]*memory.Store
}

func (s *memoryStores) open(_ context.Context, dir string) (store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byDir[dir] == nil {
		s.byDir[dir] = memory.New()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return memoryStore{s.byDir[dir], s}, nil
}

func inMemory() opener { return (&memoryStores{byDir: map[string]*memory.Store{}}).open }

func find(t *testing.T, name string) Bench {
	t.Helper()
	i := slices.IndexFunc(List(), func(b Bench) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("unknown bench %q", name)
	}
	return List()[i]
}

var fewMonitors = []int{10, 100}

// TestRun checks that every benchmark runs, with few posts.
func TestRun(t *testing.T) {
	const count = 2000
	sample := smallGenerator(t, count).Sample
	check := map[string]func(t *testing.T, result any){
		"ingest": func(t *testing.T, result any) {
			f := result.(*IngestResult)
			if f.AppendedPerSecond <= 0 || f.PipelinePerSecond <= 0 || f.GeneratedPerSecond <= 0 {
				t.Errorf("got zero rates: %+v", f)
			}
		},
		"match": func(t *testing.T, result any) {
			for i, f := range result.([]MatchResult) {
				if f.Monitors != fewMonitors[i] || f.PostsPerSecond <= 0 || f.MatchesPerPost <= 0 {
					t.Errorf("got %+v", f)
				}
			}
		},
		"analysis": func(t *testing.T, result any) {
			f := result.(AnalysisResult)
			if f.Stored != count || len(f.Queries) != 7 {
				t.Fatalf("got %d posts and %d queries, want %d and 7", f.Stored, len(f.Queries), count)
			}
			for _, q := range f.Queries {
				if q.Rows == 0 || q.Rows == count {
					t.Errorf("%s: %s selects %d posts", q.Name, q.Query, q.Rows)
				}
			}
			checkSubmissions(t, f.HTTP)
		},
		"metrics": func(t *testing.T, result any) {
			f := result.(MetricsResult)
			if f.Matched != count || f.Deletion.Documents != count/customEvery || f.Deletion.Gone != count/customEvery {
				t.Errorf("got %d posts, %+v", f.Matched, f.Deletion)
			}
			if f.Newest.Posts == 0 || f.Newest.Posts > newestPosts || f.Newest.Matched < int64(f.Newest.Posts) {
				t.Errorf("got %+v", f.Newest)
			}
			checkHTTP(t, f.HTTP)
			for _, m := range f.Metrics {
				if m.Rows == 0 || strings.Contains(m.Metric, "day") && m.Metric != "by day and gender" && m.Posts != count {
					t.Errorf("%s: got %d posts in %d rows, want %d", m.Metric, m.Posts, m.Rows, count)
				}
			}
		},
		"training": func(t *testing.T, result any) {
			f := result.(TrainingResult)
			if f.LearnSeconds <= 0 || f.ModelBytes == 0 || f.Matched != 0 && (f.Matched != count || f.ScorePerSecond <= 0 || f.InPerSecond <= 0) {
				t.Errorf("got %+v", f)
			}
		},
	}
	check["signals-cost"] = func(t *testing.T, result any) {
		if f := result.(SignalsCostResult); f.Monitors != 100 || f.Matched <= 0 {
			t.Errorf("got %+v", f)
		}
	}
	check["overview"] = func(t *testing.T, result any) { checkOverview(t, result.(*OverviewResult)) }
	check["streams"] = func(t *testing.T, result any) { checkStreams(t, result.(*StreamsResult), count) }
	for _, b := range append(List(), training(12), signalsCost) {
		t.Run(b.Name, func(t *testing.T) {
			report, err := b.Run(t.Context(), Options{
				Count: count, Seed: 1, Dir: filepath.Join(t.TempDir(), "new"), Serve: serve, sample: sample, monitors: fewMonitors, many: 3, runs: 2,
			})
			if err != nil {
				t.Fatal(err)
			}
			if report.Bench != b.Name || report.Posts != count || report.Sample != "demo" {
				t.Errorf("got %+v", report)
			}
			check[b.Name](t, report.Result)
			if _, err := json.Marshal(report); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDirectoryOfAnotherMeasurementIsRejected(t *testing.T) {
	testenv.SkipUnderRace(t)
	dir, open := t.TempDir(), inMemory()
	options := Options{Count: 500, Seed: 1, Dir: dir, open: open, sample: smallGenerator(t, 1).Sample, runs: 2}
	var progress bytes.Buffer
	options.Progress = &progress
	if _, err := find(t, "analysis").Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(progress.String(), "appending 500 posts") {
		t.Errorf("first run: got progress %q", progress.String())
	}
	progress.Reset()
	if _, err := find(t, "analysis").Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(progress.String(), "appending") {
		t.Errorf("the second run appended its posts again: %q", progress.String())
	}
	options.Count = 600
	for _, name := range []string{"analysis", "ingest"} {
		if _, err := find(t, name).Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("%s: non-empty directory: got error %v", name, err)
		}
	}
}

func TestTemporaryDirectoryIsRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if _, err := find(t, "match").Run(t.Context(), Options{Count: 100, sample: smallGenerator(t, 1).Sample, monitors: fewMonitors, runs: 2}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got leftover files %v, %v", left, err)
	}
}

func TestCanceledRunIsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, b := range List() {
		if _, err := b.Run(ctx, Options{Count: 100, open: inMemory(), sample: smallGenerator(t, 1).Sample, monitors: fewMonitors, runs: 2}); err == nil {
			t.Errorf("%s: got no error", b.Name)
		}
	}
}

func TestQuantile(t *testing.T) {
	times := Times{4, 1, 3, 2, 10}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.95: 10, 1: 10} {
		if got := times.Quantile(share); got != want {
			t.Errorf("quantile %v: got %d, want %d", share, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	dir := t.TempDir()
	for name, n := range map[string]int{"a/x": 3, "a/b/y": 4, "c/z": 5, "top": 6} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := sizes(dir)
	if err != nil || len(got) != 3 || got["a"] != 7 || got["c"] != 5 || got["."] != 6 {
		t.Errorf("got %v, %v", got, err)
	}
}
