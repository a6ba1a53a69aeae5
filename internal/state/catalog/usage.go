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

// Documents are counted in intervals of ten minutes. This keeps the record small, and the last 24
// hours are exact to one interval.
const (
	usageInterval = 10 * time.Minute
	usagePeriod   = 24 * time.Hour
)

// ErrOverLimit means that a reservation would exceed the limit.
var ErrOverLimit = errors.New("catalog: over the limit")

// ReserveDocuments adds n to the documents uploaded in the 24 hours before now and returns the sum.
// If the sum would exceed limit, it adds nothing and fails with [ErrOverLimit]; a limit of 0 means
// no limit. A negative n returns a reservation.
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

// DocumentsUsed returns the number of documents uploaded in the 24 hours before now.
func (c *Catalog) DocumentsUsed(ctx context.Context, now time.Time) (used int64, err error) {
	intervals, err := singleton[map[int64]int64](ctx, c, documentsKey)
	for start, count := range intervals {
		if !isPast(start, now) {
			used += count
		}
	}
	return used, err
}

// isPast reports whether an interval is at least 24 hours old. start is a Unix time.
func isPast(start int64, now time.Time) bool { return now.Sub(time.Unix(start, 0)) >= usagePeriod }

// Limits for the record of analysis queries, which every query rewrites.
const (
	maxQueryYears = 2   // before the most recent month; must cover the contract's year
	maxQueryIDs   = 500 // IDs of the most recent queries, to recognize repeats
)

// queryUsage counts analysis queries per day.
type queryUsage struct {
	Months  map[earshot.Date]monthUsage // key: first day of the month; months without queries are omitted
	Counted []earshot.ResultID          // newest last
}

// monthUsage counts the queries of each day of a month, in UTC. It decodes much faster than a map
// of days.
type monthUsage [31]int64

// errCounted ends an update without a write.
var errCounted = errors.New("catalog: query is counted already")

// CountQuery adds an analysis query to a day, in UTC. A repeat of one of the last 500 queries adds
// nothing, even on another day. Once CountQuery returns, the count survives a crash. Months more
// than two years before the day are dropped.
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

// QueriesUsed returns the number of analysis queries in a period, which must start at most a year
// ago, because older days may have been dropped.
func (c *Catalog) QueriesUsed(ctx context.Context, period earshot.Days) (int64, error) {
	used, _, err := c.QueriesUsedAndPending(ctx, period, nil)
	return used, err
}

// QueriesUsedAndPending is QueriesUsed, and also returns how many of some other queries have not been
// counted at the same instant. It knows the last 500 queries that were counted.
func (c *Catalog) QueriesUsedAndPending(ctx context.Context, period earshot.Days, others []earshot.ResultID) (used, pending int64, err error) {
	u, err := singleton[queryUsage](ctx, c, queriesKey)
	for _, id := range others {
		if !slices.Contains(u.Counted, id) {
			pending++
		}
	}
	for month, days := range u.Months {
		for i, queries := range days {
			if queries > 0 && period.Contains(month.AddDays(i)) {
				used += queries
			}
		}
	}
	return used, pending, err
}
