package app

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"runtime"
	"time"

	"earshot/internal/connector"
	"earshot/internal/http/manage"
	"earshot/internal/http/rest"
	"earshot/internal/operate/disk"
)

// health serves /healthz, which succeeds while the process runs.
func (a *App) health(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w)
}

// storageGrace is how long the pipeline may fail before the service is not ready.
const storageGrace = 5 * time.Second

// storageError returns why posts cannot be stored or read, or nil.
func (a *App) storageError() error {
	return cmp.Or(a.node.Err(), a.remote.Err(), a.pipeline.Err(storageGrace))
}

// readiness serves /readyz: whether the journal is processed and uploads can be stored. A node of a
// cluster that is too far behind the journal, or cut off from the majority of nodes, is not ready: what
// it answers is too old.
func (a *App) readiness(w http.ResponseWriter, _ *http.Request) {
	err := a.storageError()
	switch {
	case err != nil:
		reason, _ := rest.AppendJSON(nil, err.Error()) // encoding a string never fails
		header(w, http.StatusServiceUnavailable)
		fmt.Fprintf(w, `{"status":"storage failed","reason":%s}`, reason)
	case !a.ready.Load():
		writeReadiness(w, "starting", a.options.gate.Current())
	case !a.node.Conn().IsConnected():
		writeReadiness(w, "disconnected", "")
	case a.cluster.IsCutOff():
		writeReadiness(w, "cut off", "")
	case a.cluster.IsBehind():
		writeReadiness(w, "behind", "")
	default:
		writeReadiness(w, "ready", "")
	}
}

// status serves /manage/v1/status.
func (a *App) status(ctx context.Context) (manage.Status, error) {
	var s manage.Status
	s.Version = manage.Version{Earshot: a.options.Version, Commit: a.options.Commit, Go: runtime.Version()}
	s.UptimeSeconds = int64(time.Since(a.started).Seconds())

	last, err := a.Journal.Last(ctx)
	if err != nil {
		return s, err
	}
	pending, err := a.pending(ctx)
	if err != nil {
		return s, err
	}
	posts, at := a.pipeline.Processed()
	s.Pipeline = manage.Pipeline{Position: at, Last: last, Lag: pending, Posts: posts}

	stats, err := a.posts.Stats(ctx)
	if err != nil {
		return s, err
	}
	s.Store = manage.Store{Engine: stats.Engine, Posts: stats.Posts, Segments: stats.Segments, Bytes: stats.Bytes}
	for _, part := range stats.Quarantined {
		s.Store.Quarantined = append(s.Store.Quarantined, manage.QuarantinedSegment(part))
	}

	queues, err := a.feed.Stats(ctx)
	if err != nil {
		return s, err
	}
	streamsLag, err := a.streamsLag(ctx)
	if err != nil {
		return s, err
	}
	s.Streams = manage.Streams{Lag: streamsLag, Messages: queues.Messages, Bytes: queues.Bytes}

	s.Pictures = a.Pictures.Status(a.config.FetchImages, last)

	if s.DeadLetters, err = a.Journal.DeadLetters(ctx); err != nil {
		return s, err
	}

	s.Integrity = a.scrub.Report()
	s.Sources = map[connector.Phase]int{}
	for _, src := range a.Sources.All() {
		s.Sources[src.State.Phase]++
	}

	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Memory = manage.Memory{Heap: int64(m.HeapAlloc), Sys: int64(m.Sys)}
	free, err := disk.Free(a.config.Data)
	if err != nil {
		free = -1 // unknown
	}
	s.Disk = manage.Disk{Used: directorySize(a.config.Data), Free: free}
	return s, nil
}

// directorySize returns the total size of the readable files.
func directorySize(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}
