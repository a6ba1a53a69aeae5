package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"earshot"
)

const queriesKey = "usage.queries"

// What the record of analysis queries holds at most.
const (
	usageYears = 2   // before the month counted last; the contract's year is within them
	usageIDs   = 500 // of queries counted last
)

// queryUsage is how many analysis queries were used on each day.
type queryUsage struct {
	Months  map[earshot.Date]monthUsage // by their first days; those without queries are not there
	Counted []earshot.ResultID          // newest last
}

// monthUsage has the queries of the days of a month, of UTC. It is read much faster than a
// record of its own for each day.
type monthUsage [31]int64

// errCounted says that there is nothing to write.
var errCounted = errors.New("catalog: query is counted already")

// CountQuery adds an analysis query to those of a day, of UTC. A query counts once: a repeat
// adds nothing, on whichever day, unless hundreds were counted since. The count survives a
// crash when CountQuery returns; months that are more than two years older are
// forgotten then.
func (c *Catalog) CountQuery(ctx context.Context, day earshot.Date, id earshot.ResultID) error {
	err := c.update(ctx, queriesKey, func(value []byte) ([]byte, error) {
		var u queryUsage
		if value != nil {
			if err := json.Unmarshal(value, &u); err != nil {
				return nil, err
			}
		}
		if slices.Contains(u.Counted, id) {
			return nil, errCounted
		}
		u.count(day, id)
		return json.Marshal(u)
	})
	if err != nil && !errors.Is(err, errCounted) {
		return fmt.Errorf("count query %d: %w", id, err)
	}
	return nil
}

// QueriesUsed returns how many analysis queries were counted on the days of a period, which
// begins at most a year ago: older days may be forgotten.
func (c *Catalog) QueriesUsed(ctx context.Context, period earshot.Days) (int64, error) {
	u, err := single[queryUsage](ctx, c, queriesKey)
	used := int64(0)
	for month, days := range u.Months {
		for i, queries := range days {
			if queries > 0 && period.Contains(month.AddDays(i)) {
				used += queries
			}
		}
	}
	return used, err
}

// count adds a query that was not counted yet, and forgets what is too much to remember.
func (u *queryUsage) count(day earshot.Date, id earshot.ResultID) {
	if u.Months == nil {
		u.Months = map[earshot.Date]monthUsage{}
	}
	month := earshot.Date{Year: day.Year, Month: day.Month, Day: 1}
	days := u.Months[month]
	days[day.Day-1]++
	u.Months[month] = days
	month.Year -= usageYears
	maps.DeleteFunc(u.Months, func(m earshot.Date, _ monthUsage) bool { return m.Before(month) })
	u.Counted = append(u.Counted, id)
	u.Counted = u.Counted[max(0, len(u.Counted)-usageIDs):]
}
