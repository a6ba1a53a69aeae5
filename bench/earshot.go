package main

import (
	"context"
	"iter"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// earshotEngine is Earshot's local store.
type earshotEngine struct {
	store    *local.Store
	from, to time.Time
}

func openEarshot(ctx context.Context, dir string, g *bench.Generator) (engine, error) {
	s, err := local.Open(ctx, local.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	return &earshotEngine{store: s, from: g.From, to: g.End()}, nil
}

func (e *earshotEngine) name() string { return "Earshot" }
func (e *earshotEngine) close() error { return e.store.Close() }

func (e *earshotEngine) index(ctx context.Context, posts iter.Seq[[]earshot.Post]) error {
	at := earshot.Position(0)
	for batch := range posts {
		matched := make([]poststore.MatchedPost, len(batch))
		for i := range batch {
			matched[i].Post = batch[i]
		}
		at++
		if err := e.store.Append(ctx, at, matched); err != nil {
			return err
		}
	}
	return e.store.Flush(ctx)
}

func (e *earshotEngine) settle(ctx context.Context) error { return e.store.Compact(ctx) }

func (e *earshotEngine) strategies() []strategy { return []strategy{{name: "tallies", run: e.query}} }

func (e *earshotEngine) query(ctx context.Context, q bench.Query) (rawResult, error) {
	where, err := q.Condition()
	if err != nil {
		return nil, err
	}
	rows, err := e.store.Tallies(ctx, poststore.Selection{Where: where, From: e.from, To: e.to}, bench.AllTallies())
	return tallies(rows), err
}

// tallies are the results of [bench.AllTallies]: the total, then the counts by each dimension.
type tallies [][]poststore.Row

func (t tallies) counts() counts {
	all := t[0][0]
	a := counts{posts: all.Posts, impressions: all.Sums[0]}
	for i := range dims {
		a.by[i] = map[string]int64{}
		for _, row := range t[i+1] {
			a.by[i][row.Key[0]] = row.Posts
		}
	}
	return a
}
