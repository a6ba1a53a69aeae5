package clickhouse

import (
	"context"
	"fmt"
	"maps"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Generations implements [poststore.Maintainer].
func (s *Store) Generations(ctx context.Context) (map[poststore.SetID]int64, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	generations := map[poststore.SetID]int64{}
	for id, state := range v.sets {
		generations[id] = state.generation
	}
	maps.DeleteFunc(generations, func(_ poststore.SetID, generation int64) bool { return generation == 0 })
	return generations, nil
}

// Stats implements [poststore.Maintainer]. Sizes are those of the server or shard that answers; they
// are 0 if the user may not read them.
func (s *Store) Stats(ctx context.Context) (poststore.Stats, error) {
	stats := poststore.Stats{Engine: "clickhouse"}
	v, err := s.view(ctx)
	if err != nil {
		return stats, err
	}
	args := new(chhttp.Args)
	posts, err := s.number(ctx, "SELECT count() AS n FROM posts WHERE "+v.visible(0, args), args)
	if err != nil {
		return stats, fmt.Errorf("count the posts: %w", err)
	}
	stats.Posts = int64(posts)
	var parts, bytes proto.ColUInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: "SELECT count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = currentDatabase() AND active"},
		proto.Results{{Name: "parts", Data: &parts}, {Name: "bytes", Data: &bytes}}, func(rows int) error {
			if rows > 0 {
				stats.Segments, stats.Bytes = int(parts.Row(0)), int64(bytes.Row(0))
			}
			return nil
		})
	if err != nil {
		s.log.Debug("the size of the post store is unknown", "error", err)
	}
	return stats, ctx.Err()
}

// number returns the single number n that a statement selects.
func (s *Store) number(ctx context.Context, sql string, args *chhttp.Args) (n uint64, err error) {
	var column proto.ColUInt64
	err = s.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{{Name: "n", Data: &column}}, func(rows int) error {
		if rows > 0 {
			n = column.Row(0)
		}
		return nil
	})
	return n, err
}
