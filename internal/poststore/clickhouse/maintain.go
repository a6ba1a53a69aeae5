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

// Rows that no query can see anymore are deleted in the background, once there are enough of them
// to matter. No query takes as long as keepGone.
const (
	maintainEvery = time.Minute
	keepGone      = 30 * time.Minute
	enoughGone    = 20_000
	deleteStep    = 10_000 // rows per statement: the server stores its text
)

// maintain deletes old rows until ctx is done.
func (s *Store) maintain(ctx context.Context) {
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	var expired time.Time // when posts were expired last
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.clean(ctx, s.now().Add(-keepGone), enoughGone); err != nil && ctx.Err() == nil {
			s.log.Warn("old rows of the post store were not deleted", "error", err)
		}
		if s.unmatchedDays > 0 && time.Since(expired) >= expireEvery {
			expired = time.Now()
			if err := s.expire(ctx, s.now().AddDate(0, 0, -s.unmatchedDays)); err != nil && ctx.Err() == nil {
				s.log.Warn("posts that no monitor has matched were not deleted", "error", err)
			}
		}
	}
}

// clean deletes the rows of posts that were replaced or deleted before a time, if there are enough,
// and the copies of earlier generations of sets.
func (s *Store) clean(ctx context.Context, until time.Time, enough int) error {
	s.jobs.Lock() // a rematch could otherwise copy a row after its deletion
	defer s.jobs.Unlock()
	if err := s.fence(ctx); err != nil {
		return nil // another process does it
	}
	v := s.current()
	args := new(chhttp.Args)
	commit, err := s.number(ctx, "SELECT max(commit) AS n FROM commits WHERE at < "+args.Int(until.UnixNano())+" AND "+v.committed("commit", args), args)
	if err != nil {
		return err
	}
	if err := s.cleanGone(ctx, v, commit, enough); err != nil {
		return err
	}
	return s.cleanGenerations(ctx, v, until)
}

// cleanGone deletes rows that are gone since a commit.
func (s *Store) cleanGone(ctx context.Context, v *view, commit uint64, enough int) error {
	args := new(chhttp.Args)
	var row proto.ColUInt64
	var rows []uint64
	err := s.db.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT row FROM gone WHERE commit <= " + args.Uint(commit) + " AND " + v.committed("commit", args), Args: args},
		proto.Results{{Name: "row", Data: &row}}, func(int) error {
			rows = append(rows, row...)
			return nil
		})
	if err != nil || len(rows) < enough {
		return err
	}
	for some := range slices.Chunk(rows, deleteStep) {
		for _, table := range []string{"posts", "gone"} { // in this order: a row that is not gone would count again
			args := new(chhttp.Args)
			if err := s.delete(ctx, table, "row IN "+args.Uints(some), args); err != nil {
				return err
			}
		}
	}
	s.log.Info("deleted old rows of the post store", "posts", len(rows))
	return nil
}

// delete deletes rows, and returns when no query finds them anymore.
func (s *Store) delete(ctx context.Context, table, where string, args *chhttp.Args) error {
	err := s.db.Exec(ctx, chhttp.Statement{SQL: "DELETE FROM " + s.topology.Rows(table) + " WHERE " + where, Args: args, Settings: map[string]string{"lightweight_deletes_sync": "2"}})
	if err != nil {
		return fmt.Errorf("delete old rows of %s: %w", table, err)
	}
	return nil
}

// cleanGenerations deletes the copies of generations that were begun before a time and are not
// current.
func (s *Store) cleanGenerations(ctx context.Context, v *view, until time.Time) error {
	type generation struct {
		set poststore.SetID
		gen uint64
	}
	var old []generation
	args := new(chhttp.Args)
	var set proto.ColInt64
	var gen proto.ColUInt64
	err := s.db.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT set, gen FROM generations WHERE at < " + args.Int(until.UnixNano()), Args: args},
		proto.Results{{Name: "set", Data: &set}, {Name: "gen", Data: &gen}}, func(rows int) error {
			for i := range rows {
				if g := (generation{poststore.SetID(set.Row(i)), gen.Row(i)}); v.sets[g.set].gen != g.gen {
					old = append(old, g)
				}
			}
			return nil
		})
	if err != nil {
		return err
	}
	for _, g := range old {
		table := "posts"
		if g.set.IsCategory() {
			table = "labels"
		}
		for _, table := range []string{table, "generations"} {
			args := new(chhttp.Args)
			if err := s.delete(ctx, table, "set = "+args.Int(int64(g.set))+" AND gen = "+args.Uint(g.gen), args); err != nil {
				return err
			}
		}
	}
	return nil
}
