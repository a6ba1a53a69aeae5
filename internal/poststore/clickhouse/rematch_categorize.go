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
	"earshot/internal/state/journal"
)

// postsOf returns a subquery that yields the posts of a set after the changes of the rematch so far.
func (m *rematch) postsOf(id poststore.SetID, args *chhttp.Args) string {
	v := *m.base
	if gen, changed := m.gens[id]; changed {
		v.sets = map[poststore.SetID]setState{id: {gen: gen}}
	}
	if id.IsCategory() {
		return v.labeled(id, args)
	}
	return "SELECT post FROM posts WHERE " + v.visible(id, args)
}

// categorize writes the posts of the category sets of a categorization.
func (m *rematch) categorize(ctx context.Context, c poststore.Categorization) error {
	gens := map[poststore.SetID]uint64{}
	for _, id := range c.Sets {
		if _, reserved := gens[id]; reserved {
			continue
		}
		gen, err := m.reserve(ctx, id)
		if err != nil {
			return err
		}
		gens[id] = gen
	}
	if len(c.Retained) > 0 {
		for id, gen := range gens {
			args := new(chhttp.Args)
			keep := "post IN (" + m.postsOf(c.Posts, args) + ") AND " + m.retained(&c, args)
			if err := m.copyOld(ctx, id, gen, m.base, keep, args); err != nil {
				return fmt.Errorf("keep posts of set %d: %w", id, err)
			}
		}
	}
	if c.Categorize != nil {
		if err := m.assign(ctx, &c, gens); err != nil {
			return err
		}
	}
	maps.Copy(m.gens, gens) // only now: Retained means the sets before the categorization
	return nil
}

// retained returns the condition that a post keeps its categories.
func (m *rematch) retained(c *poststore.Categorization, args *chhttp.Args) string {
	conds := []string{"0"}
	for _, id := range c.Retained {
		conds = append(conds, "post IN ("+m.postsOf(id, args)+")")
	}
	return "(" + strings.Join(conds, " OR ") + ")"
}

// labelStep is the number of labels in an insert.
const labelStep = 200_000

// assign categorizes the posts that do not keep their categories.
func (m *rematch) assign(ctx context.Context, c *poststore.Categorization, gens map[poststore.SetID]uint64) error {
	args := new(chhttp.Args)
	sql := "SELECT sec, post, " + shardOfPost + " AS shard, body FROM posts WHERE " + m.base.visible(0, args) + " AND post IN (" + m.postsOf(c.Posts, args) + ")"
	if len(c.Retained) > 0 {
		sql += " AND NOT " + m.retained(c, args)
	}
	var sec proto.ColInt64
	var post, shard proto.ColUInt64
	var body proto.ColStr
	labels, part := new(labelBlock), 0
	flush := func() error {
		if labels.set.Rows() == 0 {
			return nil
		}
		part++
		err := m.db.Insert(ctx, "labels", token("labels", gens[c.Sets[0]], part), labels.input())
		labels = new(labelBlock)
		return err
	}
	var assigned []poststore.SetID
	err := m.db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{
		{Name: "sec", Data: &sec}, {Name: "post", Data: &post}, {Name: "shard", Data: &shard}, {Name: "body", Data: &body},
	}, func(rows int) error {
		for i := range rows {
			var p earshot.Post
			if err := journal.ReadPost(&p, body.Row(i)); err != nil {
				return fmt.Errorf("decode post %d: %w", post.Row(i), err)
			}
			assigned = c.Categorize(assigned[:0], &p)
			for j, id := range assigned {
				gen, ok := gens[id]
				if !ok {
					return fmt.Errorf("a post of set %d was assigned to set %d, which is not part of the categorization", c.Posts, id)
				}
				if !slices.Contains(assigned[:j], id) {
					labels.add(id, gen, sec.Row(i), post.Row(i), m.base.commit, shard.Row(i))
				}
			}
		}
		if labels.set.Rows() < labelStep {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return fmt.Errorf("categorize the posts of set %d: %w", c.Posts, err)
	}
	return nil
}
