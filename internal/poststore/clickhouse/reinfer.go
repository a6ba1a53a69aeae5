package clickhouse

import (
	"context"
	"fmt"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/state/journal"
)

// reinferStep is the number of posts per commit.
const reinferStep = 10_000

// Reinfer implements [poststore.Maintainer]. Models run without a lock; a step then replaces those of
// its posts that have not been replaced or deleted in the meantime.
func (s *Store) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	if s.readOnly {
		return errReadOnly
	}
	base, err := s.settled(ctx)
	if err != nil {
		return err
	}
	args := new(chhttp.Args)
	total, err := s.number(ctx, "SELECT count() AS n FROM posts WHERE "+base.visible(0, args)+" AND models < "+args.Uint(uint64(r.Models)), args)
	if err != nil {
		return fmt.Errorf("count outdated posts: %w", err)
	}
	var done int64
	var last outdated
	for {
		batch, err := s.outdatedAfter(ctx, base, last, r.Models)
		if err != nil || len(batch) == 0 {
			return err
		}
		posts := make([]earshot.Post, len(batch))
		for i := range batch {
			posts[i] = batch[i].post
		}
		if err := enginekit.Infer(&r, posts); err != nil {
			return err
		}
		if err := s.replaceInferred(ctx, batch, posts); err != nil {
			return err
		}
		last = batch[len(batch)-1]
		if done += int64(len(batch)); r.Progress != nil {
			r.Progress(done, max(done, int64(total)))
		}
	}
}

// An outdated is a post that only older models have processed.
type outdated struct {
	post     earshot.Post
	sec      int64
	row, id  uint64
	position earshot.Position
}

// outdatedAfter returns the next outdated posts in the order of time and row.
func (s *Store) outdatedAfter(ctx context.Context, v *view, last outdated, models uint32) (batch []outdated, err error) {
	args := new(chhttp.Args)
	sql := "SELECT sec, row, post, position, body FROM posts WHERE " + v.visible(0, args) + " AND models < " + args.Uint(uint64(models))
	if last.row != 0 {
		sec := args.Int(last.sec)
		sql += " AND sec >= " + sec + " AND (sec > " + sec + " OR row > " + args.Uint(last.row) + ")"
	}
	sql += " ORDER BY sec, row LIMIT " + fmt.Sprint(reinferStep)
	var sec proto.ColInt64
	var row, post, position proto.ColUInt64
	var body proto.ColStr
	err = s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{
		{Name: "sec", Data: &sec}, {Name: "row", Data: &row}, {Name: "post", Data: &post}, {Name: "position", Data: &position}, {Name: "body", Data: &body},
	}, func(rows int) error {
		for i := range rows {
			one := outdated{sec: sec.Row(i), row: row.Row(i), id: post.Row(i), position: earshot.Position(position.Row(i))}
			if err := journal.ReadPost(&one.post, body.Row(i)); err != nil {
				return fmt.Errorf("decode the post in row %d: %w", one.row, err)
			}
			batch = append(batch, one)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read outdated posts: %w", err)
	}
	return batch, nil
}

// replaceInferred replaces posts by the results of newer models.
func (s *Store) replaceInferred(ctx context.Context, batch []outdated, posts []earshot.Post) error {
	s.jobs.Lock()
	defer s.jobs.Unlock()
	return s.apply(ctx, 0, func(c *change) error {
		sums := make([]poststore.KeySum, len(batch))
		for i := range batch {
			sums[i] = poststore.SumOf(batch[i].post.Key())
		}
		old, err := s.lookup(ctx, c.view, sums)
		if err != nil {
			return err
		}
		for i := range batch {
			o := old[sums[i]]
			if o == nil || o.row != batch[i].row {
				continue // replaced or deleted in the meantime
			}
			c.put(newVersion(&posts[i], sums[i], o.sets, c.number<<rowBits|uint64(i), batch[i].id, batch[i].position), o)
		}
		return nil
	})
}
