package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/query"
)

// Rematch implements [poststore.Maintainer]. It writes the posts of each set under a new generation,
// while the old one answers queries. The commit switches all sets to their new generations.
func (s *Store) Rematch(ctx context.Context, r poststore.Rematch) error {
	if s.readOnly {
		return errReadOnly
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.jobs.Lock()
	defer s.jobs.Unlock()
	base, err := s.settled(ctx)
	if err != nil {
		return err
	}
	m := &rematch{Store: s, Rematch: r, base: base, gens: map[poststore.SetID]uint64{}}
	if err := m.countPosts(ctx); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(r.Rules)) {
		if err := m.match(ctx, id, r.Rules[id]); err != nil {
			return fmt.Errorf("match set %d: %w", id, err)
		}
		m.report()
	}
	for _, c := range r.Categorizations {
		if err := m.categorize(ctx, c); err != nil {
			return err
		}
		m.report()
	}
	return s.apply(ctx, 0, func(c *change) error { return m.switchTo(ctx, c) })
}

// settled returns the newest view after making sure that nothing of a failed commit is visible.
func (s *Store) settled(ctx context.Context) (*view, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.failed {
		if err := s.abortLast(ctx); err != nil {
			return nil, err
		}
	}
	return s.current(), nil
}

// A rematch is a running rematch.
type rematch struct {
	*Store
	poststore.Rematch
	base *view
	gens map[poststore.SetID]uint64 // new generations of sets

	posts int64 // that are examined
	done  int64 // number of rules and categorizations
}

// reserve returns the number of a new generation of a set. It is recorded first, so that its copies
// are deleted if the rematch fails. The current generation is recorded too, in case it is the first.
func (m *rematch) reserve(ctx context.Context, id poststore.SetID) (gen uint64, err error) {
	gen = newGen()
	now := m.now().UnixNano()
	set, number, at := proto.ColInt64{int64(id), int64(id)}, proto.ColUInt64{gen, m.base.sets[id].gen}, proto.ColInt64{now, now}
	err = m.db.Insert(ctx, "generations", token("generations", gen, 0), proto.Input{
		{Name: "set", Data: &set}, {Name: "gen", Data: &number}, {Name: "at", Data: &at},
	})
	return gen, err
}

func (m *rematch) countPosts(ctx context.Context) error {
	args := new(chhttp.Args)
	posts, err := m.number(ctx, "SELECT count() AS n FROM posts WHERE "+m.base.visible(0, args), args)
	if err != nil {
		return fmt.Errorf("count the posts: %w", err)
	}
	m.posts = int64(posts)
	return nil
}

// report reports the progress after a rule or a categorization, as if all took the same time.
func (m *rematch) report() {
	if m.done++; m.Progress != nil {
		m.Progress(m.posts*m.done/int64(len(m.Rules)+len(m.Categorizations)), m.posts)
	}
}

// match writes the posts of a set.
func (m *rematch) match(ctx context.Context, id poststore.SetID, rule poststore.Rule) error {
	gen, err := m.reserve(ctx, id)
	if err != nil {
		return err
	}
	m.gens[id] = gen
	if !m.From.IsZero() { // earlier posts keep their sets
		args := new(chhttp.Args)
		earlier := before(m.From, args)
		if id.IsCategory() { // labels have only seconds
			earlier = "sec < " + args.Int(ceilSeconds(m.From))
		}
		if err := m.copyOld(ctx, id, gen, m.base, earlier, args); err != nil {
			return err
		}
	}
	if rule.Where == nil {
		return nil
	}
	prefixes, err := m.prefixesOf(ctx, m.base, &poststore.Selection{Where: rule.Where})
	if err != nil {
		return err
	}
	args := new(chhttp.Args)
	c := compiler{args: args, prefixes: prefixes}
	cond, exact := c.where(rule.Where)
	where := m.base.visible(0, args) + " AND position <= " + args.Uint(uint64(rule.UpTo)) + " AND (" + cond + ")"
	if !m.From.IsZero() {
		where += " AND " + notBefore(m.From, args)
	}
	if exact {
		return m.copyNew(ctx, id, gen, where, args)
	}
	return m.decide(ctx, id, gen, rule, where, args)
}

// decide writes those of the selected posts to a set that match its rule.
func (m *rematch) decide(ctx context.Context, id poststore.SetID, gen uint64, rule poststore.Rule, where string, args *chhttp.Args) error {
	var rows []uint64
	var doc query.Document
	err := m.readPosts(ctx, where, args, func(row uint64, p *earshot.Post) error {
		if doc.Reset(p); rule.Where.Match(&doc) {
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(rows, lookupStep) {
		args := new(chhttp.Args)
		if err := m.copyNew(ctx, id, gen, m.base.copies(0, args)+" AND row IN "+args.Uints(some), args); err != nil {
			return err
		}
	}
	return nil
}

// copyNew writes rows of set 0 to a generation of another set.
func (m *rematch) copyNew(ctx context.Context, id poststore.SetID, gen uint64, where string, args *chhttp.Args) error {
	if id.IsCategory() {
		return m.db.Exec(ctx, chhttp.Statement{
			SQL: "INSERT INTO labels (set, gen, sec, post, since, shard) SELECT " + args.Int(int64(id)) + ", " + args.Uint(gen) +
				", sec, post, bitShiftRight(row, 24), " + shardOfPost + " FROM posts WHERE " + where,
			Args: args, Settings: insertSettings,
		})
	}
	return m.db.Exec(ctx, chhttp.Statement{SQL: copyPosts(id, gen, args) + where, Args: args, Settings: insertSettings})
}

// insertSettings are settings of statements that copy rows.
var insertSettings = map[string]string{"async_insert": "0", "max_partitions_per_insert_block": "0"}

// copyOld writes rows of a set's generation in a view to another generation.
func (m *rematch) copyOld(ctx context.Context, id poststore.SetID, gen uint64, v *view, where string, args *chhttp.Args) error {
	if id.IsCategory() {
		return m.db.Exec(ctx, chhttp.Statement{
			SQL: "INSERT INTO labels (set, gen, sec, post, since, shard) SELECT set, " + args.Uint(gen) + ", sec, post, since, shard FROM labels WHERE set = " +
				args.Int(int64(id)) + " AND gen = " + args.Uint(v.sets[id].gen) + " AND " + v.committed("since", args) + " AND (" + where + ")",
			Args: args, Settings: insertSettings,
		})
	}
	return m.db.Exec(ctx, chhttp.Statement{SQL: copyPosts(id, gen, args) + v.copies(id, args) + " AND (" + where + ")", Args: args, Settings: insertSettings})
}

// copyPosts returns the beginning of a statement that copies rows of table posts into a set, up to
// the condition. Copies have no text.
func copyPosts(id poststore.SetID, gen uint64, args *chhttp.Args) string {
	var names, values []string
	for _, column := range newPostBlock().input() {
		value := column.Name
		switch column.Name {
		case "set":
			value = args.Int(int64(id))
		case "gen":
			value = args.Uint(gen)
		case "team":
			value = "0"
		case "guid", "url", "page", "batch", "authorWords", "words", "body":
			value = "''"
		case "fields", "marks":
			value = "[]"
		}
		names, values = append(names, column.Name), append(values, value)
	}
	return "INSERT INTO posts (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") + " FROM posts WHERE "
}

// switchTo adds what was appended since the rematch began to the new generations, and makes them the
// current ones.
func (m *rematch) switchTo(ctx context.Context, c *change) error {
	for id, gen := range m.gens {
		args := new(chhttp.Args)
		since := "row >= " + args.Uint((m.base.commit+1)<<rowBits)
		if id.IsCategory() {
			since = "since > " + args.Uint(m.base.commit)
		}
		if err := m.copyOld(ctx, id, gen, c.view, since, args); err != nil {
			return fmt.Errorf("copy new posts of set %d: %w", id, err)
		}
		state := c.view.sets[id]
		old := state.gen
		state.gen = gen
		if rule, ok := m.Rules[id]; ok {
			state.generation = rule.Generation
			if m.From.IsZero() && rule == (poststore.Rule{}) {
				state.cleared = c.number
			}
		}
		c.sets[id] = state
		if id.IsCategory() {
			continue
		}
		if err := m.recordMoves(ctx, c, id, old, gen); err != nil {
			return fmt.Errorf("compare set %d: %w", id, err)
		}
	}
	return m.updateKeys(ctx, c)
}

// recordMoves records which posts came to a set or left it: those that only one of two generations
// has.
func (m *rematch) recordMoves(ctx context.Context, c *change, id poststore.SetID, old, gen uint64) error {
	args := new(chhttp.Args)
	newer := args.Uint(gen)
	sql := "INSERT INTO changed (set, sec, commit, key, added) SELECT " + args.Int(int64(id)) + ", sec, " + args.Uint(c.number) + ", key, any(gen) = " + newer +
		" FROM posts WHERE set = " + args.Int(int64(id)) + " AND gen IN (" + args.Uint(old) + ", " + newer + ") AND " + c.committedRow(args) +
		" AND row NOT IN (SELECT row FROM gone WHERE " + c.committed("commit", args) + ") GROUP BY sec, key, row HAVING count() = 1"
	return m.db.Exec(ctx, chhttp.Statement{SQL: sql, Args: args, Settings: insertSettings})
}

// updateKeys records the new sets of the posts that came to a set or left it.
func (m *rematch) updateKeys(ctx context.Context, c *change) error {
	var ids []int64
	for id := range m.gens {
		if !id.IsCategory() {
			ids = append(ids, int64(id))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	args := new(chhttp.Args)
	moves := "FROM changed WHERE set IN " + args.Ints(ids) + " AND commit = " + args.Uint(c.number)
	sql := "INSERT INTO keys (key, commit, row, post, sec, shard, deleted, sets)" +
		" SELECT key, " + args.Uint(c.number) + ", r, p, t, h, 0, arrayConcat(arrayFilter(x -> NOT has(m.moved, x), s), m.added) FROM (" +
		"SELECT key, argMax(row, commit) AS r, argMax(post, commit) AS p, argMax(sec, commit) AS t, argMax(shard, commit) AS h, argMax(sets, commit) AS s" +
		" FROM keys WHERE key IN (SELECT key " + moves + ") AND " + c.committed("commit", args) + " GROUP BY key HAVING argMax(deleted, commit) = 0" +
		") AS k INNER JOIN (SELECT key, groupArray(set) AS moved, groupArrayIf(set, changed.added = 1) AS added " + moves + " GROUP BY key) AS m USING (key)"
	if err := m.db.Exec(ctx, chhttp.Statement{SQL: sql, Args: args, Settings: insertSettings}); err != nil {
		return fmt.Errorf("update the sets of posts: %w", err)
	}
	return nil
}
