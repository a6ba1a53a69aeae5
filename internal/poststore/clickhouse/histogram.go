package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Histogram implements [poststore.Reader].
func (s *Store) Histogram(ctx context.Context, of poststore.Selection, starts []time.Time) ([]int64, error) {
	days := intervals{starts}
	counts := make([]int64, days.len())
	if len(counts) == 0 {
		return counts, ctx.Err()
	}
	days.limit(&of)
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	prep, err := s.prepare(ctx, v, &of, nil)
	if err != nil {
		return nil, err
	}
	args := new(chhttp.Args)
	cond, exact := newSelector(v, &of, copiesOf(&of), prep, args).compile()
	if !exact {
		posts := scan{store: s, view: v, of: &of, prep: prep}
		return counts, posts.run(ctx, func(p *scannedPost) error {
			counts[days.find(p.Post.Time)]++
			return nil
		})
	}
	var number proto.ColInt64
	var n proto.ColUInt64
	sql := "SELECT " + days.number(args) + " AS i, count() AS n FROM posts WHERE " + cond + " GROUP BY i"
	return counts, s.query(ctx, sql, args, proto.Results{{Name: "i", Data: &number}, {Name: "n", Data: &n}}, func(rows int) error {
		for row := range rows {
			counts[number.Row(row)] += int64(n.Row(row))
		}
		return nil
	})
}
