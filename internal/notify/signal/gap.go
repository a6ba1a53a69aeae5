package signal

import (
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// minGap is the shortest gap that matters. Reconnecting takes seconds, and the hour is as good as
// any other.
const minGap = time.Minute

// unknown returns when posts of a target may be missing: gaps of its sources, and times when it was
// disabled.
func (s *Service) unknown(t *target, from, to time.Time) (gaps []catalog.Gap) {
	if s.Sources != nil {
		for _, g := range s.Sources.Outages(t.Monitor, from, to) {
			if g.To.Sub(g.From) >= minGap {
				gaps = append(gaps, g)
			}
		}
	}
	var disabled time.Time
	for _, e := range t.Audit {
		switch e.Kind {
		case earshot.EventDisabled:
			disabled = e.Time
		case earshot.EventEnabled:
			if !disabled.IsZero() && e.Time.After(from) {
				gaps = append(gaps, catalog.Gap{From: disabled, To: e.Time})
			}
			disabled = time.Time{}
		}
	}
	return gaps
}

// isUnknown reports whether posts of a target may be missing in a period.
func (s *Service) isUnknown(t *target, from, to time.Time) bool {
	if from.Before(s.beginning(t)) {
		return true
	}
	for _, g := range s.unknown(t, from, to) {
		if g.From.Before(to) && g.To.After(from) {
			return true
		}
	}
	return false
}

// beginning returns the time from which all posts of a target are stored: its first day with results
// or, if live sources that only keep posts that match a monitor are older than it, when it was created.
func (s *Service) beginning(t *target) time.Time {
	begin := t.Start.Start(t.Location())
	if !t.Created.After(begin) {
		return begin
	}
	for _, src := range s.Catalog.Live.List() {
		feeds := src.Team == t.Team || src.ContentSource == 0
		if feeds && !src.Removed && src.Keep != earshot.KeepAll && src.Created.Before(t.Created) {
			return t.Created
		}
	}
	return begin
}
