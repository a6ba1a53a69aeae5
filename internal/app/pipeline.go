package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/kv"
)

// journalOptions returns the options of the journal. records is the bucket of the catalog.
func (a *App) journalOptions(records kv.Store) journalstore.Options {
	o := journalstore.Options{Log: a.log}
	if a.config.Clustered() {
		o.Records, o.CatalogRevision = records, a.catalog.Known
	}
	return o
}

// runPipeline starts to process the journal, and to feed the streams while this process has that role.
// Live sources stop before the pipeline, which stores what they have delivered. Streams stop after
// it, so they contain everything that it has offered.
func (a *App) runPipeline(ctx context.Context) {
	streamCtx, stopStreams := context.WithCancel(context.WithoutCancel(ctx))
	pipelineCtx, stopPipeline := context.WithCancel(streamCtx)
	feeding := make(chan struct{})
	started := sync.OnceFunc(func() { close(feeding) })
	var roles sync.WaitGroup
	roles.Go(func() {
		a.roles.Run(streamCtx, "streams", func(ctx context.Context) { a.feedStreams(ctx, started) })
	})
	roles.Go(func() { a.roles.Run(streamCtx, "baseline", a.pipeline.SaveBaseline) })
	if a.remote != nil && a.config.Clustered() {
		roles.Go(func() { a.roles.Run(streamCtx, storeRole, a.writePosts) })
	}
	a.awaitStreams(ctx, feeding)
	a.running.Go(func() {
		a.runSources(ctx)
		<-ctx.Done()
		stopPipeline()
	})
	a.running.Go(func() {
		if err := a.pipeline.Run(pipelineCtx); err != nil {
			if a.config.Clustered() && errors.Is(err, journal.ErrTrimmed) {
				a.rejoin(err)
			} else {
				a.log.Error("processing the journal has ended", "error", err)
			}
			<-ctx.Done()
		}
		stopStreams()
		roles.Wait()
	})
}

// feedStreams makes the pipeline feed the streams while this process has that role.
func (a *App) feedStreams(ctx context.Context, started func()) {
	if err := a.pipeline.FeedStreams(ctx, started); err != nil && ctx.Err() == nil {
		a.log.Error("feeding the streams failed; will retry", "error", err)
	}
}

// maxBehind is how long a request waits for posts that another node has stored already.
const maxBehind = 2 * time.Second

// awaitStored waits until this node has stored all posts up to a journal position.
func (a *App) awaitStored(ctx context.Context, at earshot.Position) error {
	ctx, cancel := context.WithTimeout(ctx, maxBehind)
	defer cancel()
	return a.pipeline.WaitPosition(ctx, at)
}

// maxStreamsWait is how long a single node waits for the streams before it processes the journal
// without them. A lease that a crash has left ends earlier.
const maxStreamsWait = 10 * time.Second

// awaitStreams waits on a single node until the pipeline feeds the streams, because it would process
// entries twice otherwise. In a cluster, another node may feed them.
func (a *App) awaitStreams(ctx context.Context, feeding <-chan struct{}) {
	if a.config.Clustered() {
		return
	}
	timer := time.NewTimer(maxStreamsWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-feeding:
	case <-timer.C:
	}
}

// streamsLag returns the number of journal positions that this node has processed and the streams
// lack. In a cluster, another node may feed them, or none at the moment.
func (a *App) streamsLag(ctx context.Context) (int64, error) {
	if !a.config.Clustered() {
		return a.Streams.Lag(), nil
	}
	at, _, err := a.feed.Position(ctx)
	_, processed := a.pipeline.Processed()
	return int64(processed - min(at, processed)), err
}
