package monitor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/catalog"
)

// A Cost is what it takes to match posts with a monitor and its filters.
type Cost struct {
	Monitor *earshot.Monitor
	Cost    int           // see [query.Query.Cost]; it does not depend on the machine
	Time    time.Duration // estimated, since the monitor was last changed or the process was started
}

// MostExpensive returns the enabled monitors of all teams on which matching has spent the most time, at
// most n. Those without a measured time follow, by cost.
func (s *Service) MostExpensive(n int) []Cost {
	times := map[earshot.MonitorID]time.Duration{}
	if s.Times != nil {
		times = s.Times()
	}
	var list []Cost
	for _, m := range s.Catalog.Monitors.List() {
		if m.Enabled && !m.Removed {
			list = append(list, Cost{m, s.cost(m), times[m.ID]})
		}
	}
	slices.SortStableFunc(list, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Cost, a.Cost))
	})
	return list[:min(n, len(list))]
}

// TeamCost returns the sum of the costs of a team's enabled monitors.
func (s *Service) TeamCost(team earshot.TeamID) int { return s.costOfOthers(team, 0) }

func (s *Service) costOfOthers(team earshot.TeamID, except earshot.MonitorID) (sum int) {
	for _, m := range s.Catalog.Monitors.List() {
		if m.Team == team && m.ID != except && m.Enabled && !m.Removed {
			sum += s.cost(m)
		}
	}
	return sum
}

// A knownCost is the cost of a record in the catalog, which never changes.
type knownCost struct {
	record *earshot.Monitor
	cost   int
}

// cost returns the cost of a record in the catalog.
func (s *Service) cost(m *earshot.Monitor) int {
	if known, ok := s.costs.Load(m.ID); ok && known.(knownCost).record == m {
		return known.(knownCost).cost
	}
	cost, _, _ := costOf(m)
	s.costs.Store(m.ID, knownCost{m, cost})
	return cost
}

// costOf returns the cost of a monitor and its filters, and the most expensive part of their queries.
func costOf(m *earshot.Monitor) (cost int, part string, partCost int) {
	add := func(c *watchlist.Condition, err error) {
		if err != nil {
			return // it is not matched
		}
		cost += c.Cost()
		if p, n := c.MostExpensive(); n > partCost {
			part, partCost = p, n
		}
	}
	add(watchlist.CompileMonitor(m))
	for _, f := range m.Filters {
		add(watchlist.Compile(m.Team, f.Criteria))
	}
	return cost, part, partCost
}

// maxShownPart is the number of characters of a query that the message about its cost repeats.
const maxShownPart = 100

// checkCost returns an error if the team cannot afford a monitor that cost less before. Monitors that
// exceed the limit already, because it was lowered, keep running and can be made cheaper.
func (s *Service) checkCost(m *earshot.Monitor, before int) error {
	cost, part, partCost := costOf(m)
	if s.CostLimit == 0 || cost <= before {
		return nil
	}
	others := s.costOfOthers(m.Team, m.ID)
	if others+cost <= s.CostLimit {
		return nil
	}
	expensive := ""
	if part != "" {
		if shown := []rune(part); len(shown) > maxShownPart {
			part = string(shown[:maxShownPart]) + "…"
		}
		expensive = fmt.Sprintf("The most expensive part of its query, %s, costs %d. ", part, partCost)
	}
	return earshot.Errorf(earshot.OverLimit, "The monitor would cost %d, and the other monitors of team %s cost %d, but the team may spend only %d (monitor_cost_limit). "+
		"%sUse fewer NEAR, ~, wildcards and phrases, disable other monitors, or ask an administrator to raise the limit",
		cost, s.TeamName(m), others, s.CostLimit, expensive)
}

// updateCost is update for a change that may make the monitor more expensive. It runs under Exclusive so
// that the team cannot exceed its limit concurrently.
func (s *Service) updateCost(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, change func(*earshot.Monitor) error) (*earshot.Monitor, error) {
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (*earshot.Monitor, error) {
		return s.update(ctx, c, id, func(m *earshot.Monitor) error {
			before := 0
			if m.Enabled {
				before, _, _ = costOf(m)
			}
			if err := change(m); err != nil || !m.Enabled {
				return err
			}
			return s.checkCost(m, before)
		})
	})
}
