package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// A view is an immutable state of the store: everything up to a commit.
type view struct {
	commit   uint64
	position earshot.Position
	at       int64    // time of the commit, in Unix nanoseconds
	aborted  []uint64 // commits that do not count although their number is lower, ascending
	sets     map[poststore.SetID]setState
}

// A setState is the state of a set.
type setState struct {
	gen        uint64 // generation of its copies or labels
	generation int64  // of its rule, chosen by the caller
	cleared    uint64 // changes and counters up to this commit are forgotten
}

// gens returns the generations of the copies of sets. Sets that were never rematched have
// generation 0 and are not included.
func (v *view) gens() map[poststore.SetID]uint64 {
	gens := make(map[poststore.SetID]uint64, len(v.sets))
	for id, s := range v.sets {
		gens[id] = s.gen
	}
	return gens
}

// view returns what a query that starts now sees. The writer knows it; other processes ask.
func (s *Store) view(ctx context.Context) (*view, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !s.readOnly {
		return s.awaitView(ctx)
	}
	return s.load(ctx)
}

// awaitView returns the newest view. It waits for a commit that is being written, unless ctx is done or
// the server does not answer.
func (s *Store) awaitView(ctx context.Context) (*view, error) {
	up, stop := s.db.WhileUp(ctx)
	defer stop()
	for {
		s.mu.Lock()
		v, committed := s.state, s.committed
		s.mu.Unlock()
		if committed == nil {
			return v, nil
		}
		select {
		case <-committed:
		case <-up.Done():
			return nil, cmp.Or(ctx.Err(), context.Cause(up))
		}
	}
}

// load reads the newest view from the database. It reads the aborted commits after the others: a commit
// that is written too late, by a process that does not know that another one has aborted it, does not
// count.
func (s *Store) load(ctx context.Context) (*view, error) {
	commits, err := s.lastCommits(ctx)
	if err != nil {
		return nil, err
	}
	v := new(view)
	var aborted proto.ColUInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT commit FROM aborted ORDER BY commit"},
		proto.Results{{Name: "commit", Data: &aborted}}, func(int) error {
			v.aborted = append(v.aborted, aborted...)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the aborted commits: %w", err)
	}
	for _, c := range commits {
		if !slices.Contains(v.aborted, c.number) {
			v.commit, v.position, v.at = c.number, c.position, c.at
			break
		}
	}
	if v.sets, err = s.loadSets(ctx, v); err != nil {
		return nil, err
	}
	return v, nil
}

// A commitRow is a row of table commits.
type commitRow struct {
	number   uint64
	position earshot.Position
	at       int64
}

// lastCommits returns the last commits, the newest first. They include commits that another process
// has aborted.
func (s *Store) lastCommits(ctx context.Context) (last []commitRow, err error) {
	var commit, position proto.ColUInt64
	var at proto.ColInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: "SELECT commit, position, at FROM commits WHERE commit NOT IN (SELECT commit FROM aborted) ORDER BY commit DESC LIMIT 10"},
		proto.Results{{Name: "commit", Data: &commit}, {Name: "position", Data: &position}, {Name: "at", Data: &at}}, func(rows int) error {
			for i := range rows {
				last = append(last, commitRow{commit.Row(i), earshot.Position(position.Row(i)), at.Row(i)})
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the last commits: %w", err)
	}
	return last, nil
}

// loadSets returns the states of all sets that were ever rematched.
func (s *Store) loadSets(ctx context.Context, v *view) (map[poststore.SetID]setState, error) {
	sets := map[poststore.SetID]setState{}
	var set, generation proto.ColInt64
	var gen, cleared proto.ColUInt64
	args := new(chhttp.Args)
	err := s.db.Query(ctx, chhttp.Statement{
		SQL: "SELECT set, argMax(gen, commit) AS lastGen, argMax(generation, commit) AS lastGeneration, argMax(cleared, commit) AS lastCleared FROM sets" +
			" WHERE " + v.committed("commit", args) + " GROUP BY set",
		Args: args,
	}, proto.Results{{Name: "set", Data: &set}, {Name: "lastGen", Data: &gen}, {Name: "lastGeneration", Data: &generation}, {Name: "lastCleared", Data: &cleared}}, func(rows int) error {
		for i := range rows {
			sets[poststore.SetID(set.Row(i))] = setState{gen.Row(i), generation.Row(i), cleared.Row(i)}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the sets: %w", err)
	}
	return sets, nil
}

// with returns a view that sees one more commit.
func (v *view) with(commit uint64, position earshot.Position, at int64, sets map[poststore.SetID]setState) *view {
	next := *v
	next.commit, next.position, next.at = commit, position, at
	if len(sets) > 0 {
		next.sets = maps.Clone(v.sets)
		maps.Copy(next.sets, sets)
	}
	return &next
}

// without returns a view that ignores a commit.
func (v *view) without(commit uint64) *view {
	next := *v
	next.aborted = append(slices.Clone(v.aborted), commit)
	slices.Sort(next.aborted)
	return &next
}

// committed returns the condition that a commit number in a column is visible.
func (v *view) committed(column string, a *chhttp.Args) string {
	cond := column + " <= " + a.Uint(v.commit)
	if aborted := v.abortedBefore(); len(aborted) > 0 {
		cond += " AND " + column + " NOT IN " + a.Uints(aborted)
	}
	return cond
}

// abortedBefore returns the aborted commits with lower numbers than that of the view. Those with
// higher numbers are invisible anyway.
func (v *view) abortedBefore() []uint64 {
	n, _ := slices.BinarySearch(v.aborted, v.commit)
	return v.aborted[:n]
}

// abortedUpTo returns how many of the aborted commits have numbers up to the given one.
func (v *view) abortedUpTo(commit uint64) int {
	n, found := slices.BinarySearch(v.aborted, commit)
	if found {
		n++
	}
	return n
}

// visible returns the condition for the rows of table posts that are visible copies in a set. Set 0
// contains all posts. Category sets have no copies; see labeled.
func (v *view) visible(set poststore.SetID, a *chhttp.Args) string {
	return v.copies(set, a) + " AND row NOT IN (SELECT row FROM gone WHERE " + v.committed("commit", a) + ")"
}

// copies is visible, but includes the copies of posts that were replaced or deleted.
func (v *view) copies(set poststore.SetID, a *chhttp.Args) string {
	return "set = " + a.Int(int64(set)) + " AND gen = " + a.Uint(v.sets[set].gen) + " AND " + v.committedRow(a)
}

// committedRow returns the condition that the commit of a row is visible.
func (v *view) committedRow(a *chhttp.Args) string {
	cond := "row < " + a.Uint((v.commit+1)<<rowBits)
	if aborted := v.abortedBefore(); len(aborted) > 0 {
		cond += " AND bitShiftRight(row, 24) NOT IN " + a.Uints(aborted)
	}
	return cond
}

// labeled returns a subquery that yields the posts of a category set.
func (v *view) labeled(set poststore.SetID, a *chhttp.Args) string {
	return "SELECT post FROM labels WHERE set = " + a.Int(int64(set)) + " AND gen = " + a.Uint(v.sets[set].gen) + " AND " + v.committed("since", a)
}

func timeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }
