package clickhouse

import (
	"context"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// A rankedRow is a row of table posts with its position in an order.
type rankedRow struct {
	poststore.RankPosition
	row    uint64
	copies int64
}

// Rank implements [poststore.Reader]. Only the listed posts are read, unless their text decides.
func (s *Store) Rank(ctx context.Context, of poststore.Selection, r poststore.Ranking) (ranked poststore.Ranked, err error) {
	if err := enginekit.CheckRanking(&r); err != nil {
		return ranked, err
	}
	r.Terms = enginekit.DistinctTerms(r.Terms)
	v, err := s.view(ctx)
	if err != nil {
		return ranked, err
	}
	prep, err := s.prepare(ctx, v, &of, nil)
	if err != nil {
		return ranked, err
	}
	var first []rankedRow
	sel := newSelector(v, &of, copiesOf(&of), prep, new(chhttp.Args))
	cond, exact := sel.compile()
	posts := &scan{store: s, view: v, of: &of, prep: prep}
	switch {
	case r.Group:
		first, ranked, err = s.rankGroups(ctx, posts, &r)
	case exact && (r.Order != poststore.MostRelevant || len(r.Terms) == 0):
		first, ranked, err = s.rankInSQL(ctx, cond, sel.args, &r)
	default:
		first, ranked, err = rankInGo(ctx, posts, &r)
	}
	if err != nil {
		return poststore.Ranked{}, err
	}
	ranked.Posts, err = s.readRanked(ctx, v, first)
	if err != nil {
		return poststore.Ranked{}, err
	}
	for i := range ranked.Posts {
		of.Corrections.Apply(&ranked.Posts[i].Post)
	}
	return ranked, nil
}

func (s *Store) readRanked(ctx context.Context, v *view, rows []rankedRow) ([]poststore.RankedPost, error) {
	at := make([]located, len(rows))
	for i := range rows {
		at[i] = located{rows[i].row, rows[i].Time.Unix()}
	}
	byRow, err := s.readRows(ctx, v, at)
	if err != nil {
		return nil, err
	}
	posts := make([]poststore.RankedPost, len(rows))
	for i, r := range rows {
		posts[i] = poststore.RankedPost{Post: byRow[r.row], Position: r.RankPosition, Copies: r.copies}
		posts[i].Position.Time = posts[i].Post.Time
	}
	return posts, nil
}

// newFirstRows returns a collector of the first rows after the position that a ranking continues.
func newFirstRows(r *poststore.Ranking) *firstOf[rankedRow] {
	return &firstOf[rankedRow]{limit: r.Limit, compare: func(a, b *rankedRow) int { return r.Order.Compare(a.RankPosition, b.RankPosition) }}
}

// addAfter adds a row if it is after the position that a ranking continues.
func addAfter(to *firstOf[rankedRow], r *poststore.Ranking, row rankedRow) {
	if r.After == nil || r.Order.Compare(row.RankPosition, *r.After) > 0 {
		to.add(row)
	}
}

// rankInGo computes the positions of all selected posts.
func rankInGo(ctx context.Context, posts *scan, r *poststore.Ranking) (_ []rankedRow, ranked poststore.Ranked, err error) {
	var doc query.Document
	first := newFirstRows(r)
	err = posts.run(ctx, func(p *scannedPost) error {
		ranked.Total++
		addAfter(first, r, rankedRow{enginekit.PositionOf(r, p.Post, &doc), p.row, 1})
		return nil
	})
	ranked.Groups = ranked.Total
	return first.sorted(), ranked, err
}

// rankInSQL sorts posts that satisfy a condition by columns.
func (s *Store) rankInSQL(ctx context.Context, cond string, args *chhttp.Args, r *poststore.Ranking) (rows []rankedRow, ranked poststore.Ranked, err error) {
	sql := firstInSQL(cond, args, r)
	err = parallel.For(ctx, 2, maxStatements, func(ctx context.Context, i int) (err error) {
		switch {
		case i == 0:
			ranked.Total, err = s.count(ctx, cond, args)
		case r.Limit > 0:
			rows, err = s.readPositions(ctx, sql, args)
		}
		return err
	})
	ranked.Groups = ranked.Total
	return rows, ranked, err
}

// firstInSQL returns a statement that yields the first rows that satisfy a condition.
func firstInSQL(cond string, args *chhttp.Args, r *poststore.Ranking) string {
	score, direction := "toInt64(0)", "DESC"
	order := ""
	switch r.Order {
	case poststore.OldestFirst:
		direction = "ASC"
	case poststore.MostEngagement:
		score, order = saturatingSum(engagementColumns()), "score DESC, "
	case poststore.MostReach:
		score, order = "followers", "score DESC, "
	}
	if r.After != nil {
		cond += " AND " + afterPosition(r, score, args)
	}
	return "SELECT row, sec, nanos, " + hashColumn + " AS hash, " + score + " AS score FROM posts WHERE " + cond +
		" ORDER BY " + order + "sec " + direction + ", nanos " + direction + ", key LIMIT " + strconv.Itoa(r.Limit)
}

// readPositions runs a statement of firstInSQL.
func (s *Store) readPositions(ctx context.Context, sql string, args *chhttp.Args) (rows []rankedRow, err error) {
	var row, hash proto.ColUInt64
	var sec, score proto.ColInt64
	var nanos proto.ColUInt32
	results := proto.Results{{Name: "row", Data: &row}, {Name: "sec", Data: &sec}, {Name: "nanos", Data: &nanos}, {Name: "hash", Data: &hash}, {Name: "score", Data: &score}}
	err = s.query(ctx, sql, args, results, func(n int) error {
		for i := range n {
			at := time.Unix(sec.Row(i), int64(nanos.Row(i))).UTC()
			rows = append(rows, rankedRow{poststore.RankPosition{Score: score.Row(i), Time: at, Hash: hash.Row(i)}, row.Row(i), 1})
		}
		return nil
	})
	return rows, err
}

// hashColumn is the expression for enginekit.SampleHash.
const hashColumn = "toUInt64(bitShiftRight(key, 32))"

// afterPosition returns the condition that a post comes after the position that a ranking continues.
func afterPosition(r *poststore.Ranking, score string, a *chhttp.Args) string {
	at := r.After
	earlier, later := before(at.Time, a), notBefore(at.Time.Add(1), a)
	if r.Order == poststore.OldestFirst {
		earlier, later = later, earlier
	}
	same := "sec = " + a.Int(at.Time.Unix()) + " AND nanos = " + a.Int(int64(at.Time.Nanosecond())) + " AND " + hashColumn + " > " + a.Uint(at.Hash)
	tied := score + " = " + a.Int(at.Score) + " AND (" + earlier + " OR " + same + ")"
	return "(" + score + " < " + a.Int(at.Score) + " OR " + tied + ")"
}
