package picture

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/journal"
)

// collect appends results to the journal, and saves the cursor, until ctx ends.
func (s *Service) collect(ctx context.Context) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	var saved earshot.Position
	var savedAt time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for s.flush(ctx) {
		}
		s.mu.Lock()
		at := s.done()
		s.mu.Unlock()
		now := s.Now()
		if at > saved && now.Sub(savedAt) >= cursorInterval {
			savedAt = now
			if err := s.Cursor.SetPictureCursor(ctx, at); err != nil {
				s.Log.Warn("pictures: saving the cursor failed; will retry", "error", err)
				continue
			}
			saved = at
		}
	}
}

// flush appends an entry with results, if there are any, and reports whether there may be more. The
// results stay until the journal has them.
func (s *Service) flush(ctx context.Context) (more bool) {
	ready := s.takeReady()
	if len(ready) == 0 {
		return false
	}
	e := journal.Entry{Pictures: &journal.Pictures{Found: map[string]*earshot.Picture{}}}
	s.mu.Lock()
	for _, p := range ready {
		e.Pictures.Posts = append(e.Pictures.Posts, p.picturedPost)
		for url, found := range p.found {
			e.Pictures.Found[url] = found
		}
	}
	s.mu.Unlock()
	wait := flushInterval
	for {
		_, err := s.Journal.Append(ctx, e)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return false
		}
		s.Log.Error("pictures: appending results to the journal failed; will retry", "wait", wait, "error", err)
		if !sleep.For(ctx, wait) {
			return false
		}
		wait = min(2*wait, 5*time.Second)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range ready {
		for url := range p.found {
			if e.Pictures.Found[url] == p.found[url] {
				delete(p.found, url)
			}
		}
		p.queued = false
		switch {
		case len(p.found) > 0: // found while the entry was written
			p.queued, p.since = true, s.Now()
			s.results = append(s.results, p)
		case p.left == 0:
			p.entry.left--
		}
	}
	return true
}

// takeReady removes and returns posts whose results should go to the journal now: all pictures have
// one, or the first has waited long enough.
func (s *Service) takeReady() (ready []*post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	rest := s.results[:0]
	for _, p := range s.results {
		if len(ready) < maxFlush && (p.left == 0 || now.Sub(p.since) >= maxPostWait) {
			ready = append(ready, p)
		} else {
			rest = append(rest, p)
		}
	}
	clear(s.results[len(rest):])
	s.results = rest
	return ready
}
