package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

var errReadOnly = errors.New("this process may not write to the post store")

// A change is a commit under construction. Its rows are inserted before it is committed, and
// invisible until then.
type change struct {
	*view  // what the change is based on
	number uint64
	copied string // the part of a copy that the change is; see Import

	posts     []*version
	gens      map[poststore.SetID]uint64 // generations of the sets of posts
	labels    labelBlock
	gone      goneBlock
	keys      keyBlock
	counters  counterBlock
	changed   changedBlock
	touched   touchedHours
	snapshots snapshotBlock
	sets      map[poststore.SetID]setState
}

// write makes the change of a journal entry, which build describes, unless the store has already reached
// its position. The first position is 1.
func (s *Store) write(ctx context.Context, at earshot.Position, build func(c *change) error) error {
	if at == 0 {
		return ctx.Err()
	}
	return s.apply(ctx, at, build)
}

// apply is write, also for changes that are not in the journal: their position is 0.
func (s *Store) apply(ctx context.Context, at earshot.Position, build func(c *change) error) error {
	if s.readOnly {
		return errReadOnly
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.writeLocked(ctx, at, build)
}

// writeLocked is apply for a caller that holds s.writing.
func (s *Store) writeLocked(ctx context.Context, at earshot.Position, build func(c *change) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.failed {
		if err := s.abortLast(ctx); err != nil {
			return err
		}
	}
	v := s.current()
	if at != 0 && at <= v.position {
		return nil
	}
	if at == 0 {
		at = v.position
	}
	c := &change{view: v, number: v.next(), gens: v.gens(), keys: newKeyBlock(), touched: touchedHours{}, sets: map[poststore.SetID]setState{}}
	if err := build(c); err != nil {
		return err
	}
	s.known.add(c.posts)
	s.failed = true // until the commit has succeeded
	if err := s.insertAll(ctx, c); err != nil {
		return err
	}
	if err := s.fence(ctx); err != nil {
		return err
	}
	if err := s.commit(ctx, c, at); err != nil {
		return err
	}
	s.failed = false
	s.askForFilter()
	return nil
}

func (s *Store) current() *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// next returns the number of the next commit.
func (v *view) next() uint64 {
	n := v.commit + 1
	for slices.Contains(v.aborted, n) {
		n++
	}
	return n
}

// abortLast reads what was committed last, and makes sure that rows of a commit that failed, or that
// another process has begun, never become visible.
func (s *Store) abortLast(ctx context.Context) error {
	if err := s.fence(ctx); err != nil {
		return err
	}
	v, err := s.load(ctx)
	if err != nil {
		return err
	}
	n := v.next()
	commit, at := proto.ColUInt64{n}, proto.ColInt64{s.now().UnixNano()}
	err = s.db.Insert(ctx, "aborted", token("aborted", n, 0), proto.Input{{Name: "commit", Data: &commit}, {Name: "at", Data: &at}})
	if err != nil {
		return fmt.Errorf("abort commit %d: %w", n, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.commit != s.state.commit {
		s.known.forget() // the commit may be that of another process
	}
	s.state, s.failed = v.without(n), false
	return nil
}

// token returns the deduplication token of an insert.
func token(table string, commit uint64, part int) string {
	return table + "-" + strconv.FormatUint(commit, 10) + "-" + strconv.Itoa(part)
}

// token returns the deduplication token of an insert of a change.
func (c *change) token(table string, part int) string {
	if c.copied != "" {
		return "copy-" + c.copied + "-" + table + "-" + strconv.Itoa(part)
	}
	return token(table, c.number, part)
}

func (s *Store) insertAll(ctx context.Context, c *change) error {
	inserts := []struct {
		table string
		rows  int
		input func() proto.Input
	}{
		{"labels", c.labels.set.Rows(), c.labels.input},
		{"gone", c.gone.row.Rows(), c.gone.input},
		{"keys", c.keys.row.Rows(), c.keys.input},
		{"counters", c.counters.set.Rows(), c.counters.input},
		{"changed", c.changed.set.Rows(), c.changed.input},
		{"touched", len(c.touched), func() proto.Input { return c.touched.input(c.number) }},
		{"snapshots", c.snapshots.monitor.Rows(), c.snapshots.input},
		{"sets", len(c.sets), c.setInput},
	}
	errs := make([]error, len(inserts)+1)
	var all sync.WaitGroup
	for i, in := range inserts {
		if in.rows == 0 {
			continue
		}
		all.Go(func() {
			if err := s.db.Insert(ctx, in.table, c.token(in.table, 0), in.input()); err != nil {
				errs[i] = fmt.Errorf("insert %d rows into %s: %w", in.rows, in.table, err)
			}
		})
	}
	errs[len(inserts)] = s.insertPosts(ctx, c)
	all.Wait()
	return errors.Join(errs...)
}

// Posts are inserted in parts, so that a part is encoded while the server stores another one. The
// server writes a part as fast as one core can. Smaller parts would cost it more: it merges them soon.
const (
	maxPart  = 50_000 // posts
	maxParts = 4      // at a time
)

// insertPosts inserts the posts of a change in the order of their time.
func (s *Store) insertPosts(ctx context.Context, c *change) error {
	slices.SortFunc(c.posts, func(x, y *version) int {
		return cmp.Or(cmp.Compare(x.Post.Time.Unix(), y.Post.Time.Unix()), cmp.Compare(x.Row, y.Row))
	})
	parts := (len(c.posts) + maxPart - 1) / maxPart
	running := make(chan struct{}, maxParts)
	errs := make([]error, parts)
	var all sync.WaitGroup
	for i := range parts {
		part := c.posts[i*len(c.posts)/parts : (i+1)*len(c.posts)/parts]
		running <- struct{}{}
		all.Go(func() {
			errs[i] = s.insertPart(ctx, c, i, part)
			<-running
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// blocks has blocks without rows, for their memory.
var blocks = sync.Pool{New: func() any { return newPostBlock() }}

func (s *Store) insertPart(ctx context.Context, c *change, number int, posts []*version) error {
	b := blocks.Get().(*postBlock)
	defer func() {
		b.reset()
		blocks.Put(b)
	}()
	for _, v := range posts {
		b.add(v, c.gens)
	}
	b.finish()
	if err := s.db.Insert(ctx, "posts", c.token("posts", number), b.input()); err != nil {
		return fmt.Errorf("insert %d rows into posts: %w", b.rows(), err)
	}
	return nil
}

// commit makes a change visible. Queries that start in the meantime wait: the time of a change is
// neither before a query that does not see it nor after one that does.
func (s *Store) commit(ctx context.Context, c *change, position earshot.Position) error {
	committed := make(chan struct{})
	s.mu.Lock()
	s.committed = committed
	s.mu.Unlock()
	v, err := s.insertCommit(ctx, c, position)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.state = v
	}
	s.committed = nil
	close(committed)
	return err
}

// insertCommit inserts the row of a commit, and returns the view that sees it.
func (s *Store) insertCommit(ctx context.Context, c *change, position earshot.Position) (*view, error) {
	now := max(s.now().UnixNano(), c.at+1)
	number, pos, at := proto.ColUInt64{c.number}, proto.ColUInt64{uint64(position)}, proto.ColInt64{now}
	err := s.db.Insert(ctx, "commits", token("commits", c.number, 0), proto.Input{
		{Name: "commit", Data: &number}, {Name: "position", Data: &pos}, {Name: "at", Data: &at},
	})
	if err != nil {
		return nil, fmt.Errorf("commit %d: %w", c.number, err)
	}
	return c.with(c.number, position, now, c.sets), nil
}

// A labelBlock collects rows of table labels.
type labelBlock struct {
	set, sec                proto.ColInt64
	gen, post, since, shard proto.ColUInt64
}

func (b *labelBlock) add(set poststore.SetID, gen uint64, sec int64, post, since, shard uint64) {
	b.set.Append(int64(set))
	b.gen.Append(gen)
	b.sec.Append(sec)
	b.post.Append(post)
	b.since.Append(since)
	b.shard.Append(shard)
}

func (b *labelBlock) input() proto.Input {
	return proto.Input{
		{Name: "set", Data: &b.set}, {Name: "gen", Data: &b.gen}, {Name: "sec", Data: &b.sec},
		{Name: "post", Data: &b.post}, {Name: "since", Data: &b.since}, {Name: "shard", Data: &b.shard},
	}
}

// A goneBlock collects rows of table gone.
type goneBlock struct {
	sec                proto.ColInt64
	row, commit, shard proto.ColUInt64
}

func (b *goneBlock) add(old *stored, commit uint64) {
	b.sec.Append(old.sec)
	b.row.Append(old.row)
	b.commit.Append(commit)
	b.shard.Append(old.shard)
}

func (b *goneBlock) input() proto.Input {
	return proto.Input{{Name: "sec", Data: &b.sec}, {Name: "row", Data: &b.row}, {Name: "commit", Data: &b.commit}, {Name: "shard", Data: &b.shard}}
}

// A keyBlock collects rows of table keys.
type keyBlock struct {
	key                      proto.ColUInt128
	commit, row, post, shard proto.ColUInt64
	sec                      proto.ColInt64
	deleted                  proto.ColUInt8
	sets                     *proto.ColArr[int64]
}

func newKeyBlock() keyBlock { return keyBlock{sets: proto.NewArray[int64](new(proto.ColInt64))} }

// add adds the newest version of a post.
func (b *keyBlock) add(sum poststore.KeySum, commit uint64, s *stored) {
	b.key.Append(keyNumber(sum))
	b.commit.Append(commit)
	b.row.Append(s.row)
	b.post.Append(s.post)
	b.sec.Append(s.sec)
	b.shard.Append(s.shard)
	b.deleted.Append(bit(s.deleted))
	sets := make([]int64, len(s.sets))
	for i, id := range s.sets {
		sets[i] = int64(id)
	}
	b.sets.Append(sets)
}

func (b *keyBlock) input() proto.Input {
	return proto.Input{
		{Name: "key", Data: &b.key}, {Name: "commit", Data: &b.commit}, {Name: "row", Data: &b.row}, {Name: "post", Data: &b.post},
		{Name: "sec", Data: &b.sec}, {Name: "shard", Data: &b.shard}, {Name: "deleted", Data: &b.deleted}, {Name: "sets", Data: b.sets},
	}
}

// setInput returns the new states of sets.
func (c *change) setInput() proto.Input {
	var set, generation proto.ColInt64
	var commit, gen, cleared proto.ColUInt64
	for id, s := range c.sets {
		set.Append(int64(id))
		commit.Append(c.number)
		gen.Append(s.gen)
		generation.Append(s.generation)
		cleared.Append(s.cleared)
	}
	return proto.Input{
		{Name: "set", Data: &set}, {Name: "commit", Data: &commit}, {Name: "gen", Data: &gen},
		{Name: "generation", Data: &generation}, {Name: "cleared", Data: &cleared},
	}
}

// A stored is the newest version of a stored post, as table keys has it.
type stored struct {
	row, post uint64
	sec       int64
	shard     uint64
	deleted   bool
	sets      []poststore.SetID // without category sets
}

// lookupStep is the number of keys in a statement.
const lookupStep = 20_000

// lookup returns the stored versions of posts, by key. Deleted ones are left out.
func (s *Store) lookup(ctx context.Context, v *view, sums []poststore.KeySum) (map[poststore.KeySum]*stored, error) {
	found := map[poststore.KeySum]*stored{}
	for some := range slices.Chunk(sums, lookupStep) {
		args := new(chhttp.Args)
		where := "key IN " + args.Keys(slices.Values(some)) + " AND " + v.committed("commit", args)
		if err := s.readKeys(ctx, where, args, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readKeys adds the newest versions of the posts that a condition on table keys selects.
func (s *Store) readKeys(ctx context.Context, where string, args *chhttp.Args, to map[poststore.KeySum]*stored) error {
	var key proto.ColUInt128
	var row, post, shard proto.ColUInt64
	var sec proto.ColInt64
	sets := proto.NewArray[int64](new(proto.ColInt64))
	err := s.db.Query(ctx, chhttp.Statement{
		SQL: "SELECT key, argMax(row, commit) AS r, argMax(post, commit) AS p, argMax(sec, commit) AS t, argMax(shard, commit) AS h, argMax(sets, commit) AS s" +
			" FROM keys WHERE " + where + " GROUP BY key HAVING argMax(deleted, commit) = 0",
		Args: args,
	}, proto.Results{
		{Name: "key", Data: &key}, {Name: "r", Data: &row}, {Name: "p", Data: &post},
		{Name: "t", Data: &sec}, {Name: "h", Data: &shard}, {Name: "s", Data: sets},
	}, func(rows int) error {
		for i := range rows {
			one := &stored{row: row.Row(i), post: post.Row(i), sec: sec.Row(i), shard: shard.Row(i)}
			for _, id := range sets.Row(i) {
				one.sets = append(one.sets, poststore.SetID(id))
			}
			to[sumOfKey(key.Row(i))] = one
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up stored posts: %w", err)
	}
	return nil
}
