package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// A changedBlock collects rows of table changed.
type changedBlock struct {
	set, sec proto.ColInt64
	commit   proto.ColUInt64
	key      proto.ColUInt128
	added    proto.ColUInt8
	at       proto.ColInt64
}

func (b *changedBlock) add(set poststore.SetID, sec int64, commit uint64) {
	b.append(set, sec, commit, proto.UInt128{}, 0)
}

// addTime adds a change at a time, in Unix nanoseconds.
func (b *changedBlock) addTime(set poststore.SetID, sec int64, commit uint64, at int64) {
	b.append(set, sec, commit, proto.UInt128{}, at)
}

// addKey adds a post that a monitor has matched. It changes no set.
func (b *changedBlock) addKey(sum poststore.KeySum, sec int64, commit uint64) {
	b.append(0, sec, commit, keyNumber(sum), 0)
}

func (b *changedBlock) append(set poststore.SetID, sec int64, commit uint64, key proto.UInt128, at int64) {
	b.set.Append(int64(set))
	b.sec.Append(sec)
	b.commit.Append(commit)
	b.key.Append(key)
	b.added.Append(0)
	b.at.Append(at)
}

func (b *changedBlock) input() proto.Input {
	return proto.Input{
		{Name: "set", Data: &b.set}, {Name: "sec", Data: &b.sec}, {Name: "commit", Data: &b.commit},
		{Name: "key", Data: &b.key}, {Name: "added", Data: &b.added}, {Name: "at", Data: &b.at},
	}
}

// Changed implements [poststore.Reader]. The last commit of a day is that of its newest copy, or
// that of the last post that left the set or came to it later.
func (s *Store) Changed(ctx context.Context, id poststore.SetID, starts []time.Time) ([]time.Time, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	changed := make([]time.Time, max(len(starts)-1, 0))
	if len(changed) == 0 || id.IsCategory() {
		return changed, nil
	}
	bounds := make([]int64, len(starts))
	for i, t := range starts {
		bounds[i] = t.Unix()
	}
	args := new(chhttp.Args)
	within := "sec >= " + args.Int(bounds[0]) + " AND sec < " + args.Int(bounds[len(bounds)-1])
	day := "toInt64(arrayCount(b -> b <= sec, " + args.Ints(bounds) + "))"
	times, err := s.changeTimes(ctx, v, id, day, within, args)
	if err != nil {
		return nil, err
	}
	for n, at := range times {
		changed[n-1] = at
	}
	return changed, nil
}

// changeTimes returns when the posts of a set last changed, by the value of an expression for an interval
// that depends on sec. The last commit of an interval counts, and of copied posts the last time.
func (s *Store) changeTimes(ctx context.Context, v *view, id poststore.SetID, interval, within string, args *chhttp.Args) (map[int64]time.Time, error) {
	sql := "SELECT " + interval + " AS n, max((number, time)) AS last, last.1 AS lastCommit, last.2 AS lastTime FROM (" +
		"SELECT sec, max(bitShiftRight(row, 24)) AS number, toInt64(0) AS time FROM posts WHERE " + v.visible(id, args) + " AND " + within + " GROUP BY sec" +
		" UNION ALL SELECT sec, max((commit, at)).1 AS number, max((commit, at)).2 AS time FROM changed WHERE set = " + args.Int(int64(id)) +
		" AND " + v.committed("commit", args) + " AND " + within + " GROUP BY sec" +
		") WHERE number > " + args.Uint(v.sets[id].cleared) + " GROUP BY n"
	sql = "SELECT n, lastCommit, lastTime FROM (" + sql + ")"
	var n, at proto.ColInt64
	var last proto.ColUInt64
	times, commits := map[int64]time.Time{}, map[int64]uint64{}
	err := s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{{Name: "n", Data: &n}, {Name: "lastCommit", Data: &last}, {Name: "lastTime", Data: &at}}, func(rows int) error {
		for i := range rows {
			if at.Row(i) != 0 {
				times[n.Row(i)] = timeOf(at.Row(i))
			} else {
				commits[n.Row(i)] = last.Row(i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read when posts changed: %w", err)
	}
	of, err := s.commitTimes(ctx, slices.Sorted(maps.Values(commits)))
	if err != nil {
		return nil, err
	}
	for interval, commit := range commits {
		times[interval] = of[commit]
	}
	return times, nil
}

// commitTimes returns the times of commits, which are sorted and may repeat.
func (s *Store) commitTimes(ctx context.Context, numbers []uint64) (map[uint64]time.Time, error) {
	times := map[uint64]time.Time{}
	for some := range slices.Chunk(slices.Compact(numbers), lookupStep) {
		args := new(chhttp.Args)
		var commit proto.ColUInt64
		var at proto.ColInt64
		err := s.db.Query(ctx, chhttp.Statement{SQL: "SELECT commit, at FROM commits WHERE commit IN " + args.Uints(some), Args: args},
			proto.Results{{Name: "commit", Data: &commit}, {Name: "at", Data: &at}}, func(rows int) error {
				for i := range rows {
					times[commit.Row(i)] = timeOf(at.Row(i))
				}
				return nil
			})
		if err != nil {
			return nil, fmt.Errorf("read the times of commits: %w", err)
		}
	}
	return times, nil
}

// CounterChanges implements [poststore.Reader].
func (s *Store) CounterChanges(ctx context.Context, id poststore.SetID, from, to time.Time, visit func(poststore.CounterChange)) error {
	v, err := s.view(ctx)
	if err != nil {
		return err
	}
	args := new(chhttp.Args)
	first, end := args.Int(ceilSeconds(from)), args.Int(ceilSeconds(to))
	within := "(time >= " + first + " AND time < " + end + " OR posted >= " + first + " AND posted < " + end + ")"
	return s.counterChanges(ctx, v, id, within, args, visit)
}

// counterChanges calls visit with the counter changes that satisfy a condition.
func (s *Store) counterChanges(ctx context.Context, v *view, id poststore.SetID, within string, args *chhttp.Args, visit func(poststore.CounterChange)) error {
	sql := "SELECT time, posted, sum(likes) AS l, sum(shares) AS s, sum(comments) AS c FROM counters WHERE set = " + args.Int(int64(id)) +
		" AND " + v.committed("commit", args) + " AND commit > " + args.Uint(v.sets[id].cleared) +
		" AND " + within + " GROUP BY time, posted"
	var at, posted, likes, shares, comments proto.ColInt64
	err := s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{
		{Name: "time", Data: &at}, {Name: "posted", Data: &posted}, {Name: "l", Data: &likes}, {Name: "s", Data: &shares}, {Name: "c", Data: &comments},
	}, func(rows int) error {
		for i := range rows {
			visit(poststore.CounterChange{
				Time: time.Unix(at.Row(i), 0).UTC(), Posted: time.Unix(posted.Row(i), 0).UTC(),
				Likes: likes.Row(i), Shares: shares.Row(i), Comments: comments.Row(i),
			})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read counter changes: %w", err)
	}
	return nil
}

// ceilSeconds returns the first full second that is not before t.
func ceilSeconds(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}
