package demo

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/notify/signal"
)

// signalDays is how far back the demo has signals: to before the recall.
const signalDays = 24

// AddSignals adds rules, and the signals that the story would have raised. It needs the posts in the
// store. It does nothing if it was done before.
func AddSignals(ctx context.Context, signals *signal.Service, list []*earshot.Monitor) error {
	owner, ok := findOwner(signals)
	i := slices.IndexFunc(list, func(m *earshot.Monitor) bool { return m.Name == Brand })
	if !ok || i < 0 {
		return nil
	}
	brand := list[i]
	rules, err := signals.Rules(owner, signal.RuleQuery{Team: brand.Team})
	if err != nil || len(rules) > 0 {
		return err
	}
	now := signals.Now()
	if err := signals.Replay(ctx, now.AddDate(0, 0, -signalDays), now, 2*time.Hour); err != nil {
		return err
	}
	for _, r := range []earshot.Rule{
		{Name: "Someone with many followers mentions us", Kind: earshot.PostRule, Filter: "followers:100000..", Severity: earshot.Critical},
		{Name: "Half of the posts are negative", Kind: earshot.ThresholdRule, Severity: earshot.Warning,
			Threshold: earshot.Threshold{Metric: earshot.NegativeMetric, Value: 0.5, Window: 24 * time.Hour, MinPosts: 30}},
	} {
		r.Monitor = brand.ID
		if _, err := signals.AddRule(ctx, owner, r); err != nil {
			return err
		}
	}
	return nil
}

// findOwner returns the main user of the demo.
func findOwner(signals *signal.Service) (*earshot.Caller, bool) {
	for _, u := range signals.Catalog.Users.List() {
		if u.Username == Username {
			return earshot.NewCaller(u), true
		}
	}
	return nil, false
}
