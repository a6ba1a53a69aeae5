package training

import (
	"context"
	"slices"
	"time"

	"earshot"
)

// sweepWait is how long RunSweep waits before it removes a blob that no monitor references. Another
// node may be about to write the reference; that takes seconds.
const sweepWait = time.Hour

// Sweep removes blobs that no monitor references: writes interrupted by a crash, and records of
// removed monitors. Call it at startup, before anything changes the catalog. It does nothing while
// some monitors are unreadable, because any blob may belong to them. If several nodes share the
// catalog, call [Service.RunSweep] instead.
func (s *Service) Sweep(ctx context.Context) {
	for _, m := range s.Catalog.Monitors.List() {
		if m.Removed && m.Training != (earshot.Training{}) && s.Catalog.Monitors.Complete() {
			if err := s.RemoveAll(ctx, m.ID); err != nil {
				s.Log.Warn("training data of a removed monitor was not removed", "monitor", m.ID, "error", err)
			}
		}
	}
	for _, record := range s.unreferenced() {
		s.removeRecord(ctx, record)
	}
}

// RunSweep removes blobs that no monitor references for an hour, until ctx ends. One of several nodes
// runs it.
func (s *Service) RunSweep(ctx context.Context) {
	tick := time.NewTicker(sweepWait)
	defer tick.Stop()
	for before := s.unreferenced(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := s.unreferenced()
		for _, record := range now {
			if slices.Contains(before, record) {
				s.removeRecord(ctx, record)
			}
		}
		before = now
	}
}

// unreferenced returns the blobs that no monitor references, or none while some monitors are
// unreadable.
func (s *Service) unreferenced() (records []int64) {
	blobs := s.Catalog.ListBlobs() // first, because references are written after blobs
	if !s.Catalog.Monitors.Complete() {
		return nil
	}
	named := map[int64]bool{}
	for _, m := range s.Catalog.Monitors.List() {
		for _, record := range m.Training.Records() {
			named[record] = true
		}
	}
	return slices.DeleteFunc(blobs, func(record int64) bool { return named[record] })
}
