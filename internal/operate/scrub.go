package operate

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot/internal/config"
	"earshot/internal/operate/integrity"
	"earshot/internal/sleep"
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

// A Scrubber verifies the data of the running service in the background, to find damage before it
// spreads to backups or prevents the next start.
type Scrubber struct {
	Config config.Config
	Log    *slog.Logger
	Now    func() time.Time

	// Posts returns everything that is damaged in the local post store, which reads its files slowly
	// by itself. It is nil if posts are elsewhere.
	Posts func(context.Context, integrity.Progress) ([]integrity.Finding, error)

	verify func(ctx context.Context, count, pace integrity.Progress) ([]integrity.Finding, error) // nil: of the files

	mu     sync.Mutex
	status integrity.Status // guarded by mu
	total  int64            // guarded by mu; bytes verified since the start
}

// files verifies the files of the running service. It calls count or pace with the number of verified
// bytes; pace also pauses.
func (s *Scrubber) files(ctx context.Context, count, pace integrity.Progress) ([]integrity.Finding, error) {
	r := &CheckResult{Running: true}
	var before int64
	parts := slices.DeleteFunc(checkables(s.Config), func(p checkable) bool { return p.name == integrity.Posts })
	err := r.checkParts(ctx, parts, func(done, _ int64) {
		pace(done - before)
		before = done
	})
	if err != nil || s.Posts == nil {
		return r.Findings, err
	}
	posts, err := s.Posts(ctx, count)
	return append(r.Findings, posts...), err
}

// Run verifies all data again and again until ctx ends.
func (s *Scrubber) Run(ctx context.Context) {
	if sleep.For(ctx, firstScrub) {
		sleep.Repeat(ctx, scrubInterval, s.Scrub)
	}
}

// Scrub verifies all data once.
func (s *Scrubber) Scrub(ctx context.Context) {
	began := time.Now()
	s.mu.Lock()
	s.status.Running, s.status.LastStarted, s.status.Bytes = true, s.Now().UTC(), 0
	s.mu.Unlock()
	verify := s.files
	if s.verify != nil {
		verify = s.verify
	}
	findings, err := verify(ctx, s.count, s.pacer(ctx))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Running = false
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		s.Log.Error("verifying the stored data failed; will retry", "wait", scrubInterval, "error", err)
		return
	}
	for _, f := range findings {
		if !slices.Contains(s.status.Findings, f) {
			s.Log.Error("stored data is damaged", "part", f.Part, "file", f.File, "problem", f.Problem, "effect", f.Effect)
		}
	}
	s.status.Findings, s.status.LastFinished = findings, s.Now().UTC()
	s.Log.Info("verified the stored data", "bytes", s.status.Bytes, "findings", len(findings), "took", time.Since(began).Round(time.Millisecond))
}

// count counts verified bytes.
func (s *Scrubber) count(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Bytes += bytes
	s.total += bytes
}

// pacer returns a function that counts verified bytes and slows the verification down.
func (s *Scrubber) pacer(ctx context.Context) integrity.Progress {
	resumed := time.Now()
	return func(bytes int64) {
		s.count(bytes)
		if busy := time.Since(resumed); busy >= minBurst {
			sleep.For(ctx, scrubRest*busy)
			resumed = time.Now()
		}
	}
}

// Report returns the state.
func (s *Scrubber) Report() integrity.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.status
	r.Findings = slices.Clone(s.status.Findings)
	return r
}

// Bytes returns the number of bytes verified since the start.
func (s *Scrubber) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}
