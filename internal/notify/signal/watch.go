package signal

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/insight/detect"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A target is a monitor or saved filter that is evaluated, with its rules.
type target struct {
	*earshot.Monitor                 // a saved filter is presented as a monitor
	unusual          *earshot.Rule   // nil: not watched for unusual activity
	others           []*earshot.Rule // about thresholds and posts
}

// targets returns everything that is evaluated: all enabled monitors, and saved filters with rules.
func (s *Service) targets() []target {
	var list []target
	for _, m := range s.Catalog.Monitors.List() {
		if m.Removed || !m.Enabled {
			continue
		}
		list = append(list, s.newTarget(m, s.detection(m)))
		for i := range m.Filters {
			if f := &m.Filters[i]; len(s.rulesOf(f.ID)) > 0 {
				t := s.newTarget(presentFilter(m, f), nil)
				list = append(list, t)
			}
		}
	}
	return list
}

// newTarget returns a target with the rules of m. unusual is the rule for unusual activity if there
// is none among them.
func (s *Service) newTarget(m *earshot.Monitor, unusual *earshot.Rule) target {
	t := target{Monitor: m, unusual: unusual}
	for _, r := range s.rulesOf(m.ID) {
		switch {
		case r.Team != m.Team:
		case r.Kind == earshot.UnusualRule:
			t.unusual = r
		default:
			t.others = append(t.others, r)
		}
	}
	return t
}

func presentFilter(m *earshot.Monitor, f *earshot.Filter) *earshot.Monitor {
	view := *m
	view.ID, view.Parent, view.Name = f.ID, m.ID, f.Name
	return &view
}

// findMonitor returns a monitor, or a saved filter presented as one.
func (s *Service) findMonitor(id earshot.MonitorID) (*earshot.Monitor, bool) {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok {
		return nil, false
	}
	if f, ok := m.Filter(id); ok {
		return presentFilter(m, f), true
	}
	return m, true
}

// posts selects the posts of a target in [from, to).
func (t *target) posts(from, to time.Time) poststore.Selection {
	return poststore.Selection{Set: poststore.MonitorSet(t.ID), From: from, To: to}
}

// words selects the posts of a target in [from, to) whose words may leave the installation.
func (s *Service) words(t *target, from, to time.Time) poststore.Selection {
	return s.withoutRestricted(t.posts(from, to))
}

// withoutRestricted leaves out posts of restricted sources.
func (s *Service) withoutRestricted(of poststore.Selection) poststore.Selection {
	if len(s.Restricted) > 0 {
		of.Except = append(of.Except[:len(of.Except):len(of.Except)], poststore.Selection{Sources: s.Restricted})
	}
	return of
}

// A watch is the state of a monitor between evaluations. It is small, about 2 KB, because there may be
// many thousands, and can be computed again at any time: the store has the posts.
type watch struct {
	active time.Time // when the newest post was stored, as far as this process knows

	basis    basis         // what the model is fitted for
	fitted   time.Time     // when; zero: not yet
	model    *detect.Model // nil: not enough history
	limit    detect.Limit
	learning *detect.Learning // why there is no model

	slow slowWatch // of shares and newcomers

	settling  time.Time // no signals before: history is being imported
	evaluated time.Time
}

// A basis is everything other than posts that a model depends on.
type basis struct {
	generation  int64
	timezone    string
	falseAlarms int
	minPosts    int
	kinds       string
}

func basisOf(t *target) basis {
	b := basis{generation: t.Generation, timezone: t.Timezone}
	if t.unusual != nil {
		b.falseAlarms, b.minPosts = t.unusual.Unusual.FalseAlarms, t.unusual.Unusual.MinPosts
		for _, k := range t.unusual.Unusual.Kinds {
			b.kinds += string(k) + " "
		}
	}
	return b
}

// watches has the watch of every monitor. Only one goroutine changes it, and others may look.
type watches struct {
	mu  sync.Mutex // guards the map and everything in it
	all map[earshot.MonitorID]watch
}

// find returns the watch of a monitor, which is zero at first.
func (w *watches) find(id earshot.MonitorID) watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all[id]
}

func (w *watches) put(id earshot.MonitorID, now watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[earshot.MonitorID]watch{}
	}
	w.all[id] = now
}

// retain forgets all other monitors.
func (w *watches) retain(list []target) {
	known := make(map[earshot.MonitorID]bool, len(list))
	for _, t := range list {
		known[t.ID] = true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.all, func(id earshot.MonitorID, _ watch) bool { return !known[id] })
}

// Models are fitted again after one to two hours, and at once if what they depend on changes. They
// look back 8 weeks, so an hour more or less does not matter.
const refitAfter = time.Hour

// refitDue reports whether a model must be fitted. Monitors take turns.
func (w *watch) refitDue(t *target, now time.Time) bool {
	turn := time.Duration(t.ID%12) * detect.Step
	return w.fitted.IsZero() || w.basis != basisOf(t) || now.Sub(w.fitted) >= refitAfter+turn || now.Before(w.fitted)
}

// fit reads the history of a target from the store and fits its model.
func (s *Service) fit(ctx context.Context, t *target, w *watch, now time.Time) (err error) {
	w.model, w.learning, err = s.fitAt(ctx, t, now)
	if err != nil {
		return err
	}
	w.limit = detect.Limit{}
	if w.model != nil {
		w.limit = w.model.Limit(t.budget()[detect.Volume], t.minPosts())
	}
	w.basis, w.fitted = basisOf(t), now
	return nil
}

func (s *Service) fitAt(ctx context.Context, t *target, now time.Time) (*detect.Model, *detect.Learning, error) {
	series, err := s.series(ctx, t, now, detect.History)
	if err != nil {
		return nil, nil, err
	}
	model, err := detect.Fit(series, now)
	var learning *detect.Learning
	if errors.As(err, &learning) {
		return nil, learning, nil
	}
	return model, nil, err
}

// series returns the posts of each hour before now.
func (s *Service) series(ctx context.Context, t *target, now time.Time, length time.Duration) (detect.Series, error) {
	end := period.Hour(now.In(t.Location()))
	hours := int(length / time.Hour)
	starts := make([]time.Time, hours+1)
	for i := range starts {
		starts[i] = end.Add(time.Duration(i-hours) * time.Hour)
	}
	counts, err := s.Posts.Histogram(ctx, t.posts(time.Time{}, time.Time{}), starts)
	if err != nil {
		return detect.Series{}, err
	}
	series := detect.Series{Start: starts[0], Zone: t.Location(), Hours: make([]detect.Hour, hours)}
	for i, n := range counts {
		series.Hours[i].Count = float64(n)
	}
	known := s.beginning(t)
	first := slices.IndexFunc(counts, func(n int64) bool { return n > 0 })
	if first < 0 {
		first = hours
	}
	for i := range series.Hours {
		// A history begins with its first post: before that, nobody was listening.
		series.Hours[i].Missing = i < first || starts[i].Before(known)
	}
	for _, gap := range s.unknown(t, starts[0], end) {
		from := int(gap.From.Sub(starts[0]) / time.Hour)
		to := int((gap.To.Sub(starts[0]) + time.Hour - 1) / time.Hour)
		for i := max(from, 0); i < min(to, hours); i++ {
			series.Hours[i].Missing = true
		}
	}
	return series, nil
}
