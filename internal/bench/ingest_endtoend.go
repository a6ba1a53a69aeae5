package bench

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"earshot/internal/ingest/pipeline"
	"earshot/internal/model/enrich"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
)

// endToEndMonitors is the number of monitors that posts are matched against end to end.
const endToEndMonitors = 1000

// An ingestService is the part of Earshot that ingests posts.
type ingestService struct {
	node    *natsnode.Node
	catalog *catalog.Catalog
	journal journal.Journal
	store   store
}

// measureEndToEnd appends posts to a journal while the pipeline processes them, and waits until all
// of them are stored and synced.
func (s *session) measureEndToEnd(ctx context.Context, result *IngestResult) error {
	v, err := s.openService(ctx)
	if v != nil {
		defer v.close()
	}
	if err != nil {
		return err
	}
	g := s.day()
	g.Raw = true
	for _, m := range brands(g.Words(), endToEndMonitors, s.seed) {
		if err := v.catalog.Monitors.Add(ctx, m.ID, m); err != nil {
			return err
		}
	}
	s.logf("sending %d posts through the journal and pipeline", g.Count)
	took, err := once(func() error { return v.send(ctx, g) })
	result.PipelinePerSecond = perSecond(g.Count, took)
	result.PipelineMonitors = endToEndMonitors
	return err
}

// openService opens the parts of the service. The caller must close a non-nil result, even if there
// is an error.
func (s *session) openService(ctx context.Context) (*ingestService, error) {
	log := slog.New(slog.DiscardHandler)
	node, err := natsnode.Open(ctx, natsnode.Options{Dir: filepath.Join(s.dir, "nats"), Log: log})
	if err != nil {
		return nil, fmt.Errorf("open NATS: %w", err)
	}
	v := &ingestService{node: node}
	if v.journal, err = jetstream.Open(ctx, node, jetstream.Options{Log: log}); err != nil {
		return v, fmt.Errorf("open journal: %w", err)
	}
	if v.catalog, err = catalog.Open(ctx, kv.NewMemory(), log); err != nil {
		return v, err
	}
	v.store, err = s.open(ctx, filepath.Join(s.dir, "pipeline"))
	return v, err
}

func (v *ingestService) close() {
	if v.store != nil {
		v.store.Close()
	}
	if v.catalog != nil {
		v.catalog.Close()
	}
	v.node.Close()
}

func (v *ingestService) send(ctx context.Context, g *Generator) error {
	p := &pipeline.Pipeline{Journal: v.journal, Enrich: enrich.New(), Catalog: v.catalog, Store: v.store, Log: slog.New(slog.DiscardHandler)}
	if err := p.Prepare(ctx); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	reading, stop := context.WithCancel(ctx)
	defer stop()
	running.Go(func() { p.Run(reading) })
	for posts := range g.Batches(batchSize) {
		if _, err := v.journal.Append(ctx, journal.Entry{Posts: posts}); err != nil {
			return err
		}
	}
	if err := v.catchUp(ctx, p); err != nil {
		return err
	}
	return v.store.Flush(ctx)
}

// catchUp waits until the pipeline has processed all entries.
func (v *ingestService) catchUp(ctx context.Context, p *pipeline.Pipeline) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		_, at := p.Processed()
		pending, err := v.journal.Pending(ctx, at)
		if err != nil || pending == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
