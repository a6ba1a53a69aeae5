package app

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot/internal/http/manage"
	"earshot/internal/integrity"
)

// All data is verified firstScrub after the start, because a start is busy enough, and then every
// scrubInterval. After reading for minBurst or longer, the scrub pauses for scrubRest times as
// long, so it uses at most a tenth of the disk's time.
const (
	firstScrub    = 15 * time.Minute
	scrubInterval = 24 * time.Hour
	scrubRest     = 9
	minBurst      = 10 * time.Millisecond
)

// A scrubber verifies the data of the running service in the background, to find damage before it
// spreads to backups or prevents the next start.
type scrubber struct {
	// check verifies all data. It calls count or pace with the number of verified bytes; pace also
	// pauses.
	check func(ctx context.Context, count, pace integrity.Progress) ([]integrity.Finding, error)
	log   *slog.Logger
	now   func() time.Time

	mu       sync.Mutex
	status   manage.Integrity    // guarded by mu; without findings
	findings []integrity.Finding // guarded by mu; of the last pass that finished
	total    int64               // guarded by mu; bytes verified since the start
}

// verify verifies the data of the running service. The post store reads its files slowly by itself.
func (a *App) verify(ctx context.Context, count, pace integrity.Progress) ([]integrity.Finding, error) {
	r := &CheckResult{Running: true}
	var before int64
	parts := slices.DeleteFunc(checkables(a.config), func(p checkable) bool { return p.name == integrity.Posts })
	err := r.checkParts(ctx, parts, func(done, _ int64) {
		pace(done - before)
		before = done
	})
	if err != nil || a.files == nil {
		return r.Findings, err
	}
	posts, err := a.files.Verify(ctx, count)
	return append(r.Findings, posts...), err
}

// run verifies all data again and again until ctx ends.
func (s *scrubber) run(ctx context.Context) {
	for wait := firstScrub; pause(ctx, wait); wait = scrubInterval {
		s.scrub(ctx)
	}
}

// scrub verifies all data once.
func (s *scrubber) scrub(ctx context.Context) {
	began := time.Now()
	s.mu.Lock()
	s.status.Running, s.status.LastStarted, s.status.Bytes = true, s.now().UTC(), 0
	s.mu.Unlock()
	findings, err := s.check(ctx, s.count, s.pacer(ctx))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Running = false
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		s.log.Error("verifying the stored data failed; will retry", "wait", scrubInterval, "error", err)
		return
	}
	for _, f := range findings {
		if !slices.Contains(s.findings, f) {
			s.log.Error("stored data is damaged", "part", f.Part, "file", f.File, "problem", f.Problem, "effect", f.Effect)
		}
	}
	s.findings, s.status.LastFinished = findings, s.now().UTC()
	s.log.Info("verified the stored data", "bytes", s.status.Bytes, "findings", len(findings), "took", time.Since(began).Round(time.Millisecond))
}

// count counts verified bytes.
func (s *scrubber) count(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Bytes += bytes
	s.total += bytes
}

// pacer returns a function that counts verified bytes and slows the verification down.
func (s *scrubber) pacer(ctx context.Context) integrity.Progress {
	resumed := time.Now()
	return func(bytes int64) {
		s.count(bytes)
		if busy := time.Since(resumed); busy >= minBurst {
			pause(ctx, scrubRest*busy)
			resumed = time.Now()
		}
	}
}

// report returns the state for /manage/v1/status.
func (s *scrubber) report() manage.Integrity {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.status
	r.Findings = make([]manage.Finding, len(s.findings))
	for i, f := range s.findings {
		r.Findings[i] = manage.Finding(f)
	}
	return r
}

// bytes returns the number of bytes verified since the start.
func (s *scrubber) bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// pause waits for d. It returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
