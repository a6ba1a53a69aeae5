package clickhouse

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// A snapshotBlock collects rows of table snapshots.
type snapshotBlock struct {
	monitor    proto.ColInt64
	date, body proto.ColStr
	commit     proto.ColUInt64
}

func (b *snapshotBlock) input() proto.Input {
	return proto.Input{{Name: "monitor", Data: &b.monitor}, {Name: "date", Data: &b.date}, {Name: "body", Data: &b.body}, {Name: "commit", Data: &b.commit}}
}

func (b *snapshotBlock) add(m earshot.MonitorID, s earshot.Snapshot, commit uint64) error {
	body, err := json.Marshal(snapshotRecord{Followers: number(s.Followers), Likes: number(s.Likes)})
	if err != nil {
		return err
	}
	b.monitor.Append(int64(m))
	b.date.Append(s.Date.String())
	b.body.AppendBytes(body)
	b.commit.Append(commit)
	return nil
}

// A snapshotRecord is the encoding of a snapshot. Counters that it does not state are null.
type snapshotRecord struct {
	Followers *int64 `json:"followers,omitempty"`
	Likes     *int64 `json:"likes,omitempty"`
}

// AddSnapshots implements [poststore.Writer].
func (s *Store) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, snapshots []earshot.Snapshot) error {
	last := make(map[earshot.Date]earshot.Snapshot, len(snapshots))
	for _, one := range snapshots {
		last[one.Date] = one
	}
	return s.write(ctx, at, func(c *change) error {
		for _, one := range last {
			if err := c.snapshots.add(m, one, c.number); err != nil {
				return err
			}
		}
		return nil
	})
}

// number returns the value of a counter, or nil if it is not stated.
func number(c earshot.Count) *int64 {
	if n, stated := c.Value(); stated {
		return &n
	}
	return nil
}

// count is the inverse of number.
func count(n *int64) earshot.Count {
	if n == nil {
		return earshot.Count{}
	}
	return earshot.Counted(*n)
}

// Snapshots implements [poststore.Reader].
func (s *Store) Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) ([]earshot.Snapshot, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	found := []earshot.Snapshot{}
	args := new(chhttp.Args)
	var date, body proto.ColStr
	err = s.db.Query(ctx, chhttp.Statement{
		SQL: "SELECT date, argMax(body, commit) AS last FROM snapshots WHERE monitor = " + args.Int(int64(m)) + " AND date >= " + args.String(days.Start.String()) +
			" AND date <= " + args.String(days.End.String()) + " AND " + v.committed("commit", args) + " GROUP BY date",
		Args: args,
	}, proto.Results{{Name: "date", Data: &date}, {Name: "last", Data: &body}}, func(rows int) error {
		for i := range rows {
			day, err := earshot.ParseDate(date.Row(i))
			if err != nil {
				return err
			}
			var record snapshotRecord
			if err := json.Unmarshal([]byte(body.Row(i)), &record); err != nil {
				return err
			}
			if days.Contains(day) {
				found = append(found, earshot.Snapshot{Date: day, Followers: count(record.Followers), Likes: count(record.Likes)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	slices.SortFunc(found, func(a, b earshot.Snapshot) int { return b.Date.DaysUntil(a.Date) })
	return found, nil
}
