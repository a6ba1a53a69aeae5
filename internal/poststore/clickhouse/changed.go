package clickhouse

import (
	"context"
	"fmt"
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
}

func (b *changedBlock) add(set poststore.SetID, sec int64, commit uint64) {
	b.set.Append(int64(set))
	b.sec.Append(sec)
	b.commit.Append(commit)
	b.key.Append(proto.UInt128{})
	b.added.Append(0)
}

func (b *changedBlock) input() proto.Input {
	return proto.Input{
		{Name: "set", Data: &b.set}, {Name: "sec", Data: &b.sec}, {Name: "commit", Data: &b.commit},
		{Name: "key", Data: &b.key}, {Name: "added", Data: &b.added},
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
	from, to, cleared := args.Int(bounds[0]), args.Int(bounds[len(bounds)-1]), args.Uint(v.sets[id].cleared)
	within := "sec >= " + from + " AND sec < " + to
	sql := "SELECT arrayCount(b -> b <= sec, " + args.Ints(bounds) + ") AS day, max(at) AS last FROM (" +
		"SELECT sec, max(bitShiftRight(row, 24)) AS at FROM posts WHERE " + v.visible(id, args) + " AND " + within + " GROUP BY sec" +
		" UNION ALL SELECT sec, max(commit) AS at FROM changed WHERE set = " + args.Int(int64(id)) + " AND " + v.committed("commit", args) + " AND " + within + " GROUP BY sec" +
		") WHERE at > " + cleared + " GROUP BY day"
	var last proto.ColUInt64
	var day proto.ColUInt32
	commits := map[int]uint64{}
	err = s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{{Name: "day", Data: &day}, {Name: "last", Data: &last}}, func(rows int) error {
		for i := range rows {
			commits[int(day.Row(i))-1] = last.Row(i)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read when posts changed: %w", err)
	}
	times, err := s.commitTimes(ctx, commits)
	if err != nil {
		return nil, err
	}
	for d, commit := range commits {
		changed[d] = times[commit]
	}
	return changed, nil
}

// commitTimes returns the times of commits.
func (s *Store) commitTimes(ctx context.Context, commits map[int]uint64) (map[uint64]time.Time, error) {
	times := map[uint64]time.Time{}
	numbers := make([]uint64, 0, len(commits))
	for _, n := range commits {
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return times, nil
	}
	args := new(chhttp.Args)
	var commit proto.ColUInt64
	var at proto.ColInt64
	err := s.db.Query(ctx, chhttp.Statement{SQL: "SELECT commit, at FROM commits WHERE commit IN " + args.Uints(numbers), Args: args},
		proto.Results{{Name: "commit", Data: &commit}, {Name: "at", Data: &at}}, func(rows int) error {
			for i := range rows {
				times[commit.Row(i)] = timeOf(at.Row(i))
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the times of commits: %w", err)
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
	sql := "SELECT time, posted, sum(likes) AS l, sum(shares) AS s, sum(comments) AS c FROM counters WHERE set = " + args.Int(int64(id)) +
		" AND " + v.committed("commit", args) + " AND commit > " + args.Uint(v.sets[id].cleared) +
		" AND (time >= " + first + " AND time < " + end + " OR posted >= " + first + " AND posted < " + end + ") GROUP BY time, posted"
	var at, posted, likes, shares, comments proto.ColInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{
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
