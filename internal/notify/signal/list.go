package signal

import (
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

func (s *Service) ownedSignals() catalog.Owned[earshot.SignalID, earshot.Signal] {
	return catalog.Owned[earshot.SignalID, earshot.Signal]{
		Table: s.Catalog.Signals,
		Team:  func(sig *earshot.Signal) earshot.TeamID { return sig.Team },
		Missing: func(id earshot.SignalID) error {
			return earshot.Errorf(earshot.NotFound, "Signal %d does not exist", id)
		},
		Exists: func(sig *earshot.Signal) bool { return s.exists(sig.Team, sig.Monitor) },
	}
}

// Find returns a signal, or an [earshot.NotFound] error if it does not exist or c may not see it.
func (s *Service) Find(c *earshot.Caller, id earshot.SignalID) (*earshot.Signal, error) {
	return s.ownedSignals().Find(c, id)
}

// A Query selects signals. Zero fields select all.
type Query struct {
	Team     earshot.TeamID
	Monitor  earshot.MonitorID // or a filter; a monitor includes its filters
	Rule     earshot.RuleID
	Kind     []earshot.SignalKind
	State    earshot.SignalState
	Severity []earshot.Severity
	Assignee earshot.UserID
	Open     bool // only firing ones that are not acknowledged

	// Since and Until select signals that lasted at some time in [Since, Until).
	Since, Until time.Time
}

// List returns the signals that c may see, newest first.
func (s *Service) List(c *earshot.Caller, q Query) ([]*earshot.Signal, error) {
	is, err := s.isAbout(c, q.Monitor)
	if err != nil {
		return nil, err
	}
	exists := s.knownMonitors()
	var list []*earshot.Signal
	for _, sig := range slices.Backward(s.Catalog.Signals.List()) {
		if c.In(sig.Team) && q.selects(sig) && is(sig.Monitor) && exists(sig.Team, sig.Monitor) {
			list = append(list, sig)
		}
	}
	return list, nil
}

func (q *Query) selects(sig *earshot.Signal) bool {
	switch {
	case q.Team != 0 && sig.Team != q.Team,
		q.Rule != 0 && sig.Rule != q.Rule,
		len(q.Kind) > 0 && !slices.Contains(q.Kind, sig.Kind),
		q.State != "" && sig.State != q.State,
		len(q.Severity) > 0 && !slices.Contains(q.Severity, sig.Severity),
		q.Assignee != 0 && sig.Assignee != q.Assignee,
		q.Open && (sig.State != earshot.Firing || !sig.Acknowledged.IsZero()),
		!q.Until.IsZero() && !sig.Raised.Before(q.Until),
		!q.Since.IsZero() && !sig.Resolved.IsZero() && sig.Resolved.Before(q.Since):
		return false
	}
	return true
}

// knownMonitors returns a version of [Service.exists] that remembers its answers, because a list has
// many signals of few monitors.
func (s *Service) knownMonitors() func(earshot.TeamID, earshot.MonitorID) bool {
	type owner struct {
		team    earshot.TeamID
		monitor earshot.MonitorID
	}
	known := map[owner]bool{}
	return func(team earshot.TeamID, monitor earshot.MonitorID) bool {
		o := owner{team, monitor}
		exists, ok := known[o]
		if !ok {
			exists = s.exists(team, monitor)
			known[o] = exists
		}
		return exists
	}
}

// Firing counts the firing signals of the monitors that c may see. Those of a filter belong to its
// monitor.
func (s *Service) Firing(c *earshot.Caller) map[earshot.MonitorID]int {
	firing := map[earshot.MonitorID]int{}
	for _, sig := range s.Catalog.Signals.List() {
		if sig.State != earshot.Firing || !c.In(sig.Team) {
			continue
		}
		if m, ok := s.Catalog.FindMonitor(sig.Monitor); ok && m.Team == sig.Team {
			firing[m.ID]++
		}
	}
	return firing
}

// Feedback counts what people said about signals.
type Feedback struct {
	Signals   int // that were raised
	Useful    int
	NotUseful int
}

// Feedback returns a function that returns what people said about the signals of a rule. For a rule
// for unusual activity, that is all unusual activity of its monitor or filter.
func (s *Service) Feedback() func(*earshot.Rule) Feedback {
	rules, monitors := map[earshot.RuleID]*Feedback{}, map[earshot.MonitorID]*Feedback{}
	for _, sig := range s.Catalog.Signals.List() {
		tally(rules, sig.Rule, sig)
		if slices.Contains(earshot.UnusualKinds, sig.Kind) {
			tally(monitors, sig.Monitor, sig)
		}
	}
	return func(r *earshot.Rule) (f Feedback) {
		found := rules[r.ID]
		if r.Kind == earshot.UnusualRule {
			found = monitors[r.Monitor]
		}
		if found != nil {
			f = *found
		}
		return f
	}
}

func tally[ID comparable](counts map[ID]*Feedback, id ID, sig *earshot.Signal) {
	if counts[id] == nil {
		counts[id] = &Feedback{}
	}
	counts[id].add(sig)
}

func (f *Feedback) add(sig *earshot.Signal) {
	f.Signals++
	for _, one := range sig.Feedback {
		if one.Useful {
			f.Useful++
		} else {
			f.NotUseful++
		}
	}
}

// FeedbackOf counts what people said about a signal.
func FeedbackOf(sig *earshot.Signal) Feedback {
	var f Feedback
	f.add(sig)
	return f
}

// LastSignals returns the newest signal of each rule. That of unusual activity without a saved rule
// has rule 0 and is not included.
func (s *Service) LastSignals() map[earshot.RuleID]*earshot.Signal {
	last := map[earshot.RuleID]*earshot.Signal{}
	for _, sig := range s.Catalog.Signals.List() { // oldest first
		if sig.Rule != 0 {
			last[sig.Rule] = sig
		}
	}
	return last
}
