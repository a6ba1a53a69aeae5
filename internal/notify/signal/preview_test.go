package signal

import (
	"testing"
	"time"

	"earshot"
)

func (s *instance) preview(r earshot.Rule) []PreviewSignal {
	s.Helper()
	r.Monitor = coffee
	ann := earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{1}})
	p, err := s.Preview(s.Context(), ann, r)
	s.must(err)
	return p.Signals
}

func TestPreview(t *testing.T) {
	s := newWorld(t)
	s.past(90, 5)
	spike := s.clock.Add(-10*24*time.Hour - 30*time.Minute)
	s.add(60, spike, famous)
	s.add(1, spike.Add(5*24*time.Hour), famous)

	got := s.preview(earshot.Rule{Kind: earshot.UnusualRule})
	if len(got) != 1 || got[0].Kind != earshot.VolumeSignal || got[0].Observed < 60 || got[0].Expected < 3 || got[0].Expected > 7 ||
		!got[0].From.Equal(spike.Add(-30*time.Minute)) || got[0].To.Before(spike) || got[0].To.Sub(spike) > 6*time.Hour {
		t.Errorf("unusual: got %+v, want the spike at %v", got, spike)
	}
	got = s.preview(earshot.Rule{Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 50, Window: time.Hour}})
	if len(got) != 1 || got[0].Observed < 60 || !got[0].To.Equal(spike.Add(30*time.Minute)) {
		t.Errorf("threshold: got %+v", got)
	}
	got = s.preview(earshot.Rule{Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: earshot.ReachMetric, Value: 1_000_000, Window: 24 * time.Hour}})
	if len(got) != 1 || got[0].Observed != 60*200_000 {
		t.Errorf("reach: got %+v", got)
	}
	got = s.preview(earshot.Rule{Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: earshot.AuthorsMetric, Value: 170, Window: 24 * time.Hour}})
	if len(got) != 1 {
		t.Errorf("authors: got %+v", got)
	}
	got = s.preview(earshot.Rule{Kind: earshot.PostRule, Name: "x", Filter: "followers:100000.."})
	if len(got) != 2 || got[0].Observed != 60 || got[1].Observed != 1 {
		t.Errorf("posts: got %+v", got)
	}
	// What was observed is the value at the time, not the later peak.
	s.add(30, spike.Add(2*time.Hour), nil)
	threshold := earshot.Threshold{Metric: earshot.PostsMetric, Value: 170, Window: 24 * time.Hour}
	got = s.preview(earshot.Rule{Kind: earshot.ThresholdRule, Name: "x", Threshold: threshold})
	if len(got) != 1 || got[0].Observed != 180 || !got[0].Raised.Equal(spike.Add(30*time.Minute)) || got[0].Peak != 210 || !got[0].PeakTime.Equal(spike.Add(150*time.Minute)) {
		t.Errorf("growing: got %+v, want 180 posts when it would have been raised, and a peak of 210 two hours later", got)
	}
	if n := len(s.list()); n != 0 {
		t.Errorf("previews raised %d signals", n)
	}
}

func TestPreviewOfARuleThatIsAlmostAlwaysOn(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	ann := earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{1}})
	for value, want := range map[float64]bool{100: true, 123: false} {
		p, err := s.Preview(s.Context(), ann, earshot.Rule{
			Monitor: coffee, Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: value, Window: 24 * time.Hour},
		})
		s.must(err)
		if p.AlmostAlways != want {
			t.Errorf("above %g: got almost always %v with %d signals", value, p.AlmostAlways, len(p.Signals))
		}
	}
}

func TestOutlook(t *testing.T) {
	s := newWorld(t)
	m, _ := s.Catalog.FindMonitor(coffee)
	s.past(5, 5)
	o, err := s.Outlook(t.Context(), m)
	s.must(err)
	if len(o.Windows) != 0 || o.LearningUntil.Sub(s.clock) < 8*24*time.Hour || o.LearningUntil.Sub(s.clock) > 10*24*time.Hour {
		t.Errorf("learning: got %+v", o)
	}
	if o.Limit != 240 {
		t.Errorf("learning: got a limit of %g, want twice the 120 posts of a day", o.Limit)
	}
	s = newWorld(t)
	s.past(40, 5)
	o, err = s.Outlook(t.Context(), m)
	s.must(err)
	if !o.LearningUntil.IsZero() || len(o.Windows) != 3 || o.Windows[2].Hours != 24 || o.Windows[2].Posts < 110 || o.Windows[2].Posts > 130 ||
		o.Windows[2].Expected < 110 || o.Windows[2].Expected > 130 || o.Windows[2].Low > 115 || o.Windows[2].High < 125 {
		t.Errorf("got %+v", o)
	}
	if o.Limit < 240 || o.Limit > 250 {
		t.Errorf("got a limit of %g, want twice the 120 posts of a day", o.Limit)
	}
	hours, err := s.ExpectHours(t.Context(), m, s.clock, s.clock.Add(-90*time.Minute), s.clock.Add(time.Hour))
	s.must(err)
	if len(hours) != 2 || !hours[0].Start.Equal(s.clock.Add(-time.Hour)) || hours[0].Expected < 3 || hours[0].Expected > 7 || hours[0].High < hours[0].Expected {
		t.Errorf("got hours %+v", hours)
	}
}

// Evaluations go on as usual when clocks change.
func TestClockChange(t *testing.T) {
	for _, change := range []time.Time{time.Date(2026, time.March, 29, 1, 0, 0, 0, time.UTC), time.Date(2026, time.October, 25, 1, 0, 0, 0, time.UTC)} {
		s := newWorld(t)
		_, err := s.Catalog.Monitors.Update(t.Context(), coffee, func(m *earshot.Monitor) error { m.Timezone = "Europe/Berlin"; return nil })
		s.must(err)
		s.clock = change.Add(-12 * time.Hour)
		s.past(40, 5)
		s.live(36, 5)
		s.want()
		s.spike(40)
		s.turn()
		s.want(raised)
	}
}

func TestSchedule(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	night := []earshot.Hours{{From: 22 * 60, To: 7 * 60}, {Days: []time.Weekday{time.Saturday, time.Sunday}}}
	f := func(at string, want string) {
		t.Helper()
		now, err := time.ParseInLocation("2006-01-02 15:04", at, berlin)
		if err != nil {
			t.Fatal(err)
		}
		got := "now"
		if end := endOfQuiet(night, now); !end.IsZero() {
			got = end.In(berlin).Format("2006-01-02 15:04")
		}
		if got != want {
			t.Errorf("%s: got the end of quiet hours at %s, want %s", at, got, want)
		}
	}
	f("2026-03-25 12:00", "now") // Wednesday
	f("2026-03-25 06:59", "2026-03-25 07:00")
	f("2026-03-25 22:00", "2026-03-26 07:00")
	f("2026-03-27 23:00", "2026-03-30 07:00") // Friday; clocks change on Sunday
	f("2026-03-30 07:00", "now")
	if end := endOfQuiet([]earshot.Hours{{}}, time.Now()); !end.IsZero() {
		t.Errorf("always quiet: got %v, want no end", end)
	}
}
