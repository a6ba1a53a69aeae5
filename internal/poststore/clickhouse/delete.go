package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Delete implements [poststore.Writer].
func (s *Store) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	return s.write(ctx, at, func(c *change) error {
		if !d.Valid() {
			return nil
		}
		args := new(chhttp.Args)
		sums, err := s.keysOf(ctx, c.visible(0, args)+" AND "+deletionCondition(&d, args), args)
		if err != nil {
			return fmt.Errorf("find posts to delete: %w", err)
		}
		return s.removeAll(ctx, c, sums)
	})
}

// keysOf returns the keys of the rows of table posts that a condition selects.
func (s *Store) keysOf(ctx context.Context, where string, args *chhttp.Args) (sums []poststore.KeySum, err error) {
	var key proto.ColUInt128
	err = s.db.Query(ctx, chhttp.Statement{SQL: "SELECT key FROM posts WHERE " + where, Args: args},
		proto.Results{{Name: "key", Data: &key}}, func(rows int) error {
			for i := range rows {
				sums = append(sums, sumOfKey(key.Row(i)))
			}
			return nil
		})
	return sums, err
}

// deletionCondition returns the condition that enginekit.DeletionMatcher checks for a valid
// deletion.
func deletionCondition(d *earshot.Deletion, a *chhttp.Args) string {
	var conds []string
	if !d.Everywhere() {
		conds = append(conds, "contentSource = "+a.Int(int64(d.ContentSource)))
	}
	if len(d.Accounts) > 0 {
		conds = append(conds, authorAccount(d.Accounts, a))
	}
	if d.Source != "" {
		conds = append(conds, "source = "+a.String(string(d.Source)))
	}
	if d.Batch != "" {
		conds = append(conds, "batch = "+a.String(d.Batch))
	}
	if !d.Before.IsZero() {
		conds = append(conds, before(d.Before, a))
	}
	if len(d.GUIDs)+len(d.URLs)+len(d.Pages) > 0 {
		conds = append(conds, listedCondition(d, a))
	}
	if len(conds) == 0 {
		return "1"
	}
	return strings.Join(conds, " AND ")
}

// listedCondition returns the condition that a deletion lists a post by guid, page or URL. An empty
// value matches no posts.
func listedCondition(d *earshot.Deletion, a *chhttp.Args) string {
	listed := "0"
	add := func(column string, values []string) {
		if values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" }); len(values) > 0 {
			listed += " OR " + a.InStrings(column, values)
		}
	}
	add("guid", d.GUIDs)
	add("page", d.Pages)
	if d.ContentSource != 0 {
		add("url", d.URLs)
	}
	return "(" + listed + ")"
}
