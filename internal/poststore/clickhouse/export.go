package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// An Export reads everything that a store had when the Export was made. It implements
// [poststore.Exporter].
type Export struct {
	*Store
	view  *view
	hours []hourCount // with posts, ascending
	days  []storedDay // on which posts were stored, ascending
}

var _ poststore.Exporter = (*Export)(nil)

// An hourCount is the number of posts in an hour, counted from 1970.
type hourCount struct{ hour, posts int64 }

// A storedDay is the last commit of a UTC day, counted from 1970.
type storedDay struct {
	day    int64
	commit uint64
}

// NewExport returns an Export of a store. Nobody may write to the store in the meantime.
func NewExport(ctx context.Context, s *Store) (*Export, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	x := &Export{Store: s, view: v}
	args := new(chhttp.Args)
	var number, posts proto.ColInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: "SELECT toInt64(floor(sec / 3600)) AS hour, toInt64(count()) AS posts FROM posts WHERE " + v.visible(0, args) + " GROUP BY hour ORDER BY hour", Args: args},
		proto.Results{{Name: "hour", Data: &number}, {Name: "posts", Data: &posts}}, func(rows int) error {
			for i := range rows {
				x.hours = append(x.hours, hourCount{number.Row(i), posts.Row(i)})
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("count the posts: %w", err)
	}
	args = new(chhttp.Args)
	var last proto.ColUInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: "SELECT intDiv(at, 86400000000000) AS day, max(commit) AS last FROM commits WHERE " + v.committed("commit", args) + " GROUP BY day ORDER BY day", Args: args},
		proto.Results{{Name: "day", Data: &number}, {Name: "last", Data: &last}}, func(rows int) error {
			for i := range rows {
				x.days = append(x.days, storedDay{number.Row(i), last.Row(i)})
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the times of commits: %w", err)
	}
	return x, nil
}

// ExportPosts implements [poststore.Exporter].
func (x *Export) ExportPosts(ctx context.Context, after poststore.CopyCursor, limit int) ([]poststore.StoredPost, error) {
	from, end := x.between(after.Second, limit)
	if from == end {
		return nil, nil
	}
	c := &exportChunk{byRow: map[uint64]int{}, byID: map[uint64]int{}, byKey: map[poststore.KeySum]int{}}
	args := new(chhttp.Args)
	second := args.Int(after.Second)
	sql := "SELECT sec, key, row, post, position, body FROM posts WHERE " + x.view.visible(0, args) + " AND sec >= " + args.Int(from) + " AND sec < " + args.Int(end) +
		" AND (sec > " + second + " OR sec = " + second + " AND key > " + args.Key(after.Key) + ") ORDER BY sec, key LIMIT " + strconv.Itoa(limit)
	var sec proto.ColInt64
	var key proto.ColUInt128
	var row, post, position proto.ColUInt64
	var body proto.ColStr
	err := x.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{
		{Name: "sec", Data: &sec}, {Name: "key", Data: &key}, {Name: "row", Data: &row}, {Name: "post", Data: &post}, {Name: "position", Data: &position}, {Name: "body", Data: &body},
	}, func(rows int) error {
		for i := range rows {
			n := len(c.posts)
			c.posts = append(c.posts, poststore.StoredPost{Arrived: earshot.Position(position.Row(i)), Stored: x.stored(post.Row(i) >> rowBits)})
			if err := readBody(&c.posts[n].Post, body.Row(i)); err != nil {
				return err
			}
			c.byRow[row.Row(i)], c.byID[post.Row(i)], c.byKey[sumOfKey(key.Row(i))] = n, n, n
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read posts: %w", err)
	}
	if len(c.posts) == 0 && end == (x.hours[len(x.hours)-1].hour+1)*3600 {
		return nil, nil
	}
	if len(c.posts) == 0 {
		return x.ExportPosts(ctx, poststore.CopyCursor{Second: end - 1, Key: lastKey}, limit) // the rest of an hour
	}
	return c.posts, x.addSets(ctx, c)
}

// lastKey is the greatest key.
var lastKey = poststore.KeySum{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}

// between returns an interval of time that has at least limit posts from a second on, if there are so
// many. It is empty if there are none. Statements without an end would read from every partition.
func (x *Export) between(from int64, limit int) (start, end int64) {
	first, _ := slices.BinarySearchFunc(x.hours, from, func(h hourCount, from int64) int {
		if h.hour*3600+3599 < from {
			return -1
		}
		return 1
	})
	left, posts := x.hours[first:], int64(0)
	if len(left) == 0 {
		return 0, 0
	}
	for i, h := range left {
		if end = (h.hour + 1) * 3600; i > 0 { // of the first hour, any number of posts may be done
			posts += h.posts
		}
		if posts >= int64(limit) {
			break
		}
	}
	return max(from, left[0].hour*3600), end
}

// stored returns the day on which posts with a commit number were stored.
func (x *Export) stored(commit uint64) time.Time {
	n, _ := slices.BinarySearchFunc(x.days, commit, func(d storedDay, commit uint64) int {
		if d.commit < commit {
			return -1
		}
		return 1
	})
	if n == len(x.days) {
		return time.Time{}
	}
	return time.Unix(x.days[n].day*secondsPerDay, 0).UTC()
}

// An exportChunk is a part of all posts.
type exportChunk struct {
	posts       []poststore.StoredPost
	byRow, byID map[uint64]int
	byKey       map[poststore.KeySum]int
}

func (x *Export) addSets(ctx context.Context, c *exportChunk) error {
	within := func(args *chhttp.Args) string {
		return "sec >= " + args.Int(c.posts[0].Post.Time.Unix()) + " AND sec <= " + args.Int(c.posts[len(c.posts)-1].Post.Time.Unix())
	}
	args := new(chhttp.Args)
	var set proto.ColInt64
	var gen, row, post proto.ColUInt64
	sql := "SELECT set, gen, row, post FROM posts WHERE set != 0 AND " + within(args) + " AND " + x.view.committedRow(args)
	err := x.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{
		{Name: "set", Data: &set}, {Name: "gen", Data: &gen}, {Name: "row", Data: &row}, {Name: "post", Data: &post},
	}, func(rows int) error {
		for i := range rows {
			if n, ok := c.byID[post.Row(i)]; ok {
				c.posts[n].Matched = true // also if it was in an earlier generation
			}
			if n, ok := c.byRow[row.Row(i)]; ok && x.view.sets[poststore.SetID(set.Row(i))].gen == gen.Row(i) {
				c.posts[n].Sets = append(c.posts[n].Sets, poststore.SetID(set.Row(i)))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the sets of posts: %w", err)
	}
	args = new(chhttp.Args)
	sql = "SELECT set, gen, post FROM labels WHERE " + within(args) + " AND " + x.view.committed("since", args)
	err = x.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{{Name: "set", Data: &set}, {Name: "gen", Data: &gen}, {Name: "post", Data: &post}}, func(rows int) error {
		for i := range rows {
			if n, ok := c.byID[post.Row(i)]; ok && x.view.sets[poststore.SetID(set.Row(i))].gen == gen.Row(i) {
				c.posts[n].Sets, c.posts[n].Matched = append(c.posts[n].Sets, poststore.SetID(set.Row(i))), true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the categories of posts: %w", err)
	}
	args = new(chhttp.Args)
	var key proto.ColUInt128
	sql = "SELECT key FROM changed WHERE key != 0 AND " + within(args) + " AND " + x.view.committed("commit", args)
	err = x.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{{Name: "key", Data: &key}}, func(rows int) error {
		for i := range rows {
			if n, ok := c.byKey[sumOfKey(key.Row(i))]; ok {
				c.posts[n].Matched = true
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read which posts were matched: %w", err)
	}
	for i := range c.posts {
		slices.Sort(c.posts[i].Sets)
		c.posts[i].Sets = slices.Compact(c.posts[i].Sets)
	}
	return nil
}

// SetIDs implements [poststore.Exporter].
func (x *Export) SetIDs(ctx context.Context) ([]poststore.SetID, error) {
	known := map[poststore.SetID]bool{}
	for id := range x.view.sets {
		known[id] = true
	}
	for _, table := range []string{"posts", "labels", "changed", "counters"} {
		var set proto.ColInt64
		err := x.db.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT set FROM " + table}, proto.Results{{Name: "set", Data: &set}}, func(int) error {
			for _, id := range set {
				known[poststore.SetID(id)] = true
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list the sets: %w", err)
		}
	}
	delete(known, 0)
	return slices.Sorted(maps.Keys(known)), nil
}

// ExportSet implements [poststore.Exporter].
func (x *Export) ExportSet(ctx context.Context, id poststore.SetID) (poststore.StoredSet, error) {
	set := poststore.StoredSet{ID: id, Generation: x.view.sets[id].generation}
	if id.IsCategory() {
		return set, nil // no other tables have category sets
	}
	err := x.counterChanges(ctx, x.view, id, "1", new(chhttp.Args), func(c poststore.CounterChange) { set.Counters = append(set.Counters, c) })
	if err != nil {
		return set, err
	}
	const quarter = int64(poststore.SetChangeStep / time.Second)
	times, err := x.changeTimes(ctx, x.view, id, "toInt64(floor(sec / "+strconv.FormatInt(quarter, 10)+"))", "1", new(chhttp.Args))
	if err != nil {
		return set, err
	}
	for _, n := range slices.Sorted(maps.Keys(times)) {
		set.Changes = append(set.Changes, poststore.SetChange{Posted: time.Unix(n*quarter, 0).UTC(), Changed: times[n]})
	}
	return set, nil
}

// ExportSnapshots implements [poststore.Exporter].
func (x *Export) ExportSnapshots(ctx context.Context) (map[earshot.MonitorID][]earshot.Snapshot, error) {
	args := new(chhttp.Args)
	var monitor proto.ColInt64
	var monitors []earshot.MonitorID
	err := x.db.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT monitor FROM snapshots WHERE " + x.view.committed("commit", args), Args: args},
		proto.Results{{Name: "monitor", Data: &monitor}}, func(int) error {
			for _, m := range monitor {
				monitors = append(monitors, earshot.MonitorID(m))
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("list the monitors with snapshots: %w", err)
	}
	all := map[earshot.MonitorID][]earshot.Snapshot{}
	days := earshot.Days{Start: earshot.Date{Year: 1, Month: 1, Day: 1}, End: earshot.Date{Year: 9999, Month: 12, Day: 31}}
	for _, m := range monitors {
		if all[m], err = x.Snapshots(ctx, m, days); err != nil {
			return nil, err
		}
	}
	return all, nil
}
