package signal

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight/detect"
	"earshot/internal/state/catalog"
)

// The life of a signal:
//
//	                 the condition holds
//	  raised ──▶ firing ──────────────────▶ updated, when the peak doubles, or with news after 6 hours
//	               │ ▲
//	 does not hold │ │ holds again
//	               ▼ │
//	             quiet ── for 3 hours ──▶ resolved ── cool-down ──▶ may be raised again
//
// All of it is in the record of the signal, which is written by compare-and-set. An evaluation that is
// repeated after a crash, or made by two processes, therefore changes nothing.

const (
	updateAfter = 6 * time.Hour // since people were last notified, if there is news
	news        = 1.2           // how much larger a peak is news after updateAfter
)

// errUnchanged leaves a record as it is.
var errUnchanged = errors.New("unchanged")

// conclude raises, updates and resolves the signals of a rule, given findings about all subjects of
// some kinds.
func (s *Service) conclude(ctx context.Context, t *target, r *earshot.Rule, kinds []earshot.SignalKind, findings []finding, now time.Time) error {
	active := isActive(t, r, now)
	held := map[key]bool{}
	for i := range findings {
		f := &findings[i]
		k := keyOf(t.ID, r.ID, f.kind, f.subject)
		if f.unknown && !r.Disabled {
			held[k] = true // stays as it is
			continue
		}
		if !f.holds || r.Disabled {
			continue
		}
		held[k] = true
		var err error
		if open := s.signals.find(s.Catalog, k); open != nil {
			err = s.follow(ctx, t, r, open, f, now, active)
		} else if active {
			_, err = s.raise(ctx, t, r, f, now)
		}
		if err != nil {
			return err
		}
	}
	for _, sig := range s.signals.open(s.Catalog, t.ID) {
		k := signalKey(sig)
		if k.rule != 0 && sig.Rule != r.ID || !slices.Contains(kinds, sig.Kind) || held[k] {
			continue
		}
		if err := s.calm(ctx, sig, findings, now); err != nil {
			return err
		}
	}
	return nil
}

// raise creates a signal, unless one was just resolved. It reports whether the finding is dealt with;
// otherwise, another process may be about to raise the signal.
func (s *Service) raise(ctx context.Context, t *target, r *earshot.Rule, f *finding, now time.Time) (bool, error) {
	k := keyOf(t.ID, r.ID, f.kind, f.subject)
	if last := s.signals.lookup(s.Catalog, k); last != nil {
		if now.Before(last.Resolved.Add(max(r.CoolDown, f.onceIn()))) {
			return true, nil
		}
		if handled, err := s.wasResolvedByHand(ctx, last, now); handled || err != nil {
			return true, err
		}
		// A person resolved it, or a process died before it released the name.
		if err := s.Catalog.ReleaseName(ctx, k.name(), int64(last.ID)); err != nil {
			return false, err
		}
	}
	if f.began != nil {
		from, err := f.began(ctx)
		if err != nil {
			return false, err
		}
		f.from = from
	}
	id, err := s.Catalog.NextIDs(ctx, 1)
	if err != nil {
		return false, err
	}
	sig := &earshot.Signal{
		ID: earshot.SignalID(id), Team: t.Team, Monitor: t.ID, Rule: r.ID, Kind: f.kind, Subject: f.subject, Label: earshot.OneLine(f.label, maxLabel),
		State: earshot.Firing, Severity: r.Severity, Metric: f.metric(r), From: f.from.UTC(), Raised: now.UTC(), Updated: now.UTC(), Filter: f.filter,
	}
	f.measure(sig, now)
	sig.Title, sig.Text = titleOf(t.Monitor, r, sig), f.text(r)
	sig.Reported = sig.Peak
	s.record(sig, earshot.SignalEvent{Kind: earshot.SignalRaised, Observed: sig.Observed})
	firing := func(id int64) bool {
		other, ok := s.Catalog.Signals.Find(earshot.SignalID(id))
		return ok && other.State == earshot.Firing && signalKey(other) == k
	}
	err = s.Catalog.ReserveName(ctx, k.name(), id, firing)
	if errors.Is(err, catalog.ErrNameTaken) {
		// By another process, or by one that died a moment ago.
		s.Log.Info("the name of a signal is taken; will retry", "monitor", t.ID, "rule", r.ID, "kind", f.kind)
		s.touched.postpone(t.ID, now.Add(catalog.ReservationTimeout))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, s.Catalog.Signals.Add(ctx, sig.ID, sig)
}

// onceIn returns how long a subject is not raised again. Something is a newcomer only once.
func (f *finding) onceIn() time.Duration {
	if slices.Contains(newcomerKinds, f.kind) {
		return detect.NewcomerDays * 24 * time.Hour
	}
	return 0
}

// wasResolvedByHand reports whether a person resolved a signal while its condition holds. Nothing is
// raised until it did not hold for [detect.Calm].
func (s *Service) wasResolvedByHand(ctx context.Context, last *earshot.Signal, now time.Time) (bool, error) {
	byHand := slices.ContainsFunc(last.Events, func(e earshot.SignalEvent) bool {
		return e.Kind == earshot.SignalResolved && e.By != ""
	})
	if !byHand || now.Sub(last.Evaluated) >= detect.Calm || last.Kind == earshot.PostSignal {
		return false, nil
	}
	if now.Sub(last.Evaluated) < detect.Calm/4 {
		return true, nil // do not write at every evaluation
	}
	_, err := s.Catalog.Signals.Update(ctx, last.ID, func(sig *earshot.Signal) error {
		sig.Evaluated = now.UTC()
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return false, nil
	}
	return true, err
}

// follow updates a firing signal whose condition holds. If its rule is not active, people are not
// notified.
func (s *Service) follow(ctx context.Context, t *target, r *earshot.Rule, open *earshot.Signal, f *finding, now time.Time, active bool) error {
	return s.amend(ctx, open.ID, func(sig *earshot.Signal) error {
		if sig.State != earshot.Firing || !now.After(sig.Evaluated) && len(f.posts) == 0 {
			return errUnchanged
		}
		// A threshold is evaluated every few seconds, but not everything is worth a write.
		recent := f.kind == earshot.ThresholdSignal && sig.Quiet.IsZero() && now.Sub(sig.Evaluated) < time.Minute
		if recent && !f.worse(f.observed, 2*sig.Reported) {
			return errUnchanged
		}
		f.measure(sig, now)
		sig.Title = titleOf(t.Monitor, r, sig)
		if sig.PeakTime.Equal(now) {
			sig.Text = f.text(r) // people who look see the peak
		}
		if !active {
			return nil
		}
		if !f.doubled(sig) && !(now.Sub(sig.Updated) >= updateAfter && f.hasNews(sig)) {
			return nil
		}
		sig.Severity = r.Severity
		sig.Reported, sig.Updated = sig.Peak, now.UTC()
		s.record(sig, earshot.SignalEvent{Kind: earshot.SignalUpdated, Observed: sig.Observed})
		return nil
	})
}

// calm records that the condition of a signal does not hold, and resolves the signal after a while.
func (s *Service) calm(ctx context.Context, open *earshot.Signal, findings []finding, now time.Time) error {
	resolved := false
	err := s.amend(ctx, open.ID, func(sig *earshot.Signal) error {
		if sig.State != earshot.Firing || !now.After(sig.Evaluated) && !sig.Quiet.IsZero() {
			return errUnchanged
		}
		if i := slices.IndexFunc(findings, func(f finding) bool { return f.kind == sig.Kind && f.subject == sig.Subject && f.window == sig.Window }); i >= 0 {
			sig.Observed = findings[i].observed
		}
		sig.Evaluated = now.UTC()
		if sig.Quiet.IsZero() {
			sig.Quiet = now.UTC()
		}
		if resolved = now.Sub(sig.Quiet) >= detect.Calm; resolved {
			s.resolveBy(sig, "")
		}
		return nil
	})
	if err == nil && resolved {
		err = s.Catalog.ReleaseName(ctx, signalKey(open).name(), int64(open.ID))
	}
	return err
}

// resolveOrphans resolves signals whose rule or monitor is gone, disabled, or no longer watches their
// kind. People are not notified.
func (s *Service) resolveOrphans(ctx context.Context) {
	open := s.signals.allOpen(s.Catalog) // before the targets, so that those of new rules are not among them
	list := s.targets()
	byID := make(map[earshot.MonitorID]*target, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	for _, sig := range open {
		if t := byID[sig.Monitor]; t != nil && t.has(sig) {
			continue
		}
		err := s.amend(ctx, sig.ID, func(sig *earshot.Signal) error {
			delivered := sig.Notified == sig.LastNumber
			if s.resolveBy(sig, ""); delivered {
				sig.Notified = sig.LastNumber
			}
			return nil
		})
		if err == nil {
			err = s.Catalog.ReleaseName(ctx, signalKey(sig).name(), int64(sig.ID))
		}
		if err != nil && ctx.Err() == nil {
			s.Log.Error("resolving a signal without a rule failed; will retry", "signal", sig.ID, "error", err)
		}
	}
}

// has reports whether one of the target's rules is about a signal.
func (t *target) has(sig *earshot.Signal) bool {
	if signalKey(sig).rule == 0 {
		return t.unusual != nil && !t.unusual.Disabled && t.watches(sig.Kind)
	}
	return slices.ContainsFunc(t.others, func(r *earshot.Rule) bool { return r.ID == sig.Rule && !r.Disabled })
}

// amend changes a signal, unless it is gone or change returns errUnchanged.
func (s *Service) amend(ctx context.Context, id earshot.SignalID, change func(*earshot.Signal) error) error {
	_, err := s.Catalog.Signals.Update(ctx, id, change)
	if errors.Is(err, errUnchanged) || errors.Is(err, catalog.ErrNotFound) {
		return nil
	}
	return err
}

// metric returns what the numbers of a finding are.
func (f *finding) metric(r *earshot.Rule) earshot.Metric {
	switch f.kind {
	case earshot.ThresholdSignal:
		return r.Threshold.Metric
	case earshot.NegativeSignal, earshot.CategorySignal, earshot.CountrySignal, earshot.LanguageSignal:
		return earshot.Metric(f.kind) // they have the same names
	}
	return earshot.PostsMetric
}

// measure copies the numbers of a finding into a signal.
func (f *finding) measure(sig *earshot.Signal, now time.Time) {
	first := sig.PeakTime.IsZero()
	if sig.Window != f.window { // counts of different windows cannot be compared
		sig.Window, first = f.window, true
		sig.Reported = f.observed
	}
	sig.Observed = f.observed
	if first || f.worse(f.observed, sig.Peak) {
		sig.Peak, sig.PeakTime, sig.Chance = f.observed, now.UTC(), f.chance
		sig.Expected, sig.Low, sig.High = f.expected, f.low, f.high
		if f.high > 0 {
			sig.Chance = max(f.chance, minChance)
		}
	}
	if f.to.After(sig.To) {
		sig.To = f.to.UTC()
	}
	if sig.From.IsZero() || f.from.Before(sig.From) && f.kind == earshot.PostSignal {
		sig.From = f.from.UTC()
	}
	for _, p := range f.posts {
		if len(sig.Posts) < earshot.MaxSignalPosts && !slices.Contains(sig.Posts, p.Key()) {
			sig.Posts = append(sig.Posts, p.Key())
		}
	}
	sig.Evaluated, sig.Quiet = now.UTC(), time.Time{}
}

// minChance stands for chances that are too small for a number.
const minChance = 1e-300

// worse reports whether a value is further from what is usual than another.
func (f *finding) worse(a, b float64) bool {
	if f.below {
		return a < b
	}
	return a > b
}

// doubled reports whether the peak has doubled since people were last notified.
func (f *finding) doubled(sig *earshot.Signal) bool {
	if f.below {
		return sig.Peak <= sig.Reported/2 && sig.Peak < sig.Reported
	}
	return sig.Peak >= 2*sig.Reported && sig.Peak > sig.Reported
}

// hasNews reports whether there is something that people have not been notified of.
func (f *finding) hasNews(sig *earshot.Signal) bool {
	if f.below {
		return sig.Peak*news <= sig.Reported && sig.Peak < sig.Reported
	}
	return sig.Peak >= news*sig.Reported && sig.Peak > sig.Reported
}
