package signal

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/insight/detect"
	"earshot/internal/jsonvalue"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A finding is the result of an evaluation for a subject: whether the condition of a rule holds, and the
// numbers.
type finding struct {
	kind    earshot.SignalKind
	subject string
	label   string
	filter  string // selects the posts that it is about, among those of the monitor

	holds    bool
	unknown  bool // whether it holds cannot be determined, because posts may be missing
	below    bool // it holds because the value is too small
	from, to time.Time
	window   time.Duration
	observed float64
	total    float64 // posts, of shares
	expected float64
	low      float64
	high     float64
	chance   float64
	perYear  float64 // expected newcomers like this one in a year

	// began finds the first hour that stands out. It is called when the signal is raised; nil means that
	// the whole window does.
	began func(ctx context.Context) (time.Time, error)

	posts []earshot.Post // of rules about posts
}

// Evaluate evaluates all rules of all monitors once, as Run does every 5 minutes.
func (s *Service) Evaluate(ctx context.Context) { s.evaluateAll(ctx, func(time.Duration) {}) }

// evaluateAll evaluates all rules of all monitors. It calls pause with the time that it took to fit a
// model.
func (s *Service) evaluateAll(ctx context.Context, pause func(worked time.Duration)) {
	s.evaluatingAll.Lock()
	defer s.evaluatingAll.Unlock()
	now := s.Now().Truncate(detect.Step)
	list, touched := s.targets(), s.touched.takeRecent()
	s.watches.retain(list)
	for i := range list {
		if ctx.Err() != nil {
			return
		}
		t := &list[i]
		err := s.guard(func() error { return s.evaluate(ctx, t, touched[t.ID], now, pause) })
		if err != nil && ctx.Err() == nil {
			s.Log.Error("evaluating rules failed; will retry", "monitor", t.ID, "error", err)
		}
	}
	s.resolveOrphans(ctx)
}

func (s *Service) evaluate(ctx context.Context, t *target, got touch, now time.Time, pause func(time.Duration)) error {
	w := s.watches.find(t.ID)
	defer func() { s.watches.put(t.ID, w) }()
	if got.posts > 0 || w.active.IsZero() {
		w.active = now
	}
	if got.old > 0 {
		w.fitted = time.Time{} // the history has changed
		if got.old >= minImported && 2*got.old >= got.posts {
			w.settling = now.Add(settleFor)
		}
	}
	for _, r := range t.others {
		s.evaluateRule(ctx, t, r, s.Now())
	}
	if t.unusual == nil || now.Sub(w.active) > longWindow && len(s.signals.open(s.Catalog, t.ID)) == 0 {
		return nil // there are no posts in any window
	}
	if w.refitDue(t, now) {
		began := time.Now()
		if err := s.fit(ctx, t, &w, now); err != nil {
			return err
		}
		pause(time.Since(began))
	}
	if now.Before(w.settling) {
		return nil
	}
	w.evaluated = now
	return s.evaluateUnusual(ctx, t, &w, now)
}

// While history is being imported, recent posts may arrive before the older ones that show they are
// not unusual. A monitor that gets mostly old posts raises no signals for a while.
const (
	minImported = 10 // posts from before the windows, since the last evaluation
	settleFor   = 15 * time.Minute
)

// isActive reports whether a rule may raise signals.
func isActive(t *target, r *earshot.Rule, now time.Time) bool {
	return !r.Disabled && !now.Before(r.MutedUntil) && inHours(r.Active, now.In(t.Location()), true)
}

// evaluateUnusual compares the posts of a target with what is expected.
func (s *Service) evaluateUnusual(ctx context.Context, t *target, w *watch, now time.Time) error {
	if w.model == nil { // it is learning, possibly again
		return s.conclude(ctx, t, t.unusual, earshot.UnusualKinds, nil, now)
	}
	counts, err := s.countWindows(ctx, t, now)
	if err != nil {
		return err
	}
	if t.watches(earshot.VolumeSignal) {
		volume, err := s.evaluateVolume(ctx, t, w, counts, now)
		if err != nil {
			return err
		}
		if err := s.conclude(ctx, t, t.unusual, []earshot.SignalKind{earshot.VolumeSignal}, []finding{volume}, now); err != nil {
			return err
		}
	}
	return s.evaluateSlow(ctx, t, w, counts[len(counts)-1], now)
}

// watches reports whether the unusual rule watches a kind.
func (t *target) watches(kind earshot.SignalKind) bool {
	kinds := t.unusual.Unusual.Kinds
	return len(kinds) == 0 || slices.Contains(kinds, kind)
}

// budget returns the false alarms per year of each kind of alarm.
func (t *target) budget() [detect.Kinds]float64 {
	var kinds []detect.Kind
	if t.watches(earshot.VolumeSignal) {
		kinds = append(kinds, detect.Volume)
	}
	if t.count(shareKinds) > 0 {
		kinds = append(kinds, detect.Shares)
	}
	if t.count(newcomerKinds) > 0 {
		kinds = append(kinds, detect.Newcomer)
	}
	perYear := t.unusual.Unusual.FalseAlarms
	if perYear == 0 {
		perYear = earshot.DefaultFalseAlarms
	}
	return detect.Divide(float64(perYear), kinds...)
}

// count returns how many of some kinds are watched.
func (t *target) count(kinds []earshot.SignalKind) (n int) {
	for _, k := range kinds {
		if t.watches(k) {
			n++
		}
	}
	return n
}

func (t *target) minPosts() float64 {
	if t.unusual.Unusual.MinPosts > 0 {
		return float64(t.unusual.Unusual.MinPosts)
	}
	return earshot.DefaultMinPosts
}

// countWindows returns the posts in each of [detect.Windows] until now.
func (s *Service) countWindows(ctx context.Context, t *target, now time.Time) (counts [len(detect.Windows)]float64, err error) {
	starts := make([]time.Time, 0, len(counts)+1)
	for _, window := range slices.Backward(detect.Windows[:]) {
		starts = append(starts, now.Add(-window))
	}
	posts, err := s.Posts.Histogram(ctx, t.posts(time.Time{}, time.Time{}), append(starts, now))
	if err != nil {
		return counts, err
	}
	sum := 0.0
	for i, n := range slices.Backward(posts) {
		sum += float64(n)
		counts[len(posts)-1-i] = sum
	}
	return counts, nil
}

// evaluateVolume compares the number of posts in all windows with the model. It reports the window of
// the open signal, if there is one that is still unusual there, and otherwise the one with the least
// chance.
func (s *Service) evaluateVolume(ctx context.Context, t *target, w *watch, counts [len(detect.Windows)]float64, now time.Time) (best finding, err error) {
	open := s.signals.find(s.Catalog, keyOf(t.ID, 0, earshot.VolumeSignal, ""))
	for i, window := range detect.Windows {
		f := finding{kind: earshot.VolumeSignal, from: now.Add(-window), to: now, window: window, observed: counts[i]}
		e := w.model.Expect(f.from, f.to)
		if w.limit.Exceeded(i, e, f.observed) {
			once, err := insight.CountOnce(ctx, s.Posts, t.posts(f.from, f.to), counts[i])
			if err != nil {
				return best, err
			}
			f.observed = once.Posts
			f.holds = w.limit.Exceeded(i, e, f.observed) && once.Several >= max(w.limit.MinPosts, detect.MinRatio*e.Mean)
		}
		f.began = func(ctx context.Context) (time.Time, error) {
			starts := hourStarts(t, f.from, f.to)
			counts, err := s.countHours(ctx, t.posts(time.Time{}, time.Time{}), starts)
			from, _, _ := w.model.Segment(starts[0], counts)
			return starts[from], err
		}
		f.expected, f.chance = e.Mean, e.Chance(f.observed)
		f.low, f.high = e.Interval(interval)
		if f.holds && open != nil && open.Window == window {
			return f, nil
		}
		if i == 0 || f.holds && !best.holds || f.holds == best.holds && f.chance < best.chance {
			best = f
		}
	}
	return best, nil
}

// hourStarts returns the starts of the hours of a period, from the one that it begins in, and its end.
func hourStarts(t *target, from, to time.Time) (starts []time.Time) {
	for at := period.Hour(from.In(t.Location())); at.Before(to); at = at.Add(time.Hour) {
		starts = append(starts, at)
	}
	return append(starts, to)
}

// countHours counts the posts of each interval.
func (s *Service) countHours(ctx context.Context, of poststore.Selection, starts []time.Time) ([]float64, error) {
	counts, err := s.Posts.Histogram(ctx, of, starts)
	return jsonvalue.Map(counts, func(n int64) float64 { return float64(n) }), err
}

// interval is the part of all counts that is expected between the bounds that people see.
const interval = 0.99
