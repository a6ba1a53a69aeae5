package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// expireEvery is the time between two searches for posts to expire. A search reads the times of all
// posts.
const expireEvery = 6 * time.Hour

const secondsPerDay = 24 * 60 * 60

// expire deletes posts that were stored before a time and that no monitor or filter has ever matched.
// A post that a monitor no longer matches is retained because the monitor may be changed back; so are
// its later versions. docs/decisions/0029-retention.md
func (s *Store) expire(ctx context.Context, until time.Time) error {
	args := new(chhttp.Args)
	v := s.current()
	commit, err := s.number(ctx, "SELECT max(commit) AS n FROM commits WHERE at < "+args.Int(until.UnixNano())+" AND "+v.committed("commit", args), args)
	if err != nil || commit == 0 {
		return err
	}
	args = new(chhttp.Args)
	var days []int64
	var day proto.ColInt64
	err = s.db.Query(ctx, chhttp.Statement{
		SQL: "SELECT DISTINCT toInt64(floor(sec / 86400)) AS day FROM posts WHERE " + v.visible(0, args) + " AND " + storedUpTo(commit, args), Args: args,
	}, proto.Results{{Name: "day", Data: &day}}, func(int) error {
		days = append(days, day...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("find days with posts: %w", err)
	}
	slices.Sort(days)
	expired := 0
	for _, day := range days {
		n, err := s.expireDay(ctx, day*secondsPerDay, commit)
		if err != nil {
			return err
		}
		expired += n
	}
	if expired > 0 {
		s.log.Info("deleted posts that no monitor has matched", "posts", expired)
	}
	return nil
}

// storedUpTo returns the condition that a post was first stored by a commit or an earlier one. Its
// number begins with the number of the commit, and does not change when models run again.
func storedUpTo(commit uint64, args *chhttp.Args) string {
	return "post < " + args.Uint((commit+1)<<rowBits)
}

// expireDay expires the posts of the day that begins at a time in Unix seconds, and returns their
// number. A rematch could match them in the meantime, so none may run.
func (s *Store) expireDay(ctx context.Context, from int64, commit uint64) (int, error) {
	s.jobs.Lock()
	defer s.jobs.Unlock()
	v, err := s.settled(ctx)
	if err != nil {
		return 0, err
	}
	args := new(chhttp.Args)
	within := "sec >= " + args.Int(from) + " AND sec < " + args.Int(from+secondsPerDay)
	sums, err := s.keysOf(ctx, v.visible(0, args)+" AND "+within+" AND "+storedUpTo(commit, args)+
		" AND post NOT IN (SELECT post FROM posts WHERE set != 0 AND "+within+")"+
		" AND key NOT IN (SELECT key FROM changed WHERE key != 0 AND "+within+")", args)
	if err != nil {
		return 0, fmt.Errorf("find posts to expire: %w", err)
	}
	for some := range slices.Chunk(sums, lookupStep) {
		if err := s.apply(ctx, 0, func(c *change) error { return s.removeAll(ctx, c, some) }); err != nil {
			return 0, err
		}
	}
	return len(sums), nil
}

// removeAll deletes the posts with the given keys.
func (s *Store) removeAll(ctx context.Context, c *change, sums []poststore.KeySum) error {
	old, err := s.lookup(ctx, c.view, sums)
	if err != nil {
		return err
	}
	for sum, o := range old {
		c.remove(o)
		c.keys.add(sum, c.number, &stored{row: o.row, post: o.post, sec: o.sec, shard: o.shard, deleted: true})
	}
	return nil
}
