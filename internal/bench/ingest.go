package bench

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"runtime"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// An IngestResult is the cost of ingesting posts.
type IngestResult struct {
	GeneratedPerSecond float64            `json:"generatedPerSecond"` // part of pipelinePerSecond
	AppendedPerSecond  float64            `json:"appendedPerSecond"`  // until they are searchable and synced
	SettleSeconds      float64            `json:"settleSeconds"`      // background merging after that
	BytesPerPost       map[string]float64 `json:"bytesPerPost"`       // on disk, by part and in total
	OpenMS             float64            `json:"openMs"`
	Segments           int                `json:"segments"`
	PipelinePerSecond  float64            `json:"pipelinePerSecond"` // journal, enrichment, matching and store
	PipelineMonitors   int                `json:"pipelineMonitors"`
}

// appendMonitors is the number of monitors that posts are distributed among.
const appendMonitors = 1000

func measureIngest(ctx context.Context, s *session) (any, error) {
	if err := s.emptyDir(); err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(s.cpus)
	g := s.day()
	result := IngestResult{GeneratedPerSecond: generate(g)}
	if err := s.measureAppend(ctx, g, &result); err != nil {
		return nil, err
	}
	return &result, s.measureEndToEnd(ctx, &result)
}

// generate generates some of the posts and returns the number per second.
func generate(g *Generator) float64 {
	some := *g
	some.Count = min(g.Count, 200_000)
	start, n := time.Now(), 0
	for batch := range some.Batches(batchSize) {
		n += len(batch)
	}
	return perSecond(n, time.Since(start))
}

// measureAppend fills a store, measures its files and opens it again.
func (s *session) measureAppend(ctx context.Context, g *Generator, result *IngestResult) error {
	dir := filepath.Join(s.dir, "posts")
	st, err := s.open(ctx, dir)
	if err != nil {
		return err
	}
	s.logf("appending %d posts", g.Count)
	err = appendAll(ctx, st, g, result)
	stats, statsErr := st.Stats(ctx)
	if err := errors.Join(err, statsErr, st.Close()); err != nil {
		return err
	}
	bytes, err := sizes(dir)
	if err != nil {
		return err
	}
	if len(bytes) == 0 { // the posts are elsewhere
		bytes[stats.Engine] = stats.Bytes
	}
	result.BytesPerPost = map[string]float64{}
	for part, n := range maps.All(bytes) {
		result.BytesPerPost[part] = float64(n) / float64(g.Count)
		result.BytesPerPost["all"] += float64(n) / float64(g.Count)
	}
	return s.measureOpen(ctx, dir, result)
}

func appendAll(ctx context.Context, st store, g *Generator, result *IngestResult) error {
	var took time.Duration
	at := earshot.Position(0)
	for batches := range chunks(g, appendMonitors) { // generated before the clock starts
		synced, err := once(func() error {
			if err := appendBatches(ctx, st, uint64(at), batches); err != nil {
				return err
			}
			at += earshot.Position(len(batches))
			return st.Flush(ctx)
		})
		if err != nil {
			return err
		}
		took += synced
	}
	result.AppendedPerSecond = perSecond(g.Count, took)
	settled, err := once(func() error { return st.Compact(ctx) })
	result.SettleSeconds = settled.Seconds()
	return err
}

// measureOpen measures the time to open the store and run a first query.
func (s *session) measureOpen(ctx context.Context, dir string, result *IngestResult) error {
	start := time.Now()
	st, err := s.open(ctx, dir)
	if err != nil {
		return err
	}
	_, err = poststore.TallyOne(ctx, st, poststore.Selection{Set: 1}, poststore.Tally{})
	result.OpenMS = Milliseconds(time.Since(start))
	stats, statsErr := st.Stats(ctx)
	result.Segments = stats.Segments
	return errors.Join(err, statsErr, st.Close())
}
