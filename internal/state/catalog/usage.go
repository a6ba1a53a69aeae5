package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"earshot"
)

const (
	documentsKey = "usage.documents"
	queriesKey   = "usage.queries"
)

// Documents are counted in intervals of ten minutes, so the last 24 hours are exact to one
// interval and the record stays small.
const (
	usageInterval = 10 * time.Minute
	usagePeriod   = 24 * time.Hour
)

// ErrOverLimit says that a reservation would exceed the limit.
var ErrOverLimit = errors.New("catalog: over the limit")

// ReserveDocuments adds n to the documents uploaded in the 24 hours before now
// and returns the sum, or adds nothing and fails with ErrOverLimit when that
// would exceed limit (0: none). A negative n returns a reservation.
func (c *Catalog) ReserveDocuments(ctx context.Context, now time.Time, n, limit int64) (int64, error) {
	var used int64
	err := c.update(ctx, documentsKey, func(value []byte) ([]byte, error) {
		intervals := map[int64]int64{}
		if value != nil {
			if err := json.Unmarshal(value, &intervals); err != nil {
				return nil, err
			}
		}
		maps.DeleteFunc(intervals, func(start, _ int64) bool { return isPast(start, now) })
		used = n
		for _, count := range intervals {
			used += count
		}
		if limit > 0 && n > 0 && used > limit {
			return nil, ErrOverLimit
		}
		intervals[now.Truncate(usageInterval).Unix()] += n
		return json.Marshal(intervals)
	})
	return used, err
}

// DocumentsUsed returns how many documents were uploaded in the 24 hours before now.
func (c *Catalog) DocumentsUsed(ctx context.Context, now time.Time) (used int64, err error) {
	intervals, err := singleton[map[int64]int64](ctx, c, documentsKey)
	for start, count := range intervals {
		if !isPast(start, now) {
			used += count
		}
	}
	return used, err
}

// isPast reports whether the interval that starts at a Unix time is older than 24 hours.
func isPast(start int64, now time.Time) bool { return now.Sub(time.Unix(start, 0)) >= usagePeriod }

// Bounds of the record of analysis queries, which every query rewrites.
const (
	maxQueryYears = 2   // before the most recent month; the contract's year is within them
	maxQueryIDs   = 500 // of the most recent queries, to recognize repeats
)

// queryUsage is the number of analysis queries of each day.
type queryUsage struct {
	Months  map[earshot.Date]monthUsage // by their first days; months without queries are absent
	Counted []earshot.ResultID          // newest last
}

// monthUsage has the queries of each day of a month, in UTC. It decodes much faster than a
// map of days.
type monthUsage [31]int64

// errCounted ends an update without a write.
var errCounted = errors.New("catalog: query is counted already")

// CountQuery adds an analysis query to a day, in UTC. A query counts once: a repeat adds nothing,
// on whichever day, unless hundreds were counted since. The count survives a crash when CountQuery
// returns. Months that are more than two years older are dropped.
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
		if u.Months == nil {
			u.Months = map[earshot.Date]monthUsage{}
		}
		month := earshot.Date{Year: day.Year, Month: day.Month, Day: 1}
		days := u.Months[month]
		days[day.Day-1]++
		u.Months[month] = days
		month.Year -= maxQueryYears
		maps.DeleteFunc(u.Months, func(m earshot.Date, _ monthUsage) bool { return m.Before(month) })
		u.Counted = append(u.Counted, id)
		u.Counted = u.Counted[max(0, len(u.Counted)-maxQueryIDs):]
		return json.Marshal(u)
	})
	if err != nil && !errors.Is(err, errCounted) {
		return fmt.Errorf("count query %d: %w", id, err)
	}
	return nil
}

// QueriesUsed returns the number of analysis queries in a period, which begins at most a year
// ago: older days may be dropped.
func (c *Catalog) QueriesUsed(ctx context.Context, period earshot.Days) (int64, error) {
	u, err := singleton[queryUsage](ctx, c, queriesKey)
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
