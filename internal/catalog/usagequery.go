package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"earshot"
)

const queriesKey = "usage.queries"

// What the record of analysis queries holds at most.
const (
	usagePeriods = 4   // those counted last: around midnight two nodes may disagree which it is
	usageIDs     = 500 // of queries counted last
)

// queryUsage is how many analysis queries were used.
type queryUsage struct {
	Periods []periodUsage      // that counted last is first
	Counted []earshot.ResultID // newest last
}

type periodUsage struct {
	Period earshot.Days
	Used   int64
}

// errCounted says that there is nothing to write.
var errCounted = errors.New("catalog: query is counted already")

// CountQuery adds an analysis query to those of a period and returns how many these are. A query
// counts once: a repeat adds nothing, in whichever period, unless hundreds were counted since.
// The count survives a crash when CountQuery returns.
func (c *Catalog) CountQuery(ctx context.Context, period earshot.Days, id earshot.ResultID) (used int64, err error) {
	err = c.update(ctx, queriesKey, func(value []byte) ([]byte, error) {
		var u queryUsage
		if value != nil {
			if err := json.Unmarshal(value, &u); err != nil {
				return nil, err
			}
		}
		if slices.Contains(u.Counted, id) {
			used = u.used(period)
			return nil, errCounted
		}
		used = u.count(period, id)
		return json.Marshal(u)
	})
	if err != nil && !errors.Is(err, errCounted) {
		return 0, fmt.Errorf("count query %d: %w", id, err)
	}
	return used, nil
}

// QueriesUsed returns how many analysis queries were counted in a period.
func (c *Catalog) QueriesUsed(ctx context.Context, period earshot.Days) (int64, error) {
	u, err := single[queryUsage](ctx, c, queriesKey)
	return u.used(period), err
}

func (u *queryUsage) used(period earshot.Days) int64 {
	for _, p := range u.Periods {
		if p.Period == period {
			return p.Used
		}
	}
	return 0
}

// count adds a query that was not counted yet, and forgets what is too much to remember.
func (u *queryUsage) count(period earshot.Days, id earshot.ResultID) int64 {
	p := periodUsage{Period: period, Used: u.used(period) + 1}
	others := slices.DeleteFunc(u.Periods, func(o periodUsage) bool { return o.Period == period })
	u.Periods = append([]periodUsage{p}, others[:min(len(others), usagePeriods-1)]...)
	u.Counted = append(u.Counted, id)
	u.Counted = u.Counted[max(0, len(u.Counted)-usageIDs):]
	return p.Used
}
