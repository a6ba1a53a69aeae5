package signal

import (
	"testing"
	"time"

	"earshot"
)

func TestReplay(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	spike := s.clock.Add(-50 * time.Hour)
	s.add(40, spike.Add(-10*time.Minute), nil)
	rule := earshot.Rule{ID: 5, Team: 1, Monitor: coffee, Kind: earshot.ThresholdRule, Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 1, Window: time.Hour}}
	s.must(s.Catalog.Rules.Add(t.Context(), rule.ID, &rule))
	for range 2 { // doing it again changes nothing
		s.must(s.Replay(t.Context(), s.clock.AddDate(0, 0, -4), s.clock, time.Hour))
		s.want(resolved)
	}
	if sig := s.only(); sig.Raised.Before(spike) || sig.Raised.After(spike.Add(time.Hour)) || sig.Observed < 1 || len(s.sent) != 0 {
		t.Errorf("got %+v with %d notifications, want one raised at %v", sig, len(s.sent), spike)
	}
}
