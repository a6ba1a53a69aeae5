package clickhouse

import (
	"context"
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// A rowGrouper divides posts into groups of duplicates.
type rowGrouper struct {
	ranking  *poststore.Ranking
	grouper  enginekit.Grouper
	sketcher enginekit.Sketcher
	doc      query.Document
	leaders  [][]uint32  // shingles by group
	first    []rankedRow // by group: the first in the order of the ranking, with the number of copies

	group int         // that GroupOf asks for; -1: not known yet
	rows  []rankedRow // of that group, or of all groups until it is known
	of    []uint32    // groups of rows
	hash  uint64      // of the key that GroupOf asks for
}

// rankGroups lists the first post of each group, or all of one.
func (s *Store) rankGroups(ctx context.Context, posts *scan, r *poststore.Ranking) ([]rankedRow, poststore.Ranked, error) {
	select { // one at a time, because groups take much memory
	case s.grouping <- struct{}{}:
		defer func() { <-s.grouping }()
	case <-ctx.Done():
		return nil, poststore.Ranked{}, ctx.Err()
	}
	g := &rowGrouper{ranking: r, group: -1}
	if r.GroupOf != nil {
		g.hash = enginekit.SampleHash(*r.GroupOf)
	}
	var ranked poststore.Ranked
	posts.order = "sec, nanos, key" // groups depend on the order of posts
	err := posts.run(ctx, func(p *scannedPost) error {
		ranked.Total++
		g.add(p)
		return enginekit.CheckGrouped(ranked.Total)
	})
	if err != nil {
		return nil, ranked, err
	}
	first := newFirstRows(r)
	if r.GroupOf == nil {
		ranked.Groups = int64(len(g.first))
		for _, row := range g.first {
			addAfter(first, r, row)
		}
		return first.sorted(), ranked, nil
	}
	members := g.members()
	for i := range members {
		members[i].copies = int64(len(members))
		addAfter(first, r, members[i])
	}
	ranked.Total, ranked.Groups = int64(len(members)), min(1, int64(len(members)))
	return first.sorted(), ranked, nil
}

// add adds the next post.
func (g *rowGrouper) add(p *scannedPost) {
	row := rankedRow{enginekit.PositionOf(g.ranking, p.Post, &g.doc), p.row, 1}
	g.doc.Reset(p.Post)
	g.sketcher.Reset()
	enginekit.WalkKeys(&g.doc, func(t query.KeyToken) { g.sketcher.Add(enginekit.WordHash(t)) })
	sketch, shingles := g.sketcher.Sketch()
	group := g.grouper.Add(&sketch, shingles, func(group int) []uint32 { return g.leaders[group] })
	if group == len(g.leaders) {
		g.leaders = append(g.leaders, slices.Clone(shingles))
	}
	if g.ranking.GroupOf != nil {
		if row.Hash == g.hash {
			g.group = group
		}
		g.rows, g.of = append(g.rows, row), append(g.of, uint32(group))
		return
	}
	if group == len(g.first) {
		g.first = append(g.first, row)
		return
	}
	best := &g.first[group]
	row.copies = best.copies + 1
	if g.ranking.Order.Compare(row.RankPosition, best.RankPosition) < 0 {
		*best = row
	}
	best.copies = row.copies
}

// members returns the rows of the group that GroupOf asks for.
func (g *rowGrouper) members() (rows []rankedRow) {
	if g.group < 0 {
		return nil
	}
	for i, group := range g.of {
		if int(group) == g.group {
			rows = append(rows, g.rows[i])
		}
	}
	return rows
}
