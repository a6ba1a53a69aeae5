package clickhouse

import (
	"context"
	"fmt"
	"slices"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/state/journal"
)

// Append implements [poststore.Writer].
func (s *Store) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	return s.AppendGroup(ctx, []poststore.Batch{{At: at, Posts: posts}})
}

// AppendGroup implements [poststore.GroupWriter].
func (s *Store) AppendGroup(ctx context.Context, group []poststore.Batch) error {
	for len(group) > 0 {
		if n := len(group[0].Posts); n >= 1<<rowBits {
			return fmt.Errorf("append %d posts: must be fewer than %d", n, 1<<rowBits)
		}
		n, posts := independent(group)
		if err := s.appendArrivals(ctx, group[n-1].At, posts); err != nil {
			return err
		}
		group = group[n:]
	}
	return nil
}

// An arrival is a post of a batch.
type arrival struct {
	*poststore.MatchedPost
	sum poststore.KeySum
	at  earshot.Position
}

// independent returns the number of batches at the beginning of a group that have no post in common,
// at least 1, and their posts. Only these can be stored at once, because a post replaces its earlier
// version.
func independent(group []poststore.Batch) (n int, posts []arrival) {
	seen := map[poststore.KeySum]bool{}
	for n, b := range group {
		last := make(map[poststore.KeySum]int, len(b.Posts))
		arrivals := make([]arrival, len(b.Posts))
		fits := len(posts)+len(b.Posts) < 1<<rowBits
		for i := range b.Posts {
			sum := poststore.SumOf(b.Posts[i].Post.Key())
			arrivals[i], last[sum] = arrival{&b.Posts[i], sum, b.At}, i
			fits = fits && !seen[sum]
		}
		if n > 0 && !fits {
			return n, posts
		}
		for i, a := range arrivals {
			if last[a.sum] == i { // if a batch contains a key twice, the later post wins
				posts, seen[a.sum] = append(posts, a), true
			}
		}
	}
	return len(group), posts
}

// appendArrivals stores posts with different keys, and moves on to a position.
func (s *Store) appendArrivals(ctx context.Context, upTo earshot.Position, posts []arrival) error {
	return s.write(ctx, upTo, func(c *change) error {
		posts = slices.DeleteFunc(posts, func(a arrival) bool { return a.at <= c.position })
		sums := make([]poststore.KeySum, len(posts))
		for i := range posts {
			sums[i] = posts[i].sum
		}
		old, err := s.lookup(ctx, c.view, s.known.unsure(sums))
		if err != nil {
			return err
		}
		before, err := s.trackedVersions(ctx, c.view, posts, old)
		if err != nil {
			return err
		}
		for i, a := range posts {
			p := &a.Post
			if was := before[a.sum]; was != nil {
				tracked := a.Post
				p = &tracked
				s.trackCounters(c, a.MatchedPost, was, p, old[a.sum])
			}
			row := c.number<<rowBits | uint64(i)
			c.put(newVersion(p, a.sum, a.Sets, row, row, a.at), old[a.sum])
		}
		return nil
	})
}

// put stores a version. It replaces old, which may be nil.
func (c *change) put(v *version, old *stored) {
	c.posts = append(c.posts, v)
	sec := v.Post.Time.Unix()
	c.touched.add(v.Sets, sec)
	for _, set := range v.Labels {
		c.labels.add(set, c.gens[set], sec, v.ID, c.number, v.Shard)
	}
	if old != nil {
		c.remove(old)
	}
	c.keys.add(v.Sum, c.number, &stored{row: v.Row, post: v.ID, sec: sec, shard: v.Shard, sets: v.Sets})
}

// remove removes a version from all of its sets.
func (c *change) remove(old *stored) {
	c.gone.add(old, c.number)
	c.touched.add(old.sets, old.sec)
	for _, set := range old.sets {
		c.changed.add(set, old.sec, c.number)
	}
}

// trackedVersions returns the stored posts that tracked posts replace.
func (s *Store) trackedVersions(ctx context.Context, v *view, posts []arrival, old map[poststore.KeySum]*stored) (map[poststore.KeySum]*earshot.Post, error) {
	var versions []*stored
	for _, a := range posts {
		if o := old[a.sum]; o != nil && len(a.Tracked) > 0 {
			versions = append(versions, o)
		}
	}
	found := map[poststore.KeySum]*earshot.Post{}
	err := s.readBodies(ctx, v, versions, func(_ uint64, p *earshot.Post) error {
		found[poststore.SumOf(p.Key())] = p
		return nil
	})
	return found, err
}

// bodyStep is the number of posts in a statement that reads posts by row.
const bodyStep = 5_000

// readBodies calls visit with stored posts, in no particular order. visit may retain a post.
func (s *Store) readBodies(ctx context.Context, v *view, versions []*stored, visit func(row uint64, p *earshot.Post) error) error {
	for some := range slices.Chunk(versions, bodyStep) {
		args := new(chhttp.Args)
		rows, secs := make([]uint64, len(some)), make([]int64, len(some))
		for i, one := range some {
			rows[i], secs[i] = one.row, one.sec
		}
		slices.Sort(secs)
		where := v.copies(0, args) + " AND sec IN " + args.Ints(slices.Compact(secs)) + " AND row IN " + args.Uints(rows)
		if err := s.readPosts(ctx, where, args, visit); err != nil {
			return err
		}
	}
	return nil
}

// readPosts calls visit with the posts of rows in set 0 that a condition selects.
func (s *Store) readPosts(ctx context.Context, where string, args *chhttp.Args, visit func(row uint64, p *earshot.Post) error) error {
	var row proto.ColUInt64
	var body proto.ColStr
	err := s.db.Query(ctx, chhttp.Statement{SQL: "SELECT row, body FROM posts WHERE " + where, Args: args},
		proto.Results{{Name: "row", Data: &row}, {Name: "body", Data: &body}}, func(rows int) error {
			for i := range rows {
				p := new(earshot.Post)
				if err := journal.ReadPost(p, body.Row(i)); err != nil {
					return fmt.Errorf("decode the post in row %d: %w", row.Row(i), err)
				}
				if err := visit(row.Row(i), p); err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		return fmt.Errorf("read posts: %w", err)
	}
	return nil
}

// trackCounters records how counters change when p replaces was, whose stored version is old.
func (s *Store) trackCounters(c *change, m *poststore.MatchedPost, was, p *earshot.Post, old *stored) {
	enginekit.InheritCounters(was, p)
	received := m.Received
	if received.IsZero() {
		received = s.now()
	}
	difference := enginekit.NewCounterChange(was, p, received)
	if enginekit.IsUnchanged(difference) {
		return
	}
	for _, set := range m.Tracked {
		if slices.Contains(old.sets, set) {
			c.counters.add(set, &difference, c.number)
		}
	}
}

// A counterBlock collects rows of table counters.
type counterBlock struct {
	set, time, posted, likes, shares, comments proto.ColInt64
	commit                                     proto.ColUInt64
}

func (b *counterBlock) add(set poststore.SetID, d *poststore.CounterChange, commit uint64) {
	b.set.Append(int64(set))
	b.time.Append(d.Time.Unix())
	b.posted.Append(d.Posted.Unix())
	b.likes.Append(d.Likes)
	b.shares.Append(d.Shares)
	b.comments.Append(d.Comments)
	b.commit.Append(commit)
}

func (b *counterBlock) input() proto.Input {
	return proto.Input{
		{Name: "set", Data: &b.set}, {Name: "time", Data: &b.time}, {Name: "posted", Data: &b.posted}, {Name: "likes", Data: &b.likes},
		{Name: "shares", Data: &b.shares}, {Name: "comments", Data: &b.comments}, {Name: "commit", Data: &b.commit},
	}
}
