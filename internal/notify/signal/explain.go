package signal

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
)

// explained records which signals were explained, and which failed.
type explained struct {
	mu  sync.Mutex
	all map[earshot.SignalID]attempt
}

// An attempt records the attempts to explain a signal.
type attempt struct {
	peak   time.Time // of the signal when it was explained
	stored bool      // it has an explanation
	failed int       // in a row
	next   time.Time // no attempt before; zero: none until the signal is updated
}

// explainWaits are the waits after failed attempts. After the last one, the signal stays without an
// explanation until it changes.
var explainWaits = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// erasedWait is how long an explanation whose posts were erased is not made again, until the posts are
// gone from the store.
const erasedWait = time.Minute

// maxExplained is the longest period that is explained.
const maxExplained = 7 * 24 * time.Hour

// wantsExplanation reports whether a signal is about more posts than usual, and has no explanation.
func (s *Service) wantsExplanation(sig *earshot.Signal) bool {
	return sig.Explanation == nil && explainable(sig)
}

func explainable(sig *earshot.Signal) bool {
	return sig.Kind != earshot.PostSignal && sig.From.Before(sig.To) && sig.To.Sub(sig.From) <= maxExplained
}

// explainAll explains the firing signals that have no explanation, or were updated since.
func (s *Service) explainAll(ctx context.Context) {
	open := s.signals.allOpen(s.Catalog)
	slices.SortFunc(open, func(a, b *earshot.Signal) int { return int(a.ID - b.ID) })
	s.explained.retain(open)
	for _, sig := range open {
		now := s.Now()
		if ctx.Err() != nil || !explainable(sig) || !s.explained.due(sig, now) {
			continue
		}
		stored := false
		err := s.guard(func() (err error) {
			stored, err = s.explain(ctx, sig)
			return err
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.Log.Warn("explaining a signal failed; will retry", "signal", sig.ID, "error", err)
		}
		s.explained.done(sig, stored, now, err)
	}
}

// explain explains a signal and stores the explanation. It reports whether there is one. Posts of
// restricted sources count in a signal, but not in its explanation.
func (s *Service) explain(ctx context.Context, sig *earshot.Signal) (stored bool, err error) {
	m, ok := s.findMonitor(sig.Monitor)
	if !ok {
		return false, nil
	}
	m, refinement, err := s.refine(m, filter.Without(sig.Filter, s.Restricted))
	if err != nil {
		return false, err
	}
	e, err := s.Insight.Explain(ctx, m, insight.ExplainRequest{From: sig.From, To: sig.To, Filter: refinement.Key(), Refine: refinement.Selection})
	if err != nil {
		return false, err
	}
	return true, s.amend(ctx, sig.ID, func(sig *earshot.Signal) error {
		sig.Explanation = summarize(e)
		s.retitle(sig)
		return nil
	})
}

// Maximum numbers of what a signal keeps of an explanation.
const (
	keptStories = 3
	keptWords   = 10
)

// summarize returns what a signal keeps of an explanation: no texts of posts, only their keys.
func summarize(e *insight.Explanation) *earshot.SignalExplanation {
	s := &earshot.SignalExplanation{From: e.From, To: e.To, Sentence: e.Sentence(), Cause: string(e.Cause), Explained: e.Explained}
	for _, story := range e.Stories[:min(len(e.Stories), keptStories)] {
		kept := earshot.SignalStory{Name: story.Name(), Terms: story.Terms, Filter: filter.Keywords.Is(story.Query), Posts: story.Posts, Share: story.Share}
		if len(story.Links) > 0 {
			kept.Link = story.Links[0].Name
		}
		s.Stories = append(s.Stories, kept)
		for _, p := range []*earshot.Post{story.Earliest, story.Top} {
			if p != nil {
				s.Posts = append(s.Posts, p.Key())
			}
		}
	}
	for _, w := range e.Words[:min(len(e.Words), keptWords)] {
		s.Words = append(s.Words, w.Name)
	}
	return s
}

// due reports whether a signal should be explained now.
func (e *explained) due(sig *earshot.Signal, now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	a, known := e.all[sig.ID]
	if a.stored && sig.Explanation == nil {
		a.stored, a.next = false, now.Add(erasedWait)
		e.all[sig.ID] = a
	}
	switch {
	case a.failed > len(explainWaits) && a.peak.Equal(sig.Updated):
		return false
	case !a.next.IsZero():
		return !now.Before(a.next)
	case known:
		return sig.Updated.After(a.peak)
	}
	return sig.Explanation == nil || sig.Updated.After(sig.Explanation.To.Add(2*time.Hour))
}

func (e *explained) done(sig *earshot.Signal, stored bool, now time.Time, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all == nil {
		e.all = map[earshot.SignalID]attempt{}
	}
	a := attempt{peak: sig.Updated, stored: stored && err == nil}
	if err != nil {
		a.failed = e.all[sig.ID].failed + 1
		a.next = now.Add(explainWaits[min(a.failed, len(explainWaits))-1])
	}
	e.all[sig.ID] = a
}

// retain forgets all other signals.
func (e *explained) retain(list []*earshot.Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.all) <= 2*len(list) {
		return
	}
	known := make(map[earshot.SignalID]bool, len(list))
	for _, sig := range list {
		known[sig.ID] = true
	}
	maps.DeleteFunc(e.all, func(id earshot.SignalID, _ attempt) bool { return !known[id] })
}
